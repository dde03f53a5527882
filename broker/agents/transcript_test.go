package agents

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker/wire"
)

func TestReadTranscript(t *testing.T) {
	at := time.Date(2026, 11, 20, 15, 20, 57, 0, time.UTC)
	usage := wire.RunUsage{Input: 12, Output: 8, CacheRead: 5, CacheWrite: 3}
	lines := strings.Join([]string{
		`{"type":"user","message":{"role":"user","content":"do it"},"timestamp":"2026-11-20T15:20:57Z","isSidechain":false}`,
		`{"type":"file-history-snapshot","snapshot":{}}`,
		`{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I will."},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}],"id":"msg_1","model":"opus","usage":{"input_tokens":12,"cache_creation_input_tokens":3,"cache_read_input_tokens":5,"output_tokens":8}},"timestamp":"2026-11-20T15:20:57Z"}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a\u001b[2Jb","is_error":true}]},"timestamp":"2026-11-20T15:20:57Z","isSidechain":true}`,
		`{"type":"user","isMeta":true,"message":{"role":"user","content":"<reminder>"}}`,
		``,
		`{"type":"new-thing","x":1}`,
		`{"type":"cost-state","totalCostUSD":0.5,"modelUsage":{"opus":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4},"haiku":{"inputTokens":10}}}`,
		`{"type":"system","content":"Conversation compacted"}`,
		`{"x":1}`,
		`plain words`,
		`{"type":"assistant","message":{"role":"assistant","content":7}}`,
	}, "\n")
	want := []Said{
		{By: SaidUser, Text: "do it", At: at},
		{By: SaidOther, Tool: "file-history-snapshot", Text: `{"type":"file-history-snapshot","snapshot":{}}`},
		{By: SaidThought, Text: "hm", At: at, Model: "opus", Reply: "msg_1", Usage: usage},
		{By: SaidAgent, Text: "I will.", At: at, Model: "opus", Reply: "msg_1", Usage: usage},
		{By: SaidCall, Tool: "Bash", ID: "toolu_1", Text: `{"command":"ls"}`, At: at, Model: "opus", Reply: "msg_1", Usage: usage},
		{By: SaidFailed, ID: "toolu_1", Text: "a\x1b[2Jb", At: at, Side: true},
		{By: SaidOther, Text: "<reminder>"},
		{By: SaidOther, Text: `{"type":"new-thing","x":1}`},
		{
			By: SaidOther, Tool: "cost-state",
			Text:  `{"type":"cost-state","totalCostUSD":0.5,"modelUsage":{"opus":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4},"haiku":{"inputTokens":10}}}`,
			Total: &Spent{Cost: 0.5, Usage: wire.RunUsage{Input: 11, Output: 2, CacheRead: 3, CacheWrite: 4}},
		},
		{By: SaidOther, Text: "Conversation compacted"},
		{By: SaidOther, Text: `{"x":1}`},
		{By: SaidOther, Text: "plain words"},
		{By: SaidOther, Text: `{"type":"assistant","message":{"role":"assistant","content":7}}`},
	}
	readsAs(t, lines, want)
}

