// Package calls does what can be done about a call: ask, decide, take back, put off, give more
// time, look again. It looks at the rules, the files and the log, sends the engine an input with
// what it found, and says what came of it. When something changed meanwhile the engine says
// ErrLookAgain, and it looks again.
package calls

import (
	"log/slog"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/policy"
	"github.com/aoctl/aoctl/broker/records"
	"github.com/aoctl/aoctl/broker/rules"
)

// Engine takes inputs.
type Engine interface {
	Do(in engine.Input) engine.Reply
}

// View is the engine's state as it may be read.
type View interface {
	Request(id string) (broker.Request, bool)
	Seen(id string, now time.Time) (engine.Seen, bool)
	Look(req *broker.Request) engine.Look
	Held(sessionID string) bool
	Rules() *engine.Rules
	Rule(id string) (rules.Rule, bool)
	Owes(id string) bool
	MayBeKept(id, sessionID string) bool
}

// Options are what Calls work with.
type Options struct {
	Engine  Engine
	View    View
	Records *records.Records
	Store   broker.Store
	Policy  *policy.Policy
	Limits  engine.Limits
	Log     *slog.Logger
}

// Calls is what may be done about calls. Several goroutines may use it.
type Calls struct {
	RuleTimes

	o Options
}

// New returns what may be done about the calls of o's engine.
func New(o Options) *Calls { return &Calls{o: o} }

const (
	// mostLooks is how often something is looked at anew because the rules or the files change
	// meanwhile.
	mostLooks = 100

	recordTimeout = 10 * time.Second // the longest a look into the store may take
)
