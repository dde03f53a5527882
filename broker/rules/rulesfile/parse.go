// Package rulesfile reads and writes files of rules in TOML: those of the user, those that a
// project brings along, and the templates.
//
// Parse takes a file whole or not at all, as half a file might allow what its other half
// forbids. What is wrong is an *Error with the line, the rule and the field. Format writes what
// Parse reads.
//
// A file is read as a tree, from which each field is taken by its kind, and not into structs.
// Into a struct the TOML library takes a key in any case, so that "Decision" overrules
// "decision"; one [rule] for a list of one; a time without its offset, as one of this machine's
// zone; and a text for a time. And a file of unknown keys, which an agent may have written,
// costs it seconds for each 100 KB.
//
// The way of a file: checkSource looks at its characters, the library makes the tree,
// rulesFile.rule takes the fields of each rule out of its table (fields.go), what is left over
// is an unknown field, and rules.Rule.Check has the last word. Where something stands is found
// in a second walk over the bytes (place.go), for messages alone.
//
// Load is for a project's own file, from which nothing is taken that could allow anything
// before somebody has trusted its very bytes, which Digest names. The package reads bytes and
// opens no file; who reads it from the disk, and whether it is trusted, is package policy's
// affair.
package rulesfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/tomlwords"
	"github.com/google/uuid"
	"github.com/pelletier/go-toml/v2"
)

// Limits of a rules file, in bytes.
const (
	MaxSize = 16 << 20 // of anything that ParseTOML reads; MaxRules ordinary rules fit
)

// Error says which place of a rules file is wrong, and why. Problem is a sentence without the
// place; Error joins them for one line of a message. Field may come from the file.
type Error struct {
	Line, Column int    // from 1; Column counts bytes. 0: the file as a whole
	Rule         int    // from 1; 0: outside of all rules
	Field        string // "where.command"; may be empty
	Problem      string
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Rule > 0 {
		fmt.Fprintf(&b, "rule %d: ", e.Rule)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, "%s: ", rules.Printable(e.Field))
	}
	b.WriteString(e.Problem)
	return b.String()
}

// Parse reads a rules file, as Format writes it or a person does: a list of [[rule]] tables.
// Fields that are absent take their defaults: priority DefaultPriority, enabled true.
//
// Any error is an *Error, and then there are no rules at all: half a file might allow what its
// other half forbids. An empty file has no rules, which is no error.
func Parse(data []byte) ([]rules.Rule, error) {
	list, _, err := parseTOML(data)
	return list, err
}

// parseTOML also says where everything stands, for checks that come later.
func parseTOML(data []byte) ([]rules.Rule, *rulesFile, error) {
	if err := checkSource(data); err != nil {
		return nil, nil, err
	}
	// Numbers are int64 or float64 here, times time.Time or the library's local ones; take
	// tells them apart.
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		return nil, nil, syntaxError(data, err)
	}
	f := &rulesFile{places: locate(data), seen: map[string]int{}}
	list, err := f.read(tree)
	return list, f, err
}

// checkSource refuses what a person who looks at the file would not see. A carriage return is
// allowed at the end of a line only.
func checkSource(data []byte) error {
	if len(data) > MaxSize {
		return &Error{Problem: fmt.Sprintf("the file is larger than %d MiB", MaxSize>>20)}
	}
	line, start := 1, 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return &Error{Line: line, Column: i - start + 1, Problem: "this is not UTF-8 text"}
		case r == '\n':
			line, start = line+1, i+1
		case r == '\t', r == '\r' && i+1 < len(data) && data[i+1] == '\n', unicode.IsPrint(r):
		default:
			return &Error{Line: line, Column: i - start + 1, Problem: fmt.Sprintf("the character %U cannot be seen; write it as an escape or remove it", r)}
		}
		i += size
	}
	return nil
}

// syntaxError is an error of the library as one of ours. The rule's number is counted in the
// text, as there is no tree.
func syntaxError(data []byte, err error) error {
	var d *toml.DecodeError
	if !errors.As(err, &d) {
		return &Error{Problem: "not TOML: " + plainProblem(err)}
	}
	line, column := d.Position()
	rule := 0
	for i, text := range strings.Split(string(data), "\n") {
		if i < line && strings.HasPrefix(strings.TrimSpace(text), "[[rule]]") {
			rule++
		}
	}
	return &Error{Line: line, Column: column, Rule: rule, Problem: plainProblem(err)}
}