// The lines are of Codex CLI 0.169.0, shortened.
func TestReadTranscriptOfCodex(t *testing.T) {
	lines := strings.Join([]string{
		`{"ordinal":0,"type":"session_meta","payload":{"cwd":"/p"}}`,
		`{"ordinal":2,"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}}`,
		`{"ordinal":7,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"do it"}]}}`,
		`{"ordinal":9,"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","call_id":"call_1","input":"*** Begin Patch\n"}}`,
		`{"ordinal":12,"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"call_1","output":"Exit code: 0\n"}}`,
		`{"ordinal":14,"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\": \"ls\"}"}}`,
		`{"ordinal":17,"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}`,
		`{"ordinal":18,"type":"response_item","payload":{"type":"something_else"}}`,
		`{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_2","output":"Command blocked by PreToolUse hook: no"}}`,
		`{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_3","output":"Chunk ID: 1\nProcess exited with code 1\nOutput:\nProcess exited with code 0"}}`,
		`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}],"internal_chat_message_metadata_passthrough":{"content_item_metadata":[{"provenance":{"type":"harness","hook":false}}]}}}`,
		`{"type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"x"}}`,
		`{"type":"turn_context","payload":{"model":"gpt-5.2-codex"}}`,
		`{"type":"token_usage_record","payload":{"thread_token_usage":{"input_tokens":24,"cached_input_tokens":4,"cache_write_input_tokens":1,"output_tokens":16}}}`,
	}, "\n")
	want := []Said{
		{By: SaidOther, Tool: "session_meta", Text: `{"ordinal":0,"type":"session_meta","payload":{"cwd":"/p"}}`},
		{By: SaidOther, Text: "rules"},
		{By: SaidUser, Text: "do it"},
		{By: SaidCall, Tool: "apply_patch", ID: "call_1", Text: "*** Begin Patch\n"},
		{By: SaidResult, ID: "call_1", Text: "Exit code: 0\n"},
		{By: SaidCall, Tool: "exec_command", Text: `{"cmd": "ls"}`},
		{By: SaidAgent, Text: "done"},
		{By: SaidOther, Text: `{"ordinal":18,"type":"response_item","payload":{"type":"something_else"}}`},
		{By: SaidFailed, ID: "call_2", Text: "Command blocked by PreToolUse hook: no"},
		{By: SaidFailed, ID: "call_3", Text: "Chunk ID: 1\nProcess exited with code 1\nOutput:\nProcess exited with code 0"},
		{By: SaidOther, Text: "<environment_context>"},
		{By: SaidThought, Text: "hm"},
		{By: SaidOther, Tool: "turn_context", Text: `{"type":"turn_context","payload":{"model":"gpt-5.2-codex"}}`, Model: "gpt-5.2-codex"},
		{
			By: SaidOther, Tool: "token_usage_record",
			Text:  `{"type":"token_usage_record","payload":{"thread_token_usage":{"input_tokens":24,"cached_input_tokens":4,"cache_write_input_tokens":1,"output_tokens":16}}}`,
			Total: &Spent{Usage: wire.RunUsage{Input: 20, Output: 16, CacheRead: 4, CacheWrite: 1}},
		},
	}
	readsAs(t, lines, want)
}

// The lines are of Gemini CLI 0.61.0, shortened. A message is written again when its calls
// have run, and their results once more as the next message.
func TestReadTranscriptOfGemini(t *testing.T) {
	at := time.Date(2026, 11, 22, 1, 54, 12, 0, time.UTC)
	call := `"toolCalls":[{"id":"fc_1","name":"write_file","args":{"file_path":"w.txt"},"result":[{"functionResponse":{"id":"fc_1","name":"write_file","response":{"output":"made"}}}],"status":"success"},{"id":"fc_2","name":"glob","args":{},"result":[{"functionResponse":{"id":"fc_2","response":{"error":"not found"}}}],"status":"error"}]`
	header := `{"sessionId":"bb84","projectHash":"4286","startTime":"2026-11-22T01:54:12Z","kind":"main"}`
	lines := strings.Join([]string{
		header,
		`{"$set":{"lastUpdated":"2026-11-22T01:54:12Z"}}`,
		`{"id":"m1","timestamp":"2026-11-22T01:54:12Z","type":"user","content":[{"text":"do it"}]}`,
		`{"id":"m2","timestamp":"2026-11-22T01:54:12Z","type":"gemini","content":"","thoughts":[],"tokens":{"input":12,"output":8,"cached":2,"thoughts":1,"tool":0,"total":20},"model":"gemini-3.8-flash"}`,
		`{"id":"m2","timestamp":"2026-11-22T01:54:12Z","type":"gemini","content":"","tokens":{"input":12,"output":8,"cached":2,"thoughts":1},"model":"gemini-3.8-flash",` + call + `}`,
		`{"id":"m3","timestamp":"2026-11-22T01:54:12Z","type":"user","content":[{"functionResponse":{"id":"fc_1","name":"write_file","response":{"output":"made"}}}]}`,
		`{"id":"m4","timestamp":"2026-11-22T01:54:12Z","type":"gemini","content":"**done**","thoughts":[{"subject":"Plan","description":"first"}],"model":"gemini-3.8-flash"}`,
		`{"id":"m5","timestamp":"2026-11-22T01:54:12Z","type":"info","content":"a note"}`,
		`{"id":"m6","timestamp":"2026-11-22T01:54:12Z","type":"user","content":"<session_context>\nx"}`,
	}, "\n")
	usage := wire.RunUsage{Input: 10, Output: 9, CacheRead: 2}
	reply := func(s Said) Said {
		s.At, s.Model, s.Reply, s.Usage = at, "gemini-3.8-flash", "m2", usage
		return s
	}
	readsAs(t, lines, []Said{
		{By: SaidOther, Tool: "$set", Text: header},
		{By: SaidOther, Tool: "$set", Text: `{"$set":{"lastUpdated":"2026-11-22T01:54:12Z"}}`},
		{By: SaidUser, ID: "m1", Text: "do it", At: at},
		reply(Said{By: SaidOther, Tool: "gemini", ID: "m2"}),
		reply(Said{By: SaidCall, Tool: "write_file", ID: "fc_1", Text: `{"file_path":"w.txt"}`}),
		reply(Said{By: SaidResult, ID: "fc_1", Text: "made"}),
		reply(Said{By: SaidCall, Tool: "glob", ID: "fc_2", Text: `{}`}),
		reply(Said{By: SaidFailed, ID: "fc_2", Text: "not found"}),
		{By: SaidResult, ID: "fc_1", Text: "made", At: at},
		{By: SaidThought, ID: "m4", Text: "Plan\nfirst", At: at, Model: "gemini-3.8-flash"},
		{By: SaidAgent, ID: "m4", Text: "**done**", At: at, Model: "gemini-3.8-flash"},
		{By: SaidOther, ID: "m5", Text: "a note", At: at},
		{By: SaidOther, ID: "m6", Text: "<session_context>\nx", At: at},
	})
}

