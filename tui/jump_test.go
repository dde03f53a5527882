package tui

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/tui/tmux"
)

// o is about the session of the drawn call, and in the pane of the sessions about the
// selected one.
func TestJumpGoesWhereTheScreenPoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBells(t, bash("r1", "s2", time.Now(), "ls"))
		var to []string
		var result error
		b.m.opts.Jump = func(_ context.Context, s broker.Session) error {
			to = append(to, s.ID)
			return result
		}
		b.press("o")
		b.shows("docs is in pane")
		b.press("enter", "o", "esc")
		b.press("shift+tab", "o")
		b.shows("api is in pane")
		if got := strings.Join(to, " "); got != "s2 s2 s1" {
			t.Errorf("jumped to %q", got)
		}
		result = problem("pane %4 is gone")
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
		b.m.opts.Jump = func(context.Context, broker.Session) error { jumps++; return nil }
		share := func(agent string, state broker.SessionState) {
			for _, id := range []string{"s1", "s2"} {
				s := *b.m.Board.Sessions[id]
				s.Agent, s.Pane, s.Process, s.State = agent, "%1", broker.Process{PID: 7, Start: 1}, broker.SessionActive
				if id == "s1" {
					s.State = state
				}
				b.send(updatesMsg{gen: b.m.watchGen, list: []broker.Update{{Session: &s}}})
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

func TestJumpWithoutTmux(t *testing.T) {
	t.Setenv("TMUX", "")
	for pane, want := range map[string]string{
		"":              "its agent does not run in tmux",
		"%4":            "the agent is in pane %4 of tmux, and this console is not in tmux",
		"%4;kill":       "it names a pane that cannot be one: %4;kill",
		"-t":            "it names a pane that cannot be one: -t",
		"%1\x1b[2J":     `it names a pane that cannot be one: %1\x1b[2J`,
		"%99999999999":  "it names a pane that cannot be one: %99999999999",
		"#(touch x)":    "it names a pane that cannot be one: #(touch x)",
		"%1 -t %2":      "it names a pane that cannot be one: %1 -t %2",
		"{last}":        "it names a pane that cannot be one: {last}",
		"%1\n%2":        "it names a pane that cannot be one: %1⏎%2",
		"one:console.0": "it names a pane that cannot be one: one:console.0",
	} {
		err := jumpTo(t.Context(), broker.Session{Pane: pane})
		if p, ok := errors.AsType[problem](err); !ok || p.Error() != want {
			t.Errorf("pane %q: %v, want %q", pane, err, want)
		}
	}
}

func TestStillIn(t *testing.T) {
	child := exec.Command("cat")
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = stdin.Close(), child.Wait() }()
	agent := peers.FindProcess(child.Process.Pid)
	s := broker.Session{Pane: "%4", Process: agent}
	here := tmux.Pane{ID: "%4", PID: agent.PID}
	if err := stillIn(s, here); err != nil {
		t.Errorf("the agent's own pane: %v", err)
	}
	other, unknown, ended := here, s, s
	other.PID = 1 << 30
	unknown.Process = broker.Process{}
	ended.State = broker.SessionFinished
	dead := here
	dead.Dead = true
	for name, c := range map[string]struct {
		s    broker.Session
		pane tmux.Pane
		want string
	}{
		"somebody else's": {s, other, "is no longer its own"},
		"a dead pane":     {s, dead, "is no longer its own"},
		"nobody known":    {unknown, here, "may be anybody's"},
		"a session over":  {ended, here, "has ended"},
	} {
		if err := stillIn(c.s, c.pane); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
