package agents

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker/wire"
)

func TestEncodeShared(t *testing.T) {
	const stops = " End your turn now: every further call is refused."
	const lost = "aoctl: the changed input could not be passed on, so the call was refused."
	edit := json.RawMessage("{\n  \"command\": \"a && b > c\"\n}\n")
	deny, stop := Answer{Verdict: Deny, Reason: "not <here>\n"}, Answer{Verdict: Deny, Reason: "no", StopTurn: true}
	codexDeny := func(why string) string {
		return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"` + why + `"}}`
	}
	qwenDeny := func(why string) string {
		return `{"continue":false,"stopReason":"` + why + `","decision":"block","reason":"` + why + `","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"` + why + `"}}`
	}
	for _, tc := range []struct {
		agent, what, event string
		a                  Answer
		want               string
	}{
		{"codex", "allow", "PreToolUse", Answer{Verdict: Allow, Reason: "x"}, `{}`},
		{"codex", "leave", "PreToolUse", Answer{Verdict: Leave, Reason: "x"}, `{}`},
		{"codex", "deny", "PreToolUse", deny, codexDeny("not <here>")},
		{"codex", "stop is a plain refusal", "PreToolUse", stop, codexDeny("no" + stops)},
		{"codex", "allow and stop", "PreToolUse", Answer{Verdict: Allow, Reason: "no", StopTurn: true}, codexDeny("no" + stops)},
		{"codex", "nothing", "PreToolUse", Answer{}, codexDeny("aoctl: refused, no reason was given.")},
		{"codex", "no known verdict", "PreToolUse", Answer{Verdict: 9, Reason: "x"}, codexDeny("x")},
		{
			"codex", "another command", "PreToolUse",
			Answer{Verdict: Allow, Tool: "Bash", UpdatedInput: edit},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"a && b > c"}}}`,
		},
		{
			"codex", "other arguments", "PreToolUse",
			Answer{Verdict: Allow, Tool: "mcp__s__t", UpdatedInput: json.RawMessage(`{"a":1}`)},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"a":1}}}`,
		},
		{"codex", "no command", "PreToolUse", Answer{Verdict: Allow, Tool: "Bash", UpdatedInput: json.RawMessage(`{"command":["ls"]}`)}, codexDeny(lost)},
		{"codex", "more than a command", "PreToolUse", Answer{Verdict: Allow, Tool: "Bash", UpdatedInput: json.RawMessage(`{"command":"ls","x":1}`)}, codexDeny(lost)},
		{"codex", "no object", "PreToolUse", Answer{Verdict: Allow, Tool: "mcp__s__t", UpdatedInput: json.RawMessage(`[]`)}, codexDeny(lost)},
		{"codex", "a tool that takes no other input", "PreToolUse", Answer{Verdict: Allow, Tool: "view_image", UpdatedInput: json.RawMessage(`{"path":"/a"}`)}, codexDeny(lost)},
		{"codex", "a tool that nobody named", "PreToolUse", Answer{Verdict: Allow, UpdatedInput: edit}, codexDeny(lost)},
		{"codex", "permission", "PermissionRequest", Answer{Verdict: Allow}, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`},
		{"codex", "permission for another", "PermissionRequest", Answer{Verdict: Allow, Tool: "Bash", UpdatedInput: edit}, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"` + lost + `"}}}`},
		{"codex", "no permission, stop", "PermissionRequest", stop, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no` + stops + `"}}}`},
		{"codex", "its own prompt", "PermissionRequest", Answer{Verdict: Leave}, `{}`},
		{"codex", "after a call", "PostToolUse", stop, `{}`},
		{"codex", "the end of a turn", "Stop", stop, `{}`},
		{"codex", "a prompt", "UserPromptSubmit", Answer{}, `{}`},

		{"gemini", "allow", "BeforeTool", Answer{Verdict: Allow, Reason: "x"}, `{}`},
		{"gemini", "leave", "BeforeTool", Answer{Verdict: Leave}, `{}`},
		{"gemini", "deny", "BeforeTool", deny, `{"decision":"deny","reason":"not <here>"}`},
		{"gemini", "nothing", "BeforeTool", Answer{}, `{"decision":"deny","reason":"aoctl: refused, no reason was given."}`},
		{"gemini", "stop", "BeforeTool", stop, `{"decision":"deny","reason":"no","continue":false,"stopReason":"no"}`},
		{"gemini", "allow and stop", "BeforeTool", Answer{Verdict: Allow, Reason: "no", StopTurn: true}, `{"decision":"deny","reason":"no","continue":false,"stopReason":"no"}`},
		{
			"gemini", "another input", "BeforeTool",
			Answer{Verdict: Allow, UpdatedInput: edit},
			`{"decision":"allow","hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"a && b > c"}}}`,
		},
		{"gemini", "no object", "BeforeTool", Answer{Verdict: Allow, UpdatedInput: json.RawMessage(`{"a":1,"a":2}`)}, `{"decision":"deny","reason":"` + lost + `"}`},
		{"gemini", "after a call", "AfterTool", Answer{}, `{}`},
		{"gemini", "stop after a call", "AfterTool", Answer{StopTurn: true, Reason: "no"}, `{"continue":false,"stopReason":"no"}`},
		{"gemini", "the end of a turn", "AfterAgent", stop, `{}`},
		{"gemini", "a prompt", "BeforeAgent", stop, `{}`},

		{"qwen", "allow", "PreToolUse", Answer{Verdict: Allow, Reason: "x"}, `{}`},
		{"qwen", "leave", "PreToolUse", Answer{Verdict: Leave}, `{}`},
		{"qwen", "deny", "PreToolUse", deny, qwenDeny("not <here>")},
		{"qwen", "stop", "PreToolUse", stop, qwenDeny("no" + stops)},
		{"qwen", "another input", "PreToolUse", Answer{Verdict: Allow, Tool: "run_shell_command", UpdatedInput: edit}, qwenDeny(lost)},
		{"qwen", "permission", "PermissionRequest", Answer{Verdict: Allow}, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`},
		{"qwen", "permission for another", "PermissionRequest", Answer{Verdict: Allow, UpdatedInput: edit}, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"` + lost + `"}}}`},
		{"qwen", "no permission, stop", "PermissionRequest", stop, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no` + stops + `","interrupt":true}}}`},
		{"qwen", "after a call", "PostToolUse", stop, `{}`},
	} {
		t.Run(tc.agent+"/"+tc.what, func(t *testing.T) {
			got := dialects[tc.agent].Encode(tc.event, json.RawMessage(`{"command":"ls"}`), tc.a)
			if string(got) != tc.want+"\n" {
				t.Errorf("\n got %s\nwant %s", got, tc.want)
			}
		})
	}
}

