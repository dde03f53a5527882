package workspace

import (
	"path/filepath"
	"slices"
	"testing"
)

// The folder of hooks is the one that the repository's settings name, or the user's.
func TestHookFolders(t *testing.T) {
	for name, tt := range map[string]struct{ file, value, want string }{
		"the repository's": {"proj/.git/config", "tools/checks", "proj/tools/checks"},
		"a worktree's":     {"proj/.git/config.worktree", "./a/../b", "proj/b"},
		"the user's":       {"home/.gitconfig", "~/proj/h", "home/proj/h"},
		"relative":         {"home/.config/git/config", "h", "proj/h"},
		"none":             {"proj/.git/other", "h", ""},
	} {
		t.Run(name, func(t *testing.T) {
			project := gitProject(t)
			base := filepath.Dir(project)
			gitFile(t, base, tt.file, "[core]\n\tbare = false\n[core]\n\thooksPath = "+tt.value+"\n")
			got := PlaceOf(project, project, filepath.Join(base, "home"), nil).HookFolders()
			if tt.want == "" && got != nil || tt.want != "" && !slices.Equal(got, []string{filepath.Join(base, tt.want)}) {
				t.Errorf("got %v", got)
			}
		})
	}
	if got := hookFolders("", "/home/u"); got != nil {
		t.Errorf("without a repository: %v", got)
	}
}
