package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

func init() { register(copilot{}, about{sent: isCopilot, dialogs: copilotDialogs}) }

const copilotName = "copilot"

// copilotDialogs are the tools by which it puts something to its user.
var copilotDialogs = map[string]string{"ask_user": AskUserQuestion, "exit_plan_mode": ExitPlanMode}

// copilot is the dialect of GitHub Copilot CLI, which runs the hooks of a project's
// .claude/settings.json as well.
//
// Shape: one JSON object, in one of two spellings that follow that of the event's name in
// the hook file: session_id, tool_name, tool_input with hook_event_name, or sessionId,
// toolName, toolArgs without any name. Flat answers are read under both. Source: GitHub
// Copilot CLI 1.0.102; captured payloads are in testdata/copilot.
type copilot struct{}

// Name is the name that hooks are installed under.
func (copilot) Name() string { return copilotName }

// copilotEvents are its events. Those of the camelCase spelling get the same names.
var copilotEvents = map[string]Kind{
	"PreToolUse":         Gate,
	"PermissionRequest":  Gate,
	"PostToolUse":        ToolDone,
	"PostToolUseFailure": ToolDone,
	"UserPromptSubmit":   Prompt,
	"SessionStart":       SessionStart,
	"SessionEnd":         SessionEnd,
	"Stop":               TurnEnd,
	"SubagentStart":      SubagentStart,
	"SubagentStop":       SubagentStop,
	"Notification":       Notify,
	"PreCompact":         Observe,
	"ErrorOccurred":      TurnEnd, // of a request to the model: it may try again
	"PreMcpToolCall":     Observe, // after PreToolUse, and can change nothing of the call
	"PromptTransformed":  Observe,
}

// Decode reads one payload, in either spelling. What carries a call and has no known name fails:
// to answer it with {} would leave the call to Copilot's own rules.
func (copilot) Decode(payload []byte) (Hook, error) {
	r, err := openPayload(payload)
	if err != nil {
		return Hook{}, err
	}
	h := Hook{Agent: copilotName, Event: copilotEvent(r), SessionID: r.name(r.either("session_id", "sessionId")), CWD: r.path("cwd")}
	kind, known := copilotEvents[h.Event]
	if h.Kind, h.Unknown = kind, !known; !known && r.has("tool_name", "toolName") && !r.has("tool_result", "toolResult", "error") {
		r.fail("hook_event_name", fmt.Sprintf("%q carries a call and is no event of Copilot that this aoctl knows", h.Event))
	}
	h.Transcript = r.path(r.either("transcript_path", "transcriptPath"))
	copilotSubagent(r, &h)
	switch h.Kind {
	case Gate, ToolDone:
		copilotCall(r, &h)
	case Prompt:
		h.Text, h.FromApp = r.text("prompt"), h.SubagentID != ""
	case SessionStart:
		h.Text = r.optional("source")
	case SessionEnd:
		h.Text = r.optional("reason")
	case TurnEnd, SubagentStop:
		h.Text = r.optional(r.either("last_assistant_message", "response"))
		copilotError(r, &h)
	case Notify:
		h.Text, h.Note = r.optional("message"), r.optionalName("notification_type")
	case Observe, SubagentStart, Settings:
	}
	return r.closed(h)
}

// copilotEvent is the event's name. Only the PascalCase spelling says it, and not for
// every event; others are told by their fields. What carries a call and no result is a gate.
func copilotEvent(r *reader) string {
	if r.has("hook_event_name") {
		return r.name("hook_event_name")
	}
	if r.has("hookName") {
		name := r.name("hookName")
		return strings.ToUpper(name[:min(1, len(name))]) + name[min(1, len(name)):]
	}
	call := r.has("toolName", "tool_name")
	switch {
	case call && r.has("serverName") && !r.has("toolArgs", "tool_input", "toolInput"):
		return "PreMcpToolCall"
	case call && r.has("toolResult", "tool_result"):
		return "PostToolUse"
	case call && r.has("error"):
		return "PostToolUseFailure"
	case call:
		return "PreToolUse"
	case r.has("agentName", "agent_name"):
		if r.has("stopReason", "stop_reason", "response") {
			return "SubagentStop"
		}
		return "SubagentStart"
	case r.has("stopReason", "stop_reason"):
		return "Stop"
	case r.has("transformedPrompt"):
		return "PromptTransformed"
	case r.has("prompt"):
		return "UserPromptSubmit"
	case r.has("source"):
		return "SessionStart"
	case r.has("reason"):
		return "SessionEnd"
	case r.has("trigger"):
		return "PreCompact"
	case r.has("error"):
		return "ErrorOccurred"
	}
	r.fail("hook_event_name", "is missing, and the fields are those of no event that this aoctl knows")
	return ""
}

