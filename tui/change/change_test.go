package change

import (
	"testing"
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
		cs := Changes{List: []Change{{Edits: []Replacement{{Old: c.old, Fresh: c.fresh}}}}}
		if added, gone := cs.Tally(); added != c.added || gone != c.gone {
			t.Errorf("%q to %q: +%d −%d, want +%d −%d", c.old, c.fresh, added, gone, c.added, c.gone)
		}
	}
}
