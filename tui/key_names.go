package tui

import (
	"slices"
	"strings"
)

// KeyAction is something that a key of the console does, as the settings file names it.
type KeyAction struct {
	Name     string   // deny_why
	Old      string   // its name in older files, which is still read; "" for none
	Decision bool     // it ends a call, so its key must not be one that is pressed by habit or by a paste
	Default  []string // the keys, as Bubble Tea calls them, but "space" for " "
}

// KeyActions are the actions whose keys the operator may choose, in the order of the help.
func KeyActions() []KeyAction {
	list := make([]KeyAction, 0, len(actions))
	for _, a := range actions {
		if a.Name == "" { // its keys are what they are
			continue
		}
		k := KeyAction{Name: a.Name, Old: a.Old, Decision: slices.Contains([]string{"allow", "deny", "deny_why", "yes"}, a.Name)}
		for _, name := range a.Keys() {
			if name == " " {
				name = "space"
			}
			k.Default = append(k.Default, name)
		}
		list = append(list, k)
	}
	return list
}

// actionName is the name of a screen as one of an action.
func actionName(screen string) string { return strings.ReplaceAll(screen, " ", "_") }
