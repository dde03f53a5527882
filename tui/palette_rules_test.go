package tui

import (
	"testing"
	"testing/synctest"
)

// A rule is switched, and put before another one, by its own key only: the list was not on the screen
// while words were typed.
func TestPaletteChangesNoRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, words := range []string{"switch the rule", "speak before", "speak after"} {
			r := bookRig(t)
			r.press("r", "j", ":")
			r.typeText(words)
			r.press("enter")
			if got := r.saved(); got != "" {
				t.Errorf("%s: saved %q:\n%s", words, got, r.view())
			}
		}
	})
}