// copilotSubagent reads who speaks. A sub-agent has a session id of its own, which is its
// agent id too; what it does counts as its parent's. Its turns are not the user's.
func copilotSubagent(r *reader, h *Hook) {
	id := r.optionalName(r.either("agent_id", "agentId"))
	typ := r.optionalName(r.either("agent_type", "agentType"))
	parent := r.optionalName(r.either("parent_agent_id", "parentAgentId"))
	begins := h.Kind == SubagentStart || h.Kind == SubagentStop
	switch {
	case r.err != nil:
		return
	case id == "" && begins:
		r.fail("agent_id", "is missing")
		return
	case id == "":
		return
	}
	h.SubagentID, h.SubagentType = id, typ
	if parent != "" && (begins || h.SessionID == id) {
		h.SessionID = parent
	}
	if h.Kind == TurnEnd {
		h.Kind = Observe // SubagentStop follows
	}
}

// copilotError reads what failed. Only an error of the model can be a turn's end; its words
// may be the JSON that the model's server answered.
func copilotError(r *reader, h *Hook) {
	if h.Event != "ErrorOccurred" {
		return
	}
	if r.optionalName(r.either("error_context", "errorContext")) != "model_call" {
		h.Kind = Observe
		return
	}
	var said, inside struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(r.raw("error"), &said) // no words are words, too
	h.Failed, h.Text = true, said.Message
	if json.Unmarshal([]byte(said.Message), &inside) == nil && inside.Message != "" {
		h.Text = inside.Message
	}
	h.Text = cut(h.Text, maxText)
}

// copilotCall reads a call. Old versions send the arguments as a JSON text; tools without
// parameters, such as apply_patch, get one text that is no JSON.
func copilotCall(r *reader, h *Hook) {
	h.ToolName = r.name(r.either("tool_name", "toolName"))
	key := r.either("tool_input", "toolArgs", "toolInput")
	if raw := r.raw(key); raw != nil && raw[0] == '"' {
		h.ToolInput = copilotText(r, key)
	} else {
		h.ToolInput = r.object(key)
	}
	r.fits(h, key)
	h.Description = claudeDescription(h.ToolInput)
	if h.Kind == ToolDone {
		h.Failed = h.Event == "PostToolUseFailure"
		h.Result = r.raw(r.either("tool_result", "toolResult", "error"))
	}
}

// copilotText reads arguments that are a text. The text is wrapped into an object with the one
// member freeText; copilotArgs unwraps it again on the way out.
func copilotText(r *reader, key string) json.RawMessage {
	text := r.text(key)
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		if !isObject(json.RawMessage(text)) {
			r.fail(key, "holds a text that is no readable JSON object")
		}
		return json.RawMessage(text)
	}
	return bytes.TrimSpace(oneLine(map[string]string{freeText: text}))
}

// freeText is the name under which the text of a tool without parameters is shown.
const freeText = "input"

// isCopilot knows all of its calls. Some of its other events name a transcript, as Gemini
// CLI's do, but then they say why a turn stopped, or its variables are there. Cursor and Claude
// Code are asked before; see byPayload.
func isCopilot(has map[string]bool, env map[string]string) bool {
	if has["sessionId"] || has["hookName"] || has["toolName"] {
		return true
	}
	inside := env["COPILOT_CLI"] != "" && env["GEMINI_SESSION_ID"] == "" && env["QWEN_CODE_SESSION_ID"] == ""
	return has["timestamp"] && (!has["transcript_path"] || has["stop_reason"] || inside)
}
