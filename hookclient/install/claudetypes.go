package install

import (
	"fmt"
	"slices"
	"strings"
)

// claudeTypes are settings whose wrong type makes Claude Code ignore the whole file, its
// hooks included, without a word.
// Source: runs of version 2.1.329, one for each name, hooks in the same file.
var claudeTypes = []struct {
	name string // members joined by dots
	kind kind
}{
	{"$schema", kindString},
	{"model", kindString},
	{"outputStyle", kindString},
	{"language", kindString},
	{"apiKeyHelper", kindString},
	{"autoUpdatesChannel", kindString},
	{"permissions", kindObject},
	{"permissions.allow", kindArray},
	{"permissions.deny", kindArray},
	{"permissions.ask", kindArray},
	{"permissions.additionalDirectories", kindArray},
	{"permissions.defaultMode", kindString},
	{"env", kindObject},
	{"statusLine", kindObject},
	{"enabledPlugins", kindObject},
	{"sandbox", kindObject},
	{"attribution", kindObject},
	{"companyAnnouncements", kindArray},
	{"disableAllHooks", kindBool},
	{"enableAllProjectMcpServers", kindBool},
	{"alwaysThinkingEnabled", kindBool},
	{"spinnerTipsEnabled", kindBool},
	{"includeCoAuthoredBy", kindBool},
	{"respectGitignore", kindBool},
	{"verbose", kindBool},
	{"cleanupPeriodDays", kindNumber},
}

// claudeModes are the permission modes a session may start in; any other word has the
// same effect as a wrong type.
var claudeModes = []string{"default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"}

// voidWarnings names the settings in d that make Claude Code ignore the file at path.
func voidWarnings(path string, d *document) []string {
	if d.root.kind != kindObject {
		return []string{voidWarning(path, d, d.root, "the settings", kindObject)}
	}
	var w []string
	for _, t := range claudeTypes {
		v := d.root
		for name := range strings.SplitSeq(t.name, ".") {
			v = v.member(name)
		}
		if v != nil && v.kind != t.kind {
			w = append(w, voidWarning(path, d, v, fmt.Sprintf("%q", t.name), t.kind))
		}
	}
	m := d.root.member("permissions").member("defaultMode")
	if m != nil && m.kind == kindString && !slices.Contains(claudeModes, m.text) {
		line, col := locate(d.src, m.start)
		w = append(w, fmt.Sprintf("%s:%d:%d: Claude Code may not know the permission mode %q; a version that does not ignores this whole file", path, line, col, m.text))
	}
	return w
}

func voidWarning(path string, d *document, v *node, what string, want kind) string {
	line, col := locate(d.src, v.start)
	return fmt.Sprintf("%s:%d:%d: %s should be %s, this is %s; Claude Code ignores this whole file, and no hook in it runs",
		path, line, col, what, kindNames[want], kindNames[v.kind])
}
