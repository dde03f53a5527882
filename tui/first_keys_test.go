package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
)

// On the screen of a managed session the key that stops is the chosen one, and no other.
func TestChosenKeyStopsAManagedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldRig(t, broker.TurnWorking)
		r.m.chosen = chooseKeys(map[string][]string{"allow": {"s"}, "stop": {"z"}})
		r.m.Open(desk.Managed, desk.Subject{Session: "s1"})
		r.wait(2 * time.Second)
		r.press("s")
		if len(r.c.stopped) > 0 {
			t.Error("the key that was moved away stopped the session")
		}
		r.wait(2 * time.Second)
		r.press("z")
		if len(r.c.stopped) != 1 {
			t.Errorf("the chosen key stopped %v", r.c.stopped)
		}
	})
}
