package agents

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker/wire"
)

func TestClaudeEncode(t *testing.T) {
	input := json.RawMessage(`{"command":"echo '<&>'"}`)
	tests := []struct {
		name, event string
		answer      Answer
		want        string
	}{
		{"allow", "PreToolUse", Answer{Verdict: Allow, Reason: "why not"}, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`},
		{
			"allow something else", "PreToolUse",
			Answer{Verdict: Allow, UpdatedInput: json.RawMessage("{\n  \"command\": \"a && b > c\"\n}\n")},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"a && b > c"}}}`,
		},
		{
			"deny", "PreToolUse",
			Answer{Verdict: Deny, Reason: "not <here> & not now\n"},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not <here> & not now"}}`,
		},
		{
			"stop", "PreToolUse",
			Answer{Verdict: Deny, Reason: "stopped", StopTurn: true},
			`{"continue":false,"stopReason":"stopped","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"stopped"}}`,
		},
		{
			"no opinion is no", "PreToolUse",
			Answer{},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"aoctl: refused, no reason was given."}}`,
		},
		{
			"no known verdict is no", "PreToolUse",
			Answer{Verdict: 17, Reason: "x"},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}`,
		},
		{
			"allow and stop is stop", "PreToolUse",
			Answer{Verdict: Allow, Reason: "x", StopTurn: true},
			`{"continue":false,"stopReason":"x","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}`,
		},
		{
			"its own prompt", "PreToolUse",
			Answer{Verdict: Ask, Reason: "x"},
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"x"}}`,
		},
		{"typed, ask", "UserPromptExpansion", Answer{Verdict: Ask, Reason: "x"}, `{"decision":"block","reason":"x"}`},
		{"typed, allow", "UserPromptExpansion", Answer{Verdict: Allow, Reason: "x"}, `{}`},
		{"typed, leave", "UserPromptExpansion", Answer{Verdict: Leave}, `{}`},
		{"typed, deny", "UserPromptExpansion", Answer{Verdict: Deny, Reason: "not now"}, `{"decision":"block","reason":"not now"}`},
		{"typed, no opinion", "UserPromptExpansion", Answer{}, `{"decision":"block","reason":"aoctl: refused, no reason was given."}`},
		{"typed, put off", "UserPromptExpansion", Answer{Verdict: Defer, Reason: "x"}, `{"decision":"block","reason":"x"}`},
		{"typed, stop", "UserPromptExpansion", Answer{Verdict: Allow, Reason: "x", StopTurn: true}, `{"continue":false,"stopReason":"x","decision":"block","reason":"x"}`},
		{
			"typed, something else", "UserPromptExpansion",
			Answer{Verdict: Allow, UpdatedInput: json.RawMessage(`{}`)},
			`{"decision":"block","reason":"aoctl: the changed input could not be passed on, so the call was refused."}`,
		},
		{
			"permission", "PermissionRequest",
			Answer{Verdict: Allow},
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"echo '<&>'"}}}}`,
		},
		{
			"permission for something else", "PermissionRequest",
			Answer{Verdict: Allow, UpdatedInput: json.RawMessage(`{"command":"ls"}`)},
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"ls"}}}}`,
		},
		{
			"no permission", "PermissionRequest",
			Answer{Verdict: Deny, Reason: "no"},
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}`,
		},
		{
			"no permission and stop", "PermissionRequest",
			Answer{Verdict: Deny, Reason: "no", StopTurn: true},
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no","interrupt":true}}}`,
		},
		{
			"no opinion on a permission is no", "PermissionRequest",
			Answer{},
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"aoctl: refused, no reason was given."}}}`,
		},
		{"tool done", "PostToolUse", Answer{}, `{}`},
		{"tool done and stop", "PostToolUse", Answer{StopTurn: true, Reason: "stopped"}, `{"continue":false,"stopReason":"stopped"}`},
		{"tool failed and stop", "PostToolUseFailure", Answer{StopTurn: true}, `{"continue":false,"stopReason":"aoctl: refused, no reason was given."}`},
		{"prompt", "UserPromptSubmit", Answer{StopTurn: true, Verdict: Deny}, `{}`},
		{"turn end", "Stop", Answer{StopTurn: true}, `{}`},
		{"sub-agent's end", "SubagentStop", Answer{Verdict: Deny}, `{}`},
		{"goodbye", "SessionEnd", Answer{Verdict: Allow}, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(claude{}.Encode(tt.event, input, tt.answer))
			if got != tt.want+"\n" {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A form sent back empty reads as "the user did not answer"; a plan that is not sent
// back is not approved.
func TestClaudePermissionForQuestionsAndPlans(t *testing.T) {
	encode := func(input, updated string) string {
		a := Answer{Verdict: Allow}
		if updated != "" {
			a.UpdatedInput = json.RawMessage(updated)
		}
		return string(claude{}.Encode("PermissionRequest", json.RawMessage(input), a))
	}
	if got := encode(`{"questions":[]}`, ""); strings.Contains(got, "updatedInput") || !strings.Contains(got, `"allow"`) {
		t.Errorf("open question: %s", got)
	}
	if got := encode(`{"questions":[]}`, `{"questions":[],"answers":{"a":"b"}}`); !strings.Contains(got, `"answers":{"a":"b"}`) {
		t.Errorf("answered question: %s", got)
	}
	if got := encode(`{}`, ""); !strings.Contains(got, `"updatedInput":{}`) {
		t.Errorf("plan: %s", got)
	}
}

func TestClaudeRefusesWhatItCannotPassOn(t *testing.T) {
	for _, event := range []string{"PreToolUse", "PermissionRequest"} {
		for _, updated := range []string{`{"a":1`, ``, `[]`, `null`, `{"a":1,"A":2}`, "{\"a\":\"\xff\"}", `{} {}`, `{"a":"\ud800"}`} {
			got := claude{}.Encode(event, json.RawMessage(`{}`), Answer{Verdict: Allow, UpdatedInput: json.RawMessage(updated)})
			if !bytes.Contains(got, []byte(`"deny"`)) || bytes.Contains(got, []byte(`"allow"`)) {
				t.Errorf("%s with input %q: %s", event, updated, got)
			}
		}
	}
	got := claude{}.Encode("PermissionRequest", nil, Answer{Verdict: Allow})
	if !bytes.Contains(got, []byte(`"allow"`)) || bytes.Contains(got, []byte("updatedInput")) {
		t.Errorf("permission without an input: %s", got)
	}
}

func TestClaudeReasonsAreCutBetweenCharacters(t *testing.T) {
	for _, long := range []string{strings.Repeat("é", 9000), "x" + strings.Repeat("漢", 5000), strings.Repeat("😀", 5000), strings.Repeat("a\xff", 9000)} {
		got := claude{}.Encode("PreToolUse", nil, Answer{Verdict: Deny, Reason: long})
		var out struct {
			Specific claudePreToolUse `json:"hookSpecificOutput"`
		}
		if err := json.Unmarshal(got, &out); err != nil {
			t.Fatal(err)
		}
		reason := out.Specific.Reason
		if len(reason) > maxReason || len(reason) < maxReason-8 || !strings.HasSuffix(reason, "…") {
			t.Errorf("the reason has %d bytes and ends in %q", len(reason), reason[len(reason)-6:])
		}
		if !utf8.ValidString(reason) || strings.HasSuffix(reason, "\uFFFD…") && !strings.Contains(long, "\xff") {
			t.Errorf("the reason was cut inside a character: %q", reason[len(reason)-10:])
		}
	}
}

// FuzzClaude holds that an error comes with no hook, that what decodes can be
// answered, and that every answer is one strict JSON object of the shape that Claude
// Code reads, and an allow only where allow was said.
func FuzzClaude(f *testing.F) {
	for _, name := range []string{"pre_tool_use", "user_prompt_expansion", "pre_tool_use_question", "permission_request", "permission_request_plan", "post_tool_use", "stop", "user_prompt_submit_task"} {
		f.Add(sample(f, name), "because", []byte(`{"command":"ls"}`), byte(1), false)
		f.Add(sample(f, name), "", []byte(nil), byte(2), true)
	}
	f.Add([]byte(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"T","tool_input":{"a":1,"A":2}}`), "\xff", []byte("{"), byte(0), false)
	f.Fuzz(func(t *testing.T, payload []byte, reason string, updated []byte, verdict byte, stop bool) {
		h, err := claude{}.Decode(payload)
		if err != nil {
			if h.Event != "" || h.SessionID != "" || h.ToolInput != nil || h.Kind != Observe {
				t.Fatalf("error %v with hook %+v", err, h)
			}
			return
		}
		a := Answer{Verdict: Verdict(verdict % 6), Reason: reason, StopTurn: stop}
		if len(updated) > 0 {
			a.UpdatedInput = updated
		}
		out := claude{}.Encode(h.Event, h.ToolInput, a)
		if !bytes.HasSuffix(out, []byte("}\n")) || bytes.Count(out, []byte("\n")) != 1 || !utf8.Valid(out) || out[0] != '{' {
			t.Fatalf("not one line with one object: %q", out)
		}
		if !json.Valid(out) {
			t.Fatalf("not JSON: %q", out)
		}
		checkShape(t, h, a, out)
	})
}