// The lines are of Qwen Code 0.24.4, shortened.
func TestReadTranscriptOfQwen(t *testing.T) {
	at := time.Date(2026, 11, 22, 2, 25, 51, 0, time.UTC)
	const head = `{"uuid":"u1","timestamp":"2026-11-22T02:25:51Z",`
	telemetry := head + `"type":"system","provenance":"system","subtype":"ui_telemetry","systemPayload":{}}`
	lines := strings.Join([]string{
		head + `"type":"user","provenance":"real_user","message":{"role":"user","parts":[{"text":"do it"}]}}`,
		telemetry,
		head + `"type":"assistant","provenance":"assistant_output","model":"fake","message":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"I will."},{"functionCall":{"id":"call_8","name":"run_shell_command","args":{"command":"ls"}}}]},"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":8,"thoughtsTokenCount":1,"cachedContentTokenCount":2}}`,
		head + `"type":"tool_result","provenance":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"call_8","response":{"error":"refused"}}}]},"toolCallResult":{"status":"error"}}`,
		head + `"type":"user","provenance":"system","subtype":"notification","message":{"role":"user","parts":[{"text":"<task-notification>"}]}}`,
	}, "\n")
	reply := func(s Said) Said {
		s.At, s.Model, s.Reply, s.Usage = at, "fake", "u1", wire.RunUsage{Input: 10, Output: 9, CacheRead: 2}
		return s
	}
	readsAs(t, lines, []Said{
		{By: SaidUser, Text: "do it", At: at},
		{By: SaidOther, Tool: "system", Text: telemetry, At: at},
		reply(Said{By: SaidThought, Text: "hm"}),
		reply(Said{By: SaidAgent, Text: "I will."}),
		reply(Said{By: SaidCall, Tool: "run_shell_command", ID: "call_8", Text: `{"command":"ls"}`}),
		{By: SaidFailed, ID: "call_8", Text: "refused", At: at},
		{By: SaidOther, Text: "<task-notification>", At: at},
	})
}

