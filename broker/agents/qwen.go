package agents

import (
	"encoding/json"
	"strings"
)

func init() { register(qwen{}, about{sent: isQwen, dialogs: qwenDialogs, startsIn: "directory"}) }

const qwenName = "qwen"

// qwenDialogs are the tools by which it puts something to its user.
var qwenDialogs = map[string]string{"ask_user_question": AskUserQuestion, "ask_user": AskUserQuestion, "exit_plan_mode": ExitPlanMode}

// qwen is the dialect of Qwen Code, which began as Gemini CLI and took Claude Code's hooks.
//
// Shape: session_id, cwd, hook_event_name, timestamp, permission_mode, and what the event
// adds. A changed input is not applied: the call would run as it was. The answer of
// a later hook replaces that of an earlier one, whatever it said; only continue:false
// stays. So a refusal says it in every form at once.
// Source: runs and sources of @qwen-code/qwen-code 0.24.4; captured payloads are in
// testdata/qwen.
type qwen struct{}

// Name is the name that hooks are installed under.
func (qwen) Name() string { return qwenName }

// qwenTools are the tools whose meaning is known.
var qwenTools = map[string]tool{
	"run_shell_command": {name: "Bash"}, // starts in directory, a name that rules know
	"monitor":           {name: "Monitor"},
	"read_file":         {name: "Read"},
	"write_file":        {name: "Write"},
	"edit":              {name: "Edit"},
	"notebook_edit":     {name: "NotebookEdit"},
	"list_directory":    {name: "LS"},
	"glob":              {name: "Glob"},
	"grep_search":       {name: "Grep"},
	"web_fetch":         {name: "WebFetch"},
	"web_search":        {name: "WebSearch"},
	"todo_write":        {name: "TodoWrite"},
	"tool_search":       {name: "ToolSearch"},
	"agent":             {name: "Agent"},
	"ask_user_question": {name: "AskUserQuestion"},
	"enter_plan_mode":   {name: "EnterPlanMode"},
	"exit_plan_mode":    {name: "ExitPlanMode"},
	"cron_create":       {name: "CronCreate"},
	"loop_wakeup":       {name: "ScheduleWakeup"},
}

// Common puts a call into the words that all agents share.
func (qwen) Common(name string, input json.RawMessage) (common string, in json.RawMessage, known bool) {
	return commonIn(qwenTools, qwenName, name, input)
}

// qwenEvents are its events. Only what asks about a call is a gate; a custom command that its
// user typed is taken note of.
var qwenEvents = map[string]Kind{
	"PreToolUse":          Gate,
	"PermissionRequest":   Gate,
	"PostToolUse":         ToolDone,
	"PostToolUseFailure":  ToolDone,
	"UserPromptSubmit":    Prompt,
	"SessionStart":        SessionStart,
	"SessionEnd":          SessionEnd,
	"Stop":                TurnEnd,
	stopFailure:           TurnEnd,
	"SubagentStart":       SubagentStart,
	"SubagentStop":        SubagentStop,
	"Notification":        Notify,
	"PostToolBatch":       Observe,
	"UserPromptExpansion": Observe,
	"SessionDelete":       Observe,
	"PreCompact":          Observe,
	"PostCompact":         Observe,
	"PermissionDenied":    Observe,
	"TodoCreated":         Observe,
	"TodoCompleted":       Observe,
	"InstructionsLoaded":  Observe,
	"MessageDisplay":      Observe,
}

// Decode reads one payload; see Dialect. A prompt that its agent made lifts no stop, so those
// that come empty after each call count as its own.
func (qwen) Decode(payload []byte) (Hook, error) {
	return decodeShared(qwenName, qwenEvents, payload, func(r *reader, h *Hook) {
		switch h.Kind {
		case ToolDone:
			if h.Failed = h.Event == "PostToolUseFailure"; h.Failed && h.Result == nil {
				h.Result = r.raw("error")
			}
		case Prompt: // it comes again, empty, for every continuation after a call
			h.FromApp = h.FromApp || strings.TrimSpace(h.Text) == "" || machineMade(h.Text)
		case Observe, Gate, Notify, SessionStart, SessionEnd, TurnEnd, SubagentStart, SubagentStop, Settings:
		}
	})
}

// What Qwen Code reads on stdout, as far as aoctl says it.
type (
	qwenAnswer struct {
		Continue   *bool  `json:"continue,omitempty"` // false blocks the call, whatever a later hook says
		StopReason string `json:"stopReason,omitempty"`
		Decision   string `json:"decision,omitempty"`
		Reason     string `json:"reason,omitempty"`
		Specific   any    `json:"hookSpecificOutput,omitempty"`
	}
	qwenPreToolUse struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	}
	qwenPermission struct {
		Event    string       `json:"hookEventName"`
		Decision qwenBehavior `json:"decision"`
	}
	qwenBehavior struct {
		Behavior  string `json:"behavior"`
		Message   string `json:"message,omitempty"`
		Interrupt bool   `json:"interrupt,omitempty"`
	}
)

// Encode writes the answer to event. A call that may run as it is gets an empty answer:
// its own policies speak for themselves. What cannot be said ends as a refusal.
//
// The refusal of a call says it in three places, because another hook's answer may take the place
// of any one of them.
func (qwen) Encode(event string, input json.RawMessage, a Answer) []byte {
	if qwenEvents[event] != Gate || a.Verdict == Leave && !a.StopTurn {
		return []byte(nothing)
	}
	allowed := a.Verdict == Allow && !a.StopTurn && a.UpdatedInput == nil
	if event == "PermissionRequest" {
		if allowed {
			return oneLine(qwenAnswer{Specific: qwenPermission{event, qwenBehavior{Behavior: "allow"}}})
		}
		return oneLine(qwenAnswer{Specific: qwenPermission{event, qwenBehavior{"deny", refusal(a, true), a.StopTurn}}})
	}
	if allowed {
		return []byte(nothing)
	}
	why := refusal(a, true)
	return oneLine(qwenAnswer{
		Continue: new(bool), StopReason: why, Decision: "block", Reason: why,
		Specific: qwenPreToolUse{Event: event, Decision: "deny", Reason: why},
	})
}

// isQwen tells it from Gemini CLI, which it began as. On a call it says its mode.
func isQwen(has map[string]bool, env map[string]string) bool {
	return has["timestamp"] && has["transcript_path"] &&
		(has["permission_mode"] || has["prompt_id"] || has["tool_call_id"] || env["QWEN_CODE_SESSION_ID"] != "" && env["GEMINI_SESSION_ID"] == "")
}
