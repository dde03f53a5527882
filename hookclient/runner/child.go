package runner

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// child is the agent's process. It leads a process group of its own. The pid is the group's too.
// exited has room for its one value, so nobody need wait for it.
type child struct {
	pid            int
	stdin          *os.File // for writing; closed by the writer
	stdout, stderr *os.File
	exited         chan exit // one value, when it was seen to end
}

// startChild starts program. The thread that starts it stays until the program has ended,
// because the system tells a child when its parent's thread ends.
func startChild(program string, args, env []string, dir string) (*child, error) {
	c := &child{exited: make(chan exit, 1)}
	cmd := exec.Command(program, args...) //nolint:gosec,noctx // the user's own program; it is ended in order
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, append(env[:len(env):len(env)], "PWD="+dir), ownGroup()
	theirs, err := c.pipes(cmd)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	// What is started from a thread that ends would be told that its parent has died (Pdeathsig),
	// so the thread is kept.
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		for _, f := range theirs {
			_ = f.Close() // the child has its own
		}
		if err == nil {
			c.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			c.exited <- exitOf(cmd.Wait())
		}
	}()
	if err = <-started; err != nil {
		c.close()
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return c, nil
}

// pipes gives cmd its three ends and c ours. theirs are to be closed once cmd has started. Real
// files are handed over, so that os/exec copies nothing and Wait waits for the process alone.
func (c *child) pipes(cmd *exec.Cmd) (theirs []*os.File, err error) {
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	in, w := pipe()
	r, out := pipe()
	e, errs := pipe()
	c.stdin, c.stdout, c.stderr = w, r, e
	theirs = []*os.File{in, out, errs}
	if err != nil {
		c.close()
		for _, f := range theirs {
			_ = f.Close() // nil or unused
		}
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	return theirs, nil
}

// close is for a child that was never started.
func (c *child) close() {
	for _, f := range []*os.File{c.stdin, c.stdout, c.stderr} {
		_ = f.Close() // nothing is to come of it any more
	}
}

// signal sends sig to the child's process group.
func (c *child) signal(sig syscall.Signal) { _ = syscall.Kill(-c.pid, sig) } // gone is as good

// exitOf is how a process ended; code -1 when that cannot be told. An exit code of -1 with a
// signal is a process that was ended by it.
func exitOf(err error) exit {
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		if err != nil {
			return exit{code: -1}
		}
		return exit{}
	}
	e := exit{code: failed.ExitCode()}
	if status, ok := failed.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.signal = status.Signal()
	}
	return e
}

// notForAgents are variables that an agent is not started with: those of an agent that the
// runner runs inside, and the token.
var notForAgents = []string{
	"AOCTL_TOKEN", "AI_AGENT", "CLAUDECODE", "CLAUDE_PID", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE",
	"CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_SSE_PORT",
	"CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_PARENT_SESSION_ID",
}

// AgentEnv is environment as an agent is started with it. PWD is set anew for the folder that the
// agent starts in. The order of the others stays.
func AgentEnv(environment []string) []string {
	kept := make([]string, 0, len(environment))
	for _, kv := range environment {
		name, _, _ := strings.Cut(kv, "=")
		drop := name == "PWD"
		for _, n := range notForAgents {
			drop = drop || n == name
		}
		if !drop {
			kept = append(kept, kv)
		}
	}
	return kept
}
