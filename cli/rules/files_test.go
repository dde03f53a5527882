package rules

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/terminal"
)

// Without a home folder, a project's settings are not taken for the user's own.
func TestImportClaudeWithoutAHome(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", "")
	t.Chdir(dir)
	if err := os.Mkdir(".claude", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(".claude", "settings.json"), []byte(`{"permissions":{"allow":["Bash(make test)"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := importOptions{project: "."}.rules(&cobra.Command{}, "claude")
	if err != nil || len(list) == 0 {
		t.Fatalf("%d rules, %v", len(list), err)
	}
	for _, r := range list {
		if r.Scope.Project == "" {
			t.Errorf("%s %v holds everywhere", r.Decision, r.Where)
		}
	}
}

// ctrl+c is a key of the editor's: what it makes of it counts.
func TestEditorTakesCtrlC(t *testing.T) {
	t.Setenv("VISUAL", "")
	t.Setenv("TMPDIR", t.TempDir())
	// The signal goes to the shell around the editor as well, as from a terminal.
	t.Setenv("EDITOR", `sh -c 'trap : INT; kill -INT $PPID; echo mine > "$0"'`)
	text, _, err := terminal.Edit(t.Context(), "rule.toml", []byte("text\n"))
	if err != nil || string(text) != "mine\n" {
		t.Errorf("%q %v, want what the editor wrote", text, err)
	}
}

// An editor that fails leaves nothing behind, unless there is text to lose.
func TestEditorThatFails(t *testing.T) {
	t.Setenv("VISUAL", "")
	for name, tc := range map[string]struct {
		editor string
		kept   bool
	}{
		"at once":             {"false", false},
		"is not there":        {"/nonexistent/editor", false},
		"removes the file":    {"rm", false},
		"after it wrote some": {`sh -c 'echo mine > "$0"; exit 1'`, true},
	} {
		t.Run(name, func(t *testing.T) {
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			t.Setenv("EDITOR", tc.editor)
			if _, _, err := terminal.Edit(t.Context(), "rule.toml", []byte("text\n")); err == nil {
				t.Fatal("no error")
			}
			left, err := os.ReadDir(tmp)
			if err != nil || (len(left) > 0) != tc.kept {
				t.Errorf("left behind: %v %v, want something: %v", left, err, tc.kept)
			}
		})
	}
}
