package agents

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// What a payload says beside the call itself, and what it only seems to say.
func TestDecodeEdges(t *testing.T) {
	for _, tc := range [][3]string{
		{"claude", `{"hook_event_name":"ConfigChange","session_id":"s","source":"user_settings","file_path":"/f"}`, "settings of s, text user_settings, file /f"},
		{"claude", `{"hook_event_name":"SubagentStop","session_id":"s","agent_id":"a","agent_type":"t"}`, "sub end of s, sub a, type t"},
		{"claude", `{"hook_event_name":"Stop","session_id":"s","agent_type":"t"}`, "turn of s"},
		{"claude", `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"description":5},"tool_response":"x","duration_ms":5}`, "gate of s, tool Bash"},
		{"claude", `{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_input":{"description":"d"},"tool_response":"x","duration_ms":0}`, `done of s, tool Bash, says d, result "x"`},
		{"claude", `{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_input":{},"tool_response":"x","duration_ms":"5"}`, `done of s, tool Bash, result "x"`},
		{"claude", `{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_input":{},"tool_response":"x","duration_ms":0.5}`, `done of s, tool Bash, result "x", took 500µs`},
		{"claude", `{"hook_event_name":"UserPromptExpansion","session_id":"s","prompt":"/a","command_name":"a","command_source":"b","expansion_type":"slash_command"}`, "gate of s, tool SlashCommand, from b"},
		{"claude", `{"hook_event_name":"UserPromptExpansion","session_id":"s","prompt":"/a","command_name":"a","command_source":"b","expansion_type":"skill"}`, "gate of s, tool SlashCommand, from skill"},
		{"codex", `{"hook_event_name":"Stop","session_id":"s","agent_id":"a","last_assistant_message":"m"}`, "observe of s, sub a, text m"},
		{"codex", `{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"m"}`, "turn of s, text m"},
		{"codex", `{"hook_event_name":"Interrupt","session_id":"s"}`, "turn of s, text interrupted"},
		{"codex", `{"hook_event_name":"SessionStart","session_id":"s","source":"resume"}`, "start of s, text resume"},
		{"qwen", `{"hook_event_name":"StopFailure","session_id":"s","error":"e","error_details":" "}`, "turn of s, text e, failed"},
		{"qwen", `{"hook_event_name":"PostToolUseFailure","session_id":"s","tool_name":"x","tool_input":{},"error":"e"}`, `done of s, tool x, result "e", failed`},
		{"qwen", `{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"x","tool_input":{},"error":"e"}`, "done of s, tool x"},
		{"qwen", `{"hook_event_name":"UserPromptSubmit","session_id":"s","agent_id":"a","prompt":"p"}`, "prompt of s, sub a, text p, from the app"},
		{"qwen", `{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"p"}`, "prompt of s, text p"},
		{"qwen", `{"hook_event_name":"SubagentStop","session_id":"s","agent_id":"a","last_assistant_message":"m"}`, "sub end of s, sub a, text m"},
		{"qwen", `{"hook_event_name":"Unheard","session_id":"s","tool_input":{}}`, "observe of s, unknown"},
		{"gemini", `{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"x","tool_input":{},"tool_response":{"error":"e"}}`, "gate of s, tool x"},
		{"gemini", `{"hook_event_name":"AfterTool","session_id":"s","tool_name":"x","tool_input":{},"tool_response":{"error":"e"}}`, `done of s, tool x, result {"error":"e"}, failed`},
		{"gemini", `{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"mcp_a_b","tool_input":{},"mcp_context":{"server_name":"a","tool_name":"b"}}`, "gate of s, tool mcp__a__b"},
		{"gemini", `{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"mcp__b","tool_input":{},"mcp_context":{"server_name":"","tool_name":"b"}}`, "gate of s, tool mcp__b"},
		{"gemini", `{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"mcp_a_","tool_input":{},"mcp_context":{"server_name":"a","tool_name":""}}`, "gate of s, tool mcp_a_"},
		{"gemini", `{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"mcp_a__b","tool_input":{},"mcp_context":{"server_name":"a_","tool_name":"b"}}`, "gate of s, tool mcp_a__b"},
		{"gemini", `{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"mcp_a__b","tool_input":{},"mcp_context":{"server_name":"a","tool_name":"_b"}}`, "gate of s, tool mcp_a__b"},
		{"gemini", `{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"mcp_a_b__c","tool_input":{},"mcp_context":{"server_name":"a","tool_name":"b__c"}}`, "gate of s, tool mcp_a_b__c"},
		{"gemini", `{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"mcp_a__b_c","tool_input":{},"mcp_context":{"server_name":"a__b","tool_name":"c"}}`, "gate of s, tool mcp_a__b_c"},
		{"copilot", `{"hook_event_name":"Notification","session_id":"s","message":"m","notification_type":"n"}`, "notify of s, text m, note n"},
		{"copilot", `{"sessionId":"s","hookName":"somethingNew"}`, "observe of s, unknown"},
		{"copilot", `{"sessionId":"s","agentName":"a","agentId":"i","toolResult":{}}`, "sub start of s, sub i"},
		{"copilot", `{"sessionId":"s","error":{},"source":"new"}`, "start of s, text new"},
		{"copilot", `{"hook_event_name":"SubagentStop","session_id":"s","agent_id":"a","parent_agent_id":"p"}`, "sub end of p, sub a"},
		{"copilot", `{"hook_event_name":"PreToolUse","session_id":"s","agent_id":"a","parent_agent_id":"p","tool_name":"x","tool_input":{}}`, "gate of s, sub a, tool x"},
		{"copilot", `{"hook_event_name":"PreToolUse","session_id":"a","agent_id":"a","parent_agent_id":"p","tool_name":"x","tool_input":{}}`, "gate of p, sub a, tool x"},
		{"copilot", `{"hook_event_name":"ErrorOccurred","session_id":"s","error_context":"model_call","error":{"message":"{\"message\":\"\"}"}}`, `turn of s, text {"message":""}, failed`},
		{"copilot", `{"hook_event_name":"ErrorOccurred","session_id":"s","error_context":"model_call","error":{"message":"{\"message\":\"m\"}"}}`, "turn of s, text m, failed"},
		{"cursor", `{"hook_event_name":"subagentStop","session_id":"s","subagent_id":"a","parent_conversation_id":"p"}`, "sub end of p, sub a"},
		{"cursor", `{"hook_event_name":"preToolUse","session_id":"s","tool_name":"Shell","tool_input":{"description":"d"}}`, "gate of s, tool Shell, says d"},
		{"cursor", `{"hook_event_name":"preToolUse","session_id":"s","tool_name":"Shell","tool_input":{},"duration":5,"tool_output":"x"}`, "gate of s, tool Shell"},
	} {
		if got := briefly(decode(t, tc[0], tc[1])); got != tc[2] {
			t.Errorf("%s %s\n\tis %s\n\twant %s", tc[0], tc[1], got, tc[2])
		}
	}
	long := decode(t, "copilot", `{"hook_event_name":"ErrorOccurred","session_id":"s","error_context":"model_call","error":{"message":"`+strings.Repeat("x", 2*maxText)+`"}}`)
	if len(long.Text) != maxText {
		t.Errorf("an error of %d bytes keeps %d", 2*maxText, len(long.Text))
	}
}

