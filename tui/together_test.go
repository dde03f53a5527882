package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	tea "github.com/charmbracelet/bubbletea"
)

// manyLines marks three short calls and one whose row cannot show it, and asks to allow them.
func manyLines(t *testing.T) *rig {
	t.Helper()
	r := several(t, pushCall("z1", time.Now(), strings.Repeat("\necho x", 200)+"\nthe end"))
	r.press("*")
	r.m.Board.Marks["z1"] = true
	r.press("a")
	return r
}

// What is marked is shown one call below the other; a counts once the last row was on the screen.
func TestTogetherIsReadToTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := manyLines(t)
		r.shows("▸4 marked calls")
		r.shows("read to the end to allow 4 marked")
		r.press("a", "y")
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q before the end was seen", got)
		}
		r.press("G")
		r.shows("the end")
		r.press("a")
		r.shows("allow 4 marked calls")
		r.press("y")
		if got := r.decisions(); strings.Count(got, "allow ") != 4 {
			t.Errorf("decided %q", got)
		}
		if !r.m.listed() {
			t.Errorf("the list is not back:\n%s", r.view())
		}
	})
}

// The same call of several sessions is drawn once, with all whose it is: one look is enough.
func TestTogetherDrawsTheSameOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("\necho x", 200) + "\nthe end"
		var same []broker.Request
		for _, id := range []string{"z1", "z2", "z3"} {
			q := pushCall(id, time.Now(), long)
			q.Digest = "same"
			same = append(same, q)
		}
		same[1].SubagentType = "reviewer"
		r := several(t, same...)
		for _, q := range same {
			r.m.Board.Marks[q.ID] = true
		}
		r.press("a")
		r.shows("3 calls, the same")
		r.press("G")
		r.shows("reviewer")
		if got := strings.Count(r.view(), "the end"); got != 1 {
			t.Errorf("the end is drawn %d times:\n%s", got, r.view())
		}
		r.press("a", "y")
		if got := r.decisions(); strings.Count(got, "allow ") != 3 {
			t.Errorf("decided %q", got)
		}
	})
}

// Denying takes no reading.
func TestTogetherDenies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := manyLines(t)
		r.press("d", "y")
		if got := r.decisions(); strings.Count(got, "deny ") != 4 {
			t.Errorf("decided %q", got)
		}
	})
}

// A call that ends meanwhile brings the screen anew: keys are deaf, and what was seen has to be seen
// again where it is new.
func TestTogetherChangesUnderTheKey(t *testing.T) {
	for name, change := range map[string]func(r *rig){
		"one ends": func(r *rig) {
			r.c.publish(settled(r.c.requests["p2"], broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
		},
		"a resize": func(*rig) {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := manyLines(t)
				r.press("G")
				change(r)
				r.wait(100 * time.Millisecond)
				if name == "a resize" {
					r.m.Guard.Doubt(time.Now())
				}
				r.send(keyMsg("a"))
				r.send(keyMsg("y"))
				r.wait(time.Second)
				if got := r.decisions(); got != "" {
					t.Errorf("decided %q on what had just come up", got)
				}
			})
		})
	}
}

// A question that is answered after a marked call has ended decides nothing.
func TestTogetherAnswersLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := manyLines(t)
		r.press("G", "a")
		r.c.publish(settled(r.c.requests["p2"], broker.Denied, broker.Actor{Kind: broker.ByStop}, "", time.Now()))
		r.wait(2 * time.Second)
		r.press("y")
		r.shows("nothing was decided")
		if got := r.decisions(); got != "" {
			t.Errorf("decided %q", got)
		}
	})
}

// What changes files is looked at on its own card, and nothing is allowed in a window too small.
func TestTogetherNotForEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		edit := editCall("e1", time.Now())
		r := several(t, edit)
		r.m.Board.Marks["p1"], r.m.Board.Marks["e1"] = true, true
		r.press("a")
		r.shows("open it first")
		if r.m.open() == r.m.rooms[desk.Together] {
			t.Error("an edit is shown without its file")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := manyLines(t)
		r.press("G")
		r.send(tea.WindowSizeMsg{Width: 39, Height: 11})
		r.wait(2 * time.Second)
		r.press("a", "y")
		if got := r.decisions(); got != "" {
			t.Errorf("decided %q in a window too small", got)
		}
	})
}
