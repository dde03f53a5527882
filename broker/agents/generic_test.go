package agents

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestGenericDecodes(t *testing.T) {
	for payload, want := range map[string]Hook{
		`{"event":"ask","session":"s","tool":"Bash","input":{"command":"ls"},"cwd":"/p","id":"c1","description":"look","more":1}`: {
			Event: "ask", Kind: Gate, SessionID: "s", CWD: "/p", ToolName: "Bash", ToolInput: json.RawMessage(`{"command":"ls"}`), ToolUseID: "c1", Description: "look",
		},
		`{"event":"done","session":"s","tool":"Bash","input":{},"id":"c1","result":{"a":1,"A":2},"duration_ms":1500}`: {
			Event: "done", Kind: ToolDone, SessionID: "s", ToolName: "Bash", ToolInput: json.RawMessage(`{}`), ToolUseID: "c1",
			Result: json.RawMessage(`{"a":1,"A":2}`), Duration: 1500 * time.Millisecond,
		},
		`{"event":"done","session":"s","tool":"Bash","input":{},"error":"no"}`: {
			Event: "done", Kind: ToolDone, SessionID: "s", ToolName: "Bash", ToolInput: json.RawMessage(`{}`), Result: json.RawMessage(`"no"`), Failed: true,
		},
		`{"event":"start","session":"s","title":"nightly"}`:  {Event: "start", Kind: SessionStart, SessionID: "s", Title: "nightly"},
		`{"event":"prompt","session":"s","text":"do it"}`:    {Event: "prompt", Kind: Prompt, SessionID: "s", Text: "do it"},
		`{"event":"turn_end","session":"s","text":"done"}`:   {Event: "turn_end", Kind: TurnEnd, SessionID: "s", Text: "done"},
		`{"event":"end","session":"s","reason":"finished"}`:  {Event: "end", Kind: SessionEnd, SessionID: "s", Text: "finished"},
		`{"event":"note","session":"s","text":"look at me"}`: {Event: "note", Kind: Notify, SessionID: "s", Text: "look at me"},
		`{"event":"weather","session":"s"}`:                  {Event: "weather", SessionID: "s", Unknown: true},
	} {
		want.Agent = genericName
		got, err := generic{}.Decode([]byte(payload))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", payload, err, diff)
		}
		if name, err := Recognise(genericName, []byte(payload), map[string]string{"COPILOT_CLI": "1", "CLAUDECODE": "1"}); name != genericName || err != nil {
			t.Errorf("%s inside an agent: %q, %v", payload, name, err)
		}
	}
}

func TestGenericRefuses(t *testing.T) {
	refuses(t, generic{}, map[string]string{
		`{"event":"Ask","session":"s","tool":"Bash","input":{}}`:         "carries a call",
		`{"event":"ask","session":"s","tool":"Bash"}`:                    "input: is missing",
		`{"event":"ask","session":"s","tool":"Bash","input":"ls"}`:       "input: must be an object, not a string",
		`{"event":"ask","session":"s","tool":"","input":{}}`:             "tool: is empty",
		`{"event":"ask","tool":"Bash","input":{}}`:                       "session: is missing",
		`{"event":"ask","session":"s","tool":"B","input":{"a":1,"a":2}}`: "twice",
		`{"event":"prompt","session":"s"}`:                               "text: is missing",
	})
}

func TestGenericEncode(t *testing.T) {
	answers(t, generic{}, []struct {
		name, event, input string
		answer             Answer
		want               string
	}{
		{"allow", "ask", `{}`, Answer{Verdict: Allow}, `{"decision":"allow"}`},
		{"edit", "ask", `{}`, Answer{Verdict: Allow, UpdatedInput: json.RawMessage(`{"a": 1}`)}, `{"decision":"allow","input":{"a":1}}`},
		{"deny", "ask", `{}`, Answer{Verdict: Deny, Reason: "no"}, `{"decision":"deny","reason":"no"}`},
		{"stop", "ask", `{}`, Answer{Verdict: Deny, Reason: "stopped", StopTurn: true}, `{"decision":"deny","reason":"stopped End your turn now: every further call is refused."}`},
		{"leave", "ask", `{}`, Answer{Verdict: Leave}, `{"decision":"allow"}`},
		{"nothing said", "ask", `{}`, Answer{}, `{"decision":"deny","reason":"aoctl: refused, no reason was given."}`},
		{"done", "done", `{}`, Answer{StopTurn: true}, `{}`},
	})
}

func FuzzGeneric(f *testing.F) {
	f.Add([]byte(`{"event":"ask","session":"s","tool":"Bash","input":{"command":"ls"}}`), "because", []byte(`{"command":"ls"}`), byte(1), false)
	f.Add([]byte(`{"event":"done","session":"s","tool":"Bash","input":{},"result":1}`), "", []byte(nil), byte(2), true)
	fuzzDialect(f, genericName, "allow", func(t *testing.T, _ Hook, out []byte) string {
		t.Helper()
		var got genericAnswer
		strictly(t, out, &got)
		return word(t, got.Decision, got.Reason)
	})
}

// A program's own fields do not make it another agent, whose answers it would not understand.
func TestGenericFieldsOfItsOwn(t *testing.T) {
	for _, key := range []string{"timestamp", "turn_id", "conversation_id", "sessionId", "sessionID", "toolName", "cursor_version"} {
		payload := []byte(`{"event":"start","session":"s","` + key + `":"x"}`)
		if got, err := Recognise(genericName, payload, map[string]string{"CURSOR_VERSION": "1", "COPILOT_CLI": "1"}); got != genericName || err != nil {
			t.Errorf("with %s: %q, %v", key, got, err)
		}
	}
	for _, payload := range []string{
		`{"hook_event_name":"preToolUse","conversation_id":"c","event":"ask","session":"s"}`,
		`{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"x","tool_name":"Bash","tool_input":{}}`,
	} {
		if got, err := Recognise(genericName, []byte(payload), nil); got == genericName || err != nil {
			t.Errorf("%s: %q, %v", payload, got, err)
		}
	}
}