// plainProblem is what the library says, in plain words and fit for one line.
func plainProblem(err error) string {
	return rules.Printable(tomlwords.Plain(err))
}

// rulesFile turns the tree of a file into rules. It belongs to one reading.
type rulesFile struct {
	places places
	seen   map[string]int // id to the rule that has it
}

// read takes all rules, or gives the first error. Keys are looked at in order, so that it is
// the same one each time.
func (f *rulesFile) read(tree map[string]any) ([]rules.Rule, error) {
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		if key != "rule" {
			return nil, f.wrong(0, key, "there is no such field; a rules file has [[rule]] tables only")
		}
	}
	tables, ok := tree["rule"].([]any)
	if !ok && tree["rule"] != nil {
		return nil, f.wrong(0, "rule", "write each rule as a table that begins with [[rule]]")
	}
	// Before any rule is read, as reading takes the time.
	if len(tables) > rules.MaxRules {
		return nil, &Error{Problem: fmt.Sprintf("the file has %d rules; %d is the most", len(tables), rules.MaxRules)}
	}
	list := make([]rules.Rule, 0, len(tables))
	for i, v := range tables {
		t, ok := v.(map[string]any)
		if !ok {
			return nil, f.wrong(i+1, "", "write each rule as a table that begins with [[rule]]")
		}
		r, err := f.rule(i+1, t)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// rule reads the n-th rule. The first wrong field is told; only then what is left over, as a
// field of the wrong kind has been taken out as well.
func (f *rulesFile) rule(n int, in map[string]any) (rules.Rule, error) {
	// A rule that says nothing about itself is in force. Uses and version are not read at all:
	// they belong to the store.
	r := rules.Rule{Priority: rules.DefaultPriority, Enabled: true}
	t := &table{in: in, first: &problem{}}
	t.text("id", &r.ID)
	t.text("decision", (*string)(&r.Decision))
	t.text("tool", &r.Tool)
	t.effects("effects", &r)
	t.whole("priority", &r.Priority)
	t.flag("enabled", &r.Enabled)
	t.flag("dangerous", &r.Dangerous)
	t.text("reason", &r.Reason)
	t.moment("expires_at", &r.ExpiresAt)
	t.whole("max_uses", &r.MaxUses)
	t.text("created_by", &r.CreatedBy)
	t.text("created_from", &r.CreatedFrom)
	t.moment("created_at", &r.CreatedAt)
	t.moment("updated_at", &r.UpdatedAt)
	scope := t.table("scope")
	scope.text("project", &r.Scope.Project)
	scope.text("session", &r.Scope.Session)
	scope.text("agent", &r.Scope.Agent)
	r.Where = t.table("where").texts()
	if p := *t.first; p.text != "" {
		return rules.Rule{}, f.wrong(n, p.field, p.text)
	}
	if field, ok := t.rest(); ok {
		return rules.Rule{}, f.wrong(n, field, "there is no such field")
	}
	return r, f.check(n, r)
}

// check refuses a rule that means nothing, and an id that is no UUID or is there already. Ids
// are compared without regard to capitals, as UUIDs are.
func (f *rulesFile) check(n int, r rules.Rule) error {
	if err := r.Check(); err != nil {
		var e *rules.Error
		if errors.As(err, &e) {
			return f.wrong(n, e.Field, e.Problem)
		}
		return f.wrong(n, "", err.Error())
	}
	if r.ID == "" {
		return nil
	}
	if len(r.ID) != 36 || uuid.Validate(r.ID) != nil {
		return f.wrong(n, "id", "must be a UUID; leave it out and the rule gets one")
	}
	id := strings.ToLower(r.ID)
	if other, taken := f.seen[id]; taken {
		return f.wrong(n, "id", fmt.Sprintf("rule %d has this id too", other))
	}
	f.seen[id] = n
	return nil
}

// wrong is an *Error at the place of field in rule n; 0 is outside of all rules.
func (f *rulesFile) wrong(n int, field, problem string) error {
	line, column := f.places.of(n, field)
	return &Error{Line: line, Column: column, Rule: n, Field: field, Problem: problem}
}
