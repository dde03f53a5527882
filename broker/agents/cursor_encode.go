package agents

import (
	"encoding/json"
	"strings"

	"github.com/aoctl/aoctl/broker/wire"
)

// What Cursor reads on stdout, as far as aoctl says it. An object without a permission lets
// the call go on, and so does "ask" before most tools.
type (
	cursorGate struct {
		Permission   string          `json:"permission"`
		UserMessage  string          `json:"user_message,omitempty"` // of a refusal, also what the model is told
		AgentMessage string          `json:"agent_message,omitempty"`
		UpdatedInput json.RawMessage `json:"updated_input,omitempty"` // preToolUse only
	}
	cursorPrompt struct {
		Continue bool `json:"continue"`
	}
)

// Encode writes the answer to event. To leave a call to Cursor is to allow it: what Cursor
// asks by itself it asks afterwards in either case.
//
// A prompt is always let through. aoctl gates calls, and a prompt runs none.
func (d cursor) Encode(event string, input json.RawMessage, a Answer) []byte {
	switch event {
	case "beforeSubmitPrompt":
		return oneLine(cursorPrompt{true})
	case "subagentStart":
		return oneLine(cursorGate{Permission: "allow"})
	}
	if cursorEvents[event] != Gate {
		return []byte(nothing)
	}
	a = settled(a, func(updated json.RawMessage) bool { return d.takes(event, a.Tool, input, updated) })
	if a.Verdict != Deny {
		return oneLine(cursorGate{Permission: "allow", UpdatedInput: a.UpdatedInput})
	}
	out := cursorGate{Permission: "deny", UserMessage: a.Reason, AgentMessage: a.Reason}
	if event == "beforeReadFile" || event == "beforeTabFileRead" {
		out.AgentMessage = ""
	}
	return oneLine(out)
}

// cursorFields are the fields of which Cursor applies a changed value, by the first byte of
// a value that it takes. It applies them one by one and drops all others in silence: what a
// file is to hold, above all.
var cursorFields = map[string]byte{
	"command": '"', "cwd": '"', "timeout": '0', "file_path": '"', "pattern": '"', "url": '"', "server": '"', "uri": '"', "download_path": '"',
}

// takes reports whether Cursor would run tool with exactly the updated input. Of its own tools it
// applies some keys only and ignores a change of the others, so the call would run otherwise than
// it was allowed.
func (cursor) takes(event, tool string, input, updated json.RawMessage) bool {
	old, err1 := wire.Fields(input)
	changed, err2 := wire.Fields(updated)
	if event != "preToolUse" || err1 != nil || err2 != nil {
		return false
	}
	mcp := strings.HasPrefix(tool, "MCP:") // of these it applies every key, and keeps those that are left out
	now := make(map[string]wire.Field, len(changed))
	for _, f := range changed {
		now[f.Key] = f
	}
	for _, was := range old {
		f, ok := now[was.Key]
		if !ok || !mcp && !wire.Identical(was.Value, f.Value) && !cursorApplies(f) {
			return false
		}
	}
	return mcp || len(changed) == len(old)
}

// cursorApplies reports whether f is a change that Cursor applies. What it does not list is
// dropped without a word, so it cannot be said to have been changed.
func cursorApplies(f wire.Field) bool {
	kind, first := cursorFields[f.Key], f.Value[0]
	if '0' <= first && first <= '9' {
		first = '0' // and no minus: less than nothing is dropped
	}
	return kind != 0 && first == kind
}
