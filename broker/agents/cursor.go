package agents

import (
	"encoding/json"
	"fmt"
)

func init() { register(cursor{}, about{sent: isCursor, dialogs: cursorDialogs, startsIn: "cwd"}) }

const cursorName = "cursor"

// cursorDialogs are the tools by which it puts something to its user.
var cursorDialogs = map[string]string{"AskQuestion": AskUserQuestion, "CreatePlan": ExitPlanMode}

// cursor is the dialect of Cursor, its editor and its command line, which run the hooks of
// Claude Code's settings as well.
//
// Shape: one JSON object with hook_event_name, cursor_version, conversation_id, session_id
// and what the event adds. Source: the hook engine of @cursor/sdk 1.0.32; the payloads in
// testdata/cursor were sent by it.
type cursor struct{}

// Name is the name that hooks are installed under.
func (cursor) Name() string { return cursorName }

// cursorTools are the built-in tools of Cursor that have a common name; "Delete", "ReadLints"
// and others have none. An MCP tool is called MCP:name.
var cursorTools = map[string]tool{
	"Shell": {"Bash", nil},
	"Write": {"Write", nil},
	"Read":  {"Read", nil},
	"Grep":  {"Grep", map[string]string{"file_path": "path"}},
	"List":  {"LS", map[string]string{"file_path": "path"}},
	"Fetch": {"WebFetch", nil},
	"Task":  {"Agent", nil},
}

// cursorParams are the parameters that those tools are known to have.
var cursorParams = map[string]string{
	"Shell": "command cwd timeout", "Write": "file_path content", "Read": "file_path", "Grep": "pattern file_path glob output_mode",
	"List": "file_path ignore", "Fetch": "url",
}

// Common puts a call into the words that all agents share.
func (cursor) Common(name string, input json.RawMessage) (common string, in json.RawMessage, known bool) {
	params, listed := cursorParams[name]
	common, in, known = commonIn(cursorTools, cursorName, name, input)
	return common, in, known && listed && only(input, params)
}

// cursorEvents are its events. A sub-agent's start can be refused too, but the call that
// starts it was asked for before, and every call of it will be.
var cursorEvents = map[string]Kind{
	"preToolUse":           Gate,
	"beforeShellExecution": Gate,
	"beforeMCPExecution":   Gate,
	"beforeReadFile":       Gate,
	"beforeTabFileRead":    Gate,
	"postToolUse":          ToolDone,
	"postToolUseFailure":   ToolDone,
	"beforeSubmitPrompt":   Prompt,
	"sessionStart":         SessionStart,
	"sessionEnd":           SessionEnd,
	"stop":                 TurnEnd,
	"subagentStart":        SubagentStart,
	"subagentStop":         SubagentStop,

	"afterShellExecution": Observe, // postToolUse tells the same
	"afterMCPExecution":   Observe,
	"afterFileEdit":       Observe,
	"afterTabFileEdit":    Observe,
	"afterAgentResponse":  Observe,
	"afterAgentThought":   Observe,
	"preCompact":          Observe,
	"workspaceOpen":       Observe,
}

// Decode reads one payload.
//
// In its own calls a sub-agent is named by the id of the call that started it.
func (cursor) Decode(payload []byte) (Hook, error) {
	r, err := openPayload(payload)
	if err != nil {
		return Hook{}, err
	}
	h := Hook{Agent: cursorName, Event: r.name("hook_event_name"), SessionID: r.name(r.either("session_id", "conversation_id"))}
	kind, known := cursorEvents[h.Event]
	if h.Kind, h.Unknown = kind, !known; !known && cursorCarriesCall(r) {
		r.fail("hook_event_name", fmt.Sprintf("%q carries a call and is no event of Cursor that this aoctl knows", h.Event))
	}
	h.CWD, h.Transcript = cursorFolder(r), r.path("transcript_path")
	h.SubagentID = r.optionalName("parent_tool_call_id")
	switch h.Kind {
	case Gate, ToolDone:
		cursorCall(r, &h)
	case Prompt:
		h.Text = r.text("prompt")
	case SessionEnd:
		h.Text = r.optional("reason")
	case SubagentStart, SubagentStop:
		h.SubagentID, h.SubagentType = r.name("subagent_id"), r.optionalName("subagent_type")
		if parent := r.optional("parent_conversation_id"); parent != "" {
			h.SessionID = r.name("parent_conversation_id")
		}
		h.Text = r.optional("summary")
	case TurnEnd:
		if h.Text = r.optional("status"); h.Text == "error" { // it says no more
			h.Failed = true
		} else {
			h.Text = ""
		}
	case Observe, SessionStart, Notify, Settings:
	}
	return r.closed(h)
}

// cursorCarriesCall reports whether an event that nobody knows may be a question.
func cursorCarriesCall(r *reader) bool {
	return r.has("tool_name", "tool_input", "command") && !r.has("tool_output", "output", "result_json", "error_message")
}

// cursorFolder is the folder that the call names, or the workspace's. An editor may have several
// folders open; the first one is taken.
func cursorFolder(r *reader) string {
	if dir := r.path("cwd"); dir != "" {
		return dir
	}
	var roots []string
	if json.Unmarshal(r.raw("workspace_roots"), &roots) != nil || len(roots) == 0 || len(roots[0]) > maxPath {
		return ""
	}
	return roots[0]
}

// cursorCall reads a call. The events that ask again, each for one kind of tool, have no id
// and no name for it; they are read as the call that preToolUse asks for.
func cursorCall(r *reader, h *Hook) {
	switch h.Event {
	case "beforeShellExecution":
		h.ToolName, h.ToolInput, h.Second = "Shell", r.part("command", "cwd"), true
		r.text("command")
	case "beforeReadFile", "beforeTabFileRead":
		h.ToolName, h.ToolInput, h.Second = "Read", r.part("file_path"), h.Event == "beforeReadFile"
		r.text("file_path")
	case "beforeMCPExecution":
		h.ToolName, h.ToolInput, h.Second = "MCP:"+r.name("tool_name"), json.RawMessage(r.text("tool_input")), true
		if !isObject(h.ToolInput) {
			r.fail("tool_input", "holds a text that is no readable JSON object")
		}
	default:
		h.ToolName, h.ToolInput = r.name("tool_name"), r.object("tool_input")
		h.ToolUseID = r.optionalName("tool_use_id")
	}
	r.fits(h, "tool_input")
	h.Description = claudeDescription(h.ToolInput)
	if h.Kind != ToolDone {
		return
	}
	h.Failed, h.Duration = h.Event == "postToolUseFailure", r.milliseconds("duration")
	h.Result = r.raw(r.either("tool_output", "error_message"))
	if r.optional("failure_type") == "permission_denied" {
		h.Kind = Observe // it did not run: this reports the refusal
	}
}

// isCursor needs one of two fields that no other agent sends.
func isCursor(has map[string]bool, _ map[string]string) bool {
	return has["cursor_version"] || has["conversation_id"]
}
