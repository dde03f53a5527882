package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// silencers are members of Claude Code's settings that keep installed hooks from running.
var silencers = []string{"disableAllHooks", "allowManagedHooksOnly", "strictPluginOnlyCustomization"}

// Silences says why a settings file of Claude Code must not take effect while aoctl guards
// it: it switches hooks off, sets a variable that steers a gate, or cannot be read as
// strict JSON, which Claude Code may read otherwise. "" is nothing of the kind.
func Silences(settings []byte) string {
	if len(strings.TrimSpace(string(settings))) == 0 {
		return ""
	}
	d, err := newDocument(settings)
	if err != nil || d.root.kind != kindObject {
		return "it is no strict JSON, so what it sets cannot be told"
	}
	for _, name := range silencers {
		if v := d.root.member(name); v != nil && (v.kind != kindBool || v.text != "false") {
			return name + " in it switches hooks off"
		}
	}
	env := d.root.member("env")
	switch {
	case env == nil:
		return ""
	case env.kind != kindObject:
		return "which variables it sets cannot be told"
	}
	for _, k := range env.keys {
		if what := steering(k.name); what != "" {
			return "its variable " + shorten(k.name) + " sets " + what
		}
	}
	return ""
}

// ProgramsIn are the programs that hooks of aoctl in a settings file of Claude Code run,
// as absolute paths; none when the file cannot be read.
func ProgramsIn(file string) []string {
	data, err := os.ReadFile(file) // #nosec G304 -- only looked at
	if err != nil {
		return nil
	}
	d, err := newDocument(data)
	if err != nil || d.root.kind != kindObject {
		return nil
	}
	hooks := d.root.member("hooks")
	if hooks == nil || hooks.kind != kindObject {
		return nil
	}
	var list []string
	for _, groups := range hooks.items {
		for _, group := range groups.children("") {
			for _, handler := range group.children("hooks") {
				if path := programOf(handler); path != "" && !slices.Contains(list, path) {
					list = append(list, path)
				}
			}
		}
	}
	return list
}

// programOf is what a handler of ours runs, "" when it is not ours or no absolute path.
func programOf(handler *node) string {
	command := handler.member("command")
	if command == nil || !claudeIsOurs(handler) {
		return ""
	}
	line := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(command.text), open), shut)
	line = strings.TrimSuffix(strings.TrimSuffix(line, gateGuard), watchTail)
	if words, ok := splitWords(line); ok && len(words) > 0 && filepath.IsAbs(words[0]) {
		return words[0]
	}
	return ""
}
