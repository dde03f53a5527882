package tui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
)

// With nothing waiting R says where the sessions are that it lets go on, and no word is of a card. Only
// one that is deferred needs no choice, nor does the one with the bar.
func TestResumeWithNothingWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := broker.Session{ID: "s1", Agent: "claude", Name: "docs", State: broker.SessionFinished, StartedAt: time.Now()}
		live := broker.Session{ID: "s3", Agent: "claude", Name: "site", State: broker.SessionActive, StartedAt: time.Now()}
		r := newRig(t, newFake([]broker.Session{live, s}), 80, 24)
		r.press("R")
		r.shows("nothing to resume: no session is deferred")
		s.Deferred = 1
		r.tellSession(s)
		other := s
		other.ID, other.Name = "s2", "shop"
		r.tellSession(other)
		r.press("R")
		r.shows("nothing to resume here; deferred sessions are listed in Sessions (3)")
		r.press("j")
		r.send(tea.FocusMsg{}) // the operator looked elsewhere
		r.send(keyMsg("R"))
		r.wait(10 * time.Millisecond)
		r.shows("the screen just changed: look first, then press R again")
	})
}

// R starts an agent, so it is about what is seen: with the bar on no session, or in a window that is too
// small for the call that waits, it does not pick the one session that is deferred.
func TestResumePicksNothingUnseen(t *testing.T) {
	for name, play := range map[string]func(r *rig){
		"the bar is on the ended ones": func(r *rig) { r.press("3", "G"); r.shows("▌─ 1 ended ─") },
		"a small window":               func(r *rig) { r.send(tea.WindowSizeMsg{Width: 30, Height: 8}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				now := time.Now()
				held := heldSession(broker.TurnDeferred)
				held.Deferred, held.StartedAt = 1, now
				gone := broker.Session{ID: "s2", Agent: "claude", Name: "docs", State: broker.SessionFinished, StartedAt: now, SessionEnd: broker.SessionEnd{EndedAt: now}}
				live := broker.Session{ID: "s3", Agent: "claude", Name: "site", State: broker.SessionActive, StartedAt: now}
				r := newRig(t, newFake([]broker.Session{held, gone, live}, bash("r1", "s3", now, "echo 1")), 120, 30)
				play(r)
				r.wait(3 * time.Second)
				r.press("R")
				if got := r.asked(); got != "" {
					t.Errorf("asked for %q:\n%s", got, r.view())
				}
			})
		})
	}
}
