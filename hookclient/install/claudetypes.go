package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install/jsonc"
)

// claudeTypes are settings whose wrong type makes Claude Code ignore the whole file, its
// hooks included, without a word.
// Source: runs of version 2.1.329, one for each name, hooks in the same file.
var claudeTypes = []struct {
	name string // members joined by dots
	kind jsonc.Kind
}{
	{"$schema", jsonc.StringKind},
	{"model", jsonc.StringKind},
	{"outputStyle", jsonc.StringKind},
	{"language", jsonc.StringKind},
	{"apiKeyHelper", jsonc.StringKind},
	{"autoUpdatesChannel", jsonc.StringKind},
	{"permissions", jsonc.ObjectKind},
	{"permissions.allow", jsonc.ArrayKind},
	{"permissions.deny", jsonc.ArrayKind},
	{"permissions.ask", jsonc.ArrayKind},
	{"permissions.additionalDirectories", jsonc.ArrayKind},
	{"permissions.defaultMode", jsonc.StringKind},
	{"env", jsonc.ObjectKind},
	{"statusLine", jsonc.ObjectKind},
	{"enabledPlugins", jsonc.ObjectKind},
	{"sandbox", jsonc.ObjectKind},
	{"attribution", jsonc.ObjectKind},
	{"companyAnnouncements", jsonc.ArrayKind},
	{"disableAllHooks", jsonc.BoolKind},
	{"enableAllProjectMcpServers", jsonc.BoolKind},
	{"alwaysThinkingEnabled", jsonc.BoolKind},
	{"spinnerTipsEnabled", jsonc.BoolKind},
	{"includeCoAuthoredBy", jsonc.BoolKind},
	{"respectGitignore", jsonc.BoolKind},
	{"verbose", jsonc.BoolKind},
	{"cleanupPeriodDays", jsonc.NumberKind},
}

// claudeModes are the permission modes a session may start in; any other word has the
// same effect as a wrong type.
var claudeModes = []string{"default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"}

// ClaudeVoids names the settings in d that make Claude Code ignore the file at path. Members that
// are not listed may have any type here. A name of the list that is missing is no fault.
func ClaudeVoids(path string, d *jsonc.Document) []string {
	if d.Root.Kind != jsonc.ObjectKind {
		return []string{voidWarning(path, d, d.Root, "the settings", jsonc.ObjectKind)}
	}
	var w []string
	for _, t := range claudeTypes {
		v := d.Root
		for name := range strings.SplitSeq(t.name, ".") {
			v = v.Member(name)
		}
		if v != nil && v.Kind != t.kind {
			w = append(w, voidWarning(path, d, v, fmt.Sprintf("%q", t.name), t.kind))
		}
	}
	m := d.Root.Member("permissions").Member("defaultMode")
	if m != nil && m.Kind == jsonc.StringKind && !slices.Contains(claudeModes, m.Text) {
		line, col := jsonc.Locate(d.Src, m.Start)
		w = append(w, fmt.Sprintf("%s:%d:%d: Claude Code may not know the permission mode %q; a version that does not ignores this whole file", path, line, col, m.Text))
	}
	return w
}

// voidWarning names the place like a compiler, so that an editor can jump to it.
func voidWarning(path string, d *jsonc.Document, v *jsonc.Node, what string, want jsonc.Kind) string {
	line, col := jsonc.Locate(d.Src, v.Start)
	return fmt.Sprintf("%s:%d:%d: %s should be %s, this is %s; Claude Code ignores this whole file, and no hook in it runs",
		path, line, col, what, want, v.Kind)
}
