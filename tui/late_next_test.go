package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// A late card keeps the selection when a live one arrives, says how many wait, and names the key that
// goes on to them.
func TestLateCardNamesTheNext(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		synctest.Test(t, func(t *testing.T) {
			late := bash("r1", "s1", time.Now().Add(-time.Minute), "make release")
			r := newRig(t, newFake(someSessions(), late), size[0], size[1])
			r.c.publish(settled(late, broker.Expired, broker.Actor{Kind: broker.ByDeadline}, "", time.Now()))
			r.wait(time.Second)
			for _, id := range []string{"r2", "r3"} {
				r.c.publish(bash(id, "s2", time.Now(), "ls "+id))
				r.wait(time.Second)
			}
			if r.m.selected() != "r1" {
				t.Fatalf("an arrival moved the selection to %s", r.m.selected())
			}
			if n := strings.Count(r.view(), "N next of 2"); n < 2 {
				t.Errorf("%v: card and key line do not both name the next one:\n%s", size, r.view())
			}
			r.press("N")
			if r.m.selected() != "r2" || !r.m.listed() {
				t.Errorf("N went to %s", r.m.selected())
			}
			r.press("N", "N")
			if r.m.selected() != "r2" {
				t.Errorf("N did not go round: %s", r.m.selected())
			}
		})
	}
}
