package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// maxDrillOutput bounds what is read of a hook, bytes.
const maxDrillOutput = 1 << 20

// tellTales are the variables by which the console tells which agent asks, as each
// agent sets them. An agent that sets none has nil. Source: the agents' documentation
// of hooks, and seen from runs.
func tellTales(agent, session, dir string) []string {
	switch agent {
	case "claude":
		return []string{"CLAUDECODE=1", fmt.Sprintf("CLAUDE_PID=%d", os.Getpid()), "CLAUDE_PROJECT_DIR=" + dir, "CLAUDE_CODE_SESSION_ID=" + session}
	case "gemini":
		return []string{"GEMINI_SESSION_ID=" + session}
	case "qwen":
		return []string{"QWEN_CODE_SESSION_ID=" + session}
	case "copilot":
		return []string{"COPILOT_CLI=1"}
	case "cursor":
		return []string{"CURSOR_VERSION=0.0.0"}
	}
	return nil
}

// drillPayload is what the agent would send before it runs "true", one line of JSON in
// the agent's own form. n makes the call's id differ from that of other faults. Events
// that come without an id of the call get none here either. What it asks for is
// harmless, but nothing of it is run in any case: a hook only asks.
func drillPayload(agent, event, session, dir string, n int) []byte {
	p := map[string]any{
		"session_id": session, "cwd": dir, "hook_event_name": event,
		"tool_name": "Bash", "tool_input": map[string]any{"command": "drill-of-the-gate", "description": "a drill of aoctl doctor"},
	}
	if event != "PermissionRequest" {
		p["tool_use_id"] = fmt.Sprintf("aoctl-doctor-%d", n)
	}
	switch agent {
	case "claude":
		p["transcript_path"], p["permission_mode"] = dir+"/none.jsonl", "default"
	case "codex":
		p["transcript_path"], p["permission_mode"], p["turn_id"] = nil, "default", session
	case "gemini", "qwen":
		p["timestamp"], p["transcript_path"] = time.Now().UTC().Format(time.RFC3339Nano), dir+"/none.jsonl"
		p["tool_name"] = "run_shell_command"
		if agent == "qwen" {
			p["permission_mode"] = "default"
		} else {
			delete(p, "tool_use_id") // it tells none
		}
	case "copilot":
		p["timestamp"] = time.Now().UTC().Format(time.RFC3339Nano)
		delete(p, "tool_use_id") // it tells none
	case "cursor":
		p["cursor_version"], p["conversation_id"] = "0.0.0", session
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil // only strings are in it
	}
	return append(text, '\n')
}

// meet runs the line once, the way the agent runs it: with sh, in the drill's folder,
// with the payload on standard input. The process group is killed when the time is
// over, so nothing of the line stays behind. Cursor gives its payload as a
// here-document of the last command, and so does the drill.
func (g *drillGround) meet(ctx context.Context, l drillLine, f fault, n int) drillResult {
	r := drillResult{Agent: l.Agent, Event: l.Event, File: l.File, Fault: f.name, Command: f.line(l)}
	ctx, cancel := context.WithTimeout(ctx, drillLimit)
	defer cancel()
	payload := drillPayload(l.Agent, l.Event, l.session, g.dir, n)
	script := r.Command
	if l.Agent == "cursor" { // the payload is a here-document of the last command
		script, payload = script+" <<'CURSOR_HOOK_EOF'\n"+string(payload)+"CURSOR_HOOK_EOF\n", nil
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", script) //nolint:gosec // the very line that the agent runs
	cmd.Dir = g.dir
	cmd.Env = g.drillEnv(l, f.socket)
	cmd.Stdin = bytes.NewReader(payload)
	var out, words drillOutput
	cmd.Stdout, cmd.Stderr = &out, &words
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	began := time.Now()
	err := cmd.Run()
	r.MS = time.Since(began).Milliseconds()
	r.Exit = cmd.ProcessState.ExitCode()
	r.judge(ctx, err, out.Bytes(), strings.TrimSpace(words.String()))
	return r
}

// judge gives the verdict by what every agent goes by: exit 2 refuses, exit 0 lets the
// answer speak, and all else lets the call run. A hook that does not end, or is ended
// by a signal, is OPEN too: agents give up on it and go on. ctx is looked at first,
// because a hook that was ended by the drill has an exit code of its own.
func (r *drillResult) judge(ctx context.Context, err error, out []byte, words string) {
	r.Verdict = "OPEN"
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		r.Exit, r.Reason = -1, fmt.Sprintf("it did not end within %v", drillLimit)
	case err != nil && !exited && !errors.Is(err, exec.ErrWaitDelay):
		r.Exit, r.Reason = -1, "it could not be run: "+err.Error()
	case r.Exit == 2:
		r.Verdict, r.Reason = "DENY", firstLine(words)
		if words == "" {
			r.Reason = "without a word on standard error, which some agents take for permission"
		}
	case r.Exit == 0:
		r.Verdict, r.Reason = answerVerdict(out)
	case exited && !exit.Exited():
		r.Reason = "a signal ended it, and the call runs"
	default:
		r.Reason = "the call runs: " + firstLine(words)
	}
}

// firstLine is the line of s that aoctl wrote, else the first one. A wrapper may have
// put its own words in front.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if text, ok := strings.CutPrefix(line, "aoctl: "); ok {
			return strings.TrimSpace(text)
		}
	}
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// answerVerdict reads an answer with exit code 0, in any agent's words. What is no
// answer decides nothing, and then an agent runs the call: OPEN. The most particular
// member comes first, as agents read it before the others. An answer that allows is as
// bad as none here: nobody in the drill allows anything.
func answerVerdict(out []byte) (verdict, reason string) {
	var a struct {
		Decision, Permission, PermissionDecision string
		Reason                                   string
		PermissionDecisionReason                 string
		UserMessage                              string `json:"user_message"`
		HookSpecificOutput                       struct {
			PermissionDecision       string
			PermissionDecisionReason string
			Decision                 struct{ Behavior, Message string }
		}
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return "OPEN", "it said nothing, and the call runs"
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return "OPEN", "it printed something that is not an answer, and the call runs"
	}
	h := a.HookSpecificOutput
	for _, text := range []string{a.Reason, a.PermissionDecisionReason, a.UserMessage, h.PermissionDecisionReason, h.Decision.Message} {
		if reason == "" {
			reason = firstLine(text)
		}
	}
	for _, word := range []string{h.PermissionDecision, h.Decision.Behavior, a.PermissionDecision, a.Permission, a.Decision} {
		switch word {
		case "deny", "block":
			return "DENY", reason
		case "allow", "approve":
			return "ALLOW", "it allowed the call"
		case "ask":
			return "ASK", reason
		}
	}
	return "OPEN", "its answer decides nothing, and the call runs"
}

// drillOutput keeps the beginning of what a hook prints, up to maxDrillOutput.
type drillOutput struct{ bytes.Buffer }

// Write takes everything, so that a hook which prints without end is ended by its time
// and not by a full pipe.
func (d *drillOutput) Write(p []byte) (int, error) {
	if room := maxDrillOutput - d.Len(); room > 0 {
		_, _ = d.Buffer.Write(p[:min(room, len(p))]) // a buffer takes all
	}
	return len(p), nil
}
