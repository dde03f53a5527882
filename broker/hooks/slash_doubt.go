package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Claude Code passes over some texts of a project, and then takes a skill of the same name
// that it came upon in a folder below, when it read a file there. Those are not looked for,
// so a text that may have been passed over is not known to be the one that is meant.

// slashDoubt says why the text in a file of a project may have been passed over, "" when
// nothing speaks for it.
func slashDoubt(file, text string, folders []string) string {
	switch {
	case agents.TextForPaths(text):
		return "its text is for some files only, and another of this name may be meant"
	case workspace.FileExists(filepath.Join(filepath.Dir(file), ".claude-plugin")):
		return "its text is that of a plugin as well, and another of this name may be meant"
	case hasTwin(file, folders):
		return "its text stands under another name too, and another of this name may be meant"
	}
	return ""
}

// hasTwin reports whether the same file may hold the text of another name in one of folders. What
// cannot be looked at counts as a twin.
func hasTwin(file string, folders []string) bool {
	info, err := os.Stat(file)
	if err != nil {
		return true
	}
	for _, f := range folders {
		commands := filepath.Join(f, "commands")
		if rel, ok := strings.CutPrefix(file, commands+string(filepath.Separator)); ok {
			st, ok := info.Sys().(*syscall.Stat_t)
			if !ok || st.Nlink > 1 || workspace.RealPath(file) != filepath.Join(workspace.RealPath(commands), rel) {
				return true
			}
		}
		skills, err := os.ReadDir(filepath.Join(f, "skills"))
		if err != nil && !os.IsNotExist(err) {
			return true
		}
		for _, e := range skills {
			other, err := os.Stat(filepath.Join(f, "skills", e.Name(), "SKILL.md"))
			if err == nil && os.SameFile(info, other) && e.Name() != filepath.Base(filepath.Dir(file)) {
				return true
			}
		}
	}
	return false
}
