package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// verdict is what an agent makes of one hook run.
type verdict string

const (
	deny  verdict = "DENY"
	allow verdict = "ALLOW"
	ask   verdict = "ASK"
	left  verdict = "LEFT"  // the console said on purpose that the agent decides: only while it observes
	open  verdict = "OPEN"  // nothing was said, so the tool runs: always a defect
	known verdict = "KNOWN" // the same of an agent against whose habit nothing helps
)

// outcome is how one hook run ended.
type outcome struct {
	exit           int // -1: by a signal
	stdout, stderr []byte
	took           time.Duration
	orphan         bool // nobody was left to see the exit code
	mute           bool // stderr was taken away, so no words can be expected
}

// judge reads an outcome the way the strictest of the agents does: Codex and Gemini CLI
// take an exit 2 without words for permission, and Gemini CLI lets JSON on standard
// output outrank the exit code.
func (o outcome) judge() (verdict, string) {
	words := strings.TrimSpace(string(o.stderr))
	switch {
	case o.orphan && len(o.stdout) == 0 && words != "":
		return deny, words
	case o.exit == 2 && json.Valid(bytes.TrimSpace(o.stdout)):
		return judgeAnswer(o.stdout) // killed after it had printed: what somebody decided stands
	case o.exit == 2 && (words != "" || o.mute):
		return deny, words
	case o.exit == 2:
		return open, "exit 2 without a word"
	case o.exit != 0:
		return open, fmt.Sprintf("exit %d: %s", o.exit, words)
	}
	return judgeAnswer(o.stdout)
}

// judgeAnswer reads what a hook that exited 0 printed.
func judgeAnswer(stdout []byte) (verdict, string) {
	var a struct {
		SystemMessage      string `json:"systemMessage"`
		HookSpecificOutput struct {
			PermissionDecision       string `json:"permissionDecision"`
			PermissionDecisionReason string `json:"permissionDecisionReason"`
			AdditionalContext        string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(stdout, &a); err != nil {
		return open, fmt.Sprintf("exit 0 and no answer: %q", stdout)
	}
	h := a.HookSpecificOutput
	switch h.PermissionDecision {
	case "deny":
		return deny, h.PermissionDecisionReason
	case "allow":
		return allow, h.PermissionDecisionReason
	case "ask":
		return ask, h.PermissionDecisionReason
	case "":
		if text := a.SystemMessage + h.AdditionalContext; text != "" || string(bytes.TrimSpace(stdout)) == "{}" {
			return left, text
		}
	}
	return open, fmt.Sprintf("exit 0 without a decision: %s", stdout)
}
