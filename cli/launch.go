package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker"
)

const (
	// launchTime is how long a runner may take to go into the background.
	launchTime = 30 * time.Second
	// maxPromptArg is the longest prompt that fits into an argument of a command, bytes: the
	// system takes 128 KiB.
	maxPromptArg = 120 << 10
	// maxLaunchOutput is how much is read of what a runner says while it starts, bytes.
	maxLaunchOutput = 4 << 10
)

// launcher starts runners: "aoctl run --detach", which goes on when the console has ended.
type launcher struct {
	program string // aoctl's own
	socket  string // of the console
}

func newLauncher(socket string) (launcher, error) {
	program, err := os.Executable()
	if err != nil {
		return launcher{}, fmt.Errorf("find aoctl's own program: %w", err)
	}
	return launcher{program, socket}, nil
}

// Launch starts a runner for a new session.
func (l launcher) Launch(sessionID string, n broker.NewRun) error {
	if len(n.Prompt) > maxPromptArg {
		return fmt.Errorf("the prompt is longer than %d bytes: start with a shorter one, and send the rest as a message", maxPromptArg)
	}
	return l.start(n.Folder, append(l.args(sessionID, n.Folder, n.Name, n.Model, 0), "--", n.Agent, n.Prompt))
}

// Resume starts a runner that takes up s. It has no prompt: what is to be said, the broker
// tells it.
func (l launcher) Resume(s broker.Session) error {
	if s.Run == nil || s.Run.Program == "" {
		return errors.New("it is not known how the session's agent was started: start it with aoctl run --resume")
	}
	name := ""
	if s.Run.Named {
		name = s.Name
	}
	args := append(l.args(s.ID, s.CWD, name, s.Run.Model, s.Run.MaxTurns), "--resume", "--", s.Run.Program)
	return l.start(s.CWD, append(args, s.Run.Args...))
}

func (l launcher) args(sessionID, folder, name, model string, maxTurns int) []string {
	args := []string{"run", "--socket", l.socket, "--detach", "--session-id", sessionID, "--cwd", folder}
	if name != "" {
		args = append(args, "--name", name)
	}
	if model != "" {
		args = append(args, "--model", model)
	}
	if maxTurns > 0 {
		args = append(args, "--max-turns", strconv.Itoa(maxTurns))
	}
	return args
}

// start runs the command until it has gone into the background: in a POSIX session of its
// own, so that nothing that ends the console's terminal ends it, with the console's
// environment but for the operator's token. Its error is what the command says.
func (l launcher) start(folder string, args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), launchTime)
	defer cancel()
	out := &headWriter{most: maxLaunchOutput}
	cmd := exec.CommandContext(ctx, l.program, args...) //nolint:gosec // aoctl itself
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = time.Second
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, tokenEnv+"=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	err := cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // it went into the background with what it writes to
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("start a runner: it did not go into the background within %v", launchTime)
	}
	if said := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(out.text()), "aoctl:")); said != "" {
		return fmt.Errorf("start a runner: %s", said)
	}
	return fmt.Errorf("start a runner: %w", err)
}
