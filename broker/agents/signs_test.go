package agents

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// An agent is told by the fields that it alone sends, and where these do not tell, by its
// variables. A row has the fields, the variables and the agent.
func TestSigns(t *testing.T) {
	const call = "hook_event_name tool_name tool_input permission_mode"
	for _, row := range [][3]string{
		{call, "", "claude"},
		{"tool_name tool_input permission_mode", "", "codex"},
		{"hook_event_name tool_input permission_mode", "", "codex"},
		{"hook_event_name tool_name permission_mode", "", "codex"},
		{"hook_event_name tool_name tool_input", "", "codex"},
		{call + " timestamp", "", "copilot"},
		{call + " turn_id", "", "codex"},
		{call + " cursor_version", "", "cursor"},
		{call + " conversation_id", "", "cursor"},
		{call + " sessionId", "", "copilot"},
		{call + " hookName", "", "copilot"},
		{call + " toolName", "", "copilot"},
		{"cursor_version", "", "cursor"},
		{"conversation_id", "", "cursor"},
		{"sessionId", "", "copilot"},
		{"hookName", "", "copilot"},
		{"toolName", "", "copilot"},
		{"timestamp", "", "copilot"},
		{"timestamp transcript_path", "", "gemini"},
		{"timestamp transcript_path stop_reason", "", "copilot"},
		{"timestamp transcript_path", "COPILOT_CLI", "copilot"},
		{"timestamp transcript_path", "COPILOT_CLI GEMINI_SESSION_ID", "gemini"},
		{"timestamp transcript_path", "COPILOT_CLI QWEN_CODE_SESSION_ID", "qwen"},
		{"timestamp transcript_path", "QWEN_CODE_SESSION_ID", "qwen"},
		{"timestamp transcript_path", "QWEN_CODE_SESSION_ID GEMINI_SESSION_ID", "gemini"},
		{"timestamp transcript_path permission_mode", "", "qwen"},
		{"timestamp transcript_path prompt_id", "", "qwen"},
		{"timestamp transcript_path tool_call_id", "", "qwen"},
		{"transcript_path permission_mode", "", "codex"},
		{"event sessionID", "", "opencode"},
		{"event sessionID hook_event_name", "", "codex"},
		{"event", "", "codex"},
		{"sessionID", "", "codex"},
		{"event session", "", "generic"},
		{"event session hook_event_name", "", "codex"},
		{"session", "", "codex"},
	} {
		fields, env := map[string]int{}, map[string]string{}
		for _, f := range strings.Fields(row[0]) {
			fields[f] = 1
		}
		for _, v := range strings.Fields(row[1]) {
			env[v] = "1"
		}
		raw, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Recognise(codexName, raw, env); got != row[2] || err != nil {
			t.Errorf("fields %s, variables %s: %s, %v; want %s", row[0], row[1], got, err, row[2])
		}
	}
	for fields, want := range map[string]string{`"turn_id":1`: codexName, `"turn_id":1,"delta":1`: claudeName, `"x":1`: claudeName} {
		if got, err := Recognise(claudeName, []byte("{"+fields+"}"), nil); got != want || err != nil {
			t.Errorf("%s, installed for Claude Code: %s, %v; want %s", fields, got, err, want)
		}
	}
	for env, want := range map[string]string{
		"CLAUDECODE": claudeName, "CLAUDE_PID": claudeName, "CURSOR_VERSION": cursorName, "COPILOT_CLI": copilotName,
		"QWEN_CODE_SESSION_ID": qwenName, "GEMINI_SESSION_ID": geminiName, "OPENCODE": opencodeName,
	} {
		vars := map[string]string{env: "1"}
		if want == claudeName {
			vars["OPENCODE"] = "1"
		}
		if got, err := Recognise(claudeName, []byte(`{"x":1}`), vars); got != want || err != nil {
			t.Errorf("%s alone: %s, %v; want %s", env, got, err, want)
		}
	}
}

