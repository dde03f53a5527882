package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sample(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "claude", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func claudeDialect(t *testing.T) Dialect {
	t.Helper()
	d, err := For("claude")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The payloads in testdata were captured from Claude Code 2.1.329.
func TestClaudeDecodesWhatClaudeCodeSends(t *testing.T) {
	const (
		session  = "0f566f29-f245-4011-bf5e-ff12c9c49d2c"
		subagent = "aa3e6feee45f1f9fa"
		general  = "general-purpose"
		shop     = "/home/ana/src/shop"
	)
	tests := map[string]Hook{
		"pre_tool_use": {
			Event: "PreToolUse", Kind: Gate, SessionID: session, Mode: "default", ToolName: "Bash", Description: "x",
			ToolInput: json.RawMessage(`{"command":"echo main >> made.txt","description":"x"}`), ToolUseID: "toolu_2a46843589fc46a2b52ed04f",
		},
		"pre_tool_use_agent": {
			Event: "PreToolUse", Kind: Gate, SessionID: session, Mode: "default", ToolName: "Agent", Description: "look around",
			ToolInput: json.RawMessage(`{"description":"look around","prompt":"SUBTASK now","subagent_type":"general-purpose"}`),
			ToolUseID: "toolu_efbf2b7a617d4d53be18b96d",
		},
		"pre_tool_use_subagent": {
			Event: "PreToolUse", Kind: Gate, SessionID: session, Mode: "default", SubagentID: subagent, SubagentType: general,
			ToolName: "Bash", ToolInput: json.RawMessage(`{"command":"echo sub >> made.txt","description":"sub"}`),
			ToolUseID: "toolu_103216c6d4c2475e9a7e610d", Description: "sub",
		},
		"pre_tool_use_question": {
			Event: "PreToolUse", Kind: Gate, SessionID: "42b541e2-ba87-4dfe-9683-a3f6d753a022", Mode: "auto", ToolName: "AskUserQuestion",
			ToolInput: json.RawMessage(`{"questions":[{"question":"Which database?","header":"Database","options":[{"label":"Postgres","description":"managed"},{"label":"SQLite","description":"one file"}],"multiSelect":false}]}`),
			ToolUseID: "toolu_9eea443ba25b4916b9ce312c",
		},
		"permission_request": {
			Event: "PermissionRequest", Kind: Gate, SessionID: "a21c9bdd-acc0-48a5-8c8b-a96556b79475", Mode: "default", ToolName: "Bash",
			ToolInput: json.RawMessage(`{"command":"echo hi > made.txt","description":"x"}`), Description: "x",
		},
		"permission_request_plan": {
			Event: "PermissionRequest", Kind: Gate, SessionID: "e88cc03c-01cd-4560-9a7b-edaec01d0443", Mode: "plan", ToolName: "ExitPlanMode",
			ToolInput: json.RawMessage(`{}`),
		},
		"post_tool_use": {
			Event: "PostToolUse", Kind: ToolDone, SessionID: session, Mode: "default", ToolName: "Bash", Description: "x",
			ToolInput: json.RawMessage(`{"command":"echo main >> made.txt","description":"x"}`), ToolUseID: "toolu_2a46843589fc46a2b52ed04f",
			Result: json.RawMessage(`{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`), Duration: 49 * time.Millisecond,
		},
		"post_tool_use_failure": {
			Event: "PostToolUseFailure", Kind: ToolDone, SessionID: session, Mode: "default", ToolName: "Bash", Description: "fail", Failed: true,
			ToolInput: json.RawMessage(`{"command":"exit 3","description":"fail"}`), ToolUseID: "toolu_065aa937e2904b50b6ff8d0c",
			Result: json.RawMessage(`"Exit code 3"`), Duration: 213 * time.Millisecond,
		},
		"post_tool_batch": {Event: "PostToolBatch", Kind: Observe, SessionID: session, Mode: "default"},
		"message_display": {Event: "MessageDisplay", Kind: Observe, SessionID: session},
		"user_prompt_expansion": {
			Event: "UserPromptExpansion", Kind: Gate, SessionID: session, Mode: "auto", ToolName: SlashCommand, ToolUseID: "b11d2da9-d7ec-4c0a-8bd4-d79912a67ebc front:deploy",
			ToolInput: json.RawMessage(`{"typed":"/front:deploy to <staging>","source":"projectSettings"}`),
			Slash:     &Slash{Command: "/front:deploy to <staging>", Name: "front:deploy", Source: "projectSettings"},
		},
		"user_prompt_submit": {Event: "UserPromptSubmit", Kind: Prompt, SessionID: session, Mode: "default", Text: "do it"},
		"session_start":      {Event: "SessionStart", Kind: SessionStart, SessionID: session, Text: "startup"},
		"session_end":        {Event: "SessionEnd", Kind: SessionEnd, SessionID: "4a923fcb-6714-4c41-9fe5-691ac20266ef", Text: "prompt_input_exit"},
		"stop":               {Event: "Stop", Kind: TurnEnd, SessionID: session, Mode: "default", Text: "all done"},
		"subagent_start":     {Event: "SubagentStart", Kind: SubagentStart, SessionID: session, SubagentID: subagent, SubagentType: general},
		"subagent_stop": {
			Event: "SubagentStop", Kind: SubagentStop, SessionID: session, Mode: "default", SubagentID: subagent, SubagentType: general, Text: "sub done",
		},
		"notification": {
			Event: "Notification", Kind: Notify, SessionID: "b7bb1dc2-151e-400e-a586-8ee89d79ca39",
			Text: "Claude is waiting for your input", Note: "idle_prompt",
		},
	}
	d := claudeDialect(t)
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			want.Agent, want.CWD, want.Transcript = "claude", shop, transcriptIn(t, sample(t, name))
			got, err := d.Decode(sample(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("hook (-want +got):\n%s", diff)
			}
		})
	}
}

