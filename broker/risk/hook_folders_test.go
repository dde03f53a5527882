package risk

import (
	"testing"

	"github.com/aoctl/aoctl/broker/shell"
)

// A folder of hooks may have any name; git's settings say which.
func TestHookFolders(t *testing.T) {
	at := place()
	at.HookFolders = func() []string { return []string{at.Project + "/tools/checks"} }
	for _, tt := range []struct {
		name   string
		e      shell.Element
		danger bool
	}{
		{"a hook", write("tools/checks/pre-commit"), true},
		{"below it", write("tools/checks/lib/a"), true},
		{"the folder", write("tools/checks"), true},
		{"a tree that may bring it", tree(write("tools")), true},
		{"beside it", write("tools/checks.md"), false},
		{"above it", write("tools"), false},
		{"a hook that goes", remove("tools/checks/pre-commit"), true},
		{"read", read("tools/checks/pre-commit"), false},
	} {
		r := Assess(Call{Tool: "Bash", Line: lineOf(tt.e)}, at)
		if got := r.Class == Dangerous && r.Why == changesHooks; got != tt.danger {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
	input := []byte(`{"file_path":"/home/u/src/app/tools/checks/pre-commit","content":"x"}`)
	if r := Assess(Call{Tool: "Write", Input: input}, at); r.Class != Dangerous {
		t.Errorf("Write: %+v", r)
	}
}
