package agents

import (
	"encoding/json"
	"strings"
)

func init() {
	register(gemini{}, about{sent: isGemini, dialogs: geminiDialogs, startsIn: "dir_path"})
}

const geminiName = "gemini"

// geminiDialogs are the tools by which it puts something to its user.
var geminiDialogs = map[string]string{"ask_user": AskUserQuestion, "exit_plan_mode": ExitPlanMode}

// gemini is the dialect of Gemini CLI.
//
// Shape: session_id, cwd, hook_event_name and timestamp, and what the event adds; no id of
// a call, no mode. Answers are flat. It is never told to ask: where nobody sits at its
// terminal it would hang for ever, and nothing in a payload tells.
// Source: runs and sources of @google/gemini-cli 0.61.0; captured payloads are in
// testdata/gemini.
type gemini struct{}

// Name is the name that hooks are installed under.
func (gemini) Name() string { return geminiName }

// geminiTools are the tools whose meaning is known. web_fetch is not among them: its
// addresses stand somewhere in a text, where no rule about addresses finds them.
var geminiTools = map[string]tool{
	"run_shell_command": {name: "Bash"}, // starts in dir_path, a name that rules know
	"write_file":        {name: "Write"},
	"replace":           {name: "Edit", params: map[string]string{"allow_multiple": "replace_all"}},
	"read_file":         {name: "Read"},
	"list_directory":    {name: "LS", params: map[string]string{"dir_path": "path"}},
	"glob":              {name: "Glob", params: map[string]string{"dir_path": "path"}},
	"grep_search":       {name: "Grep", params: map[string]string{"dir_path": "path", "include_pattern": "glob"}},
	"google_web_search": {name: "WebSearch"},
	"write_todos":       {name: "TodoWrite"},
	"ask_user":          {name: "AskUserQuestion"},
	"invoke_agent":      {name: "Agent", params: map[string]string{"agent_name": "subagent_type"}},
	"enter_plan_mode":   {name: "EnterPlanMode"},
	"exit_plan_mode":    {name: "ExitPlanMode"},
}

// Common puts a call into the words that all agents share.
func (gemini) Common(name string, input json.RawMessage) (common string, in json.RawMessage, known bool) {
	return commonIn(geminiTools, geminiName, name, input)
}

// geminiEvents are its events. Those about the model come with every request to it, and are let
// pass without a look.
var geminiEvents = map[string]Kind{
	"BeforeTool":          Gate,
	"AfterTool":           ToolDone,
	"BeforeAgent":         Prompt,
	"AfterAgent":          TurnEnd,
	"SessionStart":        SessionStart,
	"SessionEnd":          SessionEnd,
	"Notification":        Notify,
	"BeforeModel":         Observe,
	"AfterModel":          Observe,
	"BeforeToolSelection": Observe,
	"PreCompress":         Observe,
}

// Decode reads one payload; see Dialect.
func (gemini) Decode(payload []byte) (Hook, error) {
	return decodeShared(geminiName, geminiEvents, payload, func(r *reader, h *Hook) {
		switch h.Kind {
		case Gate, ToolDone:
			h.ToolName = geminiMCP(h.ToolName, r.raw("mcp_context"))
			h.Failed = h.Kind == ToolDone && geminiFailed(h.Result)
		case TurnEnd:
			h.Text = r.optional("prompt_response")
		case Observe, Prompt, SessionStart, SessionEnd, SubagentStart, SubagentStop, Notify, Settings:
		}
	})
}

// geminiMCP is the name of an MCP tool as most agents write it, where the payload tells
// server and tool: mcp_<server>_<tool> alone does not say where the server's name ends.
func geminiMCP(name string, about json.RawMessage) string {
	var c struct {
		Server string `json:"server_name"`
		Tool   string `json:"tool_name"`
	}
	if json.Unmarshal(about, &c) != nil || c.Server == "" || c.Tool == "" || name != "mcp_"+c.Server+"_"+c.Tool {
		return name
	}
	if strings.Contains(c.Server, "__") || strings.Contains(c.Tool, "__") || strings.HasSuffix(c.Server, "_") || strings.HasPrefix(c.Tool, "_") {
		return name // it would not be clear here either
	}
	return "mcp__" + c.Server + "__" + c.Tool
}

// geminiFailed reports whether a tool's result holds an error of the tool. A command that
// ends with a status other than 0 has none.
func geminiFailed(result json.RawMessage) bool {
	var v struct {
		Error json.RawMessage `json:"error"`
	}
	return json.Unmarshal(result, &v) == nil && len(v.Error) > 0 && string(v.Error) != "null"
}

// What Gemini CLI reads on stdout, as far as aoctl says it. If it is JSON it decides,
// whatever the exit code.
type (
	geminiAnswer struct {
		Decision   string `json:"decision,omitempty"` // it knows "ask" too
		Reason     string `json:"reason,omitempty"`
		Continue   *bool  `json:"continue,omitempty"` // false ends the turn
		StopReason string `json:"stopReason,omitempty"`
		Specific   any    `json:"hookSpecificOutput,omitempty"`
	}
	geminiBeforeTool struct {
		Event string          `json:"hookEventName"`
		Input json.RawMessage `json:"tool_input"` // all of it
	}
)

// Encode writes the answer to event. Its own policies speak after us, so a call that may
// run as it is gets an empty answer. What cannot be said ends as a refusal.
func (gemini) Encode(event string, input json.RawMessage, a Answer) []byte {
	switch geminiEvents[event] {
	case Gate:
		return geminiGate(event, a)
	case ToolDone:
		if a.StopTurn {
			return oneLine(geminiAnswer{Continue: new(bool), StopReason: reasonOf(a)})
		}
	case Observe, Prompt, SessionStart, SessionEnd, TurnEnd, SubagentStart, SubagentStop, Notify, Settings:
	}
	return []byte(nothing)
}

// geminiGate answers a question about a call. A refusal that ends the turn says it twice: once
// for the call, once for the turn.
func geminiGate(event string, a Answer) []byte {
	switch {
	case a.StopTurn:
		why := refusal(a, false)
		return oneLine(geminiAnswer{Decision: "deny", Reason: why, Continue: new(bool), StopReason: why})
	case a.Verdict == Leave || a.Verdict == Allow && a.UpdatedInput == nil:
		return []byte(nothing)
	case a.Verdict == Allow && isObject(a.UpdatedInput):
		return oneLine(geminiAnswer{Decision: "allow", Specific: geminiBeforeTool{event, a.UpdatedInput}})
	}
	return oneLine(geminiAnswer{Decision: "deny", Reason: refusal(a, false)})
}

// isGemini knows it by what it has of all agents that copied Claude Code. Qwen Code and Copilot
// send these fields too and are asked before; see byPayload.
func isGemini(has map[string]bool, _ map[string]string) bool {
	return has["timestamp"] && has["transcript_path"]
}