// transcriptIn is the path that a payload names.
func transcriptIn(t *testing.T, payload []byte) string {
	t.Helper()
	var p struct {
		Path string `json:"transcript_path"`
	}
	if err := json.Unmarshal(payload, &p); err != nil {
		t.Fatal(err)
	}
	return p.Path
}

func TestClaudeTellsMadePromptsFromTypedOnes(t *testing.T) {
	got, err := claudeDialect(t).Decode(sample(t, "user_prompt_submit_task"))
	if err != nil {
		t.Fatal(err)
	}
	if !got.FromApp || !strings.HasPrefix(got.Text, "<task-notification>") {
		t.Errorf("a background task's report: FromApp %v, text %.40q", got.FromApp, got.Text)
	}
	tests := []struct {
		source, prompt string
		want           bool
	}{
		{"user", "do it", false},
		{"user", "<task-notification> is a tag", false},
		{"sdk", "do it", false},
		{"system", "do it", true},
		{"loop_wakeup", "do it", true},
		{"schedule_wakeup", "do it", true},
		{"poll_event", "do it", true},
		{"a word from the future", "do it", true},
		{"", "do it", false},
		{"", " \n<task-notification>\n<task-id>", true},
		{"", `<cross-session-message from="x">`, true},
		{"", `<teammate-message teammate_id="x">`, true},
		{"", `<channel source="slack">`, true},
		{"", "<channels> are closed", false},
		{"", "<channel", false},
		{"", "<div> looks wrong", false},
		{"", "what is <task-notification>?", false},
	}
	for _, tt := range tests {
		payload, err := json.Marshal(map[string]any{
			"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": tt.prompt, "source": tt.source,
		})
		if err != nil {
			t.Fatal(err)
		}
		if tt.source == "" {
			payload = bytes.Replace(payload, []byte(`,"source":""`), nil, 1)
		}
		h, err := claudeDialect(t).Decode(payload)
		if err != nil || h.FromApp != tt.want {
			t.Errorf("source %q, prompt %q: FromApp %v (%v), want %v", tt.source, tt.prompt, h.FromApp, err, tt.want)
		}
	}
}

