package agents

import (
	"encoding/json"
	"fmt"
)

func init() {
	register(opencode{}, about{sent: isOpencode, dialogs: opencodeDialogs, startsIn: "workdir"})
}

const opencodeName = "opencode"

// opencodeDialogs are the tools by which it puts something to its user.
var opencodeDialogs = map[string]string{"question": AskUserQuestion, "plan_exit": ExitPlanMode}

// opencode is the dialect between the hook client and aoctl's plugin for opencode, which
// has no hook commands of its own.
//
// Shape: one JSON object with event, sessionID and what the event adds. A gate is answered
// with {"decision":"allow","args"?} or {"decision":"deny","reason"}, everything else with
// {}; the plugin lets a call run on an explicit allow only. Source: the plugin hooks of
// @opencode-ai/plugin 1.18.33; captured payloads are in testdata/opencode.
type opencode struct{}

// Name is the name that hooks are installed under.
func (opencode) Name() string { return opencodeName }

// opencodeTools are the built-in tools of opencode 1.18.33.
var opencodeTools = map[string]tool{
	"bash":        {"Bash", nil}, // workdir is one of the names that rules know for the folder
	"read":        {"Read", map[string]string{"filePath": "file_path"}},
	"write":       {"Write", map[string]string{"filePath": "file_path"}},
	"edit":        {"Edit", map[string]string{"filePath": "file_path", "oldString": "old_string", "newString": "new_string", "replaceAll": "replace_all"}},
	"glob":        {"Glob", nil},
	"grep":        {"Grep", map[string]string{"include": "glob"}},
	"list":        {"LS", nil},
	"task":        {"Agent", nil},
	"todowrite":   {"TodoWrite", nil},
	"todoread":    {"TodoRead", nil},
	"webfetch":    {"WebFetch", nil},
	"websearch":   {"WebSearch", nil},
	"apply_patch": {"apply_patch", nil},
	"question":    {"AskUserQuestion", nil},
}

// opencodeParams are the parameters that those tools are known to have. What another one
// does to a call nobody vouches for; the patch's reader is not Codex's.
var opencodeParams = map[string]string{
	"bash": "command timeout workdir description", "read": "filePath offset limit", "write": "filePath content",
	"edit": "filePath oldString newString replaceAll", "glob": "pattern path", "grep": "pattern path include", "list": "path ignore",
	"task": "description prompt subagent_type task_id command", "todowrite": "todos", "todoread": "", "webfetch": "url format timeout",
	"websearch": "query numResults livecrawl type contextMaxCharacters", "question": "questions",
}

// Common puts a call into the words that all agents share.
func (opencode) Common(name string, input json.RawMessage) (common string, in json.RawMessage, known bool) {
	params, listed := opencodeParams[name]
	common, in, known = commonIn(opencodeTools, opencodeName, name, input)
	return common, in, known && listed && only(input, params)
}

// opencodeEvents are what the plugin forwards.
var opencodeEvents = map[string]Kind{
	"tool.execute.before": Gate,
	"tool.execute.after":  ToolDone,
	"chat.message":        Prompt,
	"session.created":     SessionStart,
	"session.idle":        TurnEnd,
	"session.error":       TurnEnd,
	"session.deleted":     SessionEnd,
}

// Decode reads one payload. What a sub-agent's session does counts as its root session's
// when the plugin knows that: parentID is the root.
func (opencode) Decode(payload []byte) (Hook, error) {
	r, err := openPayload(payload)
	if err != nil {
		return Hook{}, err
	}
	h := Hook{Agent: opencodeName, Event: r.name("event"), SessionID: r.name("sessionID"), CWD: r.path("directory")}
	kind, known := opencodeEvents[h.Event]
	if h.Kind, h.Unknown = kind, !known; !known && r.has("tool") && !r.has("output") {
		r.fail("event", fmt.Sprintf("%q carries a call and is no event that this aoctl knows", h.Event))
	}
	if parent := r.optionalName("parentID"); parent != "" {
		h.SessionID, h.SubagentID, h.SubagentType = parent, h.SessionID, r.optionalName("agent")
		h.Kind = opencodeBelow(h.Kind)
	}
	switch h.Kind {
	case Gate, ToolDone:
		h.ToolName, h.ToolInput, h.ToolUseID = r.name("tool"), r.object("args"), r.optionalName("callID")
		h.Description = claudeDescription(h.ToolInput)
		r.fits(&h, "args")
		if h.Kind == ToolDone {
			h.Result, h.Failed = r.raw(r.either("output", "error")), r.has("error")
		}
	case Prompt:
		h.Text, h.FromApp = r.text("text"), h.SubagentID != ""
	case SessionStart:
		h.Title = r.optional("title")
	case TurnEnd, SubagentStop:
		h.Text = r.optional(r.either("text", "error"))
		h.Failed = h.Kind == TurnEnd && h.Text != "" && r.has("error") // who interrupts it makes no error
	case Observe, SessionEnd, SubagentStart, Notify, Settings:
	}
	return r.closed(h)
}

// opencodeBelow is what an event of a sub-agent's session means for its root session.
func opencodeBelow(kind Kind) Kind {
	switch kind {
	case SessionStart:
		return SubagentStart
	case TurnEnd, SessionEnd:
		return SubagentStop
	case Gate, Observe, Prompt, ToolDone, SubagentStart, SubagentStop, Notify, Settings:
	}
	return kind
}

// opencodeAnswer is what the plugin reads. It is written for this client alone, so the two may
// change together.
type opencodeAnswer struct {
	Decision string          `json:"decision"`
	Reason   string          `json:"reason,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"` // replace the whole arguments
}

// Encode writes the answer to event. To leave a call to opencode is to allow it: its own
// permissions are asked afterwards in either case.
func (opencode) Encode(event string, _ json.RawMessage, a Answer) []byte {
	if opencodeEvents[event] != Gate {
		return []byte(nothing)
	}
	if a = settled(a, anyInput); a.Verdict == Deny {
		return oneLine(opencodeAnswer{Decision: "deny", Reason: a.Reason})
	}
	return oneLine(opencodeAnswer{Decision: "allow", Args: a.UpdatedInput})
}

// isOpencode knows what aoctl's plugin sends, isGeneric what any program may.
func isOpencode(has map[string]bool, _ map[string]string) bool {
	return has["event"] && has["sessionID"] && !has["hook_event_name"]
}
