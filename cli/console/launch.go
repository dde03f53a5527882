package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
)

const (
	// launchTime is how long a runner may take to hold its session, its agent's start
	// included.
	launchTime = 3 * time.Minute
	// maxLaunchOutput is how much is read of what a runner says while it starts, bytes.
	maxLaunchOutput = 4 << 10
)

// launcher starts runners: "aoctl run --detach", which goes on when the console has ended.
// The runner is a process of its own and talks to the console over the socket like any
// other.
type launcher struct {
	program string        // aoctl's own
	socket  string        // of the console
	linger  time.Duration // how long what it leaves in the background may still say something
}

// newLauncher is a launcher for the console at socket. It starts this very program.
func newLauncher(socket string) (launcher, error) {
	program, err := os.Executable()
	if err != nil {
		return launcher{}, fmt.Errorf("find aoctl's own program: %w", err)
	}
	return launcher{program, socket, 5 * time.Second}, nil
}

// Launch starts a runner for a new session. The prompt is none of its arguments: those are
// short, and others see them. It goes in by standard input, which "-" asks for. Launch
// returns once the runner holds the session, or with what it said.
func (l launcher) Launch(sessionID string, n broker.NewRun) error {
	args := l.args(sessionID, n.Folder)
	if n.Name != "" {
		args = append(args, "--name", n.Name)
	}
	if n.Model != "" {
		args = append(args, "--model", n.Model)
	}
	// The folder's and the agent's names come behind their flags, and the agent's behind
	// "--", so none of them can be read as another flag.
	return l.start(n.Folder, append(args, "--", n.Agent, "-"), n.Prompt)
}

// Resume starts a runner that takes up s as it was started. It has no prompt: what is to be
// said, the broker tells it. The runner asks for program and arguments itself, from the
// record.
func (l launcher) Resume(s broker.Session) error {
	if s.Run == nil || s.Run.Program == "" {
		return errors.New("it is not known how the session's agent was started: start it with aoctl run --resume")
	}
	return l.start(s.CWD, append(l.args(s.ID, s.CWD), "--resume"), "")
}

// args are those that new and resumed sessions have in common.
func (l launcher) args(sessionID, folder string) []string {
	return []string{"run", "--socket", l.socket, "--detach", "--session-id", sessionID, "--cwd", folder}
}

// start runs the command until it has gone into the background: in a POSIX session of its
// own, so that nothing that ends the console's terminal ends it, with the console's
// environment but for the operator's token. Its error is what the command says. It blocks
// for up to launchTime.
func (l launcher) start(folder string, args []string, stdin string) error {
	ctx, cancel := context.WithTimeout(context.Background(), launchTime)
	defer cancel()
	out := &headWriter{most: maxLaunchOutput}
	cmd := exec.CommandContext(ctx, l.program, args...) //nolint:gosec // aoctl itself
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = folder, strings.NewReader(stdin), out, out
	// Killing the command would leave a runner behind that nobody knows of.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it takes its runner along
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = l.linger
	// A managed agent that had the token could allow its own calls.
	cmd.Env = client.WithoutToken(os.Environ())
	err := cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // it went into the background with what it writes to
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("start a runner: it did not go into the background within %v", launchTime)
	}
	if said := sentenceOf(out.text()); said != "" {
		return fmt.Errorf("start a runner: %s", said)
	}
	return fmt.Errorf("start a runner: %w", err)
}

// sentenceOf is what a command of ours says of its failure: its sentence and its hint, on
// one line. "" when it said nothing.
func sentenceOf(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.TrimPrefix(line, "aoctl: ")); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
