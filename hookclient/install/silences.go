package install

import "strings"

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
