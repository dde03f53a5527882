package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func init() { scriptCommands["tmux"] = cmdTmux }

// cmdTmux has a tmux server of the script's own, whose socket is $TMUX_SOCKET:
//
//	tmux start               start it, with a session "one" of 120 × 40 cells
//	tmux do ARG…             run one of its commands; prints the answer
//	tmux see TARGET TEXT     a pane shows the text
//	tmux until TEXT ARG…     a command's answer comes to hold the text
func cmdTmux(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: tmux start|do|see|until …")
	}
	var shown string
	switch rest := args[1:]; {
	case args[0] == "start":
		startTmux(ts)
	case args[0] == "do" && len(rest) > 0:
		out, err := tmuxCommand(ts, rest...)
		_, _ = fmt.Fprint(ts.Stdout(), out)
		ts.Check(err)
	case args[0] == "see" && len(rest) > 1:
		text := strings.Join(rest[1:], " ")
		if !eventually(func() bool {
			shown, _ = tmuxCommand(ts, "capture-pane", "-p", "-J", "-t", rest[0])
			return strings.Contains(shown, text)
		}) {
			ts.Fatalf("%q was not drawn in %s; this was:\n%s", text, rest[0], shown)
		}
	case args[0] == "until" && len(rest) > 1:
		if !eventually(func() bool {
			shown, _ = tmuxCommand(ts, rest[1:]...)
			return strings.Contains(shown, rest[0])
		}) {
			ts.Fatalf("tmux %s does not answer %q but %q", strings.Join(rest[1:], " "), rest[0], shown)
		}
	default:
		ts.Fatalf("unknown: tmux %s", strings.Join(args, " "))
	}
}

func startTmux(ts *testscript.TestScript) {
	dir, err := os.MkdirTemp("", "t") // short enough for a socket
	ts.Check(err)
	ts.Setenv("TMUX_SOCKET", filepath.Join(dir, "s"))
	ts.Defer(func() {
		_, _ = tmuxCommand(ts, "kill-server") // it may have ended
		_ = os.RemoveAll(dir)
	})
	_, err = tmuxCommand(ts, "-f", "/dev/null", "new-session", "-d", "-s", "one", "-x", "120", "-y", "40", "-n", "shell", "sh")
	ts.Check(err)
	_, err = tmuxCommand(ts, "set", "-g", "focus-events", "on", ";", "set", "-g", "allow-passthrough", "on", ";", "set", "-g", "escape-time", "0")
	ts.Check(err)
}

// tmuxCommand runs one command of the script's server.
func tmuxCommand(ts *testscript.TestScript, args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-S", ts.Getenv("TMUX_SOCKET")}, args...)...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = []string{"TERM=xterm-256color", "LANG=C.UTF-8", "PS1=$ ", "SHELL=/bin/sh"}
	for _, name := range []string{"PATH", "HOME", "AOCTL_HOME", "TMPDIR", "NO_COLOR", "WORK", "GORACE"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tmux %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}
