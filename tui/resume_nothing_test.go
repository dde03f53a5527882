package tui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
)

// With nothing waiting R says where the sessions are that it lets go on, and no word is of a card. Only
// one that is deferred needs no choice.
func TestResumeWithNothingWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := broker.Session{ID: "s1", Agent: "claude", Name: "docs", State: broker.SessionFinished, StartedAt: time.Now()}
		r := newRig(t, newFake([]broker.Session{s}), 80, 24)
		r.press("R")
		r.shows("nothing to resume: no session is deferred")
		s.Deferred = 1
		r.tellSession(s)
		other := s
		other.ID, other.Name = "s2", "shop"
		r.tellSession(other)
		r.press("R")
		r.shows("nothing to resume here; deferred sessions are listed in Sessions (3)")
		r.press("3")
		r.send(tea.FocusMsg{}) // the operator looked elsewhere
		r.send(keyMsg("R"))
		r.wait(10 * time.Millisecond)
		r.shows("the screen just changed: look first, then press R again")
	})
}
