// Package calls does what can be done about a call: ask, decide, take back, put off, give more
// time, look again.
//
// The engine decides, and it may not wait: it has no disk and no clock. So the slow part is done
// here, in the goroutine of whoever asks. Each method takes what a judgement rests on
// (engine.Look), reads the call and its files, has the rules judge it by one version of them, and
// sends the engine an input that says what it found. When rules, files or call changed meanwhile
// the engine says ErrLookAgain, and the method looks again, mostLooks times at most. An answer is
// never made of old knowledge.
//
// How one call passes: Submit records it (submit.go). It ends at once where a rule, a grant, a
// stop or a freeze speaks; otherwise it waits as a card. Refresh and RulesChanged bring the card
// up to date (judging.go). Decide ends it, after the files were compared with those that were
// shown (decide.go). Tellable says what its asker may hear of it (replay.go). A call that was put
// off has its answer given by GiveDeferred when its agent asks again (reask.go, defer.go).
//
// Three promises are kept here. What is allowed is what was shown: a stamp of the files is
// compared before the input goes out. An answer that lets a call run is given again only while
// nothing speaks against it, and each of these checks says no in doubt. After any error the call
// must not run.
//
// Some calls take two operators (two.go): no path to the engine's Decide leads around enough.
//
// Nothing is remembered between two calls but how long rules took (took.go), and who allowed a call
// that waits for a second operator. Package service
// builds it; api and the screens reach it through interfaces of their own. It knows engine,
// policy, records, and the disk through workspace.
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

// View is the engine's state as it may be read. Each method reads what is on record. Seen has in
// one piece what belongs together, so that a call and its stamp are of the same moment.
type View interface {
	Request(id string) (broker.Request, bool)
	Seen(id string, now time.Time) (engine.Seen, bool)
	Look(req *broker.Request) engine.Look
	Held(sessionID string) bool
	Rules() *engine.Rules
	Rule(id string) (rules.Rule, bool)
	// Owes reports whether the store could not take the call's end yet: it may say otherwise than
	// its asker was told.
	Owes(id string) bool
	// MayBeKept reports whether a freeze keeps the call's answer back, or kept it. It is quick,
	// for the many calls that no freeze concerns.
	MayBeKept(id, sessionID string) bool
}

// Options are what Calls work with. All fields are needed.
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

	o      Options
	firsts firsts
}

// New returns what may be done about the calls of o's engine.
func New(o Options) *Calls {
	cs := &Calls{o: o}
	cs.firsts.o = &cs.o
	return cs
}

const (
	// mostLooks is how often something is looked at anew because the rules or the files change
	// meanwhile.
	mostLooks = 100

	recordTimeout = 10 * time.Second // the longest a look into the store may take
)
