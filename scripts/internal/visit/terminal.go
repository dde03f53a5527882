package visit

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// OpenTerminal starts the agent in a terminal of that name, in a tmux server of v's own.
func (v *Visit) OpenTerminal(ctx context.Context, name string) error {
	args := []string{"new-session", "-d", "-s", name, "-x", "120", "-y", "40", "-c", v.Ground.Project, "env", "-i"}
	args = append(append(args, v.env...), v.argv...)
	if out, err := v.tmux(ctx, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("open a terminal: %w: %s", err, out)
	}
	return nil
}

// AwaitScreen waits until the first terminal shows something.
func (v *Visit) AwaitScreen(ctx context.Context) error {
	for v.screen(ctx) == "" {
		select {
		case <-ctx.Done():
			return fmt.Errorf("nothing was drawn: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// CloseTerminal closes it, as a window is closed.
func (v *Visit) CloseTerminal(ctx context.Context, name string) error {
	if out, err := v.tmux(ctx, "kill-session", "-t", name).CombinedOutput(); err != nil {
		return fmt.Errorf("close the terminal: %w: %s", err, out)
	}
	return nil
}

// TerminalProgram is the process that all terminals of v belong to.
func (v *Visit) TerminalProgram(ctx context.Context) (int, error) {
	out, err := v.tmux(ctx, "display-message", "-p", "#{pid}").Output()
	if err != nil {
		return 0, fmt.Errorf("ask tmux for its pid: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

func (v *Visit) tmux(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", filepath.Join(v.Ground.Temp, "tmux"), "-f", "/dev/null"}, args...)...) //nolint:gosec // G204: in our own folder
	cmd.Env = v.Ground.Env()
	return cmd
}

// panes are the processes that terminals were opened with; each leads a group.
func (v *Visit) panes() []int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := v.tmux(ctx, "list-panes", "-a", "-F", "#{pane_pid}").Output()
	if err != nil {
		return nil // all are closed
	}
	var pids []int
	for _, word := range strings.Fields(string(out)) {
		if pid, err := strconv.Atoi(word); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (v *Visit) screen(ctx context.Context) string {
	out, err := v.tmux(ctx, "capture-pane", "-p", "-t", "first").Output()
	if err != nil {
		return "its terminal is closed"
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

func (v *Visit) endTerminals() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = v.tmux(ctx, "kill-server").Run() // there may be none
}
