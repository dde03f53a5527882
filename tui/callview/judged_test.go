package callview

import (
	"testing"

	"github.com/aoctl/aoctl/broker/rules"
)

// What stands beside an element is not said again, nor is there a sentence about "it"
// that says nothing of it.
func TestNoteOfElement(t *testing.T) {
	for why, want := range map[string]string{
		`"sh": sh runs whatever it reads`:                       "sh runs whatever it reads",
		`only a rule that names "sh" exactly may allow it: why`: "only a rule that names it exactly may allow it: why",
	} {
		if got := elementNote(rules.Judged{Text: "sh", Why: why}); got != want {
			t.Errorf("%s: %s, want %s", why, got, want)
		}
	}
}
