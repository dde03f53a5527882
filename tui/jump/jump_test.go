package jump

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/tui/tmux"
)

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
		err := To(t.Context(), broker.Session{Pane: pane})
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
