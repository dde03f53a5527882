package sim

import (
	"slices"
	"testing"
	"time"
)

// TestFleets plays fleets of fixed seeds: no promise is broken in any.
func TestFleets(t *testing.T) {
	most, steps, began := uint64(40), 0, time.Now()
	if testing.Short() {
		most = 8
	}
	for seed := range most {
		r := PlayFleet(seed, 300)
		steps += r.Steps
		if r.Wrong != "" {
			t.Fatalf("%s\n%s", r.Wrong, StoryFleet(seed, 300))
		}
	}
	t.Logf("%d steps, %.0f a minute", steps, float64(steps)/time.Since(began).Minutes())
}

// TestSameSeedSameFleet: a fleet that is played twice is the same twice, although its keys are drawn.
func TestSameSeedSameFleet(t *testing.T) {
	for seed := range uint64(3) {
		list := drawFleet(seed, 200)
		if a, b := playFleet(list, true).said, playFleet(list, true).said; !slices.Equal(a, b) {
			t.Errorf("seed %d: two stories", seed)
		}
	}
}
