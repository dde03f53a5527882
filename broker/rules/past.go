package rules

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// Past is a recorded call and how it ended.
type Past struct {
	ID        string // of the request
	SessionID string
	Call      *Call
	At        time.Time
	State     string // allowed, denied, expired, cancelled, answered
	ByKind    string // who or what ended it, as the log names it: operator, process, rule, deadline …
	ByRule    string // id of the rule, when one did
	Took      time.Duration
	Prompted  bool // a person was asked
}

// byPerson reports whether a person, or a program of theirs, decided the call.
func (p Past) byPerson() bool {
	return p.ByKind == "operator" || p.ByKind == "process" || p.ByKind == "agent"
}

// refused reports whether somebody, or a rule that somebody made, said no to the call
// itself. A deadline or a stop says nothing about the call.
func (p Past) refused() bool {
	return p.State == "denied" && (p.byPerson() || p.ByKind == "rule")
}

// ended says in a few words how the call ended.
func (p Past) ended() string {
	switch {
	case p.ByKind == "rule":
		return p.State + " by a rule"
	case p.byPerson() && (p.State == "allowed" || p.State == "denied"):
		return p.State + " by a person"
	}
	return p.State
}

// maxPrepared bounds the memory of a Preparer, in calls.
const maxPrepared = 16384

// Preparer prepares questions like Prepare, and remembers: agents ask the same
// again and again. The zero Preparer is ready. It is for one goroutine and for one
// run, as it does not notice when a path leads elsewhere.
type Preparer struct {
	known  map[prepareKey]*Call
	others map[askedKey]*Call
}

type prepareKey struct {
	tool, input, cwd, project, home string
	trusted                         bool
}

// askedKey tells apart who asks the same.
type askedKey struct {
	first          *Call
	agent, session string
}

// Prepare is Prepare, with the same *Call for the same question.
func (p *Preparer) Prepare(q Question) *Call {
	if p.known == nil {
		p.known, p.others = map[prepareKey]*Call{}, map[askedKey]*Call{}
	}
	thin(p.known)
	thin(p.others)
	key := prepareKey{q.Tool, string(q.Input), q.Place.CWD, q.Place.Project, q.Place.Home, q.Trusted}
	first, ok := p.known[key]
	switch {
	case !ok:
		first = Prepare(q)
		p.known[key] = first
		return first
	case first.q.Agent == q.Agent && first.q.SessionID == q.SessionID:
		return first
	}
	asked := askedKey{first, q.Agent, q.SessionID}
	c, ok := p.others[asked]
	if !ok {
		copied := *first // what a call means does not depend on who asks
		c = &copied
		c.q.Agent, c.q.SessionID = q.Agent, q.SessionID
		p.others[asked] = c
	}
	return c
}

// thin drops a quarter of a full memory, whichever: a history that goes round in a
// larger circle must not lose all of it each time.
func thin[K comparable, V any](m map[K]V) {
	if len(m) < maxPrepared {
		return
	}
	for key := range m {
		if delete(m, key); len(m) <= maxPrepared*3/4 {
			return
		}
	}
}

// textParams are the parameters that say best what a call is about, best first.
var textParams = []string{"command", "cmd", "file_path", "notebook_path", "path", "url", "pattern", "query", "skill", "subagent_type", "description"}

// callText is what a call is about, raw: its command line, its path, or all of its
// input.
func callText(c *Call) string {
	if c.line != nil {
		return c.line.Raw
	}
	var in map[string]any
	if json.Unmarshal(c.q.Input, &in) == nil {
		for _, name := range textParams {
			if s, ok := in[name].(string); ok && s != "" {
				return s
			}
		}
	}
	return string(c.q.Input)
}

// sameQuestion tells calls alike: whatever a person would see, they see the same.
func sameQuestion(c *Call) string {
	return strings.Join([]string{c.q.Tool, string(c.q.Input), c.q.Place.CWD, c.q.Place.Project, c.q.Agent}, "\x00")
}

func sortedSet(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
