package agents

import (
	"encoding/json"
	"fmt"

	"github.com/aoctl/aoctl/broker/wire"
)

func init() { register(claude{}, about{sent: isClaude}) }

const claudeName = "claude"

// claude is the dialect of Claude Code.
//
// Shape: one JSON object with session_id, cwd, hook_event_name and what the event
// adds to them. Source: the declarations of @anthropic-ai/claude-agent-sdk 0.3.329
// and Claude Code 2.1.329 itself; captured payloads are in testdata/claude.
type claude struct{}

// Name is the name that hooks are installed under.
func (claude) Name() string { return claudeName }

// Common leaves a call as it is: the common words are those of Claude Code. It vouches for every
// tool, since the words are its own. MCP tools are among them: their names say that they are.
func (claude) Common(name string, input json.RawMessage) (common string, in json.RawMessage, known bool) {
	return name, input, true
}

// claudeEvents are the events of Claude Code. An event that is missing here is taken note of and
// passed, unless it carries a call; see reader.eventKind.
var claudeEvents = map[string]Kind{
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
	"ConfigChange":       Settings,
	claudeExpansion:      Gate,

	"PermissionDenied":   Observe,
	"PostToolBatch":      Observe,
	stopFailure:          TurnEnd, // the turn ended with an error of the model's API
	"PreCompact":         Observe,
	"PostCompact":        Observe,
	"PreModelSwitch":     Observe,
	"PostModelSwitch":    Observe,
	"Elicitation":        Observe,
	"ElicitationResult":  Observe,
	"TaskCreated":        Observe,
	"TaskCompleted":      Observe,
	"TeammateIdle":       Observe,
	"Setup":              Observe,
	"CwdChanged":         Observe,
	"FileChanged":        Observe,
	"DirectoryAdded":     Observe,
	"WorktreeCreate":     Observe,
	"WorktreeRemove":     Observe,
	"InstructionsLoaded": Observe,
	"MessageDisplay":     Observe,
}

// claudeReading says which fields hold data that nobody decides on. A command's
// output may be cut in the middle of an emoji, and a tool's answer has any keys.
var claudeReading = wire.Rules{Loose: []string{
	"tool_response", "tool_calls", "error", "error_details", "last_assistant_message", "prompt", "message",
	"background_tasks", "session_crons", "compact_summary", "custom_instructions", "delta", "requested_schema", "content",
}}

// Decode reads one payload, of at most wire.MaxHookBody bytes; the call in it may
// have wire.MaxBody. An error wraps ErrPayload, names the field and comes with the
// zero Hook.
func (claude) Decode(payload []byte) (Hook, error) {
	if len(payload) > wire.MaxHookBody {
		return Hook{}, fmt.Errorf("%w: it has %d bytes, more than %d", ErrPayload, len(payload), wire.MaxHookBody)
	}
	fields, err := claudeReading.Fields(payload)
	if err != nil {
		return Hook{}, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	// A null is not left out here, as in openPayload: where a string must be, Claude Code sends
	// one or nothing.
	r := newReader(fields)
	h := Hook{Agent: claudeName, Event: r.name("hook_event_name"), SessionID: r.name("session_id")}
	h.Kind, h.Unknown = r.eventKind(claudeEvents, h.Event)
	h.CWD, h.Mode, h.Transcript = r.path("cwd"), r.optionalName("permission_mode"), r.path("transcript_path")
	claudeSubagent(r, &h)
	claudeEvent(r, &h)
	return r.closed(h)
}

// claudeSubagent reads who inside the session speaks. A session of --agent has a type
// on its main thread too; only the id says that it is a sub-agent.
func claudeSubagent(r *reader, h *Hook) {
	if h.Kind == SubagentStart || h.Kind == SubagentStop {
		h.SubagentID, h.SubagentType = r.name("agent_id"), r.optionalName("agent_type")
		return
	}
	typ := r.optionalName("agent_type")
	if h.SubagentID = r.optionalName("agent_id"); h.SubagentID != "" {
		h.SubagentType = typ
	}
}

// claudeEvent reads what h.Event adds to the common fields. Every kind reads its own fields only.
// What an event carries beside them is not looked at, so a new field breaks nothing.
func claudeEvent(r *reader, h *Hook) {
	switch h.Kind {
	case Gate, ToolDone:
		if h.Event == claudeExpansion {
			claudeSlash(r, h)
			return
		}
		claudeCall(r, h)
	case Prompt:
		h.Text, h.Title = r.text("prompt"), r.optional("session_title")
		h.FromApp = claudeFromApp(r.optional("source"), h.Text)
	case SessionStart:
		h.Text, h.Title = r.optional("source"), r.optional("session_title")
	case SessionEnd:
		h.Text = r.optional("reason")
	case TurnEnd, SubagentStop:
		h.Text = r.optional("last_assistant_message")
		r.failure(h)
	case Notify:
		h.Text, h.Note = r.optional("message"), r.optionalName("notification_type")
	case Settings:
		h.Text, h.File = r.optional("source"), r.path("file_path")
	case SubagentStart, Observe:
	}
}

// claudeCall reads the tool call of a gate event or of one that reports its end. PostToolUse
// comes with the same fields as the gate's event, so a report can be compared with the call.
func claudeCall(r *reader, h *Hook) {
	h.ToolName = r.name("tool_name")
	h.ToolInput = r.object("tool_input")
	h.ToolUseID = r.optionalName("tool_use_id")
	claudeRan(r, h)
	r.fits(h, "tool_input")
	h.Description = claudeDescription(h.ToolInput)
	if h.Kind == Gate {
		h.Suggestions = claudeSuggestions(r.raw("permission_suggestions"))
	}
}

// claudeRan reads how a call ended. A report is never refused for what it says of that.
func claudeRan(r *reader, h *Hook) {
	if h.Kind != ToolDone {
		return
	}
	h.Result = r.raw("tool_response")
	if h.Failed = h.Event == "PostToolUseFailure"; h.Failed {
		h.Result = r.raw("error")
	}
	h.Duration = r.milliseconds("duration_ms")
}

// claudeDescription is what the model says that the call is for. It is shown as the model's words
// and decides nothing, so an input that cannot be read just has none.
func claudeDescription(input json.RawMessage) string {
	fields, err := wire.Fields(input)
	if err != nil {
		return ""
	}
	for _, f := range fields {
		var s string
		if f.Key == "description" && json.Unmarshal(f.Value, &s) == nil {
			return s
		}
	}
	return ""
}

// isClaude knows a call of Claude Code's, which has no timestamp and no turn_id. Other agents
// copied its form and each added a field of their own, so it is known by what it does not send.
func isClaude(has map[string]bool, _ map[string]string) bool {
	for _, other := range []string{"timestamp", "turn_id", "cursor_version", "conversation_id", "sessionId", "hookName", "toolName"} {
		if has[other] {
			return false
		}
	}
	return has["hook_event_name"] && has["tool_name"] && has["tool_input"] && has["permission_mode"]
}
