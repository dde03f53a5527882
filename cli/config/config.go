// Package config is the console's settings file: which settings there are, what each may
// be, and what a file says of them.
//
// The file is TOML, a setting a line, named as the flag of the console that it stands for.
// One table, [keys], says which keys the console has: bindings.go reads it, and
// key_check.go knows which keys there are and which may decide about a call. The console
// hands over the list of actions. Any program of the user may have written it, so Keys has
// only settings that let no call through and name no program; Refused has the console's
// other flags with the reason why a file does not set them. A file with one thing wrong in
// it counts for nothing, and the error names the line, the setting and what may stand
// there.
//
// Read takes the file from its folder, which must be this user's alone. Parse decodes it.
// Load does both and keeps what is wrong, since a console starts without the file rather
// than not at all; the File that it returns fills the console's flags where neither the
// command line nor the environment says anything. The checks of single values are the
// flags' own, so that both refuse the same and say the same.
//
// Open keys.go first: it has the settings. A new one is a Key there, or a Refusal.
// config.go decodes, load.go is what the console and "aoctl config" use.
package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/aoctl/aoctl/broker/rules/tomlwords"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
)

// Name is the settings file's, in the folder that paths.ConfigDir names. No other name is
// read.
const Name = "config.toml"

// MaxFile is how large a settings file may be, bytes. All settings with a comment each need
// less than a tenth of it.
const MaxFile = 16 << 10

// FileError says what is wrong with a settings file, and what to do. Its texts are fit for
// one line of a terminal: what they quote from the file went through printable.
type FileError struct {
	Line int    // from 1; 0: the file as a whole
	Text string // one line, with what is said about the file or the setting
	Cure string // one line
}

func (p *FileError) Error() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Text)
}

// Setting is one line of a file. Its value was checked, and a flag takes it as it is.
type Setting struct {
	Key   string
	Value string // as a flag takes it
	Line  int    // from 1
}

// Contents is all that a file says, each list in the order of the file.
type Contents struct {
	Settings []Setting
	Bindings []Binding // of the table [keys]
}

// Parse reads a settings file and sees that there is what its settings need. actions are
// those that may have a key. The error is the first one in the file, and then there are no
// settings at all: half of a file would be a mixture that nobody wrote.
func Parse(data []byte, actions []Action) (Contents, *FileError) {
	c, p := parse(data, actions)
	if p != nil {
		return Contents{}, p
	}
	for _, s := range c.Settings {
		// The desktop's program is looked for here and not when a call waits: a
		// notification that never comes is noticed too late.
		if s.Key != "desktop" || s.Value != "true" {
			continue
		}
		if _, err := terminal.Desktop(s.Key); err != nil {
			failed, _ := errors.AsType[exit.Error](err)
			return Contents{}, &FileError{Line: s.Line, Text: failed.Text, Cure: failed.Hint}
		}
	}
	return c, nil
}

// parse is Parse but for what this machine has. Whether a text is fine does not depend on
// where it is read, so tests and fuzzing use this one.
func parse(data []byte, actions []Action) (Contents, *FileError) {
	// This comes first: the decoder may quote what it finds, and a person must have seen
	// what is there.
	if p := checkSource(data); p != nil {
		return Contents{}, p
	}
	var tree map[string]any
	// The text is decoded twice. The tree has the values, the strict decoder (keysOf) the
	// lines.
	if err := toml.Unmarshal(data, &tree); err != nil {
		return Contents{}, syntaxError(err)
	}
	var c Contents
	for _, at := range keysOf(data) {
		line, _ := at.Position()
		if p := c.take(at, line, tree, actions); p != nil {
			p.Line = line
			return Contents{}, p
		}
	}
	if p := c.whole(tree); p != nil {
		return Contents{}, p
	}
	// These two are about several lines at once, so all must have been read.
	if p := cmp.Or(together(c.Settings), apart(c.Bindings, actions)); p != nil {
		return Contents{}, p
	}
	return c, nil
}

// take adds what stands at one place of the file: at names it, and tree has all values. The
// error has no line; parse adds it.
func (c *Contents) take(at toml.DecodeError, line int, tree map[string]any, actions []Action) *FileError {
	name := strings.Join(at.Key(), ".")
	if table, ok := tree[KeysTable].(map[string]any); ok && len(at.Key()) == 2 && at.Key()[0] == KeysTable {
		b, p := binding(at.Key()[1], table[at.Key()[1]], actions)
		b.Line = line
		if p == nil && slices.ContainsFunc(c.Bindings, func(o Binding) bool { return o.Action == b.Action }) {
			p = &FileError{Text: fmt.Sprintf("keys.%s and its older name stand both there", b.Action), Cure: "take one out"}
		}
		c.Bindings = append(c.Bindings, b)
		return p
	}
	// The decoder reports a table that the struct lacks as one place, by these words.
	table := len(at.Key()) > 1 || at.Error() == "toml: missing table"
	value, p := valueOf(name, tree[name], table)
	// A line of [keys] that stands above its heading is the likeliest mistake with an
	// action's name.
	if _, refused := Refused[name]; p != nil && !refused && !table && defaultOf(name, actions) != nil {
		p.Cure = "the line stands below [keys]: write [keys] before it"
	}
	c.Settings = append(c.Settings, Setting{Key: name, Value: value, Line: line})
	return p
}

