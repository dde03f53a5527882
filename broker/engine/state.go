package engine

import (
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine/book"
	"github.com/aoctl/aoctl/broker/engine/bucket"
	"github.com/aoctl/aoctl/broker/engine/undo"
)

// Limits are what a State keeps to. They do not change.
type Limits struct {
	ApprovalTimeout time.Duration                     // an operator's time to answer
	Capped          bool                              // no asker may take longer than that
	LateFor         time.Duration                     // how long an expired or cancelled call stays as late
	AskerGrace      time.Duration                     // how long a living asker may be disconnected
	MaxPerSession   int                               // waiting calls of one session
	MaxPending      int                               // waiting calls in all
	MaxSessions     int                               // sessions kept in memory
	Rate            int                               // new calls a second of one session; negative: no limit
	Silence         time.Duration                     // after it a session ends of which no process is known; 0: never
	OnTimeout       broker.Verdict                    // Deny; Defer or Ask where the agent can be told
	Self            int                               // pid of this console
	Launches        bool                              // sessions can be resumed from here
	Difference      func(a, b json.RawMessage) string // the unified difference of two inputs, for the record; may be nil
}

// State is everything that a broker remembers. Only its own methods change it, one input
// after the other. See Step.
type State struct {
	limits Limits
	out    // of the step that is being taken

	calls
	sessions
	alarms
	attempts
	debts
	grants
	book book.Book

	now  facts
	kept *State // the same as it is on record, for who may not see a draft; nothing can be put in it
}

// facts are the parts of the state of which there is one each.
type facts struct {
	waiting   int      // calls that wait
	recent    []string // ids of ended calls, the oldest first; see forget
	observing bool     // nothing is held, in any session
	closed    bool
	draining  bool
	failures  int           // commits that failed because of the store
	counted   bool          // uses of rules changed since watchers were told
	newcomers bucket.Bucket // of sessions that were not known
	refused   window        // of attempts that were turned away
	health    broker.Health
	rules     *Rules
}

// observes reports whether nothing of a session is held. It need not be known.
func (f *facts) observes(se *Session) bool { return f.observing || se != nil && se.Row.Observed }

// closing reports whether nothing is begun any more.
func (f *facts) closing() bool { return f.closed || f.draining }

// tables are all of s's, for what is done to each of them.
func (s *State) tables() []undo.Any {
	return append(s.book.Tables(),
		&s.calls.Map, &s.idOf, &s.sessions.Map, &s.roots, &s.freezes, &s.agents, &s.alarmed, &s.alarmOf, &s.raised,
		&s.floods, &s.notes, &s.debts.Map, &s.doubts, &s.strays, &s.grants.Map,
	)
}

// New returns a state that knows nothing yet; Restore puts in it what a store has.
func New(l Limits) *State {
	s := &State{limits: l, sessions: sessions{self: l.Self}}
	for _, t := range s.tables() {
		t.Open()
	}
	kept := *s
	for _, t := range kept.tables() {
		t.Shut()
	}
	s.kept = &kept
	return s
}

// Keep makes everything hold that was stepped since the last Keep or Undo: it is on record.
func (s *State) Keep() {
	for _, t := range s.tables() {
		t.Keep()
	}
	s.kept.now = s.now
}

// Undo takes it back: it is not on record.
func (s *State) Undo() {
	for _, t := range s.tables() {
		t.Undo()
	}
	s.now = s.kept.now
}

// out is what a step puts out.
type out struct {
	change  broker.Change
	effects []Effect
	cause   error // not nil: the record failed, and what refuses takes effect all the same
}

// note adds an event about r to what is recorded.
func (o *out) note(now time.Time, typ string, r broker.Request, data any) {
	o.change.Events = append(o.change.Events, broker.NewEvent(now, typ, r, data))
}

// noteSynced is note for what must be on the disk itself before anybody hears of it.
func (o *out) noteSynced(now time.Time, typ string, r broker.Request, data any) {
	o.change.Sync = true
	o.note(now, typ, r, data)
}

func (o *out) emit(list ...Effect) { o.effects = append(o.effects, list...) }

// show tells those who watch of c and of its session.
func (o *out) show(c *Call) { o.emit(ShowCall{c.Req}, ShowSession{c.Req.SessionID}) }

// arm starts the clock of c, which edit returned.
func (o *out) arm(c *Call, deadline time.Time) {
	c.Clock.deadline = deadline
	o.emit(Timer{c.Req.ID, deadline})
}

// takeBackUnheard takes back of c, which edit returned, that nobody heard its answer.
func (o *out) takeBackUnheard(c *Call) {
	if c.Req.Unheard {
		c.own().Unheard = false
		o.emit(ShowCall{c.Req})
	}
}

// recordFreeze records that a session, or for "" everything, is frozen or no longer is.
func (o *out) recordFreeze(now time.Time, sessionID string, on bool, by broker.Actor) {
	if o.cause == nil {
		o.noteSynced(now, broker.EventFrozen, broker.Request{SessionID: sessionID}, broker.FrozenData{Session: sessionID, On: on, By: by})
	}
}

// Step takes one input. What it returns as change must be on record before any of the effects
// is released; then Keep. When it cannot be recorded: Undo, then Unrecorded.
//
// The change is empty when nothing needs to be recorded.
func (s *State) Step(now time.Time, in Input) (broker.Change, []Effect) {
	s.out = out{}
	r := in.step(s, now)
	s.emit(&r)
	return s.change, s.effects
}

// Timeout is the operator's time for q: what the asker grants, and no more than the operator
// chose.
func (l *Limits) Timeout(q *broker.Question) time.Duration {
	if q.Timeout > 0 && (!l.Capped || q.Timeout < l.ApprovalTimeout) {
		return min(q.Timeout, broker.MaxTimeout)
	}
	return l.ApprovalTimeout
}

// decided is the event of r ending with o, for which these rules spoke.
func (l *Limits) decided(r *broker.Request, o broker.Outcome, rules ...string) *broker.Event {
	return broker.NewEvent(o.At, broker.EventRequestDecided, *r, broker.DecidedDataOf(r, o, l.Difference, rules))
}
