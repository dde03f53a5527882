package tui

import (
	"slices"
	"testing"
)

// The names stand in people's settings files: one that changes breaks them.
func TestKeyActions(t *testing.T) {
	var decisions, names []string
	for _, a := range KeyActions() {
		if len(a.Default) == 0 || slices.Contains(names, a.Name) {
			t.Errorf("%+v", a)
		}
		names = append(names, a.Name)
		if a.Decision {
			decisions = append(decisions, a.Name)
		}
		if a.Decision && len(a.Default) != 1 {
			t.Errorf("a decision with several keys: %+v", a)
		}
	}
	if !slices.Equal(decisions, []string{"allow", "deny", "deny_why", "yes"}) {
		t.Errorf("decisions: %q", decisions)
	}
	for _, want := range []string{"mark", "page_down", "end_turn", "stop_all", "quit"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %s in %q", want, names)
		}
	}
	mark := KeyActions()[slices.Index(names, "mark")]
	if !slices.Equal(mark.Default, []string{"space"}) {
		t.Errorf("the space bar is called %q", mark.Default)
	}
}
