package tui

import (
	"testing"
	"testing/synctest"
)

// After a decision the cursor goes to the next call, after the last one to the one before it; never to
// the top.
func TestDecisionLeadsToTheNeighbour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("j", "d")
		if got := r.m.selected(); got != "r3" {
			t.Errorf("from the second of three it leads to %s", got)
		}
		r.press("a")
		if got := r.m.selected(); got != "r1" {
			t.Errorf("from the last it leads to %s", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.press("G", "d")
		if got := r.m.selected(); got != "r2" {
			t.Errorf("from the last of three it leads to %s", got)
		}
	})
}
