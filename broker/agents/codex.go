package agents

import (
	"encoding/json"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

func init() { register(codex{}, about{sent: isCodex, dialogs: codexDialogs}) }

const codexName = "codex"

// codexDialogs are the tools by which it puts something to its user.
var codexDialogs = map[string]string{"request_user_input": AskUserQuestion}

// codex is the dialect of OpenAI's Codex CLI.
//
// Shape: as Claude Code's, with turn_id and model. Every level of an answer is closed: a
// key that Codex does not know for the event, or a word that it does not support there,
// voids the whole answer, and the call runs. What is typed into a terminal that already
// runs (write_stdin) comes past no hook, and neither does a search of the web.
// Source: the schemas and runs of @openai/codex 0.169.0; captured payloads are in
// testdata/codex.
type codex struct{}

// Name is the name that hooks are installed under.
func (codex) Name() string { return codexName }

// codexTools are the tools whose meaning is known. Codex itself calls its shell tools
// Bash here and gives the command alone; where it runs is the payload's cwd.
var codexTools = map[string]tool{
	"Bash":               {name: "Bash"},
	"apply_patch":        {name: "apply_patch"},
	"view_image":         {name: "Read", params: map[string]string{"path": "file_path"}},
	"update_plan":        {name: "TodoWrite", params: map[string]string{"plan": "todos"}},
	"request_user_input": {name: "AskUserQuestion"},
	"spawn_agent":        {name: "Agent", params: map[string]string{"message": "prompt", "agent_type": "subagent_type"}},
}

// Common puts a call into the words that all agents share.
func (codex) Common(name string, input json.RawMessage) (common string, in json.RawMessage, known bool) {
	return commonIn(codexTools, codexName, name, input)
}

// codexEvents are its events. An interrupt ends a turn too, with a text of ours.
var codexEvents = map[string]Kind{
	"PreToolUse":        Gate,
	"PermissionRequest": Gate,
	"PostToolUse":       ToolDone,
	"UserPromptSubmit":  Prompt,
	"SessionStart":      SessionStart,
	"SessionEnd":        SessionEnd,
	"Stop":              TurnEnd,
	"Interrupt":         TurnEnd,
	"SubagentStart":     SubagentStart,
	"SubagentStop":      SubagentStop,
	"PreCompact":        Observe,
	"PostCompact":       Observe,
	"PreModelRequest":   Observe,
	"PostModelRequest":  Observe,
}

// Decode reads one payload; see Dialect.
func (codex) Decode(payload []byte) (Hook, error) {
	return decodeShared(codexName, codexEvents, payload, func(r *reader, h *Hook) {
		if h.Kind == TurnEnd && h.SubagentID != "" {
			h.Kind = Observe // a sub-agent's turn is not the session's
		}
		if h.Event == "Interrupt" {
			h.Text = "interrupted"
		}
	})
}

// What Codex reads on stdout, as far as aoctl says it: no other key, at no level.
type (
	codexAnswer struct {
		Specific any `json:"hookSpecificOutput"`
	}
	codexPreToolUse struct {
		Event        string          `json:"hookEventName"`
		Decision     string          `json:"permissionDecision"`
		Reason       string          `json:"permissionDecisionReason,omitempty"`
		UpdatedInput json.RawMessage `json:"updatedInput,omitempty"`
	}
	codexPermission struct {
		Event    string        `json:"hookEventName"`
		Decision codexBehavior `json:"decision"`
	}
	codexBehavior struct {
		Behavior string `json:"behavior"`
		Message  string `json:"message,omitempty"`
	}
)

// Encode writes the answer to event. A call that may run as it is gets an empty answer:
// a bare allow is more than Codex takes. What cannot be said ends as a refusal.
//
// Its turn cannot be ended by an answer, so the model is told in words.
func (codex) Encode(event string, input json.RawMessage, a Answer) []byte {
	if codexEvents[event] != Gate || a.Verdict == Leave && !a.StopTurn {
		return []byte(nothing)
	}
	allowed := a.Verdict == Allow && !a.StopTurn
	if event == "PermissionRequest" {
		if allowed && a.UpdatedInput == nil {
			return oneLine(codexAnswer{codexPermission{event, codexBehavior{Behavior: "allow"}}})
		}
		return oneLine(codexAnswer{codexPermission{event, codexBehavior{"deny", refusal(a, true)}}})
	}
	switch {
	case allowed && a.UpdatedInput == nil:
		return []byte(nothing)
	case allowed && codexTakes(a.Tool, a.UpdatedInput):
		return oneLine(codexAnswer{codexPreToolUse{Event: event, Decision: "allow", UpdatedInput: a.UpdatedInput}})
	}
	return oneLine(codexAnswer{codexPreToolUse{Event: event, Decision: "deny", Reason: refusal(a, true)}})
}

// codexTakes reports whether a call of tool can be given this input. The answer would be
// void otherwise, and the call run with the input that it had.
func codexTakes(tool string, input json.RawMessage) bool {
	if strings.HasPrefix(tool, "mcp__") {
		return isObject(input)
	}
	if tool != "Bash" && tool != "apply_patch" {
		return false
	}
	fields, err := wire.Fields(input)
	return err == nil && len(fields) == 1 && fields[0].Key == "command" && fields[0].Value[0] == '"'
}

// isCodex takes any payload with a turn's id, but for one that shows a message bit by bit
// (delta), which is Claude Code's.
func isCodex(has map[string]bool, _ map[string]string) bool {
	return has["turn_id"] && !has["delta"]
}
