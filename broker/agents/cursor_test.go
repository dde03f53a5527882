package agents

import (
	"encoding/json"
	"testing"
	"time"
)

// The payloads in testdata were sent by the hook engine of @cursor/sdk 1.0.32.
func TestCursorDecodes(t *testing.T) {
	const session = "7d0f6a52-1b0e-4a6e-9f0a-2e5d3a0c9b77"
	shell := json.RawMessage(`{"command":"echo hi > made.txt","cwd":"/home/ana/src/shop","timeout":30000}`)
	gate := Hook{Event: "preToolUse", Kind: Gate, SessionID: session, ToolName: "Shell", ToolInput: shell, ToolUseID: "a60d5f90-0efc-4a7b-b2e8-d5621317cdbb"}
	done := gate
	done.Event, done.Kind, done.Result, done.Duration = "postToolUse", ToolDone, json.RawMessage(`…`), 11808*time.Microsecond
	told(t, cursorName, hooks(t, cursorName), map[string]Hook{
		"pre_tool_use": gate, "post_tool_use": done,
		"pre_tool_use_mcp": {
			Event: "preToolUse", Kind: Gate, SessionID: session, SubagentID: "tool_task1", ToolName: "MCP:add_item", ToolInput: json.RawMessage(`{"sku":"a1"}`), ToolUseID: "tool_m1",
		},
		"before_shell_execution": {
			Event: "beforeShellExecution", Kind: Gate, SessionID: session, ToolName: "Shell", Second: true,
			ToolInput: json.RawMessage(`{"command":"echo hi > made.txt","cwd":"/home/ana/src/shop"}`),
		},
		"before_mcp_execution":  {Event: "beforeMCPExecution", Kind: Gate, SessionID: session, ToolName: "MCP:add_item", Second: true, ToolInput: json.RawMessage(`{"sku":"a1"}`)},
		"before_read_file":      {Event: "beforeReadFile", Kind: Gate, SessionID: session, ToolName: "Read", Second: true, ToolInput: json.RawMessage(`{"file_path":"/home/ana/src/shop/made.txt"}`)},
		"before_submit_prompt":  {Event: "beforeSubmitPrompt", Kind: Prompt, SessionID: session, Text: "do it"},
		"subagent_start":        {Event: "subagentStart", Kind: SubagentStart, SessionID: session, SubagentID: "sub-1", SubagentType: "generalPurpose"},
		"subagent_stop":         {Event: "subagentStop", Kind: SubagentStop, SessionID: session, SubagentID: "sub-1", SubagentType: "generalPurpose", Text: "sub done"},
		"stop":                  {Event: "stop", Kind: TurnEnd, SessionID: session},
		"session_end":           {Event: "sessionEnd", Kind: SessionEnd, SessionID: session, Text: "completed"},
		"after_shell_execution": {Event: "afterShellExecution", SessionID: session},
	})
	for status, fails := range map[string]bool{"completed": false, "aborted": false, "error": true} {
		h, err := cursor{}.Decode([]byte(`{"hook_event_name":"stop","session_id":"s","status":"` + status + `"}`))
		if err != nil || h.Kind != TurnEnd || h.Failed != fails || (h.Text != "") != fails {
			t.Errorf("a turn that ended with %s: %+v, %v", status, h, err)
		}
	}
	const failed = `{"hook_event_name":"postToolUseFailure","session_id":"s","tool_name":"Shell","tool_input":{},"tool_use_id":"t","error_message":"x","failure_type":"`
	if h, err := (cursor{}).Decode([]byte(failed + `timeout"}`)); err != nil || h.Kind != ToolDone || !h.Failed || string(h.Result) != `"x"` {
		t.Errorf("a call that took too long: %+v, %v", h, err)
	}
	if h, err := (cursor{}).Decode([]byte(failed + `permission_denied"}`)); err != nil || h.Kind != Observe {
		t.Errorf("a refused call is reported as one that ran: %+v, %v", h, err)
	}
}

func TestCursorRefuses(t *testing.T) {
	refuses(t, cursor{}, map[string]string{
		`{"hook_event_name":"beforeEverything","session_id":"s","tool_name":"Shell","tool_input":{}}`:                "carries a call",
		`{"hook_event_name":"beforeSandbox","session_id":"s","command":"rm"}`:                                        "carries a call",
		`{"hook_event_name":"beforeShellExecution","session_id":"s"}`:                                                "command: is missing",
		`{"hook_event_name":"beforeMCPExecution","session_id":"s","tool_name":"t","tool_input":"[]"}`:                "no readable JSON object",
		`{"hook_event_name":"beforeMCPExecution","session_id":"s","tool_name":"t","tool_input":"{\"a\":1,\"A\":1}"}`: "no readable JSON object",
		`{"hook_event_name":"preToolUse","session_id":"s","tool_name":"Shell","tool_input":"{}"}`:                    "must be an object",
		`{"hook_event_name":"preToolUse","conversation_id":"","tool_name":"Shell","tool_input":{}}`:                  "is empty",
		`{"hook_event_name":"beforeReadFile","session_id":"s"}`:                                                      "file_path: is missing",
		`{"hook_event_name":"stop"}`: "session_id: is missing",
	})
}