// answerKeys are the keys that an agent's documents list for an event, by the path to
// them. What is not here must not be said: Codex would let the call run.
var answerKeys = map[string]map[string]string{
	"codex": {
		"PreToolUse":        "hookSpecificOutput hookSpecificOutput.hookEventName hookSpecificOutput.permissionDecision hookSpecificOutput.permissionDecisionReason hookSpecificOutput.updatedInput",
		"PermissionRequest": "hookSpecificOutput hookSpecificOutput.hookEventName hookSpecificOutput.decision hookSpecificOutput.decision.behavior hookSpecificOutput.decision.message",
	},
	"gemini": {
		"BeforeTool": "decision reason continue stopReason hookSpecificOutput hookSpecificOutput.hookEventName hookSpecificOutput.tool_input",
		"AfterTool":  "continue stopReason",
	},
	"qwen": {
		"PreToolUse":        "continue stopReason decision reason hookSpecificOutput hookSpecificOutput.hookEventName hookSpecificOutput.permissionDecision hookSpecificOutput.permissionDecisionReason",
		"PermissionRequest": "hookSpecificOutput hookSpecificOutput.hookEventName hookSpecificOutput.decision hookSpecificOutput.decision.behavior hookSpecificOutput.decision.message hookSpecificOutput.decision.interrupt",
	},
}

// keysOf are the paths to all keys of v but those below a replaced input.
func keysOf(prefix string, v any) []string {
	var list []string
	object, _ := v.(map[string]any)
	for key, inner := range object {
		list = append(list, prefix+key)
		if key != "updatedInput" && key != "tool_input" {
			list = append(list, keysOf(prefix+key+".", inner)...)
		}
	}
	return list
}

// says is what an answer to a gate means to its agent; "" when it would not be understood.
func says(agent, event string, v map[string]any) string {
	at := func(path string) any {
		var x any = v
		for _, key := range strings.Split(path, ".") {
			m, _ := x.(map[string]any)
			x = m[key]
		}
		return x
	}
	text := func(path string) bool { s, _ := at(path).(string); return strings.TrimSpace(s) != "" }
	decision, reason, input := "hookSpecificOutput.permissionDecision", "hookSpecificOutput.permissionDecisionReason", "hookSpecificOutput.updatedInput"
	switch {
	case len(v) == 0:
		return "pass"
	case agent == "gemini":
		decision, reason, input = "decision", "reason", "hookSpecificOutput.tool_input"
	case event == "PermissionRequest":
		decision, reason = "hookSpecificOutput.decision.behavior", "hookSpecificOutput.decision.message"
	}
	if s := at("hookSpecificOutput.hookEventName"); s != nil && s != event {
		return ""
	}
	switch at(decision) {
	case "deny":
		if !text(reason) || at(input) != nil || agent == "qwen" && event == "PreToolUse" && (at("continue") != false || !text("stopReason") || at("decision") != "block" || !text("reason")) {
			return ""
		}
		return "deny"
	case "allow":
		_, edits := at(input).(map[string]any)
		if edits || event == "PermissionRequest" && at(reason) == nil {
			return "allow"
		}
	}
	return ""
}

