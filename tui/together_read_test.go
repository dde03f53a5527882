package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
)

// What a jump to the end passes over has not been read.
func TestTogetherJumpReadsNothingBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		r := several(t, pushCall("z1", now, strings.Repeat("\necho x", 200)+"\nthe first end"),
			pushCall("z2", now.Add(time.Second), strings.Repeat("\necho y", 200)+"\nthe end"))
		r.m.Board.Marks["z1"], r.m.Board.Marks["z2"] = true, true
		r.press("a", "G")
		r.shows("the end")
		r.press("a")
		r.shows("1 call not read to the end yet")
		r.press("y")
		if got := r.decisions(); got != "" {
			t.Fatalf("decided %q, of which one was jumped over", got)
		}
		for range 30 {
			r.press("ctrl+u")
		}
		r.press("a", "y")
		if got := r.decisions(); strings.Count(got, "allow ") != 2 {
			t.Errorf("decided %q", got)
		}
	})
}

// An edit that changes its meaning while the marked calls are looked at is read on its own card.
func TestTogetherReadsNoEdit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		r := several(t, editCall("e1", now), pushCall("z1", now, strings.Repeat("\necho x", 200)+"\nthe end"))
		r.m.Board.Marks["e1"], r.m.Board.Marks["z1"] = true, true
		r.m.Board.Cards["e1"].SeenEnd = true
		r.press("a")
		if r.m.open() != r.m.rooms[desk.Together] {
			t.Fatalf("the marked calls are not shown:\n%s", r.view())
		}
		r.m.Board.Cards["e1"].Unread()
		r.wait(time.Second)
		r.press("G", "g", "a")
		r.shows("open it first")
		r.press("y")
		if got := r.decisions(); got != "" {
			t.Errorf("decided %q, an edit without its file", got)
		}
	})
}

// Where a call runs and whose it is stands below it, in windows of all widths: no row of the list
// may have shown that.
func TestTogetherSaysWhereAndWhose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := pushCall("z1", time.Now(), "z")
		z.CWD, z.SubagentID, z.SubagentType = "/etc/"+strings.Repeat("deep/", 12)+"end", "a1", "reviewer-of-what-is-long"
		r := several(t, z)
		r.m.Board.Marks["p1"], r.m.Board.Marks["z1"] = true, true
		r.press("a")
		for _, width := range []int{40, 80, 200} {
			r.send(tea.WindowSizeMsg{Width: width, Height: 40})
			r.shows("/etc/deep")
			r.shows("/end")
			r.shows("what-is-long")
		}
	})
}

// Of a session that runs in another environment than before a row says nothing.
func TestRowsDoNotTellOfAnEnvironment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := several(t)
		s := r.c.sessions["s1"]
		s.Run = &broker.Run{}
		s.Run.EnvDiffers = []string{"DATABASE_URL"}
		r.tellSession(s)
		r.c.publish(pushCall("z1", time.Now(), "z"))
		r.wait(time.Second)
		if r.m.Board.Cards["z1"].SeenRow {
			t.Error("a row counts as the whole call, without the warning")
		}
		r.m.Board.Marks["p1"], r.m.Board.Marks["z1"] = true, true
		r.press("a")
		r.shows("DATABASE_URL")
	})
}