// Of Copilot's camelCase events only some say their names; the others are told by their fields.
func TestCopilotEventsByTheirFields(t *testing.T) {
	for fields, want := range map[string]string{
		`"toolName":"x","toolArgs":{}`:                                 "PreToolUse",
		`"tool_name":"x","tool_input":{}`:                              "PreToolUse",
		`"toolName":"x","toolInput":{},"serverName":"s"`:               "PreToolUse",
		`"toolName":"x","toolArgs":{},"serverName":"s"`:                "PreToolUse",
		`"tool_name":"x","tool_input":{},"serverName":"s"`:             "PreToolUse",
		`"toolName":"x","serverName":"s"`:                              "PreMcpToolCall",
		`"toolName":"x","toolArgs":{},"toolResult":1`:                  "PostToolUse",
		`"tool_name":"x","tool_input":{},"tool_result":1`:              "PostToolUse",
		`"toolName":"x","toolArgs":{},"error":1`:                       "PostToolUseFailure",
		`"agentName":"a","agentId":"i"`:                                "SubagentStart",
		`"agent_name":"a","agent_id":"i"`:                              "SubagentStart",
		`"agentName":"a","agentId":"i","stopReason":"x"`:               "SubagentStop",
		`"agentName":"a","agentId":"i","stop_reason":"x"`:              "SubagentStop",
		`"agentName":"a","agentId":"i","response":"x"`:                 "SubagentStop",
		`"stopReason":"x"`:                                             "Stop",
		`"stop_reason":"x"`:                                            "Stop",
		`"transformedPrompt":"x","prompt":"p"`:                         "PromptTransformed",
		`"prompt":"p"`:                                                 "UserPromptSubmit",
		`"source":"new"`:                                               "SessionStart",
		`"reason":"x"`:                                                 "SessionEnd",
		`"trigger":"x"`:                                                "PreCompact",
		`"error":"x"`:                                                  "ErrorOccurred",
		`"hookName":"notification"`:                                    "Notification",
		`"hook_event_name":"Stop","hookName":"sessionEnd"`:             "Stop",
		`"hookName":"permissionRequest","toolName":"x","toolInput":{}`: "PermissionRequest",
	} {
		if h, err := (copilot{}).Decode([]byte(`{"sessionId":"s",` + fields + `}`)); err != nil || h.Event != want || h.SessionID != "s" {
			t.Errorf("%s: %+v, %v; want %s", fields, h, err, want)
		}
	}
	for fields, want := range map[string]string{
		`"x":1`: "no event that this aoctl knows", `"hookName":""`: "is empty", `"hookName":"new","toolName":"x"`: "carries a call",
		`"hookName":"new","tool_name":"x"`: "carries a call", `"agentName":"a"`: "agent_id: is missing",
	} {
		if h, err := (copilot{}).Decode([]byte(`{"sessionId":"s",` + fields + `}`)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want %q", fields, h, err, want)
		}
	}
	for _, more := range []string{`"tool_result":1`, `"toolResult":1`, `"error":1`} {
		if h, err := (copilot{}).Decode([]byte(`{"sessionId":"s","hookName":"new","toolName":"x",` + more + `}`)); err != nil || !h.Unknown {
			t.Errorf("a new event with %s: %+v, %v", more, h, err)
		}
	}
}

// A payload of the editor without a folder of its own has the workspace's.
func TestCursorFolders(t *testing.T) {
	for fields, want := range map[string]string{
		`"cwd":"/a","workspace_roots":["/b"]`: "/a", `"workspace_roots":["/b","/c"]`: "/b", `"workspace_roots":[]`: "", `"workspace_roots":"/b"`: "",
		`"workspace_roots":["/` + strings.Repeat("x", 4096) + `"]`: "",
		`"workspace_roots":["/` + strings.Repeat("x", 4095) + `"]`: "/" + strings.Repeat("x", 4095),
	} {
		h, err := cursor{}.Decode([]byte(`{"hook_event_name":"stop","session_id":"s",` + fields + `}`))
		if err != nil || h.CWD != want {
			t.Errorf("%.80s: %.80q, %v", fields, h.CWD, err)
		}
	}
}

// Of the events that Cursor may add, only one that could be a question is refused.
func TestCursorsNewEvents(t *testing.T) {
	for fields, refused := range map[string]bool{
		`"tool_name":"x"`: true, `"tool_input":{}`: true, `"command":"x"`: true, `"x":1`: false,
		`"command":"x","tool_output":1`: false, `"command":"x","output":1`: false, `"command":"x","result_json":1`: false, `"command":"x","error_message":1`: false,
	} {
		h, err := cursor{}.Decode([]byte(`{"hook_event_name":"new","session_id":"s",` + fields + `}`))
		if (err != nil) != refused || !refused && !h.Unknown {
			t.Errorf("%s: %+v, %v", fields, h, err)
		}
	}
}

