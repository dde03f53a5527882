package agents

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

// What Claude Code reads on stdout, as far as aoctl says it. It takes an object with
// a wrong hookEventName for no answer at all, and then the tool runs.
type (
	claudeAnswer struct {
		Continue   *bool  `json:"continue,omitempty"`   // false ends the turn
		StopReason string `json:"stopReason,omitempty"` // shown to the user with it
		Specific   any    `json:"hookSpecificOutput,omitempty"`
		Decision   string `json:"decision,omitempty"` // "block", where no tool is asked for
		Reason     string `json:"reason,omitempty"`
	}
	claudePreToolUse struct {
		Event        string          `json:"hookEventName"`
		Decision     string          `json:"permissionDecision"`
		Reason       string          `json:"permissionDecisionReason,omitempty"`
		UpdatedInput json.RawMessage `json:"updatedInput,omitempty"`
	}
	claudePermission struct {
		Event    string         `json:"hookEventName"`
		Decision claudeBehavior `json:"decision"`
	}
	claudeBehavior struct {
		Behavior     string          `json:"behavior"`
		Message      string          `json:"message,omitempty"`
		Interrupt    bool            `json:"interrupt,omitempty"`
		UpdatedInput json.RawMessage `json:"updatedInput,omitempty"`
	}
)

// claudeNothing answers every event that asks nothing.
const claudeNothing = "{}\n"

// Encode writes the answer to event. Whatever a says that cannot be said to Claude
// Code ends as a refusal when the event is a gate: no verdict at all, an input that is not
// one strict JSON object, allowing a call and ending the turn in one breath, putting off
// another event than PreToolUse.
func (claude) Encode(event string, input json.RawMessage, a Answer) []byte {
	switch claudeEvents[event] {
	case Gate:
		if event == claudeExpansion {
			return claudeSlashAnswer(a)
		}
		return claudeGate(event, input, a)
	case ToolDone:
		if a.StopTurn {
			return line(claudeAnswer{Continue: new(bool), StopReason: reasonOf(a)})
		}
	case Observe, SessionStart, SessionEnd, Prompt, TurnEnd, SubagentStart, SubagentStop, Notify, Settings:
	}
	return []byte(claudeNothing)
}

// claudeGate answers a question about a call. Whatever it does not know how to say is a refusal.
//
// The order matters. A stop turns every verdict into a refusal, so leaving and deferring are
// looked at only without one.
func claudeGate(event string, input json.RawMessage, a Answer) []byte {
	if a.Verdict == Leave && !a.StopTurn {
		return []byte(claudeNothing)
	}
	// PermissionRequest has no such answer: its call is already before a person.
	if a.Verdict == Defer && !a.StopTurn && event == "PreToolUse" {
		return line(claudeAnswer{Specific: claudePreToolUse{Event: event, Decision: "defer"}})
	}
	if a.Verdict == Ask && !a.StopTurn && event == "PreToolUse" {
		return line(claudeAnswer{Specific: claudePreToolUse{Event: event, Decision: "ask", Reason: a.Reason}})
	}
	if a.Verdict == Allow && !a.StopTurn {
		if out := claudeAllow(event, input, a.UpdatedInput); out != nil {
			return out
		}
		a.Reason = "aoctl: the changed input could not be passed on, so the call was refused."
	}
	return claudeDeny(event, reasonOf(a), a.StopTurn)
}

// claudeAllow returns nil when the input is not one that can be sent. updated is nil for a call
// that runs as it was asked.
func claudeAllow(event string, input, updated json.RawMessage) []byte {
	if updated == nil && event == "PermissionRequest" && !openQuestion(input) {
		updated = input // a plan is approved only by an answer that carries it
	}
	if updated != nil {
		if _, err := wire.Fields(updated); err != nil {
			return nil
		}
	}
	if event == "PermissionRequest" {
		return line(claudeAnswer{Specific: claudePermission{event, claudeBehavior{Behavior: "allow", UpdatedInput: updated}}})
	}
	return line(claudeAnswer{Specific: claudePreToolUse{Event: event, Decision: "allow", UpdatedInput: updated}})
}

// openQuestion reports whether input is a form that nobody has filled in. Sent back
// as it is it would read as "the user did not answer"; left out, the agent shows it.
func openQuestion(input json.RawMessage) bool {
	fields, err := wire.Fields(input)
	asks, answers := false, false
	for _, f := range fields {
		asks = asks || f.Key == "questions"
		answers = answers || f.Key == "answers"
	}
	return err == nil && asks && !answers
}

// claudeDeny refuses a call. Each of the two events has a form of its own; the other one's would
// count as no answer, and the tool would run.
func claudeDeny(event, reason string, stop bool) []byte {
	if event == "PermissionRequest" {
		return line(claudeAnswer{Specific: claudePermission{event, claudeBehavior{Behavior: "deny", Message: reason, Interrupt: stop}}})
	}
	out := claudeAnswer{Specific: claudePreToolUse{Event: event, Decision: "deny", Reason: reason}}
	if stop {
		out.Continue, out.StopReason = new(bool), reason
	}
	return line(out)
}

// maxReason is the longest reason that an agent is told, in bytes. The model reads all of it, so
// a reason of a megabyte would fill its context.
const maxReason = 4 << 10

// reasonOf is a's reason as an agent can read it: there, valid UTF-8 without NUL, not huge. An
// empty reason is replaced, so that the model is told something.
func reasonOf(a Answer) string {
	reason := strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(a.Reason, "\uFFFD"), "\x00", "\uFFFD"))
	if reason == "" {
		return "aoctl: refused, no reason was given."
	}
	return cut(reason, maxReason)
}

// line writes v as one JSON object on one line. Only inputs that were checked are in
// v, so that nothing can fail; if it did, the empty answer makes the hook client
// refuse the call.
func line(v claudeAnswer) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil
	}
	return b.Bytes()
}
