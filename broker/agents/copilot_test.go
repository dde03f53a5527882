package agents

import (
	"encoding/json"
	"testing"
)

// The payloads in testdata were captured from GitHub Copilot CLI 1.0.102.
func TestCopilotDecodes(t *testing.T) {
	const (
		session = "8c44b3de-af3b-4b66-b935-d89c5e848631"
		sub     = "0343247a-aae9-4a31-9348-4bba004c84c8"
		general = "general-purpose"
		path    = "/home/ana/.copilot/session-state/8c44b3de-af3b-4b66-b935-d89c5e848631/events.jsonl"
	)
	bash := json.RawMessage(`{"command":"echo hi > made.txt","description":"make it"}`)
	some := json.RawMessage(`…`)
	gate := Hook{Event: "PreToolUse", Kind: Gate, SessionID: session, ToolName: "Bash", ToolInput: bash, Description: "make it"}
	camel := gate
	camel.ToolName = "bash"
	done, camelDone := gate, camel
	done.Event, done.Kind, done.Result = "PostToolUse", ToolDone, some
	camelDone.Event, camelDone.Kind, camelDone.Result = "PostToolUse", ToolDone, some
	missing := Hook{Event: "PostToolUseFailure", Kind: ToolDone, SessionID: session, ToolName: "Read", ToolInput: json.RawMessage(`{"path":"/home/ana/src/shop/missing.txt"}`), Failed: true, Result: some}
	camelMissing := missing
	camelMissing.ToolName = "view"
	told(t, copilotName, hooks(t, copilotName), map[string]Hook{
		"pre_tool_use": gate, "camel_pre_tool_use": camel, "post_tool_use": done, "camel_post_tool_use": camelDone,
		"post_tool_use_failure": missing, "camel_post_tool_use_failure": camelMissing,
		"pre_tool_use_patch": {
			Event: "PreToolUse", Kind: Gate, SessionID: "9e8b7bcd-721d-4005-bc0e-c8ffdc24f220", ToolName: "Edit",
			ToolInput: json.RawMessage(`{"input":"*** Begin Patch\n*** Add File: p.txt\n+hello\n*** End Patch\n"}`),
		},
		"pre_tool_use_subagent": {
			Event: "PreToolUse", Kind: Gate, SessionID: session, SubagentID: sub, SubagentType: general, ToolName: "Bash",
			ToolInput: json.RawMessage(`{"command":"echo sub >> made.txt","description":"sub"}`), Description: "sub",
		},
		"pre_tool_use_nested": { // its parent is a sub-agent too, whose root the broker knows
			Event: "PreToolUse", Kind: Gate, SessionID: "cb4643ec-7d4a-40ae-8838-0d3147855624", SubagentID: "9adcd333-0673-4f0d-8b12-2970e7d69d39",
			SubagentType: general, ToolName: "Bash", ToolInput: json.RawMessage(`{"command":"echo nested > nested.txt","description":"n"}`), Description: "n",
		},
		"permission_request": {
			Event: "PermissionRequest", Kind: Gate, SessionID: session, ToolName: "bash", ToolInput: json.RawMessage(`{"command":"echo hi > made.txt"}`),
		},
		"permission_request_subagent": {
			Event: "PermissionRequest", Kind: Gate, SessionID: session, SubagentID: sub, SubagentType: general, ToolName: "bash",
			ToolInput: json.RawMessage(`{"command":"echo sub >> made.txt"}`),
		},
		"subagent_start":                {Event: "SubagentStart", Kind: SubagentStart, SessionID: session, SubagentID: sub, SubagentType: general, Transcript: path},
		"camel_subagent_start":          {Event: "SubagentStart", Kind: SubagentStart, SessionID: session, SubagentID: sub, SubagentType: general, Transcript: path},
		"subagent_stop":                 {Event: "SubagentStop", Kind: SubagentStop, SessionID: session, SubagentID: sub, SubagentType: general, Transcript: path, Text: "sub done"},
		"camel_subagent_stop":           {Event: "SubagentStop", Kind: SubagentStop, SessionID: session, SubagentID: sub, SubagentType: general, Transcript: path, Text: "sub done"},
		"stop":                          {Event: "Stop", Kind: TurnEnd, SessionID: session, Transcript: path},
		"camel_agent_stop":              {Event: "Stop", Kind: TurnEnd, SessionID: session, Transcript: path},
		"stop_subagent":                 {Event: "Stop", Kind: Observe, SessionID: session, SubagentID: sub, SubagentType: general, Transcript: path},
		"user_prompt_submit":            {Event: "UserPromptSubmit", Kind: Prompt, SessionID: session, Text: "do it"},
		"session_start":                 {Event: "SessionStart", Kind: SessionStart, SessionID: session, Text: "new"},
		"camel_session_end":             {Event: "SessionEnd", Kind: SessionEnd, SessionID: session, Text: "complete"},
		"camel_session_start":           {Event: "SessionStart", Kind: SessionStart, SessionID: session, Text: "new"},
		"camel_user_prompt_submitted":   {Event: "UserPromptSubmit", Kind: Prompt, SessionID: session, Text: "do it"},
		"camel_user_prompt_transformed": {Event: "PromptTransformed", Kind: Observe, SessionID: session},
		"camel_pre_mcp_tool_call":       {Event: "PreMcpToolCall", Kind: Observe, SessionID: "b4e1cf58-8c5b-4cd2-aa77-b73064da9ec5"},
		"error_occurred":                {Event: "ErrorOccurred", Kind: TurnEnd, SessionID: session, Failed: true, Text: "the model is on strike"},
		"user_prompt_submit_subagent": {
			Event: "UserPromptSubmit", Kind: Prompt, SessionID: session, SubagentID: sub, SubagentType: general, Text: "SUBTASK now", FromApp: true,
		},
	})
	h, err := copilot{}.Decode([]byte(`{"sessionId":"s","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}`))
	if err != nil || string(h.ToolInput) != `{"command":"ls"}` {
		t.Errorf("arguments as a JSON text: %s, %v", h.ToolInput, err)
	}
	for more, want := range map[string]Hook{
		`"error":{"message":"no network"},"error_context":"model_call"`:       {Kind: TurnEnd, Failed: true, Text: "no network"},
		`"error":{"message":"no such tool"},"error_context":"tool_execution"`: {Kind: Observe},
		`"error":{"message":"x"},"error_context":"model_call","agent_id":"a"`: {Kind: Observe},
	} {
		h, err := copilot{}.Decode([]byte(`{"hook_event_name":"ErrorOccurred","session_id":"s",` + more + `}`))
		if err != nil || h.Kind != want.Kind || h.Failed != want.Failed || h.Text != want.Text {
			t.Errorf("%s: %+v, %v", more, h, err)
		}
	}
}