// whole sees that everything in the file was taken. The strict decoder passes over what it
// takes for the table [keys] and is not, such as [Keys]; nothing may be passed over.
func (c *Contents) whole(tree map[string]any) *FileError {
	keys, isTable := tree[KeysTable].(map[string]any)
	settings := len(tree)
	if _, there := tree[KeysTable]; there {
		settings--
		if !isTable {
			return &FileError{Text: "keys must be a table", Cure: "write [keys] on a line of its own, and below it lines such as mark = \"space\""}
		}
	}
	// Counting is enough: take was called once for each place, and TOML has no key twice.
	if len(c.Settings) == settings && len(c.Bindings) == len(keys) {
		return nil
	}
	return &FileError{Text: "the table of keys is not written as [keys]", Cure: "write [keys] on a line of its own, and below it lines such as mark = \"space\""}
}

// keysOf lists what a text that is known to be TOML sets, and where. A strict decoder names
// everything for which a struct has no field, and this struct has none but an empty table
// for [keys], so that each line of that is named, too. An empty file has no places.
func keysOf(data []byte) []toml.DecodeError {
	var none struct {
		Keys struct{} `toml:"keys"`
	}
	strict, ok := errors.AsType[*toml.StrictMissingError](toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&none))
	if !ok {
		return nil
	}
	return strict.Errors
}

// syntaxError says where a text is not TOML. A key that comes twice is among this. The
// decoder's own words are put into plainer ones, since they speak of the grammar.
func syntaxError(err error) *FileError {
	p := &FileError{Text: printable(tomlwords.Plain(err)), Cure: "write one setting a line, such as max-pending = 100, and text in quotes"}
	if d, ok := errors.AsType[*toml.DecodeError](err); ok {
		p.Line, _ = d.Position()
	}
	if strings.HasSuffix(p.Text, "is already defined") {
		p.Cure = "keep one of the two lines"
	}
	return p
}

// valueOf is the value of one setting as a flag takes it. table says that the place is a
// table. The error says most of what was probably meant: a flag that is refused, a name
// that is nearly right.
func valueOf(name string, v any, table bool) (string, *FileError) {
	if table {
		return "", &FileError{Text: fmt.Sprintf("there is no table [%s] here; the only one is [%s]", shown(name), KeysTable), Cure: "write each setting on a line of its own, without a heading"}
	}
	for _, k := range Keys() {
		if k.Name == name {
			return k.value(v)
		}
	}
	if r, ok := Refused[name]; ok {
		return "", &FileError{Text: name + " is not taken from a file: " + r.Why, Cure: "take it out, and " + r.Instead}
	}
	p := &FileError{Text: fmt.Sprintf("there is no setting %q", shown(name)), Cure: "aoctl config lists those there are"}
	if near := Near(name); near != "" {
		p.Cure = "did you mean " + near + "?"
	}
	return "", p
}

// value is v as a flag takes it, if that is a value of k. Text that looks like a number is
// refused as a number would be for text: max-pending = "100" is a mistake that a later one
// could hide.
func (k Key) value(v any) (string, *FileError) {
	if kind, what := kindOf(v); kind != k.Kind {
		return "", &FileError{Text: fmt.Sprintf("%s must be %s, not %s", k.Name, k.Kind, what), Cure: fmt.Sprintf("write %s = %s", k.Name, k.Example())}
	}
	text := fmt.Sprint(v)
	if k.check == nil {
		return text, nil
	}
	if err := k.check(text); err != nil {
		wrong, _ := errors.AsType[usage.Error](err)
		return "", &FileError{Text: cmp.Or(wrong.Text, err.Error()), Cure: cmp.Or(wrong.Hint, "write "+k.Name+" = "+k.Example())}
	}
	return text, nil
}

// together refuses more waiting calls of one session than of all. The default of all counts
// where the file says nothing; a --max-pending of the command line is fitted later
// (fitSession).
func together(list []Setting) *FileError {
	all, one := DefaultMaxPending, Setting{Value: "0"}
	for _, s := range list {
		switch s.Key {
		case "max-pending":
			all, _ = strconv.Atoi(s.Value) // it was checked
		case "max-pending-session":
			one = s
		}
	}
	if n, _ := strconv.Atoi(one.Value); n > all {
		return &FileError{
			Line: one.Line, Text: fmt.Sprintf("max-pending-session %d is more than max-pending, %d", n, all),
			Cure: fmt.Sprintf("give a number from 1 to %d", all),
		}
	}
	return nil
}

// kindOf is the kind of a value, "" for one that no setting has, and what it is in words. v
// is what the decoder makes of TOML: whole numbers are int64, and what is left over is a
// time.
func kindOf(v any) (kind Kind, what string) {
	switch v := v.(type) {
	case string:
		return Text, "text"
	case bool:
		return Switch, fmt.Sprint(v)
	case int64:
		return Whole, fmt.Sprintf("the number %d", v)
	case float64:
		return "", "a number with a fraction"
	case []any:
		return "", "a list"
	case map[string]any:
		return "", "a table"
	}
	return "", "a time"
}
