package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
)

// Source is one of the files that Claude Code adds up its settings from. Later sources win over
// earlier ones with Claude Code, except that hooks of all of them run.
type Source struct {
	Path    string
	Name    string // as in --setting-sources: user, project, local; else empty
	Managed bool   // set by an administrator; beats all others
}

// claudeWarnings looks for what would silence the hooks just installed, or get round
// them, in every settings file that Claude Code would read in the current folder.
// after is the new text of f. A file that cannot be read is a warning and no error: the
// installation itself is fine.
func claudeWarnings(o Options, f *settingsFile, after []byte) []string {
	w := append(claudeAge(o), sourceWarnings(Source{Path: f.path}, after, o)...)
	for _, s := range claudeOthers(o, f) {
		other, err := readSettings(s.Path, false)
		switch {
		case err != nil:
			w = append(w, fmt.Sprintf("cannot tell what is in %s: %v", s.Path, err))
		case other.exists:
			w = append(w, sourceWarnings(s, other.data, o)...)
		}
	}
	return w
}

// claudeElsewhere names the other files in which aoctl stays installed.
func claudeElsewhere(o Options, f *settingsFile) []string {
	var w []string
	for _, s := range claudeOthers(o, f) {
		other, err := readSettings(s.Path, false)
		// What cannot be read here cannot be told of.
		if err != nil || !other.exists {
			continue
		}
		d, err := ParseClaude(other.data)
		if err != nil {
			continue // Claude Code does not read it either
		}
		// The removal is done on a text in memory, to count; nothing is written.
		if n, err := claudeLayout().remove(d, func(string, *jsonc.Node) bool { return false }); err == nil && n > 0 {
			w = append(w, fmt.Sprintf("aoctl is still installed in %s", s.Path))
		}
	}
	return w
}

// claudeOthers lists the files beside f that Claude Code reads in the current folder,
// whether or not they exist. In the home folder, a project's file is the user's.
func claudeOthers(o Options, f *settingsFile) []Source {
	seen := map[string]bool{f.path: true}
	wd, _ := os.Getwd() // without one there is no project
	return slices.DeleteFunc(ClaudeSources(wd, o.ManagedDir), func(s Source) bool {
		again := seen[s.Path]
		seen[s.Path] = true
		return again
	})
}

// ClaudeSources lists the settings files that count in the folder project. The order is that in
// which Claude Code reads them. project "" leaves the project's out.
func ClaudeSources(project, managed string) []Source {
	var s []Source
	if dir, err := ClaudeFolder(); err == nil {
		s = append(s, Source{Path: filepath.Join(dir, "settings.json"), Name: "user"})
	}
	if project != "" {
		s = append(s, Source{Path: filepath.Join(project, ".claude", "settings.json"), Name: "project"},
			Source{Path: filepath.Join(project, ".claude", "settings.local.json"), Name: "local"})
	}
	if managed == "" {
		managed = "/etc/claude-code"
		if runtime.GOOS == "darwin" {
			managed = "/Library/Application Support/ClaudeCode"
		}
	}
	s = append(s, Source{Path: filepath.Join(managed, "managed-settings.json"), Managed: true})
	more, _ := filepath.Glob(filepath.Join(managed, "managed-settings.d", "*.json")) // the pattern is well formed
	for _, path := range more {
		s = append(s, Source{Path: path, Managed: true})
	}
	return s
}

// sourceWarnings says what in one settings file keeps Claude Code from running our hooks.
func sourceWarnings(s Source, text []byte, o Options) []string {
	d, err := ParseClaude(text)
	if syntax, ok := errors.AsType[*jsonc.SyntaxError](err); ok {
		return []string{fmt.Sprintf("%s:%d:%d: %s; Claude Code ignores this whole file", s.Path, syntax.Line, syntax.Col, syntax.Problem)}
	}
	w := ClaudeVoids(s.Path, d)
	warn := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	if d.Root.Member("disableAllHooks").IsTrue() {
		warn(`%s has "disableAllHooks": true: Claude Code runs no hooks, and nothing is asked; remove that line`, s.Path)
	}
	// Only an administrator's file has a say in these.
	for _, name := range []string{"allowManagedHooksOnly", "strictPluginOnlyCustomization"} {
		if v := d.Root.Member(name); s.Managed && v != nil && v.Text != "false" {
			warn(`%s has %q: Claude Code does not run the hooks of users; ask the administrator`, s.Path, name)
		}
	}
	return append(w, foreignWarnings(s.Path, d, o)...)
}

// foreignWarnings tells of other hooks on the event that decides, of lines that call
// aoctl in a way of their own, and of another installation that differs from this one.
//
// Other hooks on the same event run beside ours, and one that comes later can change the call
// that was allowed.
func foreignWarnings(path string, d *jsonc.Document, o Options) []string {
	var w []string
	others := 0
	event := ClaudeGates[o.Mode]
	hooks := d.Root.Member("hooks")
	for i := 0; hooks != nil && i < len(hooks.Items); i++ {
		for _, group := range hooks.Items[i].Children("") {
			for _, handler := range group.Children("hooks") {
				line, _ := jsonc.Locate(d.Src, handler.Start)
				command := handler.Member("command")
				switch name := hooks.Keys[i].Name; {
				// The same line twice runs once; another line of ours is a second question.
				case claudeLayout().isOurs(handler):
					if isGate(name) && (name != event || command.Text != o.Program.Gate("claude", o.Timeout)) {
						w = append(w, fmt.Sprintf("%s:%d: another installation of aoctl, on %s; Claude Code runs both", path, line, name))
					}
				case command != nil && hookline.Mentions(command.Text):
					w = append(w, fmt.Sprintf("%s:%d: a hook on %s calls aoctl in a form that aoctl did not write; install did not change it", path, line, name))
				case name == event:
					others++
				}
			}
		}
	}
	if others > 0 {
		w = append(w, fmt.Sprintf("%s has other hooks on %s (%d): %s", path, event, others, rivalry))
	}
	return w
}

// isGate reports whether event is one that decides, in either mode.
func isGate(event string) bool {
	return slices.ContainsFunc(Modes(), func(m Mode) bool { return ClaudeGates[m] == event })
}

// claudeToo warns of an agent that also runs the hooks of Claude Code's settings: those of
// a project, and with home those of the user. Such an agent then asks twice about one call. That
// is safe and tiresome.
func claudeToo(o Options, title string, home bool) []string {
	var w []string
	wd, _ := os.Getwd() // without one there is no project
	// Only files that such an agent reads as well are named.
	for _, s := range ClaudeSources(wd, o.ManagedDir) {
		if s.Managed || s.Name == "user" && !home || s.Name == "" {
			continue
		}
		data, err := machine.ReadBounded(s.Path, MaxSettings)
		if err != nil || len(ProgramsIn(s.Path)) == 0 && !hookline.Mentions(string(data)) {
			continue
		}
		w = append(w, fmt.Sprintf("%s also runs the hooks in %s, where aoctl is installed for Claude Code: both ask aoctl about the same call; to be asked once, take one of them out", title, s.Path))
	}
	return w
}
