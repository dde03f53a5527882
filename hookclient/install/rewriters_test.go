package install

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
	put(project, ".claude/settings.local.json", hooks("PostToolUse", "log.sh"))
	beside := put(t.TempDir(), "flag.json", `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"`+ours+`"},{"type":"command","command":"third.sh"}]}]}}`)
	foreign := put(t.TempDir(), "hooks.json", hooks("PreToolUse", "another-agents.sh"))
	broken := put(t.TempDir(), "broken.json", "{")

	got := OtherHooks("claude", "PreToolUse", project, beside, foreign, broken, beside, "/nowhere")
	want := []string{mine + ":2: lint.sh", theirs + ":2: rewrite.sh", beside + ":1: third.sh"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := OtherHooks("claude", "PermissionRequest", project, beside); got != nil {
		t.Errorf("on an event that nobody else hears of: %v", got)
	}
	if got := OtherHooks("codex", "PreToolUse", project); got != nil {
		t.Errorf("of an agent whose settings are not read: %v", got)
	}
}