// Cursor applies a changed value only in fields that it knows, and of the kind that it takes.
func TestCursorsFields(t *testing.T) {
	for _, key := range strings.Fields("command cwd file_path pattern url server uri download_path") {
		asked := json.RawMessage(fmt.Sprintf(`{"%s":"a","x":1}`, key))
		for value, want := range map[string]bool{`"b"`: true, `7`: false, `null`: false} {
			if got := Takes(cursorName, "preToolUse", "x", asked, fmt.Appendf(nil, `{"%s":%s,"x":1}`, key, value)); got != want {
				t.Errorf("%s as %s is taken: %v", key, value, got)
			}
		}
	}
	for _, row := range []struct {
		tool, asked, input string
		want               bool
	}{
		{"Shell", `{"timeout":1}`, `{"timeout":9}`, true},
		{"Shell", `{"timeout":1}`, `{"timeout":0}`, true},
		{"Shell", `{"timeout":1}`, `{"timeout":-2}`, false},
		{"Shell", `{"timeout":1}`, `{"timeout":"2"}`, false},
		{"Write", `{"content":"a"}`, `{"content":"b"}`, false},
		{"Shell", `{"command":"a","cwd":"/"}`, `{"command":"b"}`, false},
		{"Shell", `{"command":"a"}`, `{"command":"b","cwd":"/"}`, false},
		{"MCP:x", `{"content":"a"}`, `{"content":"b","more":1}`, true},
		{"MCP:x", `{"a":1,"b":1}`, `{"a":1}`, false},
	} {
		if got := Takes(cursorName, "preToolUse", row.tool, json.RawMessage(row.asked), json.RawMessage(row.input)); got != row.want {
			t.Errorf("%s %s → %s is taken: %v", row.tool, row.asked, row.input, got)
		}
	}
}

func TestResume(t *testing.T) {
	if got := Resume(claudeName, "s"); strings.Join(got, " ") != "-p --resume s" {
		t.Errorf("%q", got)
	}
	if got := Resume(codexName, "s"); got != nil {
		t.Errorf("%q for an agent that cannot ask again", got)
	}
	for args, want := range map[string]bool{"-p x --no-session-persistence": true, "-p x": false} {
		if Forgets(claudeName, strings.Fields(args)) != want || Forgets(codexName, strings.Fields(args)) {
			t.Errorf("%s forgets: %v", args, !want)
		}
	}
}

// What stands in another word's place is not taken for an option, or its value.
func TestRestartOfOddArguments(t *testing.T) {
	for args, want := range map[string]string{
		"-- --verbose": "", "- --verbose": "--verbose", "--model=x --verbose": "--model=x --verbose", "--debug --verbose x": "--debug --verbose",
		"--debug hooks --verbose": "--debug hooks --verbose", "--add-dir a b --verbose c": "--add-dir a b --verbose", "-r --verbose": "--verbose",
		"--model": "no", "--unknown": "no", "--model x y": "--model x", "--add-dir": "--add-dir", "--session-id": "no", "-d": "-d",
	} {
		kept, ok := Restart(claudeName, strings.Fields(args))
		if got := strings.Join(kept, " "); ok != (want != "no") || ok && got != want {
			t.Errorf("%s: %s, %v; want %s", args, got, ok, want)
		}
	}
	if _, ok := Restart(codexName, nil); ok {
		t.Error("an agent whose sessions cannot be resumed is started again")
	}
}

func TestDurations(t *testing.T) {
	const year = 365 * 24 * 60 * 60 * 1000
	for text, want := range map[string]time.Duration{
		"1": time.Millisecond, "0": 0, "-1": 0, fmt.Sprint(year): year * time.Millisecond, fmt.Sprint(year + 1): 0, `"1"`: 0, "[]": 0,
	} {
		h, err := generic{}.Decode([]byte(`{"event":"done","session":"s","tool":"x","input":{},"duration_ms":` + text + `}`))
		if err != nil || h.Duration != want {
			t.Errorf("%s milliseconds: %v, %v", text, h.Duration, err)
		}
	}
}