func TestClaudeReadsTheRest(t *testing.T) {
	d := claudeDialect(t)
	decode := func(payload string) Hook {
		t.Helper()
		h, err := d.Decode([]byte(payload))
		if err != nil {
			t.Fatalf("%s: %v", payload, err)
		}
		return h
	}
	if h := decode(`{"session_id":"s","hook_event_name":"SessionStart","source":"resume","session_title":"shop: cart","agent_type":"reviewer"}`); h.Title != "shop: cart" || h.Text != "resume" || h.SubagentType != "" || h.SubagentID != "" {
		t.Errorf("session of --agent: %+v", h)
	}
	for more, want := range map[string]string{
		`,"error":"rate_limit"`: "rate_limit",
		`,"error":"invalid_request","error_details":"400 bad request"`:                                                "400 bad request",
		`,"error":"invalid_request","error_details":"400","last_assistant_message":"API Error: 400 bad request here"`: "API Error: 400 bad request here",
		``: "",
	} {
		if h := decode(`{"session_id":"s","hook_event_name":"StopFailure"` + more + `}`); h.Kind != TurnEnd || !h.Failed || h.Text != want {
			t.Errorf("StopFailure %s: %+v", more, h)
		}
	}
	if h := decode(`{"session_id":"s","hook_event_name":"Stop","error":"x","last_assistant_message":"done"}`); h.Failed || h.Text != "done" {
		t.Errorf("a turn that ended well: %+v", h)
	}
	if h := decode(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"mcp__x__y","tool_input":{"description":["not","words"]}}`); h.Description != "" {
		t.Errorf("description %q from an array", h.Description)
	}
	long := strings.Repeat("é", 8<<10)
	if h := decode(`{"session_id":"s","hook_event_name":"Stop","last_assistant_message":"` + long + `"}`); len(h.Text) > maxText || !strings.HasSuffix(h.Text, "é…") {
		t.Errorf("a long last message became %d bytes ending in %q", len(h.Text), h.Text[max(0, len(h.Text)-8):])
	}
	// What a tool printed is data: keys that differ by case, halves of an emoji, NUL.
	h := decode(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":{"a":"\ud83d\u0000","A":1}}`)
	if h.Kind != ToolDone || h.ToolName != "Bash" {
		t.Errorf("odd tool result: %+v", h)
	}
	big := `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"x":"` + strings.Repeat("i", 2<<20) + `"},"tool_response":"` + strings.Repeat("r", 12<<20) + `"}`
	if h := decode(big); len(h.ToolInput) != 2<<20+8 {
		t.Errorf("a result of 14 MiB: input has %d bytes", len(h.ToolInput))
	}
}

