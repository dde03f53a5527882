// Package usage looks at the command line: how many arguments there are, what a word of
// them may mean, and what the shell may offer to complete it.
//
// What makes no sense becomes an Error. It says what is wrong and what to write instead,
// and package exit gives it exit code 2, so that scripts can tell a typing mistake from a
// console that refused. The functions here know nothing of any command: NoArgs, OneArg and
// UnknownCommand go into a cobra command as they are, ParseSince reads a flag that several
// commands have, and Ambiguous lists what a short name may stand for. FlagError and
// CheckFlags put what cobra finds wrong into words.
//
// Noun and ShortName make the tree of commands: "session stop" and its short name "stop"
// are one command, made twice by one constructor.
//
// Offer is the guard of completion. Names of sessions are chosen by agents, and a shell's
// completion code evaluates what it is given, so only plain words are offered.
//
// Open usage.go first: it has the Error and the checks of arguments. nouns.go has the tree
// of commands, near.go what a misspelled word may have meant, help.go how wide a help is.
package usage

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/tui/figures"
	"github.com/spf13/cobra"
)

// Error is a command line that makes no sense. Main exits with exit.Usage. Its texts may
// hold what the user typed; exit.Report makes them safe.
type Error struct {
	Text string   // what is wrong, without a final full stop
	Hint string   // what to do instead; may be empty
	List []string // candidates to choose from, one a line
}

func (e Error) Error() string { return e.Text }

// NoArgs refuses arguments, and names the first.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Error{Text: fmt.Sprintf("%s takes no arguments, got %q", cmd.CommandPath(), args[0]), Hint: HelpHint(cmd)}
}

// OneArg asks for exactly one argument, called what in the message. An empty one is refused
// too: a variable that is not set would otherwise name any id that begins with "".
func OneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return Error{Text: fmt.Sprintf("%s needs %s", cmd.CommandPath(), what), Hint: HelpHint(cmd)}
		case len(args) > 1:
			return Error{Text: fmt.Sprintf("%s takes one argument, got %d", cmd.CommandPath(), len(args)), Hint: HelpHint(cmd)}
		case args[0] == "":
			return Error{Text: fmt.Sprintf("%s needs %s, got nothing between the quotes", cmd.CommandPath(), what), Hint: HelpHint(cmd)}
		}
		return nil
	}
}

// AtMostOne takes no argument, or one that is called what in the message and is not empty.
func AtMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return OneArg(what)(cmd, args)
	}
}

// HelpHint says where cmd's help is: the hint of errors that nothing better is known for.
func HelpHint(cmd *cobra.Command) string {
	return fmt.Sprintf("run %q for help", cmd.CommandPath()+" --help")
}

// ParseSince reads a span before now, a local day, or a time: "90m" and all that
// time.ParseDuration takes, "3d" and "1.5d", 2026-11-02 and 2026-11-02 08:00:00 in local
// time, or RFC 3339. A negative span is refused. A time in the future is not: it fits
// nothing. flag is what it was given with, for the error.
func ParseSince(flag, text string, now time.Time) (time.Time, error) {
	// time.ParseDuration knows no days.
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
	return time.Time{}, Error{
		Text: fmt.Sprintf("%s %q is neither a span nor a time", flag, text),
		Hint: "give 2h, 3d, 2026-11-02, or 2026-11-02T08:00:00Z",
	}
}

// maxCandidates is how many candidates an ambiguous name lists.
const maxCandidates = 10

// Ambiguous refuses a ref that fits several things of a kind, and lists them, a line each,
// sorted. what is the kind in the singular. lines is sorted in place.
func Ambiguous(what, ref string, lines []string) error {
	n := len(lines)
	slices.SortFunc(lines, cmp.Compare[string])
	if n > maxCandidates {
		lines = append(lines[:maxCandidates:maxCandidates], fmt.Sprintf("… and %d more", n-maxCandidates))
	}
	return Error{Text: fmt.Sprintf("%q fits %s", ref, figures.Plural(n, what)), Hint: "say which one:", List: lines}
}
