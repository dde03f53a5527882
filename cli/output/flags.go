package output

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"
)

// allFields is what --json means without a value. No field has that name.
const allFields = "all"

// fieldsFlag is --json. It was a flag without a value once, so it still takes true and
// false. It is a Format seen as a pflag.Value, as the flags below are, so that each sets
// the Format itself.
type fieldsFlag Format

// Set takes a list of fields. checkFields looks at them later, when the command is known
// whose help the error names.
func (f *fieldsFlag) Set(text string) error {
	f.json, f.fields = true, nil
	switch text {
	case allFields, "true", "":
	case "false":
		f.json = false
	default:
		f.fields = split(text)
	}
	return nil
}

// String is what pflag prints as the default: nothing.
func (f *fieldsFlag) String() string { return strings.Join(f.fields, ",") }

// Type is what a person reads in an error.
func (*fieldsFlag) Type() string { return "fields" }

// split takes a list of fields apart, each named once. It is never nil, so that a list of
// commas is a choice of no fields and not of all.
func split(text string) []string {
	list := []string{}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// queryFlag is --jq, parsed and compiled when the flag is read: a mistake in it is told
// before the console was asked for anything.
type queryFlag Format

// Set compiles the expression. It gets no environment and no modules: what it sees is the
// document.
func (f *queryFlag) Set(text string) error {
	query, err := gojq.Parse(text)
	if err != nil {
		return fmt.Errorf("this is no jq: %w", err)
	}
	f.query, err = gojq.Compile(query)
	return err
}

// String is the default that pflag prints: none.
func (*queryFlag) String() string { return "" }

// Type is what a person reads in an error.
func (*queryFlag) Type() string { return "expression" }

// layoutFlag is --template, a template of Go's text/template with the functions of helpers.
type layoutFlag Format

// Set parses the template. Its functions have to be known by name already; those that need
// a table get theirs in lay.
func (f *layoutFlag) Set(text string) (err error) {
	f.layout, err = template.New("template").Funcs(helpers(nil)).Parse(text)
	if err != nil {
		return fmt.Errorf("this is no template: %s", templateWords(err))
	}
	return nil
}

// String is the default that pflag prints: none.
func (*layoutFlag) String() string { return "" }

// Type is what a person reads in an error.
func (*layoutFlag) Type() string { return "template" }
