package drill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// Run starts what Prepare returned and waits for its end. What it printed is returned;
// that it ends with a code of its own is no error. All that it started ends with it: a
// process that it left behind could still write the file by which the gate is judged.
func (g *Ground) Run(ctx context.Context, argv, env []string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // G204: the agent that the user named
	cmd.Env, cmd.Dir = append(g.Env(), env...), g.Project
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return out.String(), fmt.Errorf("run the agent: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return out.String(), fmt.Errorf("the agent had not ended: %w", err)
	}
	return out.String(), nil
}
