package broker

import (
	"context"
	"errors"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// Store is what the broker needs from its memory. Package store implements it
// with SQLite; brokertest has one in memory, held to the same contract.
//
// All methods may be called from many goroutines.
type Store interface {
	// Load returns what a starting broker must know: the requests that are still
	// pending, the sessions that have not ended or were seen lately, and unused grants.
	Load(ctx context.Context) (Saved, error)

	// Record applies changes in one transaction, in order, and returns when that is durable:
	// on the disk itself when one of them wants Sync, in the operating system's hands
	// otherwise. It fills in Seq and Hash of their Events. Either all of it is applied or
	// nothing.
	//
	// A *ChangeError says which of them is at fault, with one of ErrInvalid (it is not whole),
	// ErrDuplicate (Insert's key or id is taken), ErrAlreadyDecided (a request in Settle is not
	// pending), ErrNotFound (a request in Settle does not exist), ErrGrantUsed. Any other
	// error means that the outcome is unknown and must be treated as not recorded.
	Record(ctx context.Context, changes ...*Change) error

	// Request returns one request by id, RequestByKey by correlation key; ErrNotFound.
	// A decided request whose row disagrees with the log yields ErrTampered.
	Request(ctx context.Context, id string) (Request, error)
	RequestByKey(ctx context.Context, key string) (Request, error)

	// Requests and Events list newest first, Sessions by last seen, newest first.
	Requests(ctx context.Context, f RequestFilter) ([]Request, error)
	Sessions(ctx context.Context, f SessionFilter) ([]Session, error)
	Events(ctx context.Context, f EventFilter) ([]Event, error)

	// EachRequest calls fn with every request decided since a time, oldest decision
	// first, and stops at the first error, which it returns. It tells what the rows say
	// without asking the log: good for statistics and for trying rules, not for decisions.
	// A request decided meanwhile may be missed. fn may call the store.
	EachRequest(ctx context.Context, since time.Time, fn func(Request) error) error
	// Stats counts the requests of one session, or of all for "", decided since a time.
	Stats(ctx context.Context, sessionID string, since time.Time) (Stats, error)
	// Grants lists the grants that are still good for a call, oldest first: unused, not
	// expired, and vouched for by the log.
	Grants(ctx context.Context) ([]Grant, error)

	// Head is the newest event's number and hash; 0 and "" for an empty log.
	Head() (seq int64, hash string)
}

// Saved is what Load returns.
type Saved struct {
	Requests []Request // pending ones, oldest first
	Sessions []Session
	Grants   []Grant // unused, also expired ones

	// Checkpoints are of all calls that were put off and have not had their answer, oldest
	// first, for which the log vouches; their sessions are among Sessions.
	Checkpoints []Checkpoint

	// Extensions are the newest of each pending request that has one, as far as the log
	// vouches for them.
	Extensions []Extension

	// Facts are the events of FactTypes, oldest first: what they say is what holds. The rules
	// table only repeats it for other programs to read.
	Facts   []Event
	RuleUse map[string]RuleUse // by rule id; never less than the log knows of
	Doubt   string             // not empty: facts were changed or are missing, so none of them may allow anything
	Lost    int64              // not 0: up to this event a fact was changed or is missing, and nobody knows what it said
}

// RuleUse is how often, and when last, a rule spoke.
type RuleUse struct {
	Uses int
	Last time.Time
}

// Change is what one transaction writes.
type Change struct {
	Insert   *Request     // a new request, pending or already decided
	Settle   []Settlement // pending requests that end
	Sessions []Session    // written whole, by id
	Grant    *Grant       // a new grant
	UseGrant *GrantUse    // a grant to consume
	Rules    []rules.Rule // rows written whole, by id; an EventRuleSaved goes with each
	Remove   []string     // ids of rules whose rows go; an EventRuleRemoved goes with each
	Used     []string     // ids of rules that spoke once more; their uses grow by one

	// Checkpoint is written whole, by request id. What it says but for ResumedAt must be in
	// an EventDeferred or EventTakenUpAgain of that request, the newest one there is.
	Checkpoint *Checkpoint
	// DropCheckpoints are ids of requests whose checkpoints go. A change that drops one
	// which is not there is refused, with ErrNotFound.
	DropCheckpoints []string

	Events []*Event // appended in this order
	Sync   bool     // survive a power cut, not only a crash
}

// Empty reports whether c writes nothing.
func (c *Change) Empty() bool {
	return c.Insert == nil && len(c.Settle)+len(c.Sessions)+len(c.Rules)+len(c.Remove)+len(c.Used)+len(c.DropCheckpoints)+len(c.Events) == 0 &&
		c.Grant == nil && c.UseGrant == nil && c.Checkpoint == nil
}

// Settlement ends one pending request.
type Settlement struct {
	ID      string
	Outcome Outcome
}

// GrantUse marks grant ID as used by request By.
type GrantUse struct{ ID, By string }

// RequestFilter selects requests; zero fields select all.
type RequestFilter struct {
	IDs       []string // only these; nil for all
	Begins    string   // only those whose id begins so
	State     State
	SessionID string
	Decided   bool // only terminal ones, newest decision first
	Late      bool // only those that ended without a person's answer, and for which no grant was made since
	Since     time.Time
	Limit     int // 0 means 1,000
	MaxBytes  int // of inputs, also edited ones: the list ends with the call that reaches it; 0 means no limit
}

// SessionFilter selects sessions.
type SessionFilter struct {
	ID    string
	Limit int // 0 means 1,000
}

// EventFilter selects events; with After, oldest first.
type EventFilter struct {
	SessionID string
	Console   bool     // only events of no session
	Types     []string // only events of these types
	Since     time.Time
	Until     time.Time
	Ran       string // only those that tell how this request's call ended
	Before    int64  // only events with a smaller Seq; 0 for all of them
	After     int64  // only events with a larger Seq, oldest first; -1 for all of them
	Limit     int    // 0 means 1,000
}

// mayFail are errors of Record that say something about the change, not about the
// store.
var mayFail = []error{ErrDuplicate, ErrAlreadyDecided, ErrGrantUsed, ErrNotFound, ErrInvalid}

// StoreFailed reports whether an error of Store.Record says something about the store, and not
// about the change. An error that is not known counts as the store's: then everything that would
// allow becomes a refusal.
func StoreFailed(err error) bool {
	for _, fine := range mayFail {
		if errors.Is(err, fine) {
			return false
		}
	}
	return err != nil
}

// ChangeError says that one of several changes that were to be recorded together is at fault.
// None of them is recorded.
type ChangeError struct {
	Index int // of the change
	Err   error
}

func (e *ChangeError) Error() string { return e.Err.Error() }

func (e *ChangeError) Unwrap() error { return e.Err }
