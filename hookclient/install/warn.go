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
	"github.com/aoctl/aoctl/hookclient/profile"
)

// source is one of the files that Claude Code adds up its settings from.
type Source struct {
	Path    string
	Name    string // as in --setting-sources: user, project, local; else empty
	Managed bool   // set by an administrator; beats all others
}

// claudeWarnings looks for what would silence the hooks just installed, or get round
// them, in every settings file that Claude Code would read in the current folder.
// after is the new text of f.
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
		if err != nil || !other.exists {
			continue
		}
		d, err := ParseClaude(other.data)
		if err != nil {
			continue // Claude Code does not read it either
		}
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

// ClaudeSources lists the settings files that count in the folder project.
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

func sourceWarnings(s Source, text []byte, o Options) []string {
	d, err := ParseClaude(text)
	if syntax, ok := errors.AsType[*jsonc.SyntaxError](err); ok {
		return []string{fmt.Sprintf("%s:%d:%d: %s; Claude Code ignores this whole file", s.Path, syntax.Line, syntax.Col, syntax.Problem)}
	}
	w := ClaudeVoids(s.Path, d)
	warn := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	if isTrue(d.Root.Member("disableAllHooks")) {
		warn(`%s has "disableAllHooks": true: Claude Code runs no hooks, and nothing is asked; remove that line`, s.Path)
	}
	for _, name := range []string{"allowManagedHooksOnly", "strictPluginOnlyCustomization"} {
		if v := d.Root.Member(name); s.Managed && v != nil && v.Text != "false" {
			warn(`%s has %q: Claude Code does not run the hooks of users; ask the administrator`, s.Path, name)
		}
	}
	return append(w, foreignWarnings(s.Path, d, o)...)
}

func isTrue(n *jsonc.Node) bool { return n != nil && n.Kind == jsonc.BoolKind && n.Text == "true" }

// foreignWarnings tells of other hooks on the event that decides, of lines that call
// aoctl in a way of their own, and of another installation that differs from this one.
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
				case claudeLayout().isOurs(handler):
					if isGate(name) && (name != event || command.Text != o.Program.Gate("claude", o.Timeout)) {
						w = append(w, fmt.Sprintf("%s:%d: another installation of aoctl, on %s; Claude Code runs both", path, line, name))
					}
				case command != nil && hookline.Mentions(command.Text):
					w = append(w, fmt.Sprintf("%s:%d: a hook on %s calls aoctl in a form that aoctl did not write; it was left alone", path, line, name))
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

// foreign tells of other hooks on the event that decides, and of lines that call aoctl in
// a way of their own.
func (a agent) foreign(path string, after []byte, o Options) []string {
	d, err := a.document(after)
	if err != nil {
		return nil // after was just made, and parsed
	}
	var w []string
	others, event := 0, a.gate[o.Mode]
	hooks := d.Root.Member("hooks")
	for i := 0; hooks != nil && i < len(hooks.Items); i++ {
		for _, group := range hooks.Items[i].Children("") {
			for _, handler := range a.handlers(group) {
				switch line, _ := jsonc.Locate(d.Src, handler.Start); {
				case a.isOurs(handler):
				case hookline.Mentions(handler.Member(a.line).String()):
					w = append(w, fmt.Sprintf("%s:%d: a hook on %s calls aoctl in a form that aoctl did not write; it was left alone", path, line, machine.Shorten(hooks.Keys[i].Name)))
				case hooks.Keys[i].Name == event:
					others++
				}
			}
		}
	}
	if others > 0 && profile.Of(a.agent).Settings.Rivals {
		w = append(w, fmt.Sprintf("%s has other hooks on %s (%d): %s", path, event, others, rivalry))
	}
	return w
}

// rivalry is what another hook on the event that decides can do.
const rivalry = "one of them can change a call after you allowed it"

// elsewhere names other files in which aoctl stays installed.
func (a agent) elsewhere(o Options, f *settingsFile) []string {
	if a.agent == "claude" {
		return claudeElsewhere(o, f)
	}
	wd, err := os.Getwd()
	if err != nil || a.place().Shared == "" {
		return nil
	}
	path := filepath.Join(wd, a.place().Shared)
	data, err := machine.ReadBounded(path, MaxSettings)
	if err != nil || path == f.path {
		return nil
	}
	d, err := a.document(data)
	if err != nil {
		return nil // the agent does not read it either
	}
	if n, err := a.remove(d, func(string, *jsonc.Node) bool { return false }); err != nil || n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("aoctl is still installed in %s", path)}
}

// moved warns of other people's hooks that change their place from before to after. Codex
// knows by its place which hook is trusted.
func (a agent) moved(path string, before, after []byte) []string {
	if a.agent != "codex" {
		return nil
	}
	was, is := a.places(before), a.places(after)
	n := 0
	for i, place := range was {
		if i < len(is) && is[i] != place {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of others in %s now stand at another place, and Codex runs them only once you trust them again: start codex and type /hooks", machine.Count(n, "hook"), path)}
}

// places lists where the hooks of others are, in the order of the text.
func (a agent) places(text []byte) []string {
	d, err := a.document(text)
	if err != nil {
		return nil
	}
	var list []string
	hooks := d.Root.Member("hooks")
	for i := 0; hooks != nil && i < len(hooks.Items); i++ {
		for g, group := range hooks.Items[i].Children("") {
			for h, handler := range a.handlers(group) {
				if !a.isOurs(handler) {
					list = append(list, fmt.Sprintf("%s:%d:%d", hooks.Keys[i].Name, g, h))
				}
			}
		}
	}
	return list
}

// claudeToo warns of an agent that also runs the hooks of Claude Code's settings: those of
// a project, and with home those of the user.
func claudeToo(o Options, title string, home bool) []string {
	var w []string
	wd, _ := os.Getwd() // without one there is no project
	for _, s := range ClaudeSources(wd, o.ManagedDir) {
		if s.Managed || s.Name == "user" && !home || s.Name == "" {
			continue
		}
		data, err := machine.ReadBounded(s.Path, MaxSettings)
		if err != nil || len(ProgramsIn(s.Path)) == 0 && !hookline.Mentions(string(data)) {
			continue
		}
		w = append(w, fmt.Sprintf("%s also runs the hooks in %s, where aoctl is installed for Claude Code: aoctl is asked by both about one call; to be asked once, take one of them out", title, s.Path))
	}
	return w
}
