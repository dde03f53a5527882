package tui

import (
	"testing"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/change"
)

// A row of the queue counts the lines of an edit as its card does in the file: the rest of
// a line that both pieces end in is no change of it.
func TestCountOfPieces(t *testing.T) {
	for _, c := range []struct {
		old, fresh  string
		added, gone int
	}{
		{"package main", "package main\n\n// hi", 2, 0},
		{"a\nb", "a", 0, 1},
		{"a", "b", 1, 1},
		{"a\n", "a", 1, 1},
		{"", "a", 1, 0},
	} {
		cs := change.Changes{List: []change.Change{{Edits: []change.Replacement{{Old: c.old, Fresh: c.fresh}}}}}
		if added, gone := cs.Tally(); added != c.added || gone != c.gone {
			t.Errorf("%q to %q: +%d −%d, want +%d −%d", c.old, c.fresh, added, gone, c.added, c.gone)
		}
	}
}

// What stands beside an element is not said again, nor is there a sentence about "it"
// that says nothing of it.
func TestNoteOfElement(t *testing.T) {
	for why, want := range map[string]string{
		`"sh": sh runs whatever it reads`:                       "sh runs whatever it reads",
		`only a rule that names "sh" exactly may allow it: why`: "only a rule that names it exactly may allow it: why",
	} {
		if got := callview.ElementNote(rules.Judged{Text: "sh", Why: why}); got != want {
			t.Errorf("%s: %s, want %s", why, got, want)
		}
	}
}
