package sim

import (
	"testing"
	"time"
)

// broke are seeds of worlds without consoles in which a promise was broken once.
var broke = []uint64{
	392740579,  // after a lie of the disk and a crash an agent was told of another refusal, which the log has
	176969451,  // an agent took the answer of an earlier conversation for one of the next
	1188624317, // a stop that could not be recorded at once was written later and not synced
	177010170,  // a look at the store, older than a commit that failed, settled that nothing was in doubt
}

// since are others, with whatever there is now.
var since = []uint64{
	69518582, // an agent with an answer went on waiting for another one
	2075,     // an id was used again before its refusal was written, and that ended the new call on the disk alone
}

// TestWorlds plays worlds of fixed seeds: no promise is broken in any.
func TestWorlds(t *testing.T) {
	for _, seed := range broke {
		if w := play(draw(seed, 300), false); w.wrong != "" {
			t.Fatalf("seed %d, without consoles: %s", seed, w.wrong)
		}
	}
	steps, began := 0, time.Now()
	seeds := since
	most := uint64(400)
	if testing.Short() {
		most = 50
	}
	for seed := range most {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		r := Play(seed, 300)
		steps += r.Steps
		if r.Wrong != "" {
			t.Fatalf("%s\n%s", r.Wrong, Story(seed, 300))
		}
	}
	t.Logf("%d steps, %.0f a minute", steps, float64(steps)/time.Since(began).Minutes())
}

// TestSameSeedSameWorld: a world that is played twice is the same twice.
func TestSameSeedSameWorld(t *testing.T) {
	for seed := range uint64(20) {
		if a, b := Play(seed, 300), Play(seed, 300); a != b {
			t.Errorf("seed %d: %+v and %+v", seed, a, b)
		}
	}
}
