// Package exit says how a command ends: the exit codes, and the errors that a person reads.
//
// An error of a command is one sentence, a hint that says what to do, and now and then a
// list to choose from. A command returns an Error with its exit code, or a usage.Error
// when the command line itself makes no sense. The root hands it to Report, which prints it
// and chooses the code. A command that has said everything itself returns a QuietError.
//
// Texts may hold what agents and files say, so Report makes everything safe for the
// terminal. The numbers are a promise to scripts: a new reason gets a new number, and an
// old number keeps its meaning.
package exit

import (
	"errors"
	"fmt"
	"io"

	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// What aoctl exits with. Scripts rely on these numbers.
const (
	OK         = 0 // done, or there was nothing to do
	Failed     = 1 // something went wrong that is not in this list
	Usage      = 2 // the command line makes no sense, or a name fits several things; for a hook: the call is refused
	NoConsole  = 3 // no console is listening, so there is nobody to ask or to tell; or no server of the fleet answers
	NotFound   = 4 // the session, the call or the database named does not exist, or has already ended
	Unverified = 5 // the event log or the database was changed by something else than aoctl
	Forbidden  = 6 // only the operator may do this: in the console, or with a token that was made there
	Survivors  = 7 // something that was to end still runs, or may
)

// Error is an error that a person is to read: one sentence, a cure, and the exit code. The
// cause is for errors.Is and the log. Text is without a final full stop and begins in lower
// case; Hint may be empty. A zero Code would exit with 0, which is meant only for "there
// was nothing to do".
type Error struct {
	Code  int
	Text  string
	Hint  string
	List  []string // more to look at, one a line
	Cause error
}

func (e Error) Error() string { return e.Text }
func (e Error) Unwrap() error { return e.Cause }

// Report prints err the way a person reads it and returns the exit code. nil prints
// nothing. An error that nobody has put into words is printed as it is and exits with
// Failed.
func Report(stderr io.Writer, err error) int {
	if err == nil {
		return OK
	}
	if q, ok := errors.AsType[QuietError](err); ok {
		return int(q)
	}
	if u, ok := errors.AsType[usage.Error](err); ok {
		PrintProblem(stderr, u.Text, u.Hint, u.List...)
		return Usage
	}
	if f, ok := errors.AsType[Error](err); ok {
		PrintProblem(stderr, f.Text, f.Hint, f.List...)
		return f.Code
	}
	PrintProblem(stderr, err.Error(), "")
	return Failed
}

// PrintProblem writes "aoctl: text", the hint below it, and the list below that.
// Text from agents and from the disk may be part of each, so all is made safe.
func PrintProblem(stderr io.Writer, text, hint string, list ...string) {
	fmt.Fprintln(stderr, show.Fit(stderr, "aoctl: "+safe.Line(text)))
	if hint != "" {
		fmt.Fprintln(stderr, show.Fit(stderr, "  "+safe.Line(hint)))
	}
	for _, line := range list {
		fmt.Fprintln(stderr, "    "+safe.Line(line))
	}
}

// QuietError is an exit code about which all has been said.
type QuietError int

func (q QuietError) Error() string { return fmt.Sprintf("exit code %d", int(q)) }

// RootCause is the innermost error, without the URL that net/http puts around it. An error
// that joins several is taken for the innermost one.
func RootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
