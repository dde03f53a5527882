package callview

import (
	"slices"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/change"
)

// defaults are the fields that do what their absence does when they have just this value, by tool.
// Any other value, and any other way to write it, is drawn.
var defaults = map[string]map[string]string{
	"Bash":         {"run_in_background": "false", "dangerouslyDisableSandbox": "false"},
	"Edit":         {"replace_all": "false"},
	"MultiEdit":    {"replace_all": "false"},
	"NotebookEdit": {"edit_mode": `"replace"`},
}

// telling are the fields of a tool's input that a card has: a folded one leaves out what is as it
// would be without them.
func (a Around) telling(tool string, list []wire.Field) []wire.Field {
	if !a.folded() {
		return list
	}
	return withoutDefaults(tool, list)
}

func withoutDefaults(tool string, list []wire.Field) []wire.Field {
	return slices.DeleteFunc(slices.Clone(list), func(f wire.Field) bool {
		usual, ok := defaults[tool][f.Key]
		return ok && string(f.Value) == usual
	})
}

// tellingSections are the sections of a change without fields that have their default value.
func tellingSections(tool string, list []change.Section) []change.Section {
	list = slices.Clone(list)
	for i := range list {
		list[i].Rest = withoutDefaults(tool, list[i].Rest)
	}
	return list
}
