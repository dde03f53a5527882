package consoles

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/proctree"
	"github.com/aoctl/aoctl/broker/rules"
)

// kinds are the errors that a screen tests for, by the names that they have on the wire. An error
// that is not here arrives with its text alone.
var kinds = map[string]error{
	"not_found":       broker.ErrNotFound,
	"already_decided": broker.ErrAlreadyDecided,
	"conflict":        broker.ErrConflict,
	"stale":           broker.ErrStale,
	"invalid":         broker.ErrInvalid,
	"session_lives":   broker.ErrSessionLives,
	"put_off":         broker.ErrPutOff,
	"session_ended":   broker.ErrSessionEnded,
	"not_recorded":    broker.ErrNotRecorded,
	"tampered":        broker.ErrTampered,
	"forbidden":       broker.ErrForbidden,
	"read_anew":       broker.ErrReadAnew,
	"no_transcript":   broker.ErrNoTranscript,
	"changed":         broker.ErrChanged,
	"not_managed":     broker.ErrNotManaged,
	"cannot_defer":    broker.ErrCannotDefer,
	"frozen":          broker.ErrFrozen,
	"closed":          broker.ErrClosed,
	"no_more_time":    broker.ErrNoMoreTime,
	"dangerous":       broker.ErrDangerous,
	"refused_by_rule": broker.ErrRefused,
	"two_operators":   broker.ErrTwo,
	"taken":           broker.ErrTaken,
	"unknown_start":   broker.ErrUnknownStart,
	"unsupported":     proctree.ErrUnsupported,
	"canceled":        context.Canceled,
	"not_paired":      ErrNotPaired,
	"agent":           ErrAgent,
	"no_code":         ErrNoCode,
	"wrong_code":      ErrWrongCode,
	"screen":          ErrScreen,
	"no_file":         fs.ErrNotExist,
	"no_permission":   fs.ErrPermission,
}

// Failure is an error on the wire.
type Failure struct {
	Kinds   []string `json:"kinds,omitempty"`
	Doing   string   `json:"doing,omitempty"` // what was being done, which broker.Plain leaves out
	Text    string   `json:"text"`
	Field   string   `json:"field,omitempty"` // of a rule, that the error is about
	Problem string   `json:"problem,omitempty"`
}

// failureOf is err as it is sent; nil for none.
func failureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{Text: broker.Plain(err)}
	f.Doing, _ = strings.CutSuffix(err.Error(), ": "+f.Text)
	if f.Doing == err.Error() {
		f.Doing = ""
	}
	for name, kind := range kinds {
		if errors.Is(err, kind) {
			f.Kinds = append(f.Kinds, name)
		}
	}
	var wrong *rules.Error
	if errors.As(err, &wrong) {
		f.Field, f.Problem = wrong.Field, wrong.Problem
	}
	return f
}

// err is the error again.
func (f *Failure) err() error {
	if f == nil {
		return nil
	}
	var err error = farError{f}
	if f.Doing != "" {
		err = broker.While(err, "%s", f.Doing)
	}
	return err
}

// farError is an error of the broker's, in another process.
type farError struct{ *Failure }

func (e farError) Error() string { return e.Text }

// Is tells its kinds.
func (e farError) Is(target error) bool {
	for _, name := range e.Kinds {
		if kinds[name] == target {
			return true
		}
	}
	return false
}

// As finds what is wrong with which field of a rule.
func (e farError) As(target any) bool {
	to, ok := target.(**rules.Error)
	if !ok || e.Problem == "" {
		return false
	}
	*to = &rules.Error{Field: e.Field, Problem: e.Problem}
	return true
}
