package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/jump"
)

// o is about the session of the drawn call, and in the pane of the sessions about the
// selected one.
func TestJumpGoesWhereTheScreenPoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t, bash("r1", "s2", time.Now(), "ls"))
		var to []string
		var result error
		b.m.shared.jumper = jump.New(b.m.Desk, func(_ context.Context, s broker.Session) error {
			to = append(to, s.ID)
			return result
		})
		b.press("o")
		b.shows("docs is in pane")
		b.press("enter", "o", "esc")
		b.press("shift+tab", "o")
		b.shows("api is in pane")
		if got := strings.Join(to, " "); got != "s2 s2 s1" {
			t.Errorf("jumped to %q", got)
		}
		result = errors.New("pane %4 is gone")
		b.press("o")
		b.shows("api: pane %4 is gone")
		result = errors.New("tmux: no server\x1b[2J")
		b.press("o")
		b.shows(`api: tmux: no server\x1b[2J`)
	})
}

// Codex serves all its terminals from one process, which was started in the first: the others'
// pane is not known.
func TestJumpIntoASharedProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t, bash("r1", "s2", time.Now(), "ls"))
		jumps := 0
		b.m.shared.jumper = jump.New(b.m.Desk, func(context.Context, broker.Session) error { jumps++; return nil })
		share := func(agent string, state broker.SessionState) {
			for _, id := range []string{"s1", "s2"} {
				s := *b.m.Board.Sessions[id]
				s.Agent, s.Pane, s.Process, s.State = agent, "%1", broker.Process{PID: 7, Start: 1}, broker.SessionActive
				if id == "s1" {
					s.State = state
				}
				b.send(updatesMsg{gen: b.m.feed.gen, list: []broker.Update{{Session: &s}}})
			}
		}
		share("codex", broker.SessionActive)
		b.press("o")
		b.shows("docs: its agent serves several sessions from one process")
		if jumps != 0 {
			t.Error("it jumped to a pane that may be another session's")
		}
		share("codex", broker.SessionFinished)
		b.press("o")
		share("opencode", broker.SessionActive)
		b.press("o")
		if jumps != 2 {
			t.Errorf("%d jumps, want 2: alone in its process, and in one terminal with the other", jumps)
		}
	})
}
