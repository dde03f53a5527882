package far

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker"
)

// Why something is not done.
var (
	ErrOut     = errors.New("the machine is out of reach")               // it can be told to refuse when it is back, nothing else
	ErrWhere   = errors.New("say on which machine")                      // several could be meant
	ErrOne     = errors.New("this is counted on each machine by itself") // there is no figure of all
	ErrAnother = errors.New("the broker of the machine was started anew since this was drawn")
)

// RefusedError is a machine that did not take an order.
type RefusedError struct {
	Machine string // its name
	Why     string // in the machine's words
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s refused this: %s", broker.Clip(e.Machine), e.Why)
}

// LaterError says what became of an order that not all machines confirmed.
type LaterError struct {
	done, later []string
	failed      []failure
	of          map[string]error // by the machine's id
}

type failure struct {
	machine string
	err     error
}

// Confirmed are the names of the machines that have done it.
func (e *LaterError) Confirmed() []string { return e.done }

// Later are the names of those out of reach, which do it when they are back.
func (e *LaterError) Later() []string { return e.later }

// Failed are the names of those that have not done it, and will not.
func (e *LaterError) Failed() (list []string) {
	for _, f := range e.failed {
		list = append(list, f.machine)
	}
	return list
}

// Of is what became of the order on the machine with an id: nil where it confirmed, a LaterError where
// it does it when it is back, and else why it has not.
func (e *LaterError) Of(id string) error { return e.of[id] }

func (e *LaterError) Error() string {
	var parts []string
	for _, f := range e.failed {
		parts = append(parts, broker.Clip(f.machine)+" did not: "+broker.Plain(f.err))
	}
	if len(e.later) > 0 {
		parts = append(parts, named(e.later)+" out of reach, and told to when back")
	}
	if len(e.done) > 0 {
		parts = append(parts, listed(e.done)+" confirmed")
	}
	return strings.Join(parts, "; ")
}

// Unwrap are the reasons of those that failed.
func (e *LaterError) Unwrap() (list []error) {
	for _, f := range e.failed {
		list = append(list, f.err)
	}
	return list
}

// namesShown is how many machines a sentence names.
const namesShown = 3

// listed is "a, b and c", or "a, b, c and 4 more".
func listed(names []string) string {
	shown := make([]string, 0, namesShown)
	for _, n := range names[:min(len(names), namesShown)] {
		shown = append(shown, broker.Clip(n))
	}
	switch more := len(names) - len(shown); {
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), more)
	case len(shown) > 1:
		return strings.Join(shown[:len(shown)-1], ", ") + " and " + shown[len(shown)-1]
	}
	return shown[0]
}

// named is listed with its verb.
func named(names []string) string {
	if len(names) == 1 {
		return listed(names) + " is"
	}
	return listed(names) + " are"
}

// as is an error with the name of its machine in front; nil for none.
func as(machine string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", broker.Clip(machine), err)
}
