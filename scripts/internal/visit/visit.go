// Package visit has a real agent make one call on a ground of its own: headless, in a
// terminal, or for an editor. It finds all processes that come of it, wherever they went,
// and ends them. Linux only.
package visit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/cli/drill"
	"github.com/aoctl/aoctl/cli/drill/fakemodel"
)

// Canary is the file that the agent's call leaves in the project.
const Canary = "canary"

// Visit is one agent on its ground.
type Visit struct {
	Agent  drill.Agent
	Mode   drill.Mode
	Ground *drill.Ground
	Model  *fakemodel.Model

	argv, env []string
	cmd       *exec.Cmd // nil in a terminal
	out       output
	seen      atomic.Bool // in a terminal: it was seen to run
	ended     chan struct{}
}

// Open makes the ground in dir and starts the model. More is what the agent's environment
// has beside.
func Open(ctx context.Context, dir string, a drill.Agent, m drill.Mode, program string, more ...string) (*Visit, error) {
	v := &Visit{Agent: a, Mode: m, ended: make(chan struct{})}
	var err error
	v.Model, err = fakemodel.Start(ctx, map[string]fakemodel.Script{"": {a.Shell("touch " + Canary), {Text: "all done"}}})
	if err != nil {
		return nil, err
	}
	if v.Ground, err = drill.NewGround(dir, v.Model.URL); err == nil {
		v.argv, v.env, err = a.Prepare(v.Ground, m, program)
	}
	if err != nil {
		v.Model.End()
		return nil, err
	}
	v.env = append(append(v.Ground.Env(), v.env...), more...)
	return v, nil
}

// Install has aoctl write the agent's hooks.
func (v *Visit) Install(ctx context.Context, aoctl string, flags ...string) error {
	cmd := exec.CommandContext(ctx, aoctl, append([]string{"install", v.Agent.Name}, flags...)...) //nolint:gosec // G204: the program under trial
	cmd.Env, cmd.Dir = v.env, v.Ground.Project
	out, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "does not trust") { // Codex is started so that it does
		return fmt.Errorf("aoctl install %s: %w: %s", v.Agent.Name, err, out)
	}
	return nil
}

// Start starts the agent.
func (v *Visit) Start(ctx context.Context) error {
	if v.Mode == drill.Interactive {
		return v.OpenTerminal(ctx, "first")
	}
	v.cmd = exec.CommandContext(ctx, v.argv[0], v.argv[1:]...) //nolint:gosec // G204: the agent that was named
	v.cmd.Env, v.cmd.Dir = v.env, v.Ground.Project
	v.cmd.Stdout, v.cmd.Stderr = &v.out, &v.out
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	v.cmd.Cancel = func() error { return syscall.Kill(-v.cmd.Process.Pid, syscall.SIGKILL) }
	v.cmd.WaitDelay = 5 * time.Second
	var editor func()
	if v.Mode == drill.ACP {
		var err error
		if editor, err = v.editor(); err != nil {
			return err
		}
	}
	if err := v.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", v.Agent.Name, err)
	}
	go func() {
		_ = v.cmd.Wait() // an agent has codes of its own for a refused call
		close(v.ended)
	}()
	if editor != nil {
		go editor()
	}
	return nil
}

// Ended is closed when an agent that is not in a terminal has ended.
func (v *Visit) Ended() <-chan struct{} { return v.ended }

// Over reports whether the agent has ended, in a terminal too.
func (v *Visit) Over() bool {
	if v.cmd == nil {
		n := len(v.Processes())
		if n > 0 {
			v.seen.Store(true)
		} // a terminal takes a moment to start its program
		return v.seen.Load() && n == 0
	}
	select {
	case <-v.ended:
		return true
	default:
		return false
	}
}

// Ran reports whether the call ran.
func (v *Visit) Ran() (bool, error) {
	_, err := os.Stat(filepath.Join(v.Ground.Project, Canary))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("look for the file: %w", err)
	}
	return err == nil, nil
}

// Told is what the model was told of the call.
func (v *Visit) Told() string { return v.Model.Results() }

// Output is what the agent printed or shows.
func (v *Visit) Output(ctx context.Context) string {
	if v.cmd == nil {
		return v.screen(ctx)
	}
	return v.out.String()
}

// Close ends the agent and all that came of it.
func (v *Visit) Close() {
	v.Model.End()
	v.endTerminals()
	for range 50 { // some start others while they are ended
		pids := v.Processes()
		if len(pids) == 0 {
			break
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if v.cmd != nil && v.cmd.Process != nil {
		<-v.ended
	}
}

// output keeps what was printed.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
