package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Attack: nothing waits and no bar is drawn in the sessions pane, so nobody sees which session a key
// would be about. It is about none; with the bar it acts.
func TestKeysNeedABar(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		synctest.Test(t, func(t *testing.T) {
			c := newFake([]broker.Session{heldSession(broker.TurnWorking)})
			r := newRig(t, c, size[0], size[1])
			for _, key := range []string{"i", "m", "F", "E", "T", "o", "s", "M", "ctrl+k"} {
				r.press(key)
				r.shows("select a session first (3)")
				r.press("esc")
			}
			for _, key := range []string{"x", "t", "X", "O"} {
				r.press(key, "esc")
			}
			if did := r.noted(); did != "" || len(c.stopped)+len(c.noted)+len(c.observed) > 0 {
				t.Errorf("%v: keys without a bar did %q %q %q %q", size, did, c.stopped, c.noted, c.observed)
			}
			r.wait(2 * time.Second) // m opened no input: words might follow
			r.press("3", "i")
			r.shows("▌")
			r.expect(`interrupt s1`)
		})
	}
}

// Without any session there is nothing to select.
func TestKeysWithoutSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newFake(nil), 80, 24)
		r.press("F")
		r.shows("there is no session yet")
	})
}
