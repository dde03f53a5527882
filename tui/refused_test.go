package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// The header counts attempts that were turned down by that name, so that nobody takes them for calls, and
// forgets them ten minutes after the last one.
func TestAttemptsAreCountedAndForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := three(t)
		r.tells(broker.Update{Refused: &broker.Refused{SessionID: "s1"}}, broker.Update{Refused: &broker.Refused{SessionID: "s1"}})
		r.wait(time.Second)
		r.shows("2 attempts refused")
		r.wait(refusedCounted + time.Second)
		if strings.Contains(r.view(), "refused") {
			t.Errorf("they are still told of:\n%s", r.view())
		}
		r.tells(broker.Update{Refused: &broker.Refused{SessionID: "s1"}})
		r.wait(time.Second)
		r.shows("1 attempt refused")
	})
}
