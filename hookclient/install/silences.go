package install

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
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
	if err != nil || d.Root.Kind != jsonc.ObjectKind {
		return "it is no strict JSON, so what it sets cannot be told"
	}
	for _, name := range silencers {
		if v := d.Root.Member(name); v != nil && (v.Kind != jsonc.BoolKind || v.Text != "false") {
			return name + " in it switches hooks off"
		}
	}
	env := d.Root.Member("env")
	switch {
	case env == nil:
		return ""
	case env.Kind != jsonc.ObjectKind:
		return "which variables it sets cannot be told"
	}
	for _, k := range env.Keys {
		if what := steering(k.Name); what != "" {
			return "its variable " + shorten(k.Name) + " sets " + what
		}
	}
	return ""
}

// ProgramsIn are the programs that hooks of aoctl in a settings file of an agent run, as
// absolute paths; none when the file cannot be read, or is no settings file: too large, or
// not text.
func ProgramsIn(file string) []string {
	data, err := readBounded(file, maxSettings)
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return nil
	}
	var list []string
	for _, a := range agents() {
		for _, path := range a.programs(data) {
			if filepath.IsAbs(path) && !slices.Contains(list, path) {
				list = append(list, path)
			}
		}
	}
	return list
}

// programs are what hooks of ours for this agent run in data.
func (a agent) programs(data []byte) []string {
	if a.plugin != nil {
		return a.plugin.programs(data)
	}
	d, err := a.document(data)
	if err != nil {
		return nil
	}
	var list []string
	hooks := d.Root.Member("hooks")
	for i := 0; hooks != nil && i < len(hooks.Items); i++ {
		for _, group := range hooks.Items[i].Children("") {
			for _, handler := range a.handlers(group) {
				if path := a.programOf(handler); path != "" {
					list = append(list, path)
				}
			}
		}
	}
	return list
}

// programOf is what a handler of ours runs, "" when it is not ours.
func (l layout) programOf(handler *jsonc.Node) string {
	if !l.isOurs(handler) {
		return ""
	}
	return hookline.ProgramOf(handler.Member(l.line).Text, l.agent)
}

// UserFiles are the settings of the user's own in which hooks would be installed, one for
// each agent whose folder is known.
func UserFiles() []string {
	var list []string
	for _, a := range agents() {
		if dir, err := a.home(); err == nil {
			list = append(list, filepath.Join(dir, a.file))
		}
	}
	return list
}
