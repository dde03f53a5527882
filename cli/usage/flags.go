package usage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// FlagError says in words what pflag found wrong with a flag of cmd. It knows pflag's
// errors by their types; one that is new there keeps pflag's own words.
func FlagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(cmd, unknown)
	}
	if bare, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return Error{Text: flagName(bare.GetFlag()) + " needs a value", Hint: "give " + takes(bare.GetFlag())}
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return badValue(bad)
	}
	if bad, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return Error{Text: fmt.Sprintf("%q is no flag", bad.GetSpecifiedFlag()), Hint: HelpHint(cmd)}
	}
	return Error{Text: err.Error(), Hint: HelpHint(cmd)}
}

// unknownFlag refuses a flag that cmd has not, with those that are spelled nearly so. A
// short flag gets no suggestions: every other letter would be one.
func unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	name, hint := "--"+unknown.GetSpecifiedName(), HelpHint(cmd)
	if unknown.GetSpecifiedShortnames() != "" {
		name = "-" + unknown.GetSpecifiedName()
	} else if near := Near(unknown.GetSpecifiedName(), flagNames(cmd)); len(near) > 0 {
		hint = "did you mean --" + strings.Join(near, " or --") + "?"
	}
	// The program's own name stands before every error.
	_, command, below := strings.Cut(cmd.CommandPath(), " ")
	if !below {
		return Error{Text: "there is no flag " + name, Hint: hint}
	}
	return Error{Text: fmt.Sprintf("%s has no flag %s", command, name), Hint: hint}
}

// flagNames are the long names of the flags that cmd shows in its help.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// badValue refuses the value of a flag. What is wrong with a number or a span is said in
// our words, and what a flag of ours says of its value in its own.
func badValue(bad *pflag.InvalidValueError) error {
	f := bad.GetFlag()
	text := fmt.Sprintf("%s cannot be %q", flagName(f), bad.GetValue())
	// The errors of these types are strconv's and say "invalid syntax".
	if !slices.Contains([]string{"int", "duration", "bool", "float64"}, f.Value.Type()) {
		text += ": " + bad.Unwrap().Error()
	}
	return Error{Text: text, Hint: "give " + takes(f)}
}

// takes says what a flag takes, for the sentence "give …".
func takes(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number, such as 10"
	case "duration":
		return "a span, such as 90s, 10m or 1h30m"
	case "bool":
		return "it as it is, or as --" + f.Name + "=false"
	case "float64":
		return "a number, such as 1.5"
	}
	value, what := pflag.UnquoteUsage(f)
	if value == f.Value.Type() { // the usage names none
		value = "VALUE"
	}
	return "it as --" + f.Name + " " + value + ": " + what
}

// flagName is a flag as it is typed.
func flagName(f *pflag.Flag) string { return "--" + f.Name }

// CheckFlags makes flags that are missing, and flags that exclude each other, errors of
// usage. cobra finds them and puts them into words that name its groups; what is wrong is
// found out anew here.
func CheckFlags(cmd *cobra.Command) error {
	if cmd.ValidateRequiredFlags() == nil && cmd.ValidateFlagGroups() == nil {
		return nil
	}
	if both := excluded(cmd); len(both) > 1 {
		return Error{Text: strings.Join(both, " and ") + " go against each other", Hint: "give one of them"}
	}
	return Error{Text: cmd.CommandPath() + " needs " + strings.Join(wanted(cmd), " or "), Hint: HelpHint(cmd)}
}

// Where cobra notes the groups of flags of which one may be given, and must be. cobra does
// not export these names.
const (
	exclusive   = "cobra_annotation_mutually_exclusive"
	oneRequired = "cobra_annotation_one_required"
)

// wanted are flags that are missing: one that must be there, or those of which one must. A
// required flag that is missing comes before any group.
func wanted(cmd *cobra.Command) []string {
	var one, some []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Changed:
		case f.Annotations[cobra.BashCompOneRequiredFlag] != nil:
			one = append(one, flagName(f))
		case f.Annotations[oneRequired] != nil:
			some = append(some, flagName(f))
		}
	})
	if len(one) > 0 {
		return one[:1]
	}
	return some
}

// excluded are flags that were given although they exclude each other, of the largest such
// group.
func excluded(cmd *cobra.Command) []string {
	given := map[string][]string{}
	var found []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusive] {
			given[group] = append(given[group], flagName(f))
			if len(given[group]) > 1 && len(given[group]) > len(found) {
				found = given[group]
			}
		}
	})
	return found
}

// Given is the flags of its own that cmd was given, as they are typed again: " --since 'last week'". ""
// without any.
func Given(cmd *cobra.Command) (typed string) {
	own := cmd.LocalNonPersistentFlags()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if own.Lookup(f.Name) == nil {
			return
		}
		value := f.Value.String()
		if strings.ContainsRune(value, ' ') {
			value = "'" + value + "'"
		}
		typed += " --" + f.Name + " " + value
	})
	return typed
}
