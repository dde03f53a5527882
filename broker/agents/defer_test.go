package agents

import (
	"encoding/json"
	"strings"
	"testing"
)

// Only Claude Code's PreToolUse can be told that a call is put off: everybody else is told
// no, plainly, and nobody anything that would let it run.
func TestDeferIsSaidToWhomItCanBeSaid(t *testing.T) {
	gates := map[string][]string{
		"claude": {"PreToolUse", "PermissionRequest"}, "codex": {"PreToolUse", "PermissionRequest"}, "copilot": {"PreToolUse", "PermissionRequest"},
		"cursor": {"beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"}, "gemini": {"BeforeTool"}, "generic": {"ask"},
		"opencode": {"tool.execute.before"}, "qwen": {"PreToolUse", "PermissionRequest"},
	}
	if len(gates) != len(Names()) {
		t.Fatalf("there are dialects %v", Names())
	}
	for _, name := range Names() {
		d, err := For(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, event := range gates[name] {
			out := string(d.Encode(event, json.RawMessage(`{"command":"x"}`), Answer{Verdict: Defer, Reason: "put off", Tool: "Bash"}))
			says := strings.Contains(out, `"defer"`)
			if able := name == "claude" && event == "PreToolUse"; says != able {
				t.Errorf("%s, %s: %s", name, event, out)
			} else if !able && (!strings.Contains(out, "deny") && !strings.Contains(out, "block") || strings.Contains(out, "allow")) {
				t.Errorf("%s, %s is not refused plainly: %s", name, event, out)
			}
		}
		if TraitsOf(d.Name()).Defer != (name == "claude") {
			t.Errorf("%s: Traits().Defer is %v", name, TraitsOf(d.Name()).Defer)
		}
	}
	stop := string(claude{}.Encode("PreToolUse", nil, Answer{Verdict: Defer, StopTurn: true}))
	if strings.Contains(stop, "defer") || !strings.Contains(stop, "deny") {
		t.Errorf("with the end of the turn: %s", stop)
	}
}

func TestHeadless(t *testing.T) {
	env := func(entry, attended string) map[string]string {
		return map[string]string{"CLAUDE_CODE_ENTRYPOINT": entry, "CLAUDE_CODE_SESSION_ATTENDED": attended}
	}
	for _, tc := range []struct {
		agent string
		env   map[string]string
		want  bool
	}{
		{"claude", env("sdk-cli", "0"), true},
		{"claude", env("cli", "1"), false},
		{"claude", env("sdk-cli", "1"), false},
		{"claude", env("cli", "0"), false},
		{"claude", env("sdk-ts", "0"), false},
		{"claude", map[string]string{"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}, false},
		{"claude", nil, false},
		{"codex", env("sdk-cli", "0"), false},
	} {
		if got := Headless(tc.agent, tc.env); got != tc.want {
			t.Errorf("%s with %v: %v", tc.agent, tc.env, got)
		}
	}
}

func TestRestart(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"-p|do it|--settings|s.json|--output-format|json", "--settings|s.json|--output-format|json"},
		{"--print|--model|opus|do it", "--model|opus"},
		{"-p|--resume|1-2|--settings=s.json", "--settings=s.json"},
		{"-p|--session-id|1-2|do it|--allowedTools|Bash(ls *)|Read|--verbose", "--allowedTools|Bash(ls *)|Read|--verbose"},
		{"-c|-p|more|--permission-mode|plan", "--permission-mode|plan"},
		{"-p|--input-format|stream-json|--permission-prompt-tool|stdio|--dangerously-skip-permissions", "--dangerously-skip-permissions"},
		{"-p|-d|api|--model|m|--|--settings|x", "-d|api|--model|m"},
		{"", ""},
	} {
		got, ok := Restart("claude", strings.FieldsFunc(tc.args, func(r rune) bool { return r == '|' }))
		if !ok || strings.Join(got, "|") != tc.want {
			t.Errorf("%s: %q %v, want %s", tc.args, got, ok, tc.want)
		}
	}
	for _, unknown := range []string{"-p|--novel|x", "-px", "--model", "--no-session-persistence|-p"} {
		if got, ok := Restart("claude", strings.Split(unknown, "|")); ok {
			t.Errorf("%s: %q", unknown, got)
		}
	}
	if _, ok := Restart("codex", nil); ok {
		t.Error("Codex can be resumed")
	}
	if !Forgets("claude", []string{"-p", "--no-session-persistence"}) || Forgets("claude", []string{"-p"}) {
		t.Error("what keeps nothing is not known")
	}
}
