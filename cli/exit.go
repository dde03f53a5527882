package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/aoctl/aoctl/tui/safe"
)

// What aoctl exits with. Scripts rely on these numbers.
const (
	exitOK         = 0 // done, or there was nothing to do
	exitError      = 1 // something went wrong that is not in this list
	exitUsage      = 2 // the command line makes no sense, or a name fits several things; for a hook: the call is refused
	exitNoConsole  = 3 // no console is listening, so there is nobody to ask or to tell
	exitNotFound   = 4 // the session, the call or the database named does not exist, or has already ended
	exitUnverified = 5 // the event log or the database was changed by something else than aoctl
	exitForbidden  = 6 // only the operator may do this: in the console, or with a token that was made there
	exitSurvivors  = 7 // something that was to end still runs, or may
)

// failure is any other error that a person is to read: one sentence, a cure, and
// the exit code. The cause is for errors.Is and the log.
type failure struct {
	code  int
	text  string
	hint  string
	list  []string // more to look at, one a line
	cause error
}

func (e failure) Error() string { return e.text }
func (e failure) Unwrap() error { return e.cause }

// report prints err the way a person reads it and returns the exit code.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	if q, ok := errors.AsType[quiet](err); ok {
		return q.code
	}
	if u, ok := errors.AsType[usageError](err); ok {
		printProblem(stderr, u.text, u.hint, u.list...)
		return exitUsage
	}
	if f, ok := errors.AsType[failure](err); ok {
		printProblem(stderr, f.text, f.hint, f.list...)
		return f.code
	}
	printProblem(stderr, err.Error(), "")
	return exitError
}

// printProblem writes "aoctl: text", the hint below it, and the list below that.
// Text from agents and from the disk may be part of each, so all is made safe.
func printProblem(stderr io.Writer, text, hint string, list ...string) {
	fmt.Fprintln(stderr, "aoctl: "+safe.Line(text))
	if hint != "" {
		fmt.Fprintln(stderr, "  "+safe.Line(hint))
	}
	for _, line := range list {
		fmt.Fprintln(stderr, "    "+safe.Line(line))
	}
}

// quiet is an exit code about which all has been said.
type quiet struct{ code int }

func (q quiet) Error() string { return fmt.Sprintf("exit code %d", q.code) }

// rootCause is the innermost error, without the URL that net/http puts around it.
func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
