package tui

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
)

// KeyAction is something that a key of the console does, as the settings file names it.
type KeyAction struct {
	Name     string   // deny_why
	Decision bool     // it ends a call, so its key must not be one that is pressed by habit or by a paste
	Default  []string // the keys, as Bubble Tea calls them, but "space" for " "
}

// KeyActions are the actions whose keys the operator may choose, in the order of the key map.
func KeyActions() []KeyAction {
	defaults := defaultKeyMap()
	fields := reflect.ValueOf(defaults)
	var actions []KeyAction
	for i := range fields.NumField() {
		b, ok := fields.Field(i).Interface().(key.Binding)
		if !ok {
			continue
		}
		a := KeyAction{Name: snakeCase(fields.Type().Field(i).Name)}
		a.Decision = slices.Contains([]string{"allow", "deny", "deny_why", "yes"}, a.Name)
		for _, k := range b.Keys() {
			if k == " " {
				k = "space"
			}
			a.Default = append(a.Default, k)
		}
		actions = append(actions, a)
	}
	for _, o := range table {
		keys := o.key.Keys()
		if len(keys) == 0 || slices.ContainsFunc(actions, func(a KeyAction) bool { return slices.Contains(a.Default, keys[0]) }) {
			continue
		}
		actions = append(actions, KeyAction{Name: strings.ReplaceAll(o.name, " ", "_"), Default: keys})
	}
	return actions
}

// snakeCase is DenyWhy as deny_why.
func snakeCase(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
