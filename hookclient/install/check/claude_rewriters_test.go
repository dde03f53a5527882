package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOtherHooks(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	put := func(dir, name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	hooks := func(event, command string) string {
		return `{"hooks":{"` + event + `":[` + "\n" + `{"matcher":"*","hooks":[{"type":"command","command":"` + command + `"}]}]}}`
	}
	const ours = "aoctl hook claude"
	mine := put(home, ".claude/settings.json", hooks("PreToolUse", "lint.sh"))
	theirs := put(project, ".claude/settings.json", hooks("PreToolUse", "rewrite.sh"))
	put(project, ".claude/settings.local.json", strings.Replace(hooks("PreToolUse", "format.sh"), `"*"`, `"Edit|Write"`, 1))
	beside := put(t.TempDir(), "flag.json", `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"`+ours+`"},{"type":"command","command":"third.sh"}]}]}}`)
	foreign := put(t.TempDir(), "hooks.json", hooks("PreToolUse", "another-agents.sh"))
	broken := put(t.TempDir(), "broken.json", "{")

	got := OtherHooks("claude", "PreToolUse", "Bash", project, beside, foreign, broken, beside, "/nowhere")
	want := []string{mine + ":2: lint.sh", theirs + ":2: rewrite.sh", beside + ":1: third.sh"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := OtherHooks("claude", "PermissionRequest", "Bash", project, beside); got != nil {
		t.Errorf("on an event that nobody else hears of: %v", got)
	}
	if got := OtherHooks("codex", "PreToolUse", "Bash", project); got != nil {
		t.Errorf("of an agent whose settings are not read: %v", got)
	}
}

func TestMayFit(t *testing.T) {
	for matcher, tools := range map[string][2]string{ // one that it may fit, one that it cannot
		"Edit|Write": {"Edit", "Bash"}, "Edit, Bash": {"Bash", "Ba"}, "Ba": {"Ba", "Bash"}, "Task": {"Agent", "Bash"},
		"Ba.*": {"Bash", "Edit"}, "^mcp__git__": {"mcp__git__push", "Bash"}, "^T.sk$": {"Agent", "Bash"}, "Bash(git:*)": {"Bashgit", "Bash"},
	} {
		if !mayFit(matcher, tools[0]) || mayFit(matcher, tools[1]) {
			t.Errorf("%s: %v for %s, %v for %s", matcher, mayFit(matcher, tools[0]), tools[0], mayFit(matcher, tools[1]), tools[1])
		}
	}
	for _, matcher := range []string{"", "*", `\u0042ash`, "(?!Edit)x", "[^]ash", "(", "[]"} {
		if !mayFit(matcher, "Bash") {
			t.Errorf("%q cannot be told, and is left out", matcher)
		}
	}
}
