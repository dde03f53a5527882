//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/ask"
)

// said is what an agent makes of one hook run.
type said struct {
	verdict string // ALLOW, DENY, ASK or OPEN; OPEN lets the call run unasked
	reason  string
	began   time.Time
	ended   time.Time
}

func (s said) took() time.Duration { return s.ended.Sub(s.began) }

// runHook runs a real hook client for c against the console in home, from the start of
// the process to its end.
func (l *load) runHook(ctx context.Context, home string, c ask.Call) (said, error) {
	payload, err := c.Payload()
	if err != nil {
		return said{}, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, l.hook, "claude") //nolint:gosec // G204: a program that the caller built
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(payload), &stdout, &stderr
	cmd.Env = environ(home, "CLAUDECODE=1", "CLAUDE_PROJECT_DIR="+c.CWD)
	s := said{began: time.Now()}
	err = cmd.Run()
	s.ended = time.Now()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return s, err // it did not even start
	}
	s.verdict, s.reason = read(cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.String())
	return s, nil
}

// read is how the agent reads a hook's exit code and output.
func read(code int, stdout []byte, stderr string) (verdict, reason string) {
	if code == 2 {
		return "DENY", strings.TrimSpace(stderr)
	}
	var out struct {
		HookSpecificOutput struct {
			PermissionDecision       string `json:"permissionDecision"`
			PermissionDecisionReason string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if code != 0 || json.Unmarshal(stdout, &out) != nil {
		return "OPEN", stderr
	}
	reason = out.HookSpecificOutput.PermissionDecisionReason
	switch v := out.HookSpecificOutput.PermissionDecision; v {
	case "allow", "deny", "ask":
		return strings.ToUpper(v), reason
	}
	return "OPEN", string(stdout)
}

// environ is the environment of a program whose console is that of home; nothing of the
// user's own aoctl reaches it.
func environ(home string, more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "HOME=" + filepath.Dir(home), "AOCTL_HOME=" + home}, more...)
}

// readCall is a call that the built-in rule allows: reading a file of the project.
func (l *load) readCall(session, toolUse string) (ask.Call, error) {
	project := filepath.Join(l.dir, "project")
	file := filepath.Join(project, "main.go")
	if err := os.MkdirAll(project, 0o700); err != nil {
		return ask.Call{}, err
	}
	if err := os.WriteFile(file, []byte("package main\n"), 0o600); err != nil {
		return ask.Call{}, err
	}
	return ask.Call{Session: session, ToolUse: toolUse, Tool: "Read", CWD: project, Input: map[string]any{"file_path": file}}, nil
}
