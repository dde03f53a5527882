package console

import (
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/tui"
)

// KeyActions are the actions of the console that the settings file may give a key. The list
// is the screen's own, so a new action can be bound without a change here.
func KeyActions() []config.Action {
	var list []config.Action
	for _, a := range tui.KeyActions() {
		list = append(list, config.Action{Name: a.Name, Old: a.Old, Decision: a.Decision, Default: a.Default})
	}
	return list
}

// chosenKeys are the keys that the settings file sets, as the screen calls them: the file
// has a name for the blank, which Bubble Tea has not. It is empty, never nil, when the file
// sets none.
func (o Options) chosenKeys() map[string][]string {
	chosen := map[string][]string{}
	for action, keys := range o.config.Chosen() {
		for _, k := range keys {
			if k == "space" {
				k = " "
			}
			chosen[action] = append(chosen[action], k)
		}
	}
	return chosen
}
