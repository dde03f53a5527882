package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// The row of a stopped session says how it goes on, and the key line does not offer to stop it.
func TestStoppedSaysHowToGoOn(t *testing.T) {
	stopped := broker.Session{ID: "s1", Agent: "claude", Name: "shop", State: broker.SessionStopped}
	managed := heldSession(broker.TurnEnded)
	managed.State = broker.SessionStopped
	for name, tc := range map[string]struct {
		s     broker.Session
		width int
		says  string
	}{
		"watched":         {stopped, 160, "type a prompt in it to go on"},
		"watched, narrow": {stopped, 80, "prompt it to go on"},
		"managed":         {managed, 80, "m to go on"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, newFake([]broker.Session{tc.s}, bash("r1", "s2", time.Now(), "ls")), tc.width, 30)
				r.press("shift+tab")
				r.shows(tc.says)
				if r.m.named("s").Short != "" || r.m.named("i").Short != "" {
					t.Errorf("the key line offers to stop what is stopped: %s", r.footer())
				}
				if got := r.m.named("m").Short; (got == "go on") != (tc.s.Run != nil) {
					t.Errorf("m is named %q", got)
				}
			})
		})
	}
}

// After the answer to its deferred call the row of a session names the key that resumes it; once it has
// gone on, neither the row nor the last line says so any longer.
func TestAnsweredSaysWhatResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := offRig(t)
		if strings.Contains(r.view(), "docs       R resumes") {
			t.Errorf("says so before the answer:\n%s", r.view())
		}
		r.press("j", "j", "a")
		r.over("r3")
		r.shows("docs       R resumes")
		r.shows("run in a terminal: aoctl resume docs")
		r.wait(time.Minute)
		r.shows("run in a terminal: aoctl resume docs")
		s := r.c.sessions["s2"]
		s.State, s.SessionEnd, s.Deferred = broker.SessionActive, broker.SessionEnd{}, 0
		r.tellSession(s)
		if view := r.view(); strings.Contains(view, "docs       R resumes") || strings.Contains(view, "run in a terminal") {
			t.Errorf("it went on, and is still to be resumed:\n%s", view)
		}
	})
}

// The selected session says it in words.
func TestAnsweredInWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := offRig(t)
		r.over("r1", "r2", "r3", "r4")
		r.press("shift+tab", "j", "j")
		r.shows("answered: R resumes it")
	})
}

// A call that its agent takes back because its turn was interrupted says so, whoever did that.
func TestInterruptedCallIsNotItsAgentsDoing(t *testing.T) {
	for id, says := range map[string]string{
		broker.InterruptedID: "Bash: was taken back: you interrupted its turn",
		broker.WithdrawnID:   "Bash: was taken back by its agent",
	} {
		t.Run(id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heldRig(t, broker.TurnWorking)
				by := broker.Actor{Kind: broker.ByAgent, ID: id}
				r.c.publish(settled(r.c.requests["r1"], broker.Cancelled, by, "you interrupted its turn", time.Now()))
				r.wait(time.Second)
				r.shows(says)
			})
		})
	}
}

// A session that is started here is called as the list is going to call it.
func TestStartingNamesAsTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := launchRig(t)
		r.tellSession(broker.Session{ID: "old-7185", Agent: "claude", Name: "shop", State: broker.SessionActive})
		r.press("n")
		r.write("x")
		r.press("enter")
		r.write("shop")
		r.press("ctrl+s")
		r.wait(time.Second)
		r.shows("starting shop-new: it is listed")
		r.tellSession(broker.Session{ID: "new", Agent: "claude", Name: "shop", State: broker.SessionActive})
		if got := r.m.Board.Label("new"); got != "shop-new" {
			t.Errorf("the list calls it %q", got)
		}
	})
}