// A result is read by the first of the names that its text may have.
func TestNamesOfResults(t *testing.T) {
	names := strings.Fields("error llmContent content output text result message returnDisplay")
	for i, name := range names {
		raw := fmt.Sprintf(`{"%s":"it"`, name)
		for _, later := range names[i+1:] {
			raw += fmt.Sprintf(`,"%s":"other"`, later)
		}
		if got := ResultText(json.RawMessage(raw + "}")); got != "it" {
			t.Errorf("%s: %s", raw, got)
		}
	}
	for raw, want := range map[string]string{
		`{"error":"","output":"x"}`: "x", `{"error":null,"output":"x"}`: "x", `{"error":7,"output":"x"}`: "x", `{"file":7,"output":"x"}`: "x",
		`{"content":{"text":"x"}}`: "x", `{"stderr":"x"}`: "stderr:\nx", `{"stdout":"a\n","stderr":"b"}`: "a\nstderr:\nb", `["a","b"]`: "a\nb",
		`[{"x":1}]`: `[{"x":1}]`, `[{"type":"image"}]`: "[image]", `{"structuredPatch":[],"output":"x"}`: "x", ` "x" `: "x", `[[]]`: `[[]]`,
	} {
		if got := ResultText(json.RawMessage(raw)); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

// An output of Codex says in its head how its command ended; what the command wrote does not.
func TestCodexOutputs(t *testing.T) {
	for text, want := range map[string]bool{
		"Exit code: 0\nOutput:\nx": false, "Exit code: 1\nOutput:\nx": true, "Chunk ID: 1\nProcess exited with code 2\nOutput:\n": true,
		"Wall time: 1\nOutput:\nExit code: 1": false, "Command blocked by a hook": true, "x": false, "": false,
		strings.Repeat("x\n", 200) + "Exit code: 1": false, strings.Repeat("x\n", 190) + "Exit code: 1": true,
	} {
		if codexFailed(text) != want {
			t.Errorf("%.40q failed: %v", text, !want)
		}
	}
}

// Codex takes another input only as the one string that the tool's line or patch is.
func TestWhatCodexTakes(t *testing.T) {
	for input, want := range map[string]bool{
		`{"command":"a"}`: true, `{"command":["a"]}`: false, `{"cmd":"a"}`: false, `{"command":"a","x":1}`: false, `[]`: false, `{}`: false,
	} {
		for _, tool := range []string{"Bash", "apply_patch", "view_image"} {
			if got := codexTakes(tool, json.RawMessage(input)); got != (want && tool != "view_image") {
				t.Errorf("%s with %s is taken: %v", tool, input, got)
			}
		}
	}
	if !codexTakes("mcp__x__y", json.RawMessage(`{"a":1}`)) || codexTakes("mcp__x__y", json.RawMessage(`[]`)) {
		t.Error("a call of an MCP tool")
	}
}

// A patch is a bare text for Copilot, and so is a changed one; anything else is an object.
func TestCopilotArguments(t *testing.T) {
	const patch, other = `{"input":"*** Begin Patch\nx"}`, `{"input":"x"}`
	for _, row := range [][3]string{
		{patch, `{"input":"*** Begin Patch\ny"}`, `"*** Begin Patch\ny"`},
		{patch, other, other},
		{other, patch, patch},
		{patch, `{"x":1}`, `{"x":1}`},
		{`{"input":"*** Begin Patch","x":1}`, patch, patch},
		{`{"x":"*** Begin Patch"}`, patch, patch},
		{`{"input":7}`, patch, patch},
	} {
		if got := string(copilotArgs(json.RawMessage(row[0]), json.RawMessage(row[1]))); got != row[2] {
			t.Errorf("%s → %s: %s", row[0], row[1], got)
		}
	}
}

// The reason of a refusal is there, readable and not endless.
func TestReasonsOfRefusals(t *testing.T) {
	for reason, want := range map[string]string{
		"": "aoctl: refused, no reason was given.", " \n": "aoctl: refused, no reason was given.", " no ": "no", "a\x00b\xff": "a\ufffdb\ufffd",
		strings.Repeat("é", 2048): strings.Repeat("é", 2048), strings.Repeat("é", 2049): strings.Repeat("é", 2046) + "…",
	} {
		if got := reasonOf(Answer{Reason: reason}); got != want {
			t.Errorf("%.40q: %.40q of %d bytes", reason, got, len(got))
		}
	}
	const stop = " End your turn now: every further call is refused."
	if got := refusal(Answer{Verdict: Deny, Reason: strings.Repeat("x", maxReason), StopTurn: true}, true); len(got) != maxReason || !strings.HasSuffix(got, "…"+stop) {
		t.Errorf("%d bytes: …%s", len(got), got[len(got)-80:])
	}
	if got := refusal(Answer{Verdict: Deny, Reason: "x", StopTurn: true}, false); got != "x" {
		t.Errorf("to an agent whose turn can be ended: %s", got)
	}
	if got := refusal(Answer{Verdict: Allow, Reason: "x", StopTurn: true}, false); got != "x" {
		t.Errorf("an allow that ends the turn: %s", got)
	}
}

// A form that nobody filled in is shown by the agent; one with answers is sent.
func TestOpenQuestions(t *testing.T) {
	for input, want := range map[string]bool{
		`{"questions":[]}`: true, `{"questions":[],"answers":{}}`: false, `{"plan":"x"}`: false, `[]`: false, `{"answers":{}}`: false,
		`{"questions":[],"questions":[]}`: false,
	} {
		if openQuestion(json.RawMessage(input)) != want {
			t.Errorf("%s is open: %v", input, !want)
		}
	}
}

// A prompt is the user's own unless a sign of the agent's says otherwise.
func TestPromptsOfClaudesOwn(t *testing.T) {
	for _, row := range []struct {
		source, text string
		want         bool
	}{
		{"", "do it", false},
		{"user", "<task-notification>", false},
		{"sdk", "<channel>", false},
		{"system", "x", true},
		{"loop_wakeup", "x", true},
		{"", "<task-notification>", true},
		{"", " <teammate-message x", true},
		{"", "<cross-session-message\nx", true},
		{"", "<channel>", true},
		{"", "<channels>", false},
		{"", "<channel", false},
		{"", "x <channel>", false},
		{"", "> quoted", false},
	} {
		if got := claudeFromApp(row.source, row.text); got != row.want {
			t.Errorf("%q of %q is the agent's own: %v", row.text, row.source, got)
		}
	}
}

// A call is as large as calls may be, with every agent, and not by a byte larger.
func TestSizesOfCalls(t *testing.T) {
	for agent, head := range map[string]string{
		claudeName: `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"x","tool_input":`, codexName: `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"x","tool_input":`,
		geminiName: `{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"x","tool_input":`, copilotName: `{"sessionId":"s","toolName":"x","toolArgs":`,
		cursorName: `{"hook_event_name":"preToolUse","session_id":"s","tool_name":"x","tool_input":`, opencodeName: `{"event":"tool.execute.before","sessionID":"s","tool":"x","args":`,
		genericName: `{"event":"ask","session":"s","tool":"x","input":`,
	} {
		for more, want := range map[int]bool{0: true, 1: false} {
			input := `{"a":"` + strings.Repeat("x", wire.MaxBody-1-len(`{"a":""}`)+more) + `"}`
			if _, err := dialects[agent].Decode([]byte(head + input + "}")); (err == nil) != want {
				t.Errorf("%s, a call of %d bytes more than calls have: %v", agent, more, err)
			}
		}
	}
	for more, want := range map[int]bool{0: true, 1: false} {
		typed := strings.Repeat("x", wire.MaxBody/2+more)
		payload := `{"hook_event_name":"UserPromptExpansion","session_id":"s","expansion_type":"slash_command","command_name":"x","prompt":"` + typed + `"}`
		if _, err := (claude{}).Decode([]byte(payload)); (err == nil) != want {
			t.Errorf("a custom command of %d bytes more than it may have: %v", more, err)
		}
	}
}

func TestInterruptedTurns(t *testing.T) {
	if h, err := (codex{}).Decode([]byte(`{"hook_event_name":"Interrupt","session_id":"s"}`)); err != nil || h.Kind != TurnEnd || h.Text != "interrupted" {
		t.Errorf("%+v, %v", h, err)
	}
	for fields, want := range map[string]bool{`"tool":"x"`: false, `"input":{}`: false, `"x":1`: true, `"tool":"x","result":1`: true, `"tool":"x","error":1`: true} {
		if _, err := (generic{}).Decode([]byte(`{"event":"new","session":"s",` + fields + `}`)); (err == nil) != want {
			t.Errorf("a new event with %s: %v", fields, err)
		}
	}
}

func TestOwnTexts(t *testing.T) {
	for source, want := range map[string]bool{"builtin": true, "bundled": true, "projectSettings": false, "": false} {
		if (Slash{Source: source}).Own() != want {
			t.Errorf("a text of %q is the agent's own: %v", source, !want)
		}
	}
}

// What went wrong is told from what the agent's own user stopped, and from what it gave back.
func TestWhatFailed(t *testing.T) {
	h, err := qwen{}.Decode([]byte(`{"hook_event_name":"PostToolUseFailure","session_id":"s","tool_name":"x","tool_input":{},"tool_response":1,"error":2}`))
	if err != nil || !h.Failed || string(h.Result) != "1" {
		t.Errorf("%+v, %v", h, err)
	}
	for fields, want := range map[string]bool{`"error":"x"`: true, `"error":""`: false, `"text":"x"`: false} {
		if h, err := (opencode{}).Decode([]byte(`{"event":"session.error","sessionID":"s",` + fields + `}`)); err != nil || h.Failed != want {
			t.Errorf("a turn that ended with %s: %+v, %v", fields, h, err)
		}
	}
	if h, err := (opencode{}).Decode([]byte(`{"event":"session.error","sessionID":"s","parentID":"p","error":"x"}`)); err != nil || h.Failed || h.Text != "x" {
		t.Errorf("the end of an agent below another: %+v, %v", h, err)
	}
	if h, err := (opencode{}).Decode([]byte(`{"event":"new","sessionID":"s","tool":"x","output":1}`)); err != nil || !h.Unknown {
		t.Errorf("a new event about what a tool gave back: %+v, %v", h, err)
	}
	if _, err := (codex{}).Decode([]byte(`{"hook_event_name":"SubagentStart","session_id":"s"}`)); err == nil || !strings.Contains(err.Error(), "agent_id: is missing") {
		t.Errorf("nobody began: %v", err)
	}
	said := ReadTranscript([]byte(`{"id":"m","type":"gemini","content":"","toolCalls":[{"id":"c","name":"n","args":{}},{"id":"d","name":"o","args":{},"result":[]}]}`))
	if len(said) != 2 || said[0].By != SaidCall || said[1].By != SaidCall {
		t.Errorf("calls without results: %+v", said)
	}
	for status, want := range map[string]Speaker{"success": SaidResult, "error": SaidFailed, "cancelled": SaidFailed} {
		line := `{"id":"m","type":"gemini","content":"","toolCalls":[{"id":"c","name":"n","args":{},"status":"` + status + `","result":[{"functionResponse":{"response":{"output":"x"}}}]}]}`
		if said := ReadTranscript([]byte(line)); len(said) != 2 || said[1].By != want || said[1].ID != "c" {
			t.Errorf("a call that ended with %s: %+v", status, said)
		}
	}
	for _, typ := range []string{"info", "warning", "error"} {
		if said := ReadTranscript([]byte(`{"id":"m","type":"` + typ + `","content":"x"}`)); len(said) != 1 || said[0].Text != "x" || said[0].ID != "m" {
			t.Errorf("a line of type %s: %+v", typ, said)
		}
	}
}

// A payload is as large as payloads may be, and not by a byte larger.
func TestSizesOfPayloads(t *testing.T) {
	for more, want := range map[int]bool{0: true, 1: false} {
		head := `{"session_id":"s","hook_event_name":"PostToolBatch","cursor_version":"1","message":"`
		payload := []byte(head + strings.Repeat("x", wire.MaxHookBody-len(head)-2+more) + `"}`)
		for _, agent := range []string{claudeName, codexName} {
			if _, err := dialects[agent].Decode(payload); (err == nil) != want {
				t.Errorf("%s, %d bytes: %v", agent, len(payload), err)
			}
		}
		if got, err := Recognise(claudeName, payload, nil); err != nil || (got == cursorName) != want {
			t.Errorf("%d bytes are of %s, %v", len(payload), got, err)
		}
	}
}

// The events that ask again have what they are about, and nothing else.
func TestCursorsSecondQuestions(t *testing.T) {
	for fields, want := range map[string]string{
		`"hook_event_name":"beforeShellExecution","command":"x"`:            `Shell {"command":"x"} true`,
		`"hook_event_name":"beforeShellExecution","command":"x","cwd":"/a"`: `Shell {"command":"x","cwd":"/a"} true`,
		`"hook_event_name":"beforeReadFile","file_path":"/a"`:               `Read {"file_path":"/a"} true`,
		`"hook_event_name":"beforeTabFileRead","file_path":"/a"`:            `Read {"file_path":"/a"} false`,
	} {
		h, err := cursor{}.Decode([]byte(`{"session_id":"s",` + fields + `}`))
		if got := fmt.Sprint(h.ToolName, " ", string(h.ToolInput), " ", h.Second); err != nil || got != want {
			t.Errorf("%s: %s, %v", fields, got, err)
		}
	}
	said := ReadTranscript([]byte(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"","is_error":true}]}}`))
	if len(said) != 1 || said[0].By != SaidFailed {
		t.Errorf("a call that failed without a word: %+v", said)
	}
}

func TestTitles(t *testing.T) {
	for agent, want := range map[string]string{
		claudeName: "Claude Code", codexName: "Codex CLI", geminiName: "Gemini CLI", qwenName: "Qwen Code", copilotName: "GitHub Copilot CLI",
		cursorName: "Cursor", opencodeName: "opencode", genericName: "a program of yours", "mine": "mine",
	} {
		if got := TraitsOf(agent).Title; got != want {
			t.Errorf("%s is called %s, want %s", agent, got, want)
		}
	}
}

// A value of a kind that the tool does not take may stay of that kind.
func TestOddKindsStay(t *testing.T) {
	asked := json.RawMessage(`{"command":"a","timeout":"5"}`)
	if err := SameShape(claudeName, "Bash", asked, json.RawMessage(`{"command":"b","timeout":"6"}`)); err != nil {
		t.Error(err)
	}
	if err := SameShape(claudeName, "Bash", asked, json.RawMessage(`{"command":"b","timeout":[]}`)); err == nil {
		t.Error("another kind, and not the one that the tool takes")
	}
}

// A stop is a refusal, whatever else an answer says.
func TestStopsRefuse(t *testing.T) {
	for agent, d := range dialects {
		for _, verdict := range []Verdict{NoOpinion, Allow, Deny, Defer, Ask, Leave} {
			for _, event := range []string{TraitsOf(d.Name()).Gate, "PermissionRequest"} {
				a := Answer{Verdict: verdict, Reason: "no", StopTurn: true, Tool: "Bash"}
				out := string(d.Encode(event, json.RawMessage(`{"command":"x"}`), a))
				if asks := out != nothing || event == TraitsOf(d.Name()).Gate; asks && !strings.Contains(out, `"deny"`) {
					t.Errorf("%s, %s, verdict %d with a stop: %s", agent, event, verdict, out)
				}
			}
		}
	}
}

// Only an agent whose own prompt holds a call is told to ask; for all others that is a refusal.
func TestAsksOnlyWhereThatHolds(t *testing.T) {
	for agent, d := range dialects {
		gate := TraitsOf(d.Name()).Gate
		out := string(d.Encode(gate, json.RawMessage(`{"command":"x"}`), Answer{Verdict: Ask, Reason: "look there", Tool: "Bash"}))
		if asks := TraitsOf(agent).Ask; asks != strings.Contains(out, `"ask"`) || !asks && !strings.Contains(out, `"deny"`) {
			t.Errorf("%s: %s", agent, out)
		}
	}
}

// What only looks like a message of the agent's own, or like a patch, is none.
func TestOpenForms(t *testing.T) {
	if openQuestion(json.RawMessage(`{"x":1}`)) || !openQuestion(json.RawMessage(`{"x":1,"questions":[]}`)) {
		t.Error("what is no form")
	}
	if name, _, known := Common(copilotName, "create", json.RawMessage(`{"input":"x"}`)); name != "Write" || known {
		t.Errorf("a text for another tool is %s, known %v", name, known)
	}
}
