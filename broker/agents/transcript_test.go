package agents

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadTranscript(t *testing.T) {
	at := time.Date(2026, 11, 20, 15, 20, 57, 0, time.UTC)
	lines := strings.Join([]string{
		`{"type":"user","message":{"role":"user","content":"do it"},"timestamp":"2026-11-20T15:20:57Z","isSidechain":false}`,
		`{"type":"file-history-snapshot","snapshot":{}}`,
		`{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I will."},{"type":"tool_use","name":"Bash","input":{"command":"ls"}}]},"timestamp":"2026-11-20T15:20:57Z"}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"a\u001b[2Jb","is_error":true}]},"timestamp":"2026-11-20T15:20:57Z","isSidechain":true}`,
		`{"type":"user","isMeta":true,"message":{"role":"user","content":"<reminder>"}}`,
		``,
		`{"type":"new-thing","x":1}`,
		`{"type":"system","content":"Conversation compacted"}`,
		`{"x":1}`,
		`plain words`,
		`{"type":"assistant","message":{"role":"assistant","content":7}}`,
	}, "\n")
	want := []Said{
		{By: SaidUser, Text: "do it", At: at},
		{By: SaidOther, Tool: "file-history-snapshot", Text: `{"type":"file-history-snapshot","snapshot":{}}`},
		{By: SaidAgent, Text: "I will.", At: at},
		{By: SaidCall, Tool: "Bash", Text: `{"command":"ls"}`, At: at},
		{By: SaidFailed, Text: "a\x1b[2Jb", At: at, Side: true},
		{By: SaidOther, Text: "<reminder>"},
		{By: SaidOther, Text: `{"type":"new-thing","x":1}`},
		{By: SaidOther, Text: "Conversation compacted"},
		{By: SaidOther, Text: `{"x":1}`},
		{By: SaidOther, Text: "plain words"},
		{By: SaidOther, Text: `{"type":"assistant","message":{"role":"assistant","content":7}}`},
	}
	if d := cmp.Diff(want, ReadTranscript([]byte(lines))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// The lines are of Codex CLI 0.169.0, shortened.
func TestReadTranscriptOfCodex(t *testing.T) {
	lines := strings.Join([]string{
		`{"ordinal":0,"type":"session_meta","payload":{"cwd":"/p"}}`,
		`{"ordinal":2,"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}}`,
		`{"ordinal":7,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"do it"}]}}`,
		`{"ordinal":9,"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n"}}`,
		`{"ordinal":12,"type":"response_item","payload":{"type":"custom_tool_call_output","output":"Exit code: 0\n"}}`,
		`{"ordinal":14,"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\": \"ls\"}"}}`,
		`{"ordinal":17,"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}`,
		`{"ordinal":18,"type":"response_item","payload":{"type":"something_else"}}`,
	}, "\n")
	want := []Said{
		{By: SaidOther, Tool: "session_meta", Text: `{"ordinal":0,"type":"session_meta","payload":{"cwd":"/p"}}`},
		{By: SaidOther, Text: "rules"},
		{By: SaidUser, Text: "do it"},
		{By: SaidCall, Tool: "apply_patch", Text: "*** Begin Patch\n"},
		{By: SaidResult, Text: "Exit code: 0\n"},
		{By: SaidCall, Tool: "exec_command", Text: `{"cmd": "ls"}`},
		{By: SaidAgent, Text: "done"},
		{By: SaidOther, Text: `{"ordinal":18,"type":"response_item","payload":{"type":"something_else"}}`},
	}
	if d := cmp.Diff(want, ReadTranscript([]byte(lines))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Whatever stands in the file, each part says who it is from, and nothing is made up.
func FuzzReadTranscript(f *testing.F) {
	f.Add([]byte(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"x"}]}]}}`))
	f.Add([]byte("words\n\n\x00\xff"))
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
