package install

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aoctl/aoctl/hookclient/install/hookline"
	"github.com/aoctl/aoctl/hookclient/install/jsonc"
	"github.com/aoctl/aoctl/hookclient/install/machine"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// rivalry is what another hook on the event that decides can do.
const rivalry = "one of them can change a call after you allowed it"

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
				// It may be a gate that somebody wrote by hand. That it decides anything, nobody
				// can tell from here.
				case hookline.Mentions(handler.Member(a.line).String()):
					w = append(w, fmt.Sprintf("%s:%d: a hook on %s calls aoctl in a form that aoctl did not write; install did not change it", path, line, machine.Shorten(hooks.Keys[i].Name)))
				case hooks.Keys[i].Name == event:
					others++
				}
			}
		}
	}
	// With some agents a later hook cannot change what an earlier one allowed.
	if others > 0 && profile.Of(a.agent).Settings.Rivals {
		w = append(w, fmt.Sprintf("%s has other hooks on %s (%d): %s", path, event, others, rivalry))
	}
	return w
}

// leftIn names other files in which aoctl stays installed.
func (a agent) leftIn(o Options, f *settingsFile) []string {
	if a.elsewhere != nil {
		return a.elsewhere(o, f)
	}
	wd, err := os.Getwd()
	if err != nil || a.settings().Shared == "" {
		return nil
	}
	path := filepath.Join(wd, a.settings().Shared)
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

// moveWarnings warns of other people's hooks that change their place from before to after.
func (a agent) moveWarnings(path string, before, after []byte) []string {
	if a.moved == nil {
		return nil
	}
	return a.moved(path, before, after)
}
