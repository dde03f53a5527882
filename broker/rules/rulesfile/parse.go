// Package rulesfile reads and writes files of rules in TOML: those of the user, those that a
// project brings along, and the templates.
//
// Parse takes a file whole or not at all, as half a file might allow what its other half forbids.
// What is wrong is an *Error with the line, the rule and the field. Format writes what Parse reads.
//
// A file is read as a tree, from which each field is taken by its kind, and not into structs.
// Into a struct the TOML library takes a key in any case, so that "Decision" overrules
// "decision"; one [rule] for a list of one; a time without its offset, as one of this machine's
// zone; and a text for a time. And a file of unknown keys, which an agent may have written, costs
// it seconds for each 100 KB.
//
// Load is for a project's own file, from which nothing is taken that could allow anything before
// somebody has trusted its very bytes, which Digest names.
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

// Error says which place of a rules file is wrong, and why.
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

// Parse reads a rules file, as FormatTOML writes it or a person does: a list of
// [[rule]] tables. Fields that are absent take their defaults: priority
// DefaultPriority, enabled true.
//
// Any error is a *FileError, and then there are no rules at all: half a file might
// allow what its other half forbids.
func Parse(data []byte) ([]rules.Rule, error) {
	list, _, err := parseTOML(data)
	return list, err
}

// parseTOML also says where everything stands, for checks that come later.
func parseTOML(data []byte) ([]rules.Rule, *rulesFile, error) {
	if err := checkSource(data); err != nil {
		return nil, nil, err
	}
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		return nil, nil, syntaxError(data, err)
	}
	f := &rulesFile{places: locate(data), seen: map[string]int{}}
	list, err := f.read(tree)
	return list, f, err
}

// checkSource refuses what a person who looks at the file would not see.
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

func plainProblem(err error) string {
	return rules.Printable(tomlwords.Plain(err))
}

// rulesFile turns the tree of a file into rules.
type rulesFile struct {
	places places
	seen   map[string]int // id to the rule that has it
}

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

// rule reads the n-th rule.
func (f *rulesFile) rule(n int, in map[string]any) (rules.Rule, error) {
	r := rules.Rule{Priority: rules.DefaultPriority, Enabled: true}
	t := &table{in: in, first: &problem{}}
	t.text("id", &r.ID)
	t.text("decision", (*string)(&r.Decision))
	t.text("tool", &r.Tool)
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

// check refuses a rule that means nothing.
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

// wrong is a FileError at the place of field in rule n.
func (f *rulesFile) wrong(n int, field, problem string) error {
	line, column := f.places.of(n, field)
	return &Error{Line: line, Column: column, Rule: n, Field: field, Problem: problem}
}
