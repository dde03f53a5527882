package tui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aoctl/aoctl/broker"
)

// A name of the operator's own holds on the screen, and is taken back with an empty one.
func TestRenameSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession), 80, 24)
		r.press("3", "L")
		for _, k := range "checkout" {
			r.press(string(k))
		}
		r.press("enter")
		if s := r.c.sessions["s1"]; s.Name != "checkout" || !s.Renamed || !strings.Contains(r.view(), "checkout") {
			t.Fatalf("it is called %q:\n%s", s.Name, r.view())
		}
		r.press("L")
		if !strings.Contains(r.view(), "name of checkout: checkout") {
			t.Errorf("the name is not there to be changed:\n%s", r.view())
		}
		r.press("ctrl+u", "enter")
		if s := r.c.sessions["s1"]; s.Renamed {
			t.Errorf("it is still called %q", s.Name)
		}
	})
}

// A session that lives is put away at once and comes back with its agent; one of which no process is
// known is removed, once that was said yes to.
func TestPutSessionAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alive, other := slices.Clone(oneSession), oneSession[0]
		alive[0].Process, other.ID = broker.Process{PID: 4242}, "s2"
		r := newRig(t, newFake(append(alive, other)), 80, 24)
		r.press("3", "Z")
		if s := r.c.sessions["s1"]; !s.Archived || !strings.Contains(r.view(), "1 ended, away") {
			t.Fatalf("put away %v:\n%s", s.Archived, r.view())
		}
		r.press("enter", "j", "Z")
		if s := r.c.sessions["s1"]; s.Archived {
			t.Fatalf("it is still put away:\n%s", r.view())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(oneSession), 80, 24)
		r.press("3", "Z", "n")
		if r.c.sessions["s1"].Archived {
			t.Fatal("removed without a yes")
		}
		r.press("Z")
		r.press("y")
		if s := r.c.sessions["s1"]; !s.Removed() || !strings.Contains(r.view(), "none yet") {
			t.Errorf("it is %+v:\n%s", s, r.view())
		}
	})
}
