package hookclient

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The lines that agents wrote when their user pressed Esc, shortened.
const (
	geminiCancelled = `{"id":"97d15164","timestamp":"2026-11-23T08:50:43.133Z","type":"info","content":"Request cancelled."}` + "\n"
	qwenCancelled   = `{"uuid":"dedb7beb","type":"tool_result","toolCallResult":{"callId":"call_1","status":"cancelled","executionStatus":"not_started"}}` + "\n"
)

// An agent whose user gives up the call leaves its hook as it is, and says so only in its
// transcript.
func TestCancelledInTheTranscript(t *testing.T) {
	t.Parallel()
	for agent, line := range map[string]string{"gemini": geminiCancelled, "qwen": qwenCancelled} {
		t.Run(agent, func(t *testing.T) {
			path := filepath.Join(privateDir(t), "session.jsonl")
			must(t, os.WriteFile(path, []byte(line), 0o600)) // an earlier call was given up too
			b := newBroker(t, reply(202, `{"request_id":"r-1"}`), silent, taken)
			p := newProgram(t, "hook", agent, "--socket", b.socket)
			p.Stdin = strings.NewReader(`{"session_id":"s1","tool_call_id":"call_1","transcript_path":` + strconv.Quote(path) + `}`)
			must(t, p.Start())
			<-b.requests
			<-b.requests // it waits
			add(t, path, line)
			wantRefused(t, p.end(t), "the agent's user cancelled the call")
			if r := <-b.requests; r.method != "POST" || !strings.HasSuffix(r.path, "/approval-requests/r-1/cancel") {
				t.Errorf("the card is not taken back: %s %s", r.method, r.path)
			}
		})
	}
}

// What else is written, or written in pieces, is told apart.
func TestCancelledWords(t *testing.T) {
	payload := []byte(`{"tool_call_id":"call_1"}`)
	for name, c := range map[string]struct {
		agent, text string
		want        bool
	}{
		"gemini":            {"gemini", geminiCancelled, true},
		"gemini's words":    {"gemini", `{"type":"gemini","content":` + strconv.Quote(geminiCancelled) + "}\n", false},
		"gemini's call":     {"gemini", `{"type":"gemini","toolCalls":[{"args":{"type":"info","content":"Request cancelled."}}]}` + "\n", true}, // it refuses itself
		"qwen":              {"qwen", qwenCancelled, true},
		"qwen, another one": {"qwen", strings.ReplaceAll(qwenCancelled, "call_1", "call_2"), false},
		"qwen, it ran":      {"qwen", strings.ReplaceAll(qwenCancelled, "cancelled", "success"), false},
		"qwen's words":      {"qwen", `{"message":` + strconv.Quote(qwenCancelled) + "}\n", false},
		"much before it":    {"gemini", strings.Repeat("x", 3*maxRead) + "\n" + geminiCancelled, true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, cut := range []int{0, len(c.text) - 20} {
				path := filepath.Join(privateDir(t), "session.jsonl")
				must(t, os.WriteFile(path, []byte("{}\n"), 0o600))
				s := &transcript{path: path, at: 3, words: []byte(cancelledWords(c.agent, payload))}
				add(t, path, c.text[:cut])
				s.cancelled()
				add(t, path, c.text[cut:])
				got := false
				for range 5 {
					got = got || s.cancelled()
				}
				if got != c.want {
					t.Errorf("cut at %d: %v, want %v", cut, got, c.want)
				}
			}
		})
	}
	for _, agent := range []string{"claude", "codex", "copilot"} {
		if words := cancelledWords(agent, payload); words != "" {
			t.Errorf("%s: %q", agent, words)
		}
	}
	if words := cancelledWords("qwen", []byte("{}")); words != "" {
		t.Errorf("a call without an id: %q", words)
	}
}

func add(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err)
	must(t, f.Close())
}
