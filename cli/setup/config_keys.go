package setup

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
)

// keysNow are the keys of an action as --json prints them. Keys are what holds,
// Default what would hold without the file. Line is 0 for keys that are the default
// ones.
type keysNow struct {
	ID      string   `json:"id"` // the action again: lists of all commands have it
	Action  string   `json:"action"`
	Keys    []string `json:"keys"`
	Default []string `json:"default"`
	From    string   `json:"from"`           // default or file
	Line    int      `json:"line,omitempty"` // of the file
}

// keys lists every action with the keys that a console would start with. It is never
// nil. An action that the file does not name has its default keys.
func (l settingsList) keys() []keysNow {
	list := []keysNow{}
	for _, a := range l.actions {
		k := keysNow{ID: a.Name, Action: a.Name, Default: a.Default, From: "default"}
		if k.Keys, k.Line = l.file.KeysOf(a); k.Line > 0 {
			k.From = "file"
		}
		list = append(list, k)
	}
	return list
}

// from says where the keys come from, as settingNow.from does.
func (k keysNow) from(f config.File) string {
	if k.Line > 0 {
		return f.Place(k.Line)
	}
	return k.From
}

// printKeys prints the table [keys] as it holds now, all actions. It lists all
// actions; the main list has only those that were changed.
func (l settingsList) printKeys(as *output.Format, out io.Writer) error {
	if as.On() {
		return as.Print(out, l.keys())
	}
	t := &show.Table{Head: []string{"ACTION", "KEYS", "FROM"}}
	for _, k := range l.keys() {
		t.Add(k.Action, strings.Join(k.Keys, " "), k.from(l.file))
	}
	return t.Print(out)
}

// oneAction prints the keys of one action, or with JSON all about them. A name that is
// no action gets those that come near.
func (l settingsList) oneAction(name string, as *output.Format, out io.Writer) error {
	list := l.keys()
	i := slices.IndexFunc(list, func(k keysNow) bool { return k.Action == name })
	if i < 0 {
		p := config.UnknownAction(name, l.actions)
		return usage.Error{Text: p.Text, Hint: p.Cure}
	}
	if as.On() {
		return as.Print(out, list[i])
	}
	return show.Line(out, strings.Join(list[i].Keys, " "))
}

// chosenKeys are rows of the main list: only the keys that the file sets, since there
// are many actions.
func (l settingsList) chosenKeys(t *show.Table) {
	for _, k := range l.keys() {
		if k.Line > 0 {
			t.Add(fmt.Sprintf("%s.%s", config.KeysTable, k.Action), strings.Join(k.Keys, " "), k.from(l.file))
		}
	}
}
