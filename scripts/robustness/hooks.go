package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// hookSlack is how much longer than its time a hook may take: its own grace, and a
// machine that is busy with everything else.
const hookSlack = 6 * time.Second

// process runs the real hook client for the request, as an agent does. Some are killed
// while they wait, some are paused.
func (a asker) process(ctx context.Context) {
	payload, err := ask.Call{
		Session: a.h.session, ToolUse: a.r.name, Tool: "Bash", CWD: "/", Input: map[string]any{"command": a.command()},
	}.Payload()
	if err != nil {
		a.w.violated(err)
		return
	}
	o := a.op("ask")
	o.Road, o.Out = "hook process", unknown
	if !a.h.begin(o) {
		return
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, a.w.o.hook, "--timeout", a.r.timeout.String(), "claude") //nolint:gosec // G204: our own program
	cmd.Env = environment(a.w.home)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(payload), &stdout, &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		a.h.forget()
		a.w.violated(fmt.Errorf("start the hook: %w", err))
		return
	}
	killed, paused := a.disturb(cmd)
	err = cmd.Wait()
	if killed() { // the card goes away
		a.left(o.Inv)
		a.w.tally.hookKills.Add(1)
		a.h.end(o)
		return
	}
	if ctx.Err() != nil {
		a.h.end(o)
		return
	}
	st, words := a.hookResult(o, err, stdout.Bytes(), stderr.String())
	if took := time.Since(began) - paused(); took > a.r.timeout+hookSlack {
		a.w.violated(fmt.Errorf("a hook with %s took %s (%s)", a.r.timeout, took, words))
	}
	if o.Out == unknown { // it gave up by itself
		a.left(o.Inv)
	}
	a.h.end(o)
	a.w.tally.hooks.Add(1)
	if st != "" {
		a.told(o, st, "")
	}
}

// disturb kills or pauses the hook once it has waited a little. killed and paused may be
// called when the process has ended.
func (a asker) disturb(cmd *exec.Cmd) (killed func() bool, paused func() time.Duration) {
	what, after := a.dice.IntN(8), time.Duration(a.dice.IntN(600))*time.Millisecond
	if a.r.abandon {
		what = 0
	}
	long := time.Duration(50+a.dice.IntN(1200)) * time.Millisecond
	if what > 1 {
		return func() bool { return false }, func() time.Duration { return 0 }
	}
	over, hit := make(chan struct{}), false
	timer := time.AfterFunc(after, func() {
		defer close(over)
		if what == 0 {
			hit = cmd.Process.Signal(syscall.SIGKILL) == nil
			return
		}
		if hit = cmd.Process.Signal(syscall.SIGSTOP) == nil; hit {
			time.Sleep(long)
			_ = cmd.Process.Signal(syscall.SIGCONT)
		}
	})
	wait := func() bool {
		if timer.Stop() {
			return false
		}
		<-over
		return hit
	}
	if what == 0 {
		return func() bool {
			status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
			return wait() && ok && status.Signaled() && status.Signal() == syscall.SIGKILL
		}, func() time.Duration { return 0 }
	}
	return func() bool { return false }, func() time.Duration {
		if wait() {
			return long
		}
		return 0
	}
}

// hookResult reads what the hook left for its agent. Whatever lets the call run without
// an answer that says so is a violation.
func (a asker) hookResult(o *op, err error, stdout []byte, stderr string) (st status, words string) {
	var exit *exec.ExitError
	code := 0
	if errors.As(err, &exit) {
		code = exit.ExitCode() // -1 after a signal
	}
	switch code {
	case 2:
		switch {
		case strings.Contains(stderr, "same id, different call"):
			o.Out = conflict
		case strings.Contains(stderr, "could not be recorded"):
			o.Out = failed
		}
		return "", stderr
	case 0:
		var out struct {
			Specific struct {
				Decision string `json:"permissionDecision"`
				Reason   string `json:"permissionDecisionReason"`
			} `json:"hookSpecificOutput"`
		}
		if json.Unmarshal(stdout, &out) == nil && (out.Specific.Decision == "allow" || out.Specific.Decision == "deny") {
			o.Out = done
			return byWords(out.Specific.Decision, out.Specific.Reason), out.Specific.Reason
		}
	}
	a.w.tally.open.Add(1)
	a.w.violated(fmt.Errorf("OPEN: a hook of %s ended with exit code %d, stdout %q, stderr %q", a.r.name, code, stdout, stderr))
	return "", stderr
}