func checkShape(t *testing.T, h Hook, a Answer, out []byte) {
	t.Helper()
	var got struct {
		Continue   *bool
		StopReason string
		Decision   string
		Reason     string
		Specific   struct {
			HookEventName            string
			PermissionDecision       string
			PermissionDecisionReason string
			UpdatedInput             json.RawMessage
			Decision                 struct {
				Behavior     string
				Message      string
				Interrupt    bool
				UpdatedInput json.RawMessage
			}
		} `json:"hookSpecificOutput"`
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if h.Kind != Gate {
		if got.Specific.HookEventName != "" || h.Kind != ToolDone && string(out) != "{}\n" {
			t.Fatalf("%s answered with %s", h.Event, out)
		}
		return
	}
	if h.Slash != nil {
		passes := (a.Verdict == Allow || a.Verdict == Leave) && !a.StopTurn && a.UpdatedInput == nil
		if passes != (string(out) == claudeNothing) || !passes && (got.Decision != "block" || got.Reason == "") {
			t.Fatalf("%+v of what was typed is %s", a, out)
		}
		return
	}
	if a.Verdict == Leave && !a.StopTurn {
		if string(out) != claudeNothing {
			t.Fatalf("%s, to be left to the agent, answered with %s", h.Event, out)
		}
		return
	}
	word := got.Specific.PermissionDecision + got.Specific.Decision.Behavior
	reason := got.Specific.PermissionDecisionReason + got.Specific.Decision.Message
	_, badInput := wire.Fields(a.UpdatedInput)
	want := "deny"
	if a.Verdict == Allow && !a.StopTurn && (a.UpdatedInput == nil || badInput == nil) {
		want = "allow"
	}
	if a.Verdict == Defer && !a.StopTurn && h.Event == "PreToolUse" {
		want = "defer"
	}
	if a.Verdict == Ask && !a.StopTurn && h.Event == "PreToolUse" {
		want = "ask"
	}
	if word != want || got.Specific.HookEventName != h.Event || want == "deny" && reason == "" {
		t.Fatalf("%s with %+v answered with %s", h.Event, a, out)
	}
}

func BenchmarkClaudeDecode(b *testing.B) {
	payload := sample(b, "pre_tool_use")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (claude{}).Decode(payload); err != nil {
			b.Fatal(err)
		}
	}
}
