package broker

import (
	"errors"
	"fmt"
)

// What callers of this package may test for.
var (
	ErrNotFound        = errors.New("not found")                                              // no request or session has this id
	ErrAlreadyDecided  = errors.New("already decided")                                        // somebody else's answer came first
	ErrDuplicate       = errors.New("id already in use")                                      // the correlation key or id is taken
	ErrConflict        = errors.New("same id, different call")                                // a known id came with another digest
	ErrAnsweredBefore  = errors.New("this call was answered before; ask again as a new call") // its recorded allow holds no longer
	ErrStale           = errors.New("the call changed since it was shown")                    // Decision.Digest does not fit
	ErrInvalid         = errors.New("invalid")                                                // a field is missing or malformed
	ErrTooMany         = errors.New("too many calls are waiting")                             // a cap on pending requests is reached
	ErrTooFast         = errors.New("too many calls at once")                                 // a session asks faster than the console's limit
	ErrTooManySessions = errors.New("too many sessions")                                      // a new session finds no room, or too many came with it
	ErrSessionLives    = errors.New("the session is still running")                           // a process of it is known
	ErrSessionEnded    = errors.New("session has ended")                                      // there is nothing left to stop
	ErrNotRecorded     = errors.New("the decision could not be recorded")                     // the agent was told no
	ErrGrantUsed       = errors.New("grant already used")                                     //
	ErrTampered        = errors.New("stored decision disagrees with the log")                 // a row was changed behind our back
	ErrForbidden       = errors.New("only the operator may do this")                          // an allowing rule from somebody else
	ErrReadAnew        = errors.New("the call could be read only now, or no longer")          // it is drawn anew, with what was found
	ErrNoTranscript    = errors.New("no transcript is known")                                 // the agent did not say where it writes one, or it is no file to be read
	ErrChanged         = errors.New("a file of the call changed meanwhile")                   // a path leads elsewhere, or its content is another one
	ErrNotManaged      = errors.New("aoctl does not hold this session")                       // it was not started with aoctl run
	ErrCannotDefer     = errors.New("this call cannot be deferred")                           // its agent cannot, or another call of its turn is
	ErrCannotAsk       = errors.New("this call cannot be left to its agent's own prompt")     // it has none that holds it
	ErrFrozen          = errors.New("frozen")                                                 // nothing may be allowed before it is lifted
	ErrNotNow          = errors.New("the operator cannot be asked now")                       // another proposal waits, or one was declined a moment ago
	ErrFleetOut        = errors.New("the fleet cannot be asked now")                          // so nobody knows who else asks a call
	ErrElsewhere       = errors.New("this machine cannot answer this call")                   // another one of the fleet has its id
	ErrClosed          = errors.New("the broker is shutting down")                            //
)

// ErrUnsettled is an ErrNotRecorded: an earlier try could not be recorded either, and its refusal is to
// be written first.
var ErrUnsettled = fmt.Errorf("%w: its record is not settled yet", ErrNotRecorded)

// ErrPutOff is why a call is not taken back: its agent was told that it waits.
var ErrPutOff = errors.New("the call is deferred until a person answers it")

// Why a runner is turned away.
var (
	ErrOtherProcess = errors.New("another process has this session")
	ErrNotRunner    = errors.New("this process does not hold the session")
	ErrStopped      = errors.New("the session is stopped")
)

// ErrLift is an ErrForbidden in words of its own: a message to a stopped session.
var ErrLift error = liftError{}

type liftError struct{}

func (liftError) Error() string        { return "the session is stopped, and only the operator can lift that" }
func (liftError) Is(target error) bool { return target == ErrForbidden }

// ErrResume is an ErrForbidden in words of its own, because another key of the console does it.
var ErrResume error = resumeError{}

type resumeError struct{}

func (resumeError) Error() string        { return "only the operator may resume a session" }
func (resumeError) Is(target error) bool { return target == ErrForbidden }

// ErrVersion is a change of a rule that became another one meanwhile: an ErrConflict in
// words of its own.
var ErrVersion error = versionError{}

type versionError struct{}

func (versionError) Error() string        { return "the rule was changed meanwhile" }
func (versionError) Is(target error) bool { return target == ErrConflict }

// LimitError is a refusal because there is too much of something. It says how much of
// it there is, and what helps.
type LimitError struct {
	Kind       error // ErrTooMany or ErrTooFast
	Text, Hint string
}

// AnsweredBefore is an ErrAnsweredBefore that says why.
func AnsweredBefore(why string) error { return beforeError{why} }

type beforeError struct{ why string }

func (e beforeError) Error() string { return ErrAnsweredBefore.Error() + " (" + e.why + ")" }
func (e beforeError) Unwrap() error { return ErrAnsweredBefore }

// WhyBefore is what an ErrAnsweredBefore says of its cause.
func WhyBefore(err error) string {
	var e beforeError
	_ = errors.As(err, &e)
	return e.why
}

// TooMuch is a LimitError of this kind: how much there is, and what helps.
func TooMuch(kind error, text, hint string) *LimitError {
	return &LimitError{Kind: kind, Text: text, Hint: hint}
}

func (e *LimitError) Error() string { return e.Kind.Error() + ": " + e.Text }

func (e *LimitError) Unwrap() error { return e.Kind }

// RejectedReason is the end reason of a session whose call was denied for good while it was
// put off: nothing is started to tell its agent.
const RejectedReason = "rejected"

// TakenError says who has a session that is to be resumed. It is an ErrConflict in words of
// its own.
type TakenError struct{ Why string }

func (e TakenError) Error() string { return e.Why }

// Is makes it an ErrConflict and an ErrTaken.
func (e TakenError) Is(target error) bool { return target == ErrConflict || target == ErrTaken }

// ErrTaken means that somebody has the session.
var ErrTaken = errors.New("somebody has the session")

// ErrNothingPutOff says that there is no call for which a session is to be resumed.
var ErrNothingPutOff = fmt.Errorf("%w: nothing of it is deferred", ErrNotFound)

// ErrUnknownStart says that a session cannot be resumed as it was started.
var ErrUnknownStart = errors.New("it cannot be resumed from here")

// whileError is an error with what was being done.
type whileError struct {
	what string
	err  error
}

func (e whileError) Error() string { return e.what + ": " + e.err.Error() }
func (e whileError) Unwrap() error { return e.err }

// While is err with what was being done and to what, for the log: "decide 0197…: already
// decided". Plain leaves that out.
func While(err error, format string, args ...any) error {
	return whileError{fmt.Sprintf(format, args...), err}
}

// Plain is err for the person who asked for something, and knows what that was: without what
// While put in front. Where nothing was found, what was looked for stays.
func Plain(err error) string {
	for {
		w, ok := err.(whileError)        //nolint:errorlint // only what stands in front goes
		if !ok || w.err == ErrNotFound { //nolint:errorlint // an error that says more says what was not found
			return err.Error()
		}
		err = w.err
	}
}