// readsAs compares what lines say with want, and where each of them begins.
func readsAs(t *testing.T, lines string, want []Said) {
	t.Helper()
	got := ReadTranscript([]byte(lines))
	last := int64(0)
	for i := range got {
		at := got[i].Line
		if at < last || at > 0 && lines[at-1] != '\n' {
			t.Errorf("part %d begins at %d, after %d", i, at, last)
		}
		last, got[i].Line = at, 0
	}
	if begin := int64(strings.LastIndexByte(lines, '\n') + 1); last != begin {
		t.Errorf("the last part begins at %d, its line at %d", last, begin)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for line := range strings.Lines(lines) {
		spends := false
		for _, s := range ReadTranscript([]byte(line)) {
			spends = spends || s.Total != nil || s.Usage != wire.RunUsage{}
		}
		if spends && !TellsTokens([]byte(line)) {
			t.Errorf("says what was spent, and would not be decoded: %s", line)
		}
	}
}

// Who only asks for tokens passes over words, results and calls.
func TestTellsTokens(t *testing.T) {
	for _, line := range []string{
		`{"type":"user","message":{"role":"user","content":"do it"}}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"a"}]}}`,
		`{"type":"response_item","payload":{"type":"message"}}`,
	} {
		if TellsTokens([]byte(line)) {
			t.Errorf("is decoded: %s", line)
		}
	}
}

// A line that has no known shape is shown as it is, however near it comes to one.
func TestReadTranscriptEdges(t *testing.T) {
	const asItIs = "as it is"
	for _, tc := range [][2]string{
		{`no JSON`, asItIs},
		{`{"a":1}`, asItIs},
		{`{"type":"user"}`, asItIs},
		{`{"type":"gemini"}`, asItIs},
		{`{"type":"gemini","content":[1]}`, asItIs},
		{`{"type":"gemini","message":{"role":"model"},"content":"a"}`, asItIs},
		{`{"type":"x","content":"a"}`, asItIs},
		{`{"type":"x","message":{"role":"user","content":"a"}}`, asItIs},
		{`{"type":"info"}`, asItIs},
		{`{"type":"info","message":{"role":"user"},"content":"a"}`, asItIs},
		{`{"type":"info","id":"m","content":"a"}`, "other m: a"},
		{`{"type":"warning","content":"a"}`, "other: a"},
		{`{"type":"error","content":"a"}`, "other: a"},
		{`{"type":"response_item","payload":1}`, asItIs},
		{`{"type":"response_item","payload":{"type":"x"}}`, asItIs},
		{`{"type":"turn_context","payload":{"model":5}}`, "other turn_context: " + `{"type":"turn_context","payload":{"model":5}}`},
		{`{"type":"mode","payload":{"model":"m"}}`, "other mode: " + `{"type":"mode","payload":{"model":"m"}}`},
		{`{"type":"user","isMeta":true,"message":{"role":"user","content":"a"}}`, "other: a"},
		{`{"type":"user","isCompactSummary":true,"message":{"role":"user","content":"a"}}`, "other: a"},
		{`{"type":"assistant","isMeta":true,"message":{"role":"assistant","content":"a"}}`, "agent: a"},
		{`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}}`, "result t: "},
		{`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true}]}}`, "failed t: "},
		{`{"type":"user","message":{"role":"user","content":[{"type":"text","text":" "}]}}`, ""},
		{`{"type":"user","message":{"role":"user","content":[{"type":"image","source":{}}]}}`, "user: [image]"},
		{`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"X"}]}}`, "call X t: "},
		{`{"type":"assistant","message":{"role":"assistant","content":[{"type":"redacted_thinking","thinking":"hm"}]}}`, "thought: hm"},
		{`{"type":"gemini","id":"m","content":[{"text":"a"}]}`, "agent m: a"},
		{`{"type":"gemini","id":"m","content":[{"text":"a"},{"text":"b"}]}`, "agent: a; agent: b"},
		{`{"type":"gemini","content":"<session_context> a"}`, "agent: <session_context> a"},
		{`{"type":"gemini","content":"a","thoughts":5}`, "agent: a"},
		{`{"type":"user","message":{"role":"user","parts":[{"text":""},{"text":"a"}]}}`, "user: a"},
		{`{"type":"user","message":{"role":"user","parts":[{"functionResponse":{"id":"t","response":{"x":1}}}]}}`, `result t: {"x":1}`},
		{`{"type":"user","message":{"role":"user","parts":[{"functionResponse":{"id":"t","response":{"output":"a"}}}]}}`, "result t: a"},
		{`{"type":"user","message":{"role":"user","parts":[{"functionResponse":{"id":"t","response":{"output":"","x":1}}}]}}`, "result t: "},
		{`{"type":"user","message":{"role":"user","parts":[{"functionResponse":{"id":"t","response":{"output":"a","error":5}}}]}}`, `result t: a`},
		{`{"type":"user","message":{"role":"user","parts":[{"functionResponse":{"id":"t","response":{"error":"a","output":5}}}]}}`, "result t: a"},
	} {
		var said []string
		for _, s := range ReadTranscript([]byte(tc[0])) {
			said = append(said, strings.Join(strings.Fields(string(s.By)+" "+s.Tool+" "+s.ID), " ")+": "+s.Text)
		}
		got, want := strings.Join(said, "; "), tc[1]
		if want == asItIs {
			want = "other: " + tc[0]
		}
		if got != want {
			t.Errorf("%s is read as\n\t%s, want\n\t%s", tc[0], got, want)
		}
	}
}

// Whatever stands in the file, each part says who it is from, and nothing is made up.
func FuzzReadTranscript(f *testing.F) {
	f.Add([]byte(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"x"}]}]}}`))
	f.Add([]byte("words\n\n\x00\xff"))
	f.Add([]byte(`{"id":"a","type":"gemini","content":[{"text":"x"}],"toolCalls":[{"id":"c","name":"n","args":{},"result":[{"functionResponse":{"id":"c","response":{"error":"e"}}}]}]}`))
	f.Add([]byte(`{"type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"c","args":{}}},{"functionResponse":{"response":7}}]},"usageMetadata":{}}`))
	f.Add([]byte(`{"type":"response_item","payload":{"type":"reasoning","summary":[{"text":"x"}]}}`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		size := 0
		for _, s := range ReadTranscript(lines) {
			if s.By == "" {
				t.Errorf("nobody said %q", s.Text)
			}
			size += len(s.Text)
		}
		if size > 3*len(lines)+64 {
			t.Errorf("%d bytes of %d", size, len(lines))
		}
	})
}
