// Package history looks at calls that were recorded with how they ended: what other rules would
// have said about them, and which rules would have saved questions.
//
// Replay judges a history by the rules in force and by proposed ones, and reports where they
// differ. Suggest looks for rules that would have allowed what a person allowed anyway, and
// nothing that anybody refused. Both take the calls as a sequence, so that a long log need not
// be in memory, and both judge only with package rules: neither has an opinion of its own about
// a call.
//
// A Past is made by the caller from a recorded request, with a rules.Preparer, so that equal
// calls are prepared once and are one *rules.Call here. Paths lead where they lead today, not
// where they led when the call was made; a report is about what the rules would say now.
//
// Nothing here changes a rule or a record. A suggestion is a draft that a person reads, and it
// is tried against every refused call before it is shown. Open replay.go for the first question
// and suggest.go for the second; suggest_grants.go has which grants are tried, and
// suggest_tell.go makes the answer.
package history

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// Past is a recorded call and how it ended. Took is how long it waited for its end. The zero
// times and texts of an old record count as not known.
type Past struct {
	ID        string // of the request
	SessionID string
	Call      *rules.Call
	At        time.Time
	State     string // allowed, denied, expired, cancelled, answered
	ByKind    string // who or what ended it, as the log names it: operator, process, rule, deadline …
	ByRule    string // id of the rule, when one did
	Took      time.Duration
	Prompted  bool // a person was asked
	Observed  bool // its session was only observed, and the agent's own user, or that user's settings, let it run
}

// byPerson reports whether a person, or a program of theirs, decided the call. An answer at the
// agent's own terminal is a person's, too.
func (p Past) byPerson() bool {
	return p.ByKind == "operator" || p.ByKind == "process" || p.ByKind == "agent"
}

// refused reports whether somebody, or a rule that somebody made, said no to the call
// itself. A deadline or a stop says nothing about the call.
func (p Past) refused() bool {
	return p.State == "denied" && (p.byPerson() || p.ByKind == "rule")
}

// ended says in a few words how the call ended, for a reader of the report.
func (p Past) ended() string {
	switch {
	case p.ByKind == "rule":
		return p.State + " by a rule"
	case p.byPerson() && (p.State == "allowed" || p.State == "denied"):
		return p.State + " by a person"
	}
	return p.State
}

// sameQuestion tells calls alike: whatever a person would see, they see the same.
func sameQuestion(c *rules.Call) string {
	q := c.Question()
	return strings.Join([]string{q.Tool, string(q.Input), q.Place.CWD, q.Place.Project, q.Agent}, "\x00")
}

// sortedSet is the members of a set in a fixed order, so that reports are the same each time.
func sortedSet(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// trueFirst orders by whether something holds.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
