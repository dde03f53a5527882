package told

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// Two have the same sum when they have the same, and not otherwise: also where places and numbers
// look alike when they are written one after the other.
func TestSumTellsStatesApart(t *testing.T) {
	states := rapid.MapOf(rapid.SampledFrom([]string{"state.a", "state.a 1", "state.b", "state.a1"}), rapid.Uint64Range(1, 12))
	rapid.Check(t, func(rt *rapid.T) {
		x, y := states.Draw(rt, "x"), states.Draw(rt, "y")
		same := len(x) == len(y)
		for place, n := range x {
			same = same && y[place] == n
		}
		if got := bytes.Equal(Sum(x), Sum(y)); got != same {
			rt.Fatalf("the same sum %t: %v and %v", got, x, y)
		}
	})
}