func TestCursorEncode(t *testing.T) {
	edit := func(s string) Answer { return Answer{Verdict: Allow, UpdatedInput: json.RawMessage(s)} }
	const refused = `{"permission":"deny","user_message":"` + notPassedOn + `","agent_message":"` + notPassedOn + `"}`
	answers(t, cursor{}, []struct {
		name, event, input string
		answer             Answer
		want               string
	}{
		{"allow", "preToolUse", `{}`, Answer{Verdict: Allow}, `{"permission":"allow"}`},
		{"leave", "preToolUse", `{}`, Answer{Verdict: Leave}, `{"permission":"allow"}`},
		{"deny", "preToolUse", `{}`, Answer{Verdict: Deny, Reason: "no"}, `{"permission":"deny","user_message":"no","agent_message":"no"}`},
		{"stop", "preToolUse", `{}`, Answer{Verdict: Deny, StopTurn: true, Reason: "stopped"}, `{"permission":"deny","user_message":"stopped End your turn now: every further call is refused.","agent_message":"stopped End your turn now: every further call is refused."}`},
		{"nothing said", "beforeReadFile", `{}`, Answer{}, `{"permission":"deny","user_message":"aoctl: refused, no reason was given."}`},
		{"edited command", "preToolUse", `{"command":"a","cwd":""}`, edit(`{"cwd":"","command":"b"}`), `{"permission":"allow","updated_input":{"cwd":"","command":"b"}}`},
		{"edited timeout", "preToolUse", `{"command":"a","timeout":5}`, edit(`{"command":"a","timeout":7}`), `{"permission":"allow","updated_input":{"command":"a","timeout":7}}`},
		{"timeout of another kind", "preToolUse", `{"command":"a","timeout":5}`, edit(`{"command":"a","timeout":"7"}`), refused},
		{"timeout below nothing", "preToolUse", `{"command":"a","timeout":5}`, edit(`{"command":"a","timeout":-7}`), refused},
		{"a key more", "preToolUse", `{"command":"a"}`, edit(`{"command":"a","timeout":7}`), refused},
		{"a key less", "preToolUse", `{"command":"a","timeout":5}`, edit(`{"command":"a"}`), refused},
		{"another file", "preToolUse", `{"file_path":"a","content":"x"}`, edit(`{"file_path":"b","content":"x"}`), `{"permission":"allow","updated_input":{"file_path":"b","content":"x"}}`},
		{"other content", "preToolUse", `{"file_path":"a","content":"x"}`, edit(`{"file_path":"a","content":"y"}`), refused},
		{"an MCP call", "preToolUse", `{"sku":"a"}`, Answer{Verdict: Allow, Tool: "MCP:add", UpdatedInput: json.RawMessage(`{"sku":"b","n":2}`)}, `{"permission":"allow","updated_input":{"sku":"b","n":2}}`},
		{"an MCP call with a key less", "preToolUse", `{"sku":"a","n":2}`, Answer{Verdict: Allow, Tool: "MCP:add", UpdatedInput: json.RawMessage(`{"sku":"b"}`)}, refused},
		{"another command the second time", "beforeShellExecution", `{"command":"a"}`, edit(`{"command":"b"}`), refused},
		{"shell", "beforeShellExecution", `{"command":"a"}`, Answer{Verdict: Allow}, `{"permission":"allow"}`},
		{"prompt", "beforeSubmitPrompt", ``, Answer{}, `{"continue":true}`},
		{"sub-agent", "subagentStart", ``, Answer{}, `{"permission":"allow"}`},
		{"report", "postToolUse", ``, Answer{StopTurn: true}, `{}`},
		{"unknown", "beforeEverything", ``, Answer{Verdict: Allow}, `{}`},
	})
}

func TestCursorCommon(t *testing.T) {
	commonWords(t, cursorName, [][5]string{
		{"Shell", `{"command":"ls","cwd":"/etc"}`, "Bash", `{"command":"ls","cwd":"/etc"}`, "known"},
		{"Write", `{"file_path":"/a","content":"x"}`, "Write", `{"file_path":"/a","content":"x"}`, "known"},
		{"Grep", `{"pattern":"x","file_path":"/a"}`, "Grep", `{"pattern":"x","path":"/a"}`, "known"},
		{"List", `{"file_path":"/a"}`, "LS", `{"path":"/a"}`, "known"},
		{"Delete", `{"file_path":"/a"}`, "Delete", `{"file_path":"/a"}`, ""},
		{"WriteShellStdin", `{"shell_id":1,"chars_length":4}`, "WriteShellStdin", `{"shell_id":1,"chars_length":4}`, ""},
		{"MCP:Read", `{}`, "MCP:Read", `{}`, ""},
		{"Edit", `{}`, "cursor:Edit", `{}`, ""},
	})
}

func FuzzCursor(f *testing.F) {
	fuzzDialect(f, cursorName, "allow", func(t *testing.T, h Hook, out []byte) string {
		t.Helper()
		switch h.Event {
		case "beforeSubmitPrompt":
			strictly(t, out, &cursorPrompt{})
			return "none"
		case "subagentStart":
			var got cursorGate
			strictly(t, out, &got)
			if got.Permission != "allow" {
				t.Fatalf("a sub-agent was answered with %s", out)
			}
			return "none"
		}
		var got cursorGate
		strictly(t, out, &got)
		if h.Event != "preToolUse" && got.UpdatedInput != nil || h.Event == "beforeReadFile" && got.AgentMessage != "" {
			t.Fatalf("%s was answered with keys of another event: %s", h.Event, out)
		}
		return word(t, got.Permission, got.UserMessage)
	})
}