func TestCopilotRefuses(t *testing.T) {
	refuses(t, copilot{}, map[string]string{
		``: "is empty",
		`{"hook_event_name":"PreToolUseV2","session_id":"s","tool_name":"Bash","tool_input":{}}`:          "carries a call",
		`{"sessionId":"s","toolName":"bash"}`:                                                             "is missing",
		`{"sessionId":"s","toolName":"bash","toolArgs":"{\"command\":\"ls\",\"command\":\"rm\"}"}`:        "no readable JSON object",
		`{"sessionId":"s","toolName":"bash","toolArgs":[1]}`:                                              "must be an object",
		`{"hook_event_name":"PreToolUse","session_id":"","tool_name":"Bash","tool_input":{}}`:             "is empty",
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"a":1,"A":2}}`: "twice",
		`{"sessionId":"s","cwd":"/p"}`:                                                                    "no event",
		`{"hook_event_name":"SubagentStart","session_id":"s"}`:                                            "agent_id: is missing",
	})
	if h, err := (copilot{}).Decode([]byte(`{"hook_event_name":"Weather","session_id":"s","tool_name":"Bash","tool_result":"x"}`)); err != nil || h.Kind != Observe {
		t.Errorf("an unknown report: %+v, %v", h, err)
	}
}

func TestCopilotEncode(t *testing.T) {
	const patch = `{"input":"*** Begin Patch\n*** End Patch"}`
	answers(t, copilot{}, []struct {
		name, event, input string
		answer             Answer
		want               string
	}{
		{"allow", "PreToolUse", `{}`, Answer{Verdict: Allow, Reason: "x"}, `{"permissionDecision":"allow"}`},
		{"edit", "PreToolUse", `{}`, Answer{Verdict: Allow, UpdatedInput: json.RawMessage(`{"command": "a<b"}`)}, `{"permissionDecision":"allow","modifiedArgs":{"command":"a<b"}}`},
		{"edit of a patch", "PreToolUse", patch, Answer{Verdict: Allow, UpdatedInput: json.RawMessage(patch)}, `{"permissionDecision":"allow","modifiedArgs":"*** Begin Patch\n*** End Patch"}`},
		{"deny", "PreToolUse", `{}`, Answer{Verdict: Deny, Reason: "no <b>"}, `{"permissionDecision":"deny","permissionDecisionReason":"no <b>"}`},
		{"stop", "PreToolUse", `{}`, Answer{Verdict: Allow, StopTurn: true, Reason: "stopped"}, `{"permissionDecision":"deny","permissionDecisionReason":"stopped End your turn now: every further call is refused."}`},
		{"leave", "PreToolUse", `{}`, Answer{Verdict: Leave}, `{}`},
		{"nothing said", "PreToolUse", `{}`, Answer{}, `{"permissionDecision":"deny","permissionDecisionReason":"aoctl: refused, no reason was given."}`},
		{"permission", "PermissionRequest", `{}`, Answer{Verdict: Allow}, `{"behavior":"allow"}`},
		{"permission and edit", "PermissionRequest", `{}`, Answer{Verdict: Allow, UpdatedInput: json.RawMessage(`{}`)}, `{"behavior":"deny","message":"` + notPassedOn + `"}`},
		{"no permission and stop", "PermissionRequest", `{}`, Answer{Verdict: Deny, Reason: "x", StopTurn: true}, `{"behavior":"deny","message":"x End your turn now: every further call is refused.","interrupt":true}`},
		{"report", "PostToolUse", `{}`, Answer{StopTurn: true, Reason: "x"}, `{}`},
		{"prompt", "UserPromptSubmit", ``, Answer{Verdict: Deny, StopTurn: true}, `{}`},
	})
}

func TestCopilotCommon(t *testing.T) {
	commonWords(t, copilotName, [][5]string{
		{"Bash", `{"command":"ls","description":"x","mode":"sync"}`, "Bash", `{"command":"ls","description":"x","mode":"sync"}`, "known"},
		{"bash", `{"command":"ls","env":{}}`, "Bash", `{"command":"ls","env":{}}`, ""},
		{"Read", `{"path":"/a","view_range":[1,2]}`, "Read", `{"file_path":"/a","view_range":[1,2]}`, "known"},
		{"Read", `{"path":"/a","file_path":"/b"}`, "Read", `{"file_path":"/a","copilot:file_path":"/b"}`, ""},
		{"Write", `{"path":"/a","file_text":"x"}`, "Write", `{"file_path":"/a","content":"x"}`, "known"},
		{"Edit", `{"path":"/a","old_str":"x","new_str":"y"}`, "Edit", `{"file_path":"/a","old_string":"x","new_string":"y"}`, "known"},
		{"Edit", `{"command":"create","path":"/a","file_text":"x"}`, "copilot:Edit", `{"command":"create","file_path":"/a","file_text":"x"}`, ""},
		{"edit", `{"path":"/a","old_str":"x","new_str":"y","command":"z"}`, "copilot:Edit", `{"file_path":"/a","old_string":"x","new_string":"y","command":"z"}`, ""},
		{"bash", `{"command":"ls","detach":true,"run_in_background":false}`, "Bash", `{"command":"ls","run_in_background":true,"copilot:run_in_background":false}`, ""},
		{"bash", `{"command":"ls","cwd":"/a"}`, "Bash", `{"command":"ls","copilot:cwd":"/a"}`, ""},
		{"apply_patch", `{"input":"<<EOF\n*** Begin Patch"}`, "apply_patch", `{"input":"<<EOF\n*** Begin Patch"}`, ""},
		{"apply_patch", `{"input":"*** Begin Patch","command":"x"}`, "copilot:apply_patch", `{"input":"*** Begin Patch","command":"x"}`, ""},
		{"Edit", `{"input":"*** Begin Patch\n*** End Patch"}`, "apply_patch", `{"input":"*** Begin Patch\n*** End Patch"}`, ""},
		{"rg", `{"pattern":"x","paths":["/a"]}`, "Grep", `{"pattern":"x","path":["/a"]}`, "known"},
		{"task", `{"prompt":"x","agent_type":"explore"}`, "Agent", `{"prompt":"x","subagent_type":"explore"}`, "known"},
		{"shop-add_item", `{"sku":"a1"}`, "shop-add_item", `{"sku":"a1"}`, ""},
		{"MultiEdit", `{}`, "copilot:MultiEdit", `{}`, ""},
		{"powershell", `{"command":"ls"}`, "powershell", `{"command":"ls"}`, ""},
	})
}

func FuzzCopilot(f *testing.F) {
	fuzzDialect(f, copilotName, "none", func(t *testing.T, h Hook, out []byte) string {
		t.Helper()
		switch {
		case h.Kind != Gate:
			strictly(t, out, &struct{}{})
			return "none"
		case h.Event == "PermissionRequest":
			var got copilotPermission
			strictly(t, out, &got)
			return word(t, got.Behavior, got.Message)
		}
		var got copilotGate
		strictly(t, out, &got)
		return word(t, got.Decision, got.Reason)
	})
}