func decode(t *testing.T, agent, payload string) Hook {
	t.Helper()
	d, err := For(agent)
	if err != nil {
		t.Fatal(err)
	}
	h, err := d.Decode([]byte(payload))
	if err != nil {
		t.Errorf("%s: %v", payload, err)
	}
	return h
}

// briefly names what is set of a hook.
func briefly(h Hook) string {
	kinds := map[Kind]string{
		Observe: "observe", Gate: "gate", ToolDone: "done", Prompt: "prompt", SessionStart: "start", SessionEnd: "end", TurnEnd: "turn",
		SubagentStart: "sub start", SubagentStop: "sub end", Notify: "notify", Settings: "settings",
	}
	text := kinds[h.Kind] + " of " + h.SessionID
	for _, f := range []struct {
		name  string
		value any
	}{
		{"sub", h.SubagentID},
		{"type", h.SubagentType},
		{"tool", h.ToolName},
		{"says", h.Description},
		{"result", string(h.Result)},
		{"text", h.Text},
		{"note", h.Note},
		{"file", h.File},
		{"took", h.Duration},
		{"failed", h.Failed},
		{"from the app", h.FromApp},
		{"unknown", h.Unknown},
	} {
		switch v := f.value.(type) {
		case string:
			if v != "" {
				text += fmt.Sprintf(", %s %s", f.name, v)
			}
		case bool:
			if v {
				text += ", " + f.name
			}
		case time.Duration:
			if v != 0 {
				text += fmt.Sprintf(", %s %v", f.name, v)
			}
		}
	}
	if h.Slash != nil {
		text += ", from " + h.Slash.Source
	}
	return text
}

