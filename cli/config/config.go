// Package config reads aoctl's settings file: TOML without tables, a setting a line,
// named as the flag of the console that it stands for. Any program of the user may have
// written the file, so what may stand in it is for the caller to say, and a file with
// one thing wrong in it counts for nothing.
package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Name is the settings file's, in the folder that paths.ConfigDir names.
const Name = "config.toml"

// MaxFile is how large a settings file may be, bytes.
const MaxFile = 16 << 10

// FileError says what is wrong with a settings file, and what to do.
type FileError struct {
	Line, Column int    // from 1; Column counts bytes. 0: the file as a whole
	Text         string // one line, with what is said about the file or the setting
	Cure         string // one line
}

func (p *FileError) Error() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Text)
}

// Kind is what a setting's value looks like.
type Kind int

// The kinds.
const (
	Text   Kind = iota // in quotes
	Whole              // a whole number
	Switch             // true or false
)

// Key is a setting that a file may have.
type Key struct {
	Name string
	Kind Kind
	Such string // an example of its value, as it stands in a file
	// Check says what is wrong with a value, given as a flag takes it, and what to write
	// instead; "" for nothing. It goes by the value alone. May be nil.
	Check func(value string) (wrong, cure string)
}

// Refusal says why a setting is not taken from a file, and what to do instead, both to go
// on with in a sentence.
type Refusal struct{ Why, Instead string }

// Schema is what a file may and may not have.
type Schema struct {
	Keys    []Key
	Refused map[string]Refusal // by name
	// Together says what is wrong with settings that are right one by one: which key, what,
	// and what to write instead; "" for nothing. May be nil.
	Together func([]Setting) (key, wrong, cure string)
}

// Setting is one line of a file.
type Setting struct {
	Key   string
	Value string // as a flag takes it
	Line  int    // from 1
}

// Parse reads a settings file. Any error is a *FileError, the first one in the file, and
// then there are no settings at all.
func Parse(data []byte, s Schema) ([]Setting, error) {
	if err := checkSource(data); err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		return nil, syntaxProblem(err)
	}
	var list []Setting
	for _, l := range linesOf(data) {
		value, p := s.read(l, tree[l.key])
		if p != nil {
			p.Line, p.Column = l.line, l.column
			return nil, p
		}
		list = append(list, Setting{Key: l.key, Value: value, Line: l.line})
	}
	if p := s.together(list); p != nil {
		return nil, p
	}
	return list, nil
}

// syntaxProblem says where a text is not TOML. A key that comes twice is among this.
func syntaxProblem(err error) *FileError {
	p := &FileError{Text: "not TOML: " + printable(strings.TrimPrefix(err.Error(), "toml: ")), Cure: "write one setting a line, such as max-pending = 100, and text in quotes"}
	var d *toml.DecodeError
	if errors.As(err, &d) {
		p.Line, p.Column = d.Position()
	}
	if strings.HasSuffix(p.Text, "is already defined") {
		p.Text, p.Cure = strings.TrimPrefix(p.Text, "not TOML: "), "keep one of the two lines"
	}
	return p
}

// read is the value of one line as a flag takes it.
func (s Schema) read(l line, v any) (string, *FileError) {
	if l.table {
		return "", &FileError{Text: fmt.Sprintf("there are no tables here, such as [%s]", shown(l.key)), Cure: "write each setting on a line of its own, without a heading"}
	}
	for _, k := range s.Keys {
		if k.Name == l.key {
			return k.value(v)
		}
	}
	if r, ok := s.Refused[l.key]; ok {
		return "", &FileError{Text: l.key + " is not taken from a file: " + r.Why, Cure: "take it out, and " + r.Instead}
	}
	p := &FileError{Text: fmt.Sprintf("there is no setting %q", shown(l.key)), Cure: "aoctl config lists those there are"}
	if near := s.Near(l.key); near != "" {
		p.Cure = "did you mean " + near + "?"
	}
	return "", p
}

// value is v as a flag takes it, if that is a value of k.
func (k Key) value(v any) (string, *FileError) {
	text, ok := "", false
	switch v := v.(type) {
	case string:
		text, ok = v, k.Kind == Text
	case int64:
		text, ok = fmt.Sprint(v), k.Kind == Whole
	case bool:
		text, ok = fmt.Sprint(v), k.Kind == Switch
	}
	if !ok {
		want := map[Kind]string{Text: "text in quotes", Whole: "a whole number", Switch: "true or false"}[k.Kind]
		return "", &FileError{Text: fmt.Sprintf("%s must be %s, not %s", k.Name, want, kindOf(v)), Cure: fmt.Sprintf("write %s = %s", k.Name, k.Such)}
	}
	if k.Check != nil {
		if wrong, cure := k.Check(text); wrong != "" {
			return "", &FileError{Text: wrong, Cure: cure}
		}
	}
	return text, nil
}

func (s Schema) together(list []Setting) *FileError {
	if s.Together == nil {
		return nil
	}
	key, wrong, cure := s.Together(list)
	if wrong == "" {
		return nil
	}
	p := &FileError{Text: wrong, Cure: cure}
	for _, l := range list {
		if l.Key == key {
			p.Line, p.Column = l.Line, 1
		}
	}
	return p
}

// kindOf says what a value is.
func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return "text"
	case bool:
		return fmt.Sprint(v)
	case int64:
		return fmt.Sprintf("the number %d", v)
	case float64:
		return "a number with a fraction"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a time"
}
