package agents

import (
	"encoding/json"
	"testing"
)

// The payloads in testdata are what aoctl's plugin sends of what opencode 1.18.33 told it.
func TestOpencodeDecodes(t *testing.T) {
	const (
		session = "ses_dff0d98b7ffejLSjnVWUxLDS5E"
		sub     = "ses_dff0d8ad8ffejYby7w0Lje3Q84"
	)
	some := json.RawMessage(`…`)
	told(t, opencodeName, hooks(t, opencodeName), map[string]Hook{
		"tool_execute_before": {
			Event: "tool.execute.before", Kind: Gate, SessionID: session, ToolName: "bash", ToolUseID: "call_59d3e08c4bf04752",
			ToolInput: json.RawMessage(`{"command":"echo hi > made.txt","description":"make it"}`), Description: "make it",
		},
		"tool_execute_before_subagent": {
			Event: "tool.execute.before", Kind: Gate, SessionID: session, SubagentID: sub, ToolName: "bash", ToolUseID: "call_27aa745ac79a441b",
			ToolInput: json.RawMessage(`{"command":"echo sub >> made.txt","description":"sub"}`), Description: "sub",
		},
		"tool_execute_after": {
			Event: "tool.execute.after", Kind: ToolDone, SessionID: session, ToolName: "bash", ToolUseID: "call_59d3e08c4bf04752",
			ToolInput: json.RawMessage(`{"command":"echo hi > made.txt","description":"make it"}`), Description: "make it", Result: some,
		},
		"chat_message":             {Event: "chat.message", Kind: Prompt, SessionID: session, Text: `"do it"`},
		"chat_message_subagent":    {Event: "chat.message", Kind: Prompt, SessionID: session, SubagentID: sub, Text: "SUBTASK now", FromApp: true},
		"session_created":          {Event: "session.created", Kind: SessionStart, SessionID: session, Title: "New session - 2026-11-22T01:50:15.880Z"},
		"session_created_subagent": {Event: "session.created", Kind: SubagentStart, SessionID: session, SubagentID: sub, SubagentType: "general"},
		"session_idle":             {Event: "session.idle", Kind: TurnEnd, SessionID: session},
		"session_idle_subagent":    {Event: "session.idle", Kind: SubagentStop, SessionID: session, SubagentID: sub},
	})
	h, err := opencode{}.Decode([]byte(`{"event":"tool.execute.after","sessionID":"s","tool":"bash","args":{},"error":"no such file"}`))
	if err != nil || !h.Failed || string(h.Result) != `"no such file"` {
		t.Errorf("a failed call: %+v, %v", h, err)
	}
	for more, want := range map[string]string{`,"error":"401 no key"`: "401 no key", ``: ""} {
		h, err := opencode{}.Decode([]byte(`{"event":"session.error","sessionID":"s"` + more + `}`))
		if err != nil || h.Kind != TurnEnd || h.Text != want || h.Failed != (want != "") {
			t.Errorf("a turn with the error %q: %+v, %v", want, h, err)
		}
	}
	if h, err := (opencode{}).Decode([]byte(`{"event":"session.compacted","sessionID":"s"}`)); err != nil || h.Kind != Observe {
		t.Errorf("an unknown event: %+v, %v", h, err)
	}
}

func TestOpencodeRefuses(t *testing.T) {
	refuses(t, opencode{}, map[string]string{
		`{"event":"tool.execute.around","sessionID":"s","tool":"bash","args":{}}`: "carries a call",
		`{"event":"tool.execute.before","sessionID":"s","tool":"bash"}`:           "args: is missing",
		`{"event":"tool.execute.before","sessionID":"s","args":{}}`:               "tool: is missing",
		`{"event":"tool.execute.before","tool":"bash","args":{}}`:                 "sessionID: is missing",
		`{"sessionID":"s"}`: "event: is missing",
	})
}

func TestOpencodeEncode(t *testing.T) {
	answers(t, opencode{}, []struct {
		name, event, input string
		answer             Answer
		want               string
	}{
		{"allow", "tool.execute.before", `{}`, Answer{Verdict: Allow}, `{"decision":"allow"}`},
		{"edit", "tool.execute.before", `{}`, Answer{Verdict: Allow, UpdatedInput: json.RawMessage(`{"command": "ls"}`)}, `{"decision":"allow","args":{"command":"ls"}}`},
		{"bad edit", "tool.execute.before", `{}`, Answer{Verdict: Allow, UpdatedInput: json.RawMessage(`[]`)}, `{"decision":"deny","reason":"` + notPassedOn + `"}`},
		{"deny", "tool.execute.before", `{}`, Answer{Verdict: Deny, Reason: "no"}, `{"decision":"deny","reason":"no"}`},
		{"stop", "tool.execute.before", `{}`, Answer{Verdict: Leave, StopTurn: true, Reason: "stopped"}, `{"decision":"deny","reason":"stopped End your turn now: every further call is refused."}`},
		{"leave", "tool.execute.before", `{}`, Answer{Verdict: Leave, UpdatedInput: json.RawMessage(`{}`)}, `{"decision":"allow"}`},
		{"nothing said", "tool.execute.before", `{}`, Answer{}, `{"decision":"deny","reason":"aoctl: refused, no reason was given."}`},
		{"report", "tool.execute.after", `{}`, Answer{StopTurn: true}, `{}`},
		{"unknown", "tool.execute.around", `{}`, Answer{Verdict: Allow}, `{}`},
	})
}

func TestOpencodeCommon(t *testing.T) {
	commonWords(t, opencodeName, [][5]string{
		{"bash", `{"command":"ls","workdir":"/etc"}`, "Bash", `{"command":"ls","workdir":"/etc"}`, "known"},
		{"bash", `{"command":"ls","shell":"fish"}`, "Bash", `{"command":"ls","shell":"fish"}`, ""},
		{"edit", `{"filePath":"/a","oldString":"x","newString":"y","replaceAll":true}`, "Edit", `{"file_path":"/a","old_string":"x","new_string":"y","replace_all":true}`, "known"},
		{"grep", `{"pattern":"x","include":"*.go"}`, "Grep", `{"pattern":"x","glob":"*.go"}`, "known"},
		{"apply_patch", `{"patchText":"*** Begin Patch"}`, "apply_patch", `{"patchText":"*** Begin Patch"}`, ""},
		{"shop_add_item", `{}`, "shop_add_item", `{}`, ""},
		{"Read", `{"file_path":"/a"}`, "opencode:Read", `{"file_path":"/a"}`, ""},
	})
}

func FuzzOpencode(f *testing.F) {
	fuzzDialect(f, opencodeName, "allow", func(t *testing.T, _ Hook, out []byte) string {
		t.Helper()
		var got opencodeAnswer
		strictly(t, out, &got)
		return word(t, got.Decision, got.Reason)
	})
}
