package sim

import (
	"testing"
	"time"
)

// TestWorlds plays worlds of fixed seeds: no promise is broken in any.
func TestWorlds(t *testing.T) {
	steps, began := 0, time.Now()
	for seed := range uint64(400) {
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
