package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// source is one of the files that Claude Code adds up its settings from.
type source struct {
	path    string
	name    string // as in --setting-sources: user, project, local; else empty
	managed bool   // set by an administrator; beats all others
}

// claudeWarnings looks for what would silence the hooks just installed, or get round
// them, in every settings file that Claude Code would read in the current folder.
// after is the new text of f.
func claudeWarnings(o Options, f *settingsFile, after []byte) []string {
	w := sourceWarnings(source{path: f.path}, after, o)
	for _, s := range claudeOthers(o, f) {
		other, err := readSettings(s.path, false)
		switch {
		case err != nil:
			w = append(w, fmt.Sprintf("cannot tell what is in %s: %v", s.path, err))
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
		other, err := readSettings(s.path, false)
		if err != nil || !other.exists {
			continue
		}
		d, err := newDocument(other.data)
		if err != nil {
			continue // Claude Code does not read it either
		}
		if n, err := claudeRemove(d, func(string, *node) bool { return false }); err == nil && n > 0 {
			w = append(w, fmt.Sprintf("aoctl is still installed in %s", s.path))
		}
	}
	return w
}

// claudeOthers lists the files beside f that Claude Code reads in the current folder,
// whether or not they exist. In the home folder, a project's file is the user's.
func claudeOthers(o Options, f *settingsFile) []source {
	seen := map[string]bool{f.path: true}
	wd, _ := os.Getwd() // without one there is no project
	return slices.DeleteFunc(claudeSources(wd, o.ManagedDir), func(s source) bool {
		again := seen[s.path]
		seen[s.path] = true
		return again
	})
}

// claudeSources lists the settings files that count in the folder project.
func claudeSources(project, managed string) []source {
	var s []source
	if dir, err := claudeConfigDir(); err == nil {
		s = append(s, source{path: filepath.Join(dir, "settings.json"), name: "user"})
	}
	if project != "" {
		s = append(s, source{path: filepath.Join(project, ".claude", "settings.json"), name: "project"},
			source{path: filepath.Join(project, ".claude", "settings.local.json"), name: "local"})
	}
	if managed == "" {
		managed = "/etc/claude-code"
		if runtime.GOOS == "darwin" {
			managed = "/Library/Application Support/ClaudeCode"
		}
	}
	s = append(s, source{path: filepath.Join(managed, "managed-settings.json"), managed: true})
	more, _ := filepath.Glob(filepath.Join(managed, "managed-settings.d", "*.json")) // the pattern is well formed
	for _, path := range more {
		s = append(s, source{path: path, managed: true})
	}
	return s
}

func sourceWarnings(s source, text []byte, o Options) []string {
	d, err := newDocument(text)
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		return []string{fmt.Sprintf("%s:%d:%d: %s; Claude Code ignores this whole file", s.path, syntax.Line, syntax.Col, syntax.Problem)}
	}
	w := voidWarnings(s.path, d)
	warn := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	if isTrue(d.root.member("disableAllHooks")) {
		warn(`%s has "disableAllHooks": true: Claude Code runs no hooks, and nothing is asked; remove that line`, s.path)
	}
	for _, name := range []string{"allowManagedHooksOnly", "strictPluginOnlyCustomization"} {
		if v := d.root.member(name); s.managed && v != nil && v.text != "false" {
			warn(`%s has %q: Claude Code does not run the hooks of users; ask the administrator`, s.path, name)
		}
	}
	return append(w, foreignWarnings(s.path, d, o)...)
}

func isTrue(n *node) bool { return n != nil && n.kind == kindBool && n.text == "true" }

// foreignWarnings tells of other hooks on the event that decides, of lines that call
// aoctl in a way of their own, and of another installation that differs from this one.
func foreignWarnings(path string, d *document, o Options) []string {
	var w []string
	others := 0
	event := claudeGates[o.Mode]
	hooks := d.root.member("hooks")
	for i := 0; hooks != nil && i < len(hooks.items); i++ {
		for _, group := range hooks.items[i].children("") {
			for _, handler := range group.children("hooks") {
				line, _ := locate(d.src, handler.start)
				command := handler.member("command")
				switch name := hooks.keys[i].name; {
				case claudeIsOurs(handler):
					if isGate(name) && (name != event || command.text != o.Program.gateCommand("claude", o.Timeout)) {
						w = append(w, fmt.Sprintf("%s:%d: another installation of aoctl, on %s; Claude Code runs both", path, line, name))
					}
				case command != nil && mentionsUs(command.text):
					w = append(w, fmt.Sprintf("%s:%d: a hook on %s calls aoctl in a form that aoctl did not write; it was left alone", path, line, name))
				case name == event:
					others++
				}
			}
		}
	}
	if others > 0 {
		w = append(w, fmt.Sprintf("%s has other hooks on %s (%d): one of them can change a call after you allowed it", path, event, others))
	}
	return w
}

// isGate reports whether event is one that decides, in either mode.
func isGate(event string) bool {
	return slices.ContainsFunc(Modes(), func(m Mode) bool { return claudeGates[m] == event })
}
