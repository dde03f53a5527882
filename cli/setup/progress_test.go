package setup

import (
	"strings"
	"testing"

	"github.com/creack/pty"
)

// Who waits for agents to tell their versions sees that on a terminal.
func TestAskingIsSeen(t *testing.T) {
	home, _ := installHome(t)
	t.Setenv("PATH", home) // no agent to ask
	t.Setenv("TERM", "xterm")
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = tty.Close(), screen.Close() }()
	i := &installer{warn: tty}
	i.ask(t.Context(), "claude", "codex")
	said := make([]byte, 1000)
	n, err := screen.Read(said)
	if text := string(said[:n]); err != nil || !strings.Contains(text, "asking agents for their versions 0/2") {
		t.Errorf("it shows %q, %v", text, err)
	}
}
