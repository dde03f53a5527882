// Package output prints what a command found for programs: --json, --jq and --template.
//
// A command has one Format among its options and declares its flags with Flags, which is told the
// Go type of what will be printed. From that type come the fields that --json may name, so a name
// that does not exist is refused, with the list of those that do, before the command does
// anything. Then the command asks On, and hands what it found to Print: a slice becomes an array,
// anything else an object. A command that prints a stream calls Print once for each object.
//
// --json may stand alone and prints everything then, as scripts have relied on since the first
// release. So its value is written behind an equals sign (--json=id,name); behind a blank it can
// only be told from an argument where the command takes none. --jq and --template do not need
// --json beside them.
//
// What agents wrote is safe to look at in every form. JSON escapes it; text that --jq or a
// template print shows control characters as \x1b and the like, into a pipe too, because what is
// behind the pipe is often a terminal.
package output

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
)

// Format says how a command prints for programs. Its zero value is a command for people. At
// most one of query and layout is set, which Flags sees to; with either, json does not
// matter.
type Format struct {
	json   bool
	fields []string // chosen ones, nil for all
	known  []string // those that there are; nil when that is not known before
	query  *gojq.Code
	layout *template.Template
}

// JSON is the Format of a bare --json, for callers that have no flags.
func JSON() Format { return Format{json: true} }

// On reports whether the command is to print data, and not a text for people. A command
// that asks questions or draws progress must ask it first.
func (f *Format) On() bool { return f.json || f.query != nil || f.layout != nil }

// Print writes v, a slice as an array and anything else as one object. Errors of the user's
// own expression or template are usage.Error; all others come from writing.
func (f *Format) Print(w io.Writer, v any) error {
	if f.fields == nil && f.query == nil && f.layout == nil {
		return plain(w, v)
	}
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.IsNil() {
		v = []any{} // null would be one thing that is not there
	}
	// Fields are chosen before an expression sees the document, so both together do what
	// they say.
	doc, err := f.choose(v)
	switch {
	case err != nil:
		return err
	case f.query != nil:
		return f.search(w, doc)
	case f.layout != nil:
		return f.lay(w, doc)
	}
	return plain(w, doc)
}

// plain writes v as JSON: a slice with an element a line, anything else on one line. Bytes
// are no list: they are JSON that was made already.
func plain(w io.Writer, v any) error {
	list := reflect.ValueOf(v)
	if v == nil || list.Kind() != reflect.Slice || list.Type().Elem().Kind() == reflect.Uint8 {
		return show.Object(w, v)
	}
	items := make([]any, list.Len())
	for i := range items {
		items[i] = list.Index(i).Interface()
	}
	return show.JSON(w, items)
}

// Flags gives cmd the flags of f, which prints values of type T, or lists of them. Beside
// the fields of T there may be more. It belongs behind the other settings of cmd: it puts
// itself before cmd.Args.
//
// T that is no struct, such as a map, has no fields to check before the command runs.
func Flags[T any](cmd *cobra.Command, f *Format, help string, more ...string) {
	f.known = fieldsOf(reflect.TypeFor[T]())
	if f.known != nil {
		f.known = append(f.known, more...)
		slices.Sort(f.known)
		f.known = slices.Compact(f.known)
	}
	flags := cmd.Flags()
	flags.Var((*fieldsFlag)(f), "json", help+"; `FIELDS` names those to print, as in --json="+strings.Join(f.known[:min(2, len(f.known))], ","))
	// With this pflag takes no value behind a blank, so "--json id" leaves "id" to before.
	flags.Lookup("json").NoOptDefVal = allFields
	flags.Var((*queryFlag)(f), "jq", "filter the JSON with a jq `EXPRESSION`")
	_ = cmd.RegisterFlagCompletionFunc("json", f.complete)
	_ = cmd.RegisterFlagCompletionFunc("jq", cobra.NoFileCompletions)
	if flags.Lookup("template") == nil { // "rules add" has another
		flags.Var((*layoutFlag)(f), "template", "print the JSON with a Go `TEMPLATE`")
		_ = cmd.RegisterFlagCompletionFunc("template", cobra.NoFileCompletions)
		cmd.MarkFlagsMutuallyExclusive("jq", "template")
	}
	cmd.Args = f.before(cmd.Args)
}

// before takes the fields that stand behind "--json " from the arguments of a command that
// takes none, checks them, and leaves the rest to next. A command takes no argument when
// its Use is one word.
func (f *Format) before(next cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if f.json && f.fields == nil && len(args) == 1 && !strings.Contains(cmd.Use, " ") {
			f.fields, args = split(args[0]), nil
		}
		if err := f.checkFields(cmd); err != nil || next == nil {
			return err
		}
		return next(cmd, args)
	}
}

// checkFields refuses a name that T does not have, before the command does anything.
func (f *Format) checkFields(cmd *cobra.Command) error {
	for _, name := range f.fields {
		if f.known != nil && !slices.Contains(f.known, name) {
			return unknownField(name, f.known, usage.HelpHint(cmd))
		}
	}
	return nil
}

// unknownField is the error for a name that is no field, with those that are. hint is for
// when there are none to list.
func unknownField(name string, known []string, hint string) error {
	if len(known) > 0 {
		hint = "these are its fields:"
	}
	return usage.Error{Text: fmt.Sprintf("--json knows no field %q", name), Hint: hint, List: known}
}

// complete offers fields, also behind those that are there already. No blank is added after
// one, because another may follow.
func (f *Format) complete(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	head := typed[:strings.LastIndexByte(typed, ',')+1]
	var offers []string
	for _, name := range f.known {
		if strings.HasPrefix(head+name, typed) {
			offers = append(offers, head+name)
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