// What cannot be said to an agent ends as a refusal, and a call that may run as it is gets an
// answer that says no more than that.
func TestEncodeEdges(t *testing.T) {
	edit := func(v Verdict, s string) Answer {
		return Answer{Verdict: v, Reason: "r", UpdatedInput: json.RawMessage(s)}
	}
	for _, tc := range []struct {
		agent, event, input string
		answer              Answer
		want                string
	}{
		{"claude", "PreToolUse", `{}`, Answer{Verdict: Defer, StopTurn: true, Reason: "r"}, `"permissionDecision":"deny"`},
		{"claude", "PreToolUse", `{}`, edit(Allow, `{"a":1,"a":2}`), "the changed input could not be passed on"},
		{"claude", "PermissionRequest", `{"questions":[]}`, Answer{Verdict: Allow}, `"behavior":"allow"}`},
		{"claude", "PermissionRequest", `{"questions":[],"answers":{}}`, Answer{Verdict: Allow}, `"updatedInput":{"questions":[],"answers":{}}`},
		{"claude", "PermissionRequest", `{"answers":{}}`, Answer{Verdict: Allow}, `"updatedInput":{"answers":{}}`},
		{"claude", "PermissionRequest", `{"plan":"p"}`, Answer{Verdict: Allow}, `"updatedInput":{"plan":"p"}`},
		{"claude", "PostToolUse", `{}`, Answer{Verdict: Allow}, "{}"},
		{"codex", "PreToolUse", `{}`, Answer{Verdict: Allow, Tool: "Bash"}, "{}"},
		{"codex", "PreToolUse", `{}`, Answer{Verdict: Deny, Reason: "r", Tool: "Bash"}, `"permissionDecision":"deny"`},
		{"codex", "PreToolUse", `{}`, Answer{Verdict: Deny, Reason: "r", Tool: "Bash", UpdatedInput: json.RawMessage(`{"command":"a"}`)}, `"permissionDecision":"deny"`},
		{"codex", "PreToolUse", `{}`, Answer{Verdict: Allow, Tool: "Bash", UpdatedInput: json.RawMessage(`{"command":"a"}`)}, `"updatedInput":{"command":"a"}`},
		{"codex", "PreToolUse", `{}`, Answer{Verdict: Allow, Tool: "Bash", UpdatedInput: json.RawMessage(`{"command":"a","command":"b"}`)}, `"permissionDecision":"deny"`},
		{"codex", "PermissionRequest", `{}`, edit(Allow, `{"command":"a"}`), `"behavior":"deny"`},
		{"gemini", "BeforeTool", `{}`, edit(Deny, `{"a":1}`), `"decision":"deny"`},
		{"gemini", "BeforeTool", `{}`, edit(Allow, `{"a":1}`), `"decision":"allow"`},
		{"gemini", "BeforeTool", `{}`, edit(Allow, `[1]`), `"decision":"deny"`},
		{"cursor", "beforeTabFileRead", `{}`, Answer{Verdict: Deny, Reason: "r"}, `{"permission":"deny","user_message":"r"}`},
		{"cursor", "preToolUse", `{"timeout":5}`, edit(Allow, `{"timeout":0}`), `"updated_input":{"timeout":0}`},
		{"cursor", "preToolUse", `{"timeout":5}`, edit(Allow, `{"timeout":9}`), `"updated_input":{"timeout":9}`},
		{"cursor", "preToolUse", `{"timeout":5}`, edit(Allow, `{"timeout":{}}`), `"permission":"deny"`},
		{"cursor", "preToolUse", `{"other":5}`, edit(Allow, `{"other":6}`), `"permission":"deny"`},
		{"cursor", "preToolUse", `{"command":"a","command":"b"}`, edit(Allow, `{"command":"c"}`), `"permission":"deny"`},
		{"copilot", "PreToolUse", `{"input":"*** Begin Patch\n*** End Patch"}`, Answer{Verdict: Allow}, `{"permissionDecision":"allow"}`},
	} {
		d, err := For(tc.agent)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(d.Encode(tc.event, json.RawMessage(tc.input), tc.answer)); !strings.Contains(got, tc.want) || tc.want == "{}" && got != "{}\n" {
			t.Errorf("%s, %s of %s: %s\twant %s", tc.agent, tc.event, tc.input, got, tc.want)
		}
	}
}

// What a tool is called by everybody, and whether its agent vouches for what it does.
func TestCommonEdges(t *testing.T) {
	for agent, tests := range map[string][][5]string{
		"codex":    {{"request_user_input", `{}`, "AskUserQuestion", `{}`, "known"}},
		"gemini":   {{"exit_plan_mode", `{"plan_path":"p"}`, "ExitPlanMode", `{"plan_path":"p"}`, "known"}},
		"qwen":     {{"exit_plan_mode", `{"plan":"p"}`, "ExitPlanMode", `{"plan":"p"}`, "known"}},
		"opencode": {{"question", `{"questions":[]}`, "AskUserQuestion", `{"questions":[]}`, "known"}, {"bash", `{"command":"a","frob":1}`, "Bash", `{"command":"a","frob":1}`, ""}},
		"copilot": {
			{"ask_user", `{"question":"q"}`, "AskUserQuestion", `{"question":"q"}`, "known"},
			{"AskUserQuestion", `{"question":"q"}`, "AskUserQuestion", `{"question":"q"}`, "known"},
			{"exit_plan_mode", `{}`, "ExitPlanMode", `{}`, "known"},
			{"apply_patch", `{}`, "copilot:apply_patch", `{}`, ""},
			{"bash", `{"command":"a","frob":1}`, "Bash", `{"command":"a","frob":1}`, ""},
			{"web_fetch", `{}`, "WebFetch", `{}`, ""},
		},
		"cursor": {{"Task", `{}`, "Agent", `{}`, ""}, {"Shell", `{"command":"a","frob":1}`, "Bash", `{"command":"a","frob":1}`, ""}, {"Write", `{"file_path content":"a"}`, "Write", `{"file_path content":"a"}`, ""}, {"Fetch", `{"url":"u"}`, "WebFetch", `{"url":"u"}`, "known"}},
		"nobody": {{"Bash", `{"command":"a"}`, "Bash", `{"command":"a"}`, ""}},
	} {
		commonWords(t, agent, tests)
	}
}
