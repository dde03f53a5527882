package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// usageError is a command line that makes no sense. Main exits with exitUsage.
type usageError struct {
	text string   // what is wrong, without a final full stop
	hint string   // what to do instead; may be empty
	list []string // candidates to choose from, one a line
}

func (e usageError) Error() string { return e.text }

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError{text: fmt.Sprintf("%s takes no arguments, got %q", cmd.CommandPath(), args[0]), hint: helpHint(cmd)}
}

// oneArg asks for exactly one argument, called what in the message.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usageError{text: fmt.Sprintf("%s needs %s", cmd.CommandPath(), what), hint: helpHint(cmd)}
		case len(args) > 1:
			return usageError{text: fmt.Sprintf("%s takes one argument, got %d", cmd.CommandPath(), len(args)), hint: helpHint(cmd)}
		case args[0] == "":
			return usageError{text: fmt.Sprintf("%s needs %s, got nothing between the quotes", cmd.CommandPath(), what), hint: helpHint(cmd)}
		}
		return nil
	}
}

// unknownCommand refuses what is no command, with the nearest ones.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := helpHint(cmd)
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usageError{text: fmt.Sprintf("unknown command %q for %s", args[0], cmd.CommandPath()), hint: hint}
}

// helpHint says where cmd's help is.
func helpHint(cmd *cobra.Command) string {
	return fmt.Sprintf("run %q for help", cmd.CommandPath()+" --help")
}

// parseSince reads a span before now, a local day, or a time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n < math.MaxInt16 {
			return now.Add(-time.Duration(n * float64(24*time.Hour))), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usageError{
		text: fmt.Sprintf("--since %q is neither a span nor a time", text),
		hint: "give 2h, 3d, 2026-11-02, or 2026-11-02T08:00:00Z",
	}
}

// maxCandidates is how many candidates an ambiguous name lists.
const maxCandidates = 10

func ambiguous(what, ref string, lines []string) error {
	n := len(lines)
	slices.SortFunc(lines, cmp.Compare[string])
	if n > maxCandidates {
		lines = append(lines[:maxCandidates:maxCandidates], fmt.Sprintf("… and %d more", n-maxCandidates))
	}
	return usageError{text: fmt.Sprintf("%q fits %s", ref, plural(n, what)), hint: "say which one:", list: lines}
}
