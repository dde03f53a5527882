package engine

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker"
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
	OnTimeout       broker.Verdict                    // Deny, or Defer where the agent can be told
	Self            int                               // pid of this console
	Launches        bool                              // sessions can be resumed from here
	Difference      func(a, b json.RawMessage) string // the unified difference of two inputs, for the record; may be nil
}

// State is everything that a broker remembers. Only its own methods change it, one input
// after the other. See Step.
type State struct {
	limits Limits

	calls    table[string, *Call]          // waiting, put off, late and lately ended ones, by id
	keys     table[string, string]         // their ids, by correlation key
	sessions table[string, *Session]       // by id
	grants   table[string, Grant]          // by what they cover; see grantKey
	freezes  table[string, Freeze]         // by session; "" is that of all
	debts    table[string, broker.Outcome] // ends that the store could not take, by id of the call
	doubts   table[string, bool]           // waiting calls that may have their end in the store
	strays   table[string, string]         // calls whose being put off may have been recorded although nobody was told: request to session
	floods   table[string, flood]
	alarms   table[string, alarmed]      // by session
	alarmOf  table[string, broker.Alarm] // by request
	seen     table[string, bool]         // alarms that were raised, by session, tool use and kind
	agents   table[int, AgentRun]        // processes of agents, by pid
	roots    table[string, string]       // sub-agents: the session that each belongs to
	notes    table[string, refusals]     // attempts that were turned away, by what they have in common

	book rulebook

	now  facts // with what the steps of this round made of them
	kept facts // as they are on record

	out out
}

// facts are the parts of the state of which there is one each.
type facts struct {
	waiting   int      // calls that wait
	recent    []string // ids of ended calls, the oldest first; see forget
	observing bool     // nothing is held, in any session
	closed    bool
	draining  bool
	failures  int    // commits that failed because of the store
	counted   bool   // uses of rules changed since watchers were told
	newcomers bucket // of sessions that were not known
	refused   window // of attempts that were turned away
	health    broker.Health
	rules     *Rules
}

// tables are all of s's, for what is done to each of them.
func (s *State) tables() []interface {
	keep()
	undo()
} {
	return []interface {
		keep()
		undo()
	}{
		&s.calls, &s.keys, &s.sessions, &s.grants, &s.freezes, &s.debts, &s.doubts, &s.strays, &s.floods,
		&s.alarms, &s.alarmOf, &s.seen, &s.agents, &s.roots, &s.notes,
		&s.book.own, &s.book.uses, &s.book.files, &s.book.trusted, &s.book.tokens,
	}
}

// New returns a state that knows nothing yet; Restore puts in it what a store has.
func New(l Limits) *State {
	return &State{
		limits: l, calls: newTable[string, *Call](), keys: newTable[string, string](), sessions: newTable[string, *Session](),
		grants: newTable[string, Grant](), freezes: newTable[string, Freeze](), debts: newTable[string, broker.Outcome](), doubts: newTable[string, bool](),
		strays: newTable[string, string](), floods: newTable[string, flood](), alarms: newTable[string, alarmed](),
		alarmOf: newTable[string, broker.Alarm](), seen: newTable[string, bool](), agents: newTable[int, AgentRun](),
		roots: newTable[string, string](), notes: newTable[string, refusals](), book: newRulebook(),
	}
}

// Keep makes everything hold that was stepped since the last Keep or Undo: it is on record.
func (s *State) Keep() {
	for _, t := range s.tables() {
		t.keep()
	}
	s.kept = s.now
}

// Undo takes it back: it is not on record.
func (s *State) Undo() {
	for _, t := range s.tables() {
		t.undo()
	}
	s.now = s.kept
}

// out is what the step that is being taken puts out.
type out struct {
	change  broker.Change
	effects []Effect
	cause   error // not nil: the record failed, and what refuses takes effect all the same
}

// Step takes one input. What it returns as change must be on record before any of the effects
// is released; then Keep. When it cannot be recorded: Undo, then Unrecorded.
//
// The change is empty when nothing needs to be recorded.
func (s *State) Step(now time.Time, in Input) (broker.Change, []Effect) {
	s.out = out{}
	r := in.step(s, now)
	s.emit(&r)
	return s.out.change, s.out.effects
}

// Empty reports whether c writes nothing.
func Empty(c *broker.Change) bool {
	return c.Insert == nil && len(c.Settle)+len(c.Sessions)+len(c.Rules)+len(c.Remove)+len(c.Used)+len(c.DropCheckpoints)+len(c.Events) == 0 &&
		c.Grant == nil && c.UseGrant == nil && c.Checkpoint == nil
}

// note adds an event about r to what is recorded.
func (s *State) note(now time.Time, typ string, r broker.Request, data any) {
	s.out.change.Events = append(s.out.change.Events, broker.NewEvent(now, typ, r, data))
}

func (s *State) emit(e Effect) { s.out.effects = append(s.out.effects, e) }

// call is call id, nil when it is not in memory.
func (s *State) call(id string) *Call {
	c, _ := s.calls.get(id)
	return c
}

// byKey is the call with a correlation key, nil when it is not in memory.
func (s *State) byKey(key string) *Call {
	id, ok := s.keys.get(key)
	if !ok {
		return nil
	}
	return s.call(id)
}

// held says why nothing of a session may pass now: a freeze; "" when there is none.
func (s *State) held(sessionID string) string {
	switch {
	case s.freezes.has(""):
		return broker.HeldByAll
	case s.freezes.has(sessionID):
		return broker.HeldByOne
	}
	return ""
}

// Timeout is the operator's time for q: what the asker grants, and no more than the operator
// chose.
func (l *Limits) Timeout(q *broker.Question) time.Duration {
	if q.Timeout > 0 && (!l.Capped || q.Timeout < l.ApprovalTimeout) {
		return min(q.Timeout, broker.MaxTimeout)
	}
	return l.ApprovalTimeout
}

// notRecording is why nothing may be allowed without a person now; "" when all is well.
func (s *State) notRecording() string {
	if s.now.health.StoreErr == "" {
		return ""
	}
	return "the log could not be written: " + s.now.health.StoreErr
}

// doubt is why no rule may allow anything, in any session.
func (s *State) doubt() string {
	return cmp.Or(s.now.rules.Doubt, s.now.rules.Unread, s.now.rules.Stuck)
}