func TestClaudeRefusesBadPayloads(t *testing.T) {
	const ok = `{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t"}`
	with := func(old, replacement string) string {
		if !strings.Contains(ok, old) {
			t.Fatalf("%q is not in the payload", old)
		}
		return strings.Replace(ok, old, replacement, 1)
	}
	tests := []struct{ name, payload, want string }{
		{"empty", "", "is empty"},
		{"blank line", "\n", "is empty"},
		{"cut", ok[:70], "cut off"},
		{"cut at the brace", ok[:len(ok)-1], "cut off"},
		{"not JSON", "hello", "must be a JSON object"},
		{"HTML", "<html>", "must be a JSON object"},
		{"array", "[" + ok + "]", "must be a JSON object, not an array"},
		{"string", `"x"`, "must be a JSON object, not a string"},
		{"null", "null", "must be a JSON object, not null"},
		{"two documents", ok + ok, "follows the end"},
		{"64 MiB", strings.Repeat(" ", 64<<20), "more than 16777216"},
		{"session_id a number", with(`"s"`, `7`), "session_id: must be a string, not a number"},
		{"session_id null", with(`"s"`, `null`), "session_id: must be a string, not null"},
		{"session_id empty", with(`"s"`, `""`), "session_id: is empty"},
		{"session_id long", with(`"s"`, `"`+strings.Repeat("s", 257)+`"`), "session_id: has 257 bytes, more than 256"},
		{"session_id with an escape sequence", with(`"s"`, `"s\u001b[2J"`), "session_id: holds a control character"},
		{"session_id with a C1 character", with(`"s"`, `"s\u009b2J"`), "session_id: holds a control character"},
		{"session_id missing", with(`"session_id":"s",`, ``), "session_id: is missing"},
		{"session_id in another case", with(`"session_id"`, `"Session_ID"`), "session_id: is missing"},
		{"hook_event_name missing", with(`"hook_event_name":"PreToolUse",`, ``), "hook_event_name: is missing"},
		{"hook_event_name unknown", with(`PreToolUse`, `BeforeTool`), `hook_event_name: "BeforeTool" is no event`},
		{"hook_event_name in another case", with(`PreToolUse`, `preToolUse`), `hook_event_name: "preToolUse" is no event`},
		{"tool_name missing", with(`"tool_name":"Bash",`, ``), "tool_name: is missing"},
		{"tool_name empty", with(`"Bash"`, `""`), "tool_name: is empty"},
		{"tool_name a list", with(`"Bash"`, `["Bash"]`), "tool_name: must be a string, not an array"},
		{"tool_name long", with(`"Bash"`, `"`+strings.Repeat("B", 300)+`"`), "tool_name: has 300 bytes"},
		{"tool_name with a newline", with(`"Bash"`, `"Bash\nRead"`), "tool_name: holds a control character"},
		{"tool_input missing", with(`"tool_input":{"command":"ls"},`, ``), "tool_input: is missing"},
		{"tool_input a string", with(`{"command":"ls"}`, `"ls"`), "tool_input: must be an object, not a string"},
		{"tool_input a list", with(`{"command":"ls"}`, `["ls"]`), "tool_input: must be an object, not an array"},
		{"tool_input null", with(`{"command":"ls"}`, `null`), "tool_input: must be an object, not null"},
		{"tool_input true", with(`{"command":"ls"}`, `true`), "tool_input: must be an object, not a boolean"},
		{"command twice", with(`"command":"ls"`, `"command":"ls","command":"rm"`), "tool_input.command: the object has this key twice"},
		{"command twice by case", with(`"command":"ls"`, `"command":"ls","Command":"rm"`), "tool_input.Command: the object has this key twice"},
		{"half a surrogate pair", with(`"ls"`, `"ls\ud800"`), "tool_input.command: holds \\ud800"},
		{"NUL in the command", with(`"ls"`, `"ls\u0000"`), "tool_input.command: holds a NUL"},
		{"bad UTF-8", with(`"ls"`, "\"\xff\""), "tool_input.command: is not valid UTF-8"},
		{"deep", with(`"ls"`, strings.Repeat("[", 70)+strings.Repeat("]", 70)), "deeper than 64"},
		{"call over 1 MiB", with(`"ls"`, `"`+strings.Repeat("x", 1<<20)+`"`), "tool_input: the call has"},
		{"cwd a number", with(`"/p"`, `1`), "cwd: must be a string, not a number"},
		{"cwd long", with(`"/p"`, `"/`+strings.Repeat("p", 9000)+`"`), "cwd: has 9001 bytes"},
		{"tool_use_id empty", with(`"t"`, `""`), "tool_use_id: is empty"},
		{"tool_use_id an object", with(`"t"`, `{}`), "tool_use_id: must be a string, not an object"},
		{"agent_id empty", with(`"cwd"`, `"agent_id":"","cwd"`), "agent_id: is empty"},
		{"agent_id a number", with(`"cwd"`, `"agent_id":3,"cwd"`), "agent_id: must be a string, not a number"},
		{"prompt missing", `{"session_id":"s","hook_event_name":"UserPromptSubmit"}`, "prompt: is missing"},
		{"sub-agent without id", `{"session_id":"s","hook_event_name":"SubagentStart","agent_type":"x"}`, "agent_id: is missing"},
		{"tool done without a call", `{"session_id":"s","hook_event_name":"PostToolUse"}`, "tool_name: is missing"},
		{"typed without a name", `{"session_id":"s","hook_event_name":"UserPromptExpansion","expansion_type":"slash_command","prompt":"/x"}`, "command_name: is missing"},
		{"typed without its kind", `{"session_id":"s","hook_event_name":"UserPromptExpansion","command_name":"x","prompt":"/x"}`, "expansion_type: is missing"},
		{"source a number", `{"session_id":"s","hook_event_name":"SessionStart","source":1}`, "source: must be a string, not a number"},
	}
	if _, err := claudeDialect(t).Decode([]byte(ok)); err != nil {
		t.Fatalf("the payload that the others are made of: %v", err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := claudeDialect(t).Decode([]byte(tt.payload))
			if !errors.Is(err, ErrPayload) || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("error %v\nwant ErrPayload with %q", err, tt.want)
			}
			if diff := cmp.Diff(Hook{}, h); diff != "" {
				t.Errorf("an error came with a hook:\n%s", diff)
			}
		})
	}
}

func TestEveryClaudeEventDecodes(t *testing.T) {
	d := claudeDialect(t)
	for event, kind := range claudeEvents {
		payload := `{"session_id":"s","hook_event_name":"` + event + `","tool_name":"T","tool_input":{},"prompt":"p","agent_id":"a","expansion_type":"slash_command","command_name":"c"}`
		h, err := d.Decode([]byte(payload))
		if err != nil || h.Kind != kind || h.Event != event {
			t.Errorf("%s: %+v, %v", event, h, err)
		}
	}
}
