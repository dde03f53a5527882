package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// What the operator chose decides, is drawn, and takes the place of what it was.
func TestChosenKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(nil, bash("r1", "s1", time.Now(), "ls")), 100, 30)
		r.m.chosen = chooseKeys(map[string][]string{"allow": {"z"}, "help": {"f1"}, "mark": {"a"}})
		r.wait(2 * time.Second)
		r.shows("z allow")
		r.press("a")
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Fatalf("the old key decided: %s", got)
		}
		if len(r.m.Board.Marks) != 1 {
			t.Error("the key marks nothing")
		}
		r.press("a")
		r.send(tea.KeyMsg{Type: tea.KeyF1})
		r.shows("allow this call, once")
		r.press("esc")
		r.wait(2 * time.Second)
		r.press("z")
		r.wait(time.Second)
		if got := r.decisions(); got != "allow r1;" {
			t.Errorf("decided %q", got)
		}
	})
}

// A key that was moved away does nothing, and words that are written stay as they are.
func TestKeyMovedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(nil, bash("r1", "s1", time.Now(), "ls")), 100, 30)
		r.m.chosen = chooseKeys(map[string][]string{"allow": {"z"}})
		r.wait(2 * time.Second)
		r.press("a", "D", "a", "z", "enter")
		r.wait(time.Second)
		if got := r.decisions(); got != "deny r1;" || r.c.decided[0].Reason != "az" {
			t.Errorf("decided %q, %+v", got, r.c.decided)
		}
	})
}

func TestKeysByName(t *testing.T) {
	for _, name := range []string{"a", " ", "enter", "ctrl+d", "alt+x", "f5", "pgdown", "?", "ctrl+a", "esc", "shift+tab"} {
		if got := keyCalled(name).String(); got != name {
			t.Errorf("%q became %q", name, got)
		}
	}
	if got := chooseKeys(map[string][]string{"down": {"n"}}).call("j k"); got != "n k" && !strings.Contains(got, "n") {
		t.Errorf("j k is called %q", got)
	}
}