func fuzzShared(f *testing.F, agent string) {
	f.Helper()
	d := dialects[agent]
	for _, payload := range allCaptured(f, agent, 17) {
		f.Add(payload, "because", []byte(`{"command":"ls"}`), byte(1), false)
		f.Add(payload, "", []byte(nil), byte(2), true)
	}
	f.Add([]byte(`{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"},"turn_id":"t"}`), "\xff", []byte("{"), byte(1), false)
	f.Add([]byte(`{"session_id":"s","hook_event_name":"Unknown","tool_name":"Bash"}`), "x", []byte(`{"a":1,"A":2}`), byte(3), true)
	f.Fuzz(func(t *testing.T, payload []byte, reason string, updated []byte, verdict byte, stop bool) {
		h, err := d.Decode(payload)
		if err != nil {
			if h.Event != "" || h.SessionID != "" || h.ToolInput != nil || h.Kind != Observe {
				t.Fatalf("error %v with hook %+v", err, h)
			}
			return
		}
		if common, in, _ := d.Common(h.ToolName, h.ToolInput); h.ToolName != "" && (common == "" || !isObject(in)) {
			t.Fatalf("%s %s: %q %s", h.ToolName, h.ToolInput, common, in)
		}
		a := Answer{Verdict: Verdict(verdict % 4), Reason: reason, StopTurn: stop, Tool: h.ToolName}
		if len(updated) > 0 {
			a.UpdatedInput = updated
		}
		checkAnswer(t, agent, h, a, d.Encode(h.Event, h.ToolInput, a))
	})
}

// checkAnswer: one line, no key that is not listed, and of a gate nothing but what a says,
// or a refusal.
func checkAnswer(t *testing.T, agent string, h Hook, a Answer, out []byte) {
	t.Helper()
	var v map[string]any
	if !bytes.HasSuffix(out, []byte("}\n")) || bytes.Count(out, []byte("\n")) != 1 || !utf8.Valid(out) || wire.Check(out, wire.MaxDepth+2) != nil || json.Unmarshal(out, &v) != nil {
		t.Fatalf("not one line with one object: %q", out)
	}
	listed := strings.Fields(answerKeys[agent][h.Event])
	for _, key := range keysOf("", v) {
		if !slices.Contains(listed, key) {
			t.Fatalf("%s is not told %s on %s: %s", agent, key, h.Event, out)
		}
	}
	if h.Kind != Gate {
		if len(v) > 0 && (!a.StopTurn || v["continue"] != false) {
			t.Fatalf("%s answered with %s", h.Event, out)
		}
		return
	}
	got, want := says(agent, h.Event, v), "deny"
	switch {
	case a.StopTurn:
	case a.Verdict == Leave:
		want = "pass"
	case a.Verdict == Allow && a.UpdatedInput == nil && h.Event == "PermissionRequest":
		want = "allow"
	case a.Verdict == Allow && a.UpdatedInput == nil:
		want = "pass"
	case a.Verdict == Allow && got == "allow":
		want = got // the input is as it was sent, or the call is refused
		specific, _ := v["hookSpecificOutput"].(map[string]any)
		sent, _ := json.Marshal(specific[map[string]string{"codex": "updatedInput", "gemini": "tool_input"}[agent]])
		var meant any
		if json.Unmarshal(a.UpdatedInput, &meant) != nil {
			t.Fatalf("sent %s", out)
		}
		if m, _ := json.Marshal(meant); !bytes.Equal(m, sent) {
			t.Fatalf("sent %s for %s", sent, m)
		}
	}
	if got != want {
		t.Fatalf("%s %s %+v: says %q, must say %q: %s", agent, h.Event, a, got, want, out)
	}
}

func FuzzCodex(f *testing.F)  { fuzzShared(f, codexName) }
func FuzzGemini(f *testing.F) { fuzzShared(f, geminiName) }
func FuzzQwen(f *testing.F)   { fuzzShared(f, qwenName) }
