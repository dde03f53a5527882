package output

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"
)

// allFields is what --json means without a value.
const allFields = "all"

// fieldsFlag is --json. It was a flag without a value once, so it still takes true and false.
type fieldsFlag Format

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

func (f *fieldsFlag) String() string { return strings.Join(f.fields, ",") }

// Type is what a person reads in an error.
func (*fieldsFlag) Type() string { return "fields" }

// split takes a list of fields apart, each named once. It is never nil.
func split(text string) []string {
	list := []string{}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// queryFlag is --jq.
type queryFlag Format

func (f *queryFlag) Set(text string) error {
	query, err := gojq.Parse(text)
	if err != nil {
		return fmt.Errorf("this is no jq: %w", err)
	}
	f.query, err = gojq.Compile(query)
	return err
}

func (*queryFlag) String() string { return "" }

// Type is what a person reads in an error.
func (*queryFlag) Type() string { return "expression" }

// layoutFlag is --template.
type layoutFlag Format

func (f *layoutFlag) Set(text string) (err error) {
	f.layout, err = template.New("template").Funcs(helpers(nil)).Parse(text)
	if err != nil {
		return fmt.Errorf("this is no template: %s", templateWords(err))
	}
	return nil
}

func (*layoutFlag) String() string { return "" }

// Type is what a person reads in an error.
func (*layoutFlag) Type() string { return "template" }
