package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/tui/tuitest"
)

// The bytes screen names what the eye cannot see, and nothing can be decided there.
func TestBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(nil, tuitest.NewCall("r1", "s1", "Bash", time.Now(), `{"command":"ls \u202e\u200b\u001b[2J","x":"ф"}`)), 100, 60)
		r.wait(2 * time.Second)
		r.press("b")
		for _, want := range []string{
			"U+202E RIGHT-TO-LEFT OVERRIDE", "U+200B ZERO WIDTH SPACE", "U+001B ESCAPE", "U+0444 CYRILLIC SMALL LETTER EF",
			"000000  6c 73 20 e2 80 ae e2 80 8b 1b 5b 32 4a", "ls .......[2J",
		} {
			if !strings.Contains(r.view(), want) {
				t.Errorf("%q is not shown\n%s", want, r.view())
			}
		}
		if strings.Contains(r.view(), "all 0 rows") {
			t.Errorf("what is on the screen is said to be nothing\n%s", r.view())
		}
		r.press("a")
		r.wait(time.Second)
		if got := r.decisions(); got != "" {
			t.Errorf("decided on the bytes screen: %s", got)
		}
		r.press("esc")
		if !strings.Contains(r.view(), "$ ls") {
			t.Errorf("esc does not lead back\n%s", r.view())
		}
	})
}
