package editcall

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/tui/change"
)

// bareParams are the parameters that are edited as they are, by tool, in the words
// that all agents share. A tool that takes several texts in one call has none: its
// input is edited as JSON.
var bareParams = map[string][]string{
	"Bash": {"command"}, "PowerShell": {"command"}, "Monitor": {"command"},
	"Write": {"content"}, "Edit": {"new_string"}, "NotebookEdit": {"new_source"},
	"apply_patch": {"command", "input", "patch"},
}

// writesNothing reports whether a call has a text that nothing is done with.
func writesNothing(tool string, c change.Input) bool {
	mode, _ := c.Text("edit_mode")
	return tool == "NotebookEdit" && mode == "delete"
}

// isWhole reports whether a text stands for whole lines, even when it is empty: a
// file's body, or what takes the place of whole lines.
func isWhole(tool string, c change.Input) bool {
	// An edit that replaces whole lines by nothing takes them away, and a line break
	// would be left behind.
	old, _ := c.Text("old_string")
	return tool == "Write" || tool == "Edit" && strings.HasSuffix(old, "\n")
}

// fileFor is what the editor's file is called. Its ending is one by which the editor
// knows the language. Nothing else of the name comes from the call.
func fileFor(tool string, c change.Input) string {
	switch tool {
	case "PowerShell":
		return "command.ps1"
	case "apply_patch":
		return "change.patch"
	case "Write":
		return "content" + endingOf(c)
	case "Edit":
		return "new" + endingOf(c)
	case "NotebookEdit":
		return "cell" + cellEnding(c)
	}
	return "command.sh"
}

// plainExt is an ending that an editor may know a language by. Of an agent's path no
// more than that becomes a part of a name: an editor may read settings from files of
// certain names.
var plainExt = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.[A-Za-z0-9]{1,12}$`) })

// namedEndings are endings for files that are known by their whole names.
var namedEndings = map[string]string{"makefile": ".mk", "gnumakefile": ".mk", "dockerfile": ".dockerfile", "containerfile": ".dockerfile"}

// endingOf is the ending of the file that a call changes, or that of plain text.
func endingOf(c change.Input) string {
	path, _ := c.Text("file_path")
	if ext := namedEndings[strings.ToLower(filepath.Base(path))]; ext != "" {
		return ext
	}
	if ext := filepath.Ext(path); plainExt().MatchString(ext) {
		return ext
	}
	return ".txt"
}

// cellEnding is that of a cell's source. The call does not tell a notebook's language:
// most are in Python.
func cellEnding(c change.Input) string {
	if kind, _ := c.Text("cell_type"); kind == "markdown" {
		return ".md"
	}
	return ".py"
}
