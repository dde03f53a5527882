package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/cli/usage"
)

// KeysTable is the name of the table that says which keys the console has: [keys] in the
// file. It is the only table there is.
const KeysTable = "keys"

// Action is something that a key of the console does. The console has the list of them;
// this package knows none by name, so a new action needs no change here.
type Action struct {
	Name     string
	Old      string   // its name in older files, which is still read; "" for none
	Decision bool     // it ends a call
	Default  []string // its keys without a file
}

// Binding is what a file says of one action. Its keys replace the default ones, all of
// them, and there is at least one.
type Binding struct {
	Action string
	Keys   []string
	Line   int // from 1
}

// binding reads the value of one line of [keys]. actions are all there are. The returned
// Binding is empty with an error, and has no line yet.
//
// The checks protect a person from keys of somebody else: any program of the user may have
// written the file, and a key that is pressed without thinking must not allow a call.
func binding(name string, v any, actions []Action) (Binding, *FileError) {
	i := slices.IndexFunc(actions, func(a Action) bool { return name != "" && (a.Name == name || a.Old == name) })
	if i < 0 {
		return Binding{}, UnknownAction(name, actions)
	}
	a := actions[i]
	keys, ok := keyList(v)
	if !ok {
		_, what := kindOf(v)
		return Binding{}, &FileError{Text: fmt.Sprintf("keys.%s must be a key or a list of keys, not %s", name, what), Cure: "write " + a.example()}
	}
	if len(keys) == 0 {
		return Binding{}, &FileError{Text: fmt.Sprintf("keys.%s has no key", name), Cure: "write " + a.example() + ", or take the line out"}
	}
	// Two keys for one decision would be one that nobody remembers, and that is pressed by
	// mistake.
	if a.Decision && len(keys) > 1 {
		return Binding{}, &FileError{Text: fmt.Sprintf("keys.%s decides about calls and has %d keys", name, len(keys)), Cure: "give it one key"}
	}
	for n, k := range keys {
		switch {
		case slices.Contains(keys[:n], k):
			return Binding{}, &FileError{Text: fmt.Sprintf("keys.%s has %s twice", name, shown(k)), Cure: "take one out"}
		case !isKey(k):
			return Binding{}, &FileError{Text: fmt.Sprintf("keys.%s: %q is not a key", name, shown(k)), Cure: keyHint}
		// Digits type the code of a dangerous call. An action that has one by default, such
		// as a pane's number, is on a screen where no code is typed.
		case isDigit(k) && !slices.Contains(a.Default, k):
			return Binding{}, &FileError{Text: fmt.Sprintf("keys.%s: %s may not do anything else: digits type the code of a dangerous call", name, k), Cure: keyHint}
		case a.Decision && !mayDecide(k):
			return Binding{}, &FileError{
				Text: fmt.Sprintf("keys.%s: %s may not decide about calls: it is pressed by habit, or comes with a paste", name, shown(k)),
				Cure: "choose a letter or a sign, ctrl and a letter, or f1 to f12",
			}
		}
	}
	return Binding{Action: a.Name, Keys: keys}, nil
}

// keyList is the value of an action: one key, or a list of keys. An empty list is one too;
// binding refuses it with a better word.
func keyList(v any) ([]string, bool) {
	if s, ok := v.(string); ok {
		return []string{s}, true
	}
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	var keys []string
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			return nil, false
		}
		keys = append(keys, s)
	}
	return keys, true
}

// UnknownAction says that no action has this name, and names those actions that were
// probably meant. The error has no line.
func UnknownAction(name string, actions []Action) *FileError {
	var names []string
	for _, a := range actions {
		names = append(names, a.Name)
	}
	p := &FileError{Text: fmt.Sprintf("there is no action %q", shown(name)), Cure: "aoctl config keys lists those there are"}
	// Settings are written with "-" and actions with "_", and people mix them up.
	if near := usage.Near(strings.ReplaceAll(name, "-", "_"), names); len(near) > 0 {
		p.Cure = "did you mean " + strings.Join(near[:min(len(near), 3)], " or ") + "?"
	}
	return p
}

// example is a line of [keys] that may stand there: the action with its default keys.
func (a Action) example() string {
	if len(a.Default) == 1 {
		return fmt.Sprintf("%s = %q", a.Name, a.Default[0])
	}
	var quoted []string
	for _, k := range a.Default {
		quoted = append(quoted, fmt.Sprintf("%q", k))
	}
	return a.Name + " = [" + strings.Join(quoted, ", ") + "]"
}

// apart refuses a key that would do two things. Some keys do two things by default, each on
// a screen of its own, such as n; those pairs may stay, also where a file says them again.
//
// Which actions meet on one screen is not known here, so any other pair is refused.
func apart(list []Binding, actions []Action) *FileError {
	for _, b := range list {
		// Every action is compared, also those the file says nothing of: a key may be
		// another's default.
		for _, other := range actions {
			if other.Name == b.Action {
				continue
			}
			own := defaultOf(b.Action, actions)
			for _, k := range b.Keys {
				if !slices.Contains(keysNow(other, list), k) || slices.Contains(own, k) && slices.Contains(other.Default, k) {
					continue
				}
				return &FileError{
					Line: b.Line, Text: fmt.Sprintf("%s is the key of %s and of %s", k, b.Action, other.Name),
					Cure: fmt.Sprintf("choose another key for one of them, such as %s = \"…\"", other.Name),
				}
			}
		}
	}
	return nil
}

// defaultOf are the keys that an action has without a file; nil when there is no such
// action.
func defaultOf(name string, actions []Action) []string {
	for _, a := range actions {
		if a.Name == name {
			return a.Default
		}
	}
	return nil
}

// keysNow are the keys of a with what the file says: those of its line, else the default
// ones.
func keysNow(a Action, list []Binding) []string {
	for _, b := range list {
		if b.Action == a.Name {
			return b.Keys
		}
	}
	return a.Default
}

// KeysOf are the keys of a, and the line of the file that says so; 0 for the default. With
// a Problem in the file all have their default.
func (f File) KeysOf(a Action) (keys []string, line int) {
	for _, b := range f.Bindings {
		if b.Action == a.Name {
			return b.Keys, b.Line
		}
	}
	return a.Default, 0
}

// Chosen are the keys that the file sets, by action; nil when it sets none. The keys have
// the names that a person writes, such as "space".
func (f File) Chosen() map[string][]string {
	if len(f.Bindings) == 0 {
		return nil
	}
	m := make(map[string][]string, len(f.Bindings))
	for _, b := range f.Bindings {
		m[b.Action] = b.Keys
	}
	return m
}
