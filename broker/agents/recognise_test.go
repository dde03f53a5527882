package agents

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRecogniseTakesEveryCapturedClaudePayload(t *testing.T) {
	files, err := filepath.Glob("testdata/claude/*.json")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	envs := map[string]map[string]string{
		"alone":          {"CLAUDECODE": "1", "CLAUDE_PID": "7"},
		"inside Cursor":  {"CLAUDECODE": "1", "CURSOR_VERSION": "2026.09.10"},
		"inside Gemini":  {"CLAUDECODE": "1", "GEMINI_SESSION_ID": "g"},
		"inside Qwen":    {"CLAUDE_PID": "7", "QWEN_CODE_SESSION_ID": "q"},
		"nothing is set": nil,
	}
	for _, file := range files {
		payload, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, env := range envs {
			if got, err := Recognise("claude", payload, env); got != "claude" || err != nil {
				t.Errorf("%s, %s: %q, %v", file, name, got, err)
			}
		}
	}
}

// Copilot and Cursor run the hooks of .claude/settings.json: an answer in Claude
// Code's form would let their call run.
func TestRecogniseNamesTheCaller(t *testing.T) {
	inClaude := map[string]string{"CLAUDECODE": "1", "CLAUDE_PID": "7"}
	tests := []struct {
		name, payload string
		env           map[string]string
		want          string
	}{
		{"Copilot, PascalCase hook", `{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"2026-11-20T15:20:57.897Z","cwd":"/p","tool_name":"Bash","tool_input":{"command":"npm publish"}}`, inClaude, "GitHub Copilot CLI"},
		{"Copilot, camelCase hook", `{"sessionId":"s","timestamp":1795188057897,"cwd":"/p","toolName":"bash","toolArgs":{"command":"npm publish"}}`, nil, "GitHub Copilot CLI"},
		{"Copilot, permission", `{"hookName":"permissionRequest","sessionId":"s","toolName":"edit","toolInput":{}}`, nil, "GitHub Copilot CLI"},
		{"Cursor", `{"conversation_id":"c","generation_id":"g","model":"m","tool_name":"Shell","tool_input":{},"tool_use_id":"t","session_id":"c","hook_event_name":"preToolUse","cursor_version":"2026.09.10"}`, inClaude, "Cursor"},
		{"Gemini", `{"session_id":"s","transcript_path":"/t","cwd":"/p","hook_event_name":"BeforeTool","timestamp":"2026-11-20T15:52:17.488Z","tool_name":"run_shell_command","tool_input":{}}`, nil, "Gemini CLI"},
		{"Qwen", `{"session_id":"s","transcript_path":"/t","cwd":"/p","hook_event_name":"PreToolUse","timestamp":"2026-11-20T15:52:20.489Z","permission_mode":"yolo","tool_name":"run_shell_command","tool_input":{}}`, inClaude, "Qwen Code"},
		{"Codex", `{"session_id":"s","turn_id":"t","transcript_path":"/t","cwd":"/p","hook_event_name":"PreToolUse","model":"gpt-5-codex","permission_mode":"default","tool_name":"Bash","tool_input":{}}`, nil, "Codex CLI"},
		{"Copilot by its environment", `{"session_id":"s","hook_event_name":"PreToolUse"}`, map[string]string{"COPILOT_CLI": "1"}, "GitHub Copilot CLI"},
		{"Cursor by its environment", `{"session_id":"s","hook_event_name":"PreToolUse"}`, map[string]string{"CURSOR_VERSION": "1"}, "Cursor"},
		{"Gemini by its environment", `{"session_id":"s"}`, map[string]string{"GEMINI_SESSION_ID": "1"}, "Gemini CLI"},
		{"Qwen by its environment", `{"session_id":"s"}`, map[string]string{"QWEN_CODE_SESSION_ID": "1"}, "Qwen Code"},
		{"opencode by its environment", `{"session_id":"s"}`, map[string]string{"OPENCODE": "1"}, "opencode"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name, err := Recognise("claude", []byte(tt.payload), tt.env)
			if i := slices.IndexFunc(byPayload, func(name string) bool { return TraitsOf(name).Title == tt.want }); i < 0 {
				t.Fatalf("nobody is called %s", tt.want)
			} else if want := byPayload[i]; dialects[want] != nil {
				if name != want || err != nil {
					t.Errorf("Recognise = %q, %v; want %s", name, err, want)
				}
				return
			}
			if name != "" || !errors.Is(err, ErrOtherAgent) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Recognise = %q, %v; want ErrOtherAgent that names %s", name, err, tt.want)
			}
		})
	}
}

func TestRecogniseLeavesTheRestToOthers(t *testing.T) {
	if name, err := Recognise("clod", []byte(`{}`), nil); name != "" || !errors.Is(err, ErrUnknownAgent) || !strings.Contains(err.Error(), "claude") {
		t.Errorf("unknown agent: %q, %v; want the known ones listed", name, err)
	}
	for _, payload := range []string{"", "[]", `{"session_id":`, `{"timestamp":1,"timestamp":2}`} {
		if name, err := Recognise("claude", []byte(payload), nil); name != "claude" || err != nil {
			t.Errorf("unreadable payload %q: %q, %v; want it left to Decode", payload, name, err)
		}
	}
}

// TestRecogniseWithoutDialect: an agent that nobody here speaks for is named, and refused.
func TestRecogniseWithoutDialect(t *testing.T) {
	old := byPayload
	defer func() { byPayload = old; delete(known, "Martian") }()
	byPayload = []string{"Martian"}
	known["Martian"] = about{sent: isGemini}
	name, err := Recognise("claude", []byte(`{"timestamp":1,"transcript_path":"/t"}`), nil)
	if name != "" || !errors.Is(err, ErrOtherAgent) || !strings.Contains(err.Error(), "Martian") {
		t.Errorf("Recognise = %q, %v", name, err)
	}
}
