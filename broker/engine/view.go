package engine

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/sessionnames"
)

// View is the state as others may read it at any time: what is on record, and nothing that is
// being recorded. It is the one place where readers and the loop meet.
type View struct {
	mu    sync.RWMutex
	state *State
}

// read is what f reads of what is on record. It is the one place that locks for readers.
func read[T any](v *View, f func(s *State) T) T {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return f(v.state.kept)
}

// find is read for what there may be.
func find[T any](v *View, f func(s *State) (T, bool)) (found T, ok bool) {
	ok = read(v, func(s *State) (is bool) { found, is = f(s); return is })
	return found, ok
}

// Request is a request that is in memory.
func (v *View) Request(id string) (broker.Request, bool) {
	return find(v, func(s *State) (broker.Request, bool) { return s.call(id).request() })
}

// ByKey is the request with a correlation key, if it is in memory.
func (v *View) ByKey(key string) (broker.Request, bool) {
	return find(v, func(s *State) (broker.Request, bool) { return s.byKey(key).request() })
}

func (c *Call) request() (broker.Request, bool) {
	if c == nil {
		return broker.Request{}, false
	}
	return *c.Req, true
}

// Seen is a call as it was shown, for a caller that is about to look at it again.
type Seen struct {
	Request broker.Request
	Stamp   string
	Heir    string // the conversation that may have the answer that it is owed; see Told
	Owed    bool
	Kept    bool          // a freeze keeps its answer back
	Over    string        // why its answer is not given again, as far as that is known
	GivenAt time.Time     // when it was given, of a call that was put off
	Left    time.Duration // until its deadline; 0 unless it waits
	Late    bool
	Look    Look
}

// Open reports whether the call may still be allowed.
func (x *Seen) Open() bool { return x.Request.State == broker.Pending || x.Late }

// Seen is a call that is in memory, with what it takes to judge it.
func (v *View) Seen(id string, now time.Time) (Seen, bool) {
	return find(v, func(s *State) (Seen, bool) {
		c := s.call(id)
		if c == nil {
			return Seen{}, false
		}
		x := Seen{
			Request: *c.Req, Stamp: c.Stamp, Heir: c.Told.heir, Owed: c.Phase == owed, Kept: c.Told.withheld, Over: c.Told.over, GivenAt: c.Told.givenAt,
			Late: c.late(now), Look: *s.look(c.Req),
		}
		if c.Phase == waiting {
			x.Left = c.Clock.deadline.Sub(now)
		}
		return x, true
	})
}

// Look is what it takes to judge a request now.
func (v *View) Look(req *broker.Request) Look {
	return read(v, func(s *State) Look { return *s.look(req) })
}

// Held reports whether a freeze holds a session.
func (v *View) Held(sessionID string) bool {
	return read(v, func(s *State) bool { return s.held(sessionID) != "" })
}

// Pending lists the waiting requests of one session, or of all for "", the oldest first.
func (v *View) Pending(sessionID string) []broker.Request {
	list := read(v, func(s *State) (list []broker.Request) {
		for r := range s.pending(sessionID) {
			list = append(list, *r)
		}
		return list
	})
	broker.SortRequests(list)
	return list
}

// PendingWhich are the ids of at most so many waiting requests that want picks. It must be quick.
func (v *View) PendingWhich(most int, want func(*broker.Request) bool) []string {
	return read(v, func(s *State) (ids []string) {
		for r := range s.pending("") {
			if len(ids) < most && want(r) {
				ids = append(ids, r.ID)
			}
		}
		return ids
	})
}

// pending are the requests on record of one session, or of all for "", that have no end.
func (s *State) pending(sessionID string) iter.Seq[*broker.Request] {
	return func(yield func(*broker.Request) bool) {
		for id, se := range s.sessions.Kept() {
			if sessionID != "" && id != sessionID {
				continue
			}
			for _, cid := range slices.Concat(se.waiting, se.deferred) {
				if r := s.call(cid).Req; r.State == broker.Pending && !yield(r) {
					return
				}
			}
		}
	}
}

// Session is a session that is in memory and on record.
func (v *View) Session(id string) (broker.Session, bool) {
	return find(v, func(s *State) (broker.Session, bool) {
		if se := s.session(id); se != nil && se.known() {
			return se.view(), true
		}
		return broker.Session{}, false
	})
}

// Sessions are those that are in memory and on record.
func (v *View) Sessions() []broker.Session {
	return read(v, func(s *State) []broker.Session { return s.views() })
}

func (ss *sessions) views() (list []broker.Session) {
	for _, se := range ss.Kept() {
		if se.known() {
			list = append(list, se.view())
		}
	}
	return list
}

// Health is what the console says of the broker itself.
func (v *View) Health() broker.Health {
	return read(v, func(s *State) broker.Health { return s.now.health })
}

// Rules are those in force.
func (v *View) Rules() *Rules { return read(v, func(s *State) *Rules { return s.now.rules }) }

// RuleBook is all that decides without a person.
func (v *View) RuleBook() broker.RuleBook {
	return read(v, func(s *State) broker.RuleBook { return s.book.Shown(s.now.rules.Problem()) })
}

// Rule is a rule that is not built in, with its uses.
func (v *View) Rule(id string) (rules.Rule, bool) {
	return find(v, func(s *State) (rules.Rule, bool) { return s.book.Rule(id) })
}

// Trusted is the digest that a project's rules file must have so that its allow rules count.
func (v *View) Trusted(path string) string {
	return read(v, func(s *State) string { return s.book.Trusted.At(path) })
}

// Tokens are those in force. There are none when it is no longer certain which there are.
func (v *View) Tokens() []Token {
	return read(v, func(s *State) (list []Token) {
		if s.now.rules.Doubt != "" {
			return nil
		}
		for _, t := range s.book.Tokens.Kept() {
			list = append(list, t)
		}
		slices.SortFunc(list, func(x, y Token) int { return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.ID, y.ID)) })
		return list
	})
}

// Snapshot is everything that a console draws.
func (v *View) Snapshot(now time.Time) broker.Snapshot {
	return read(v, func(s *State) broker.Snapshot { return s.snapshot(now) })
}

func (s *State) snapshot(now time.Time) broker.Snapshot {
	snap := broker.Snapshot{Health: s.now.health, Rules: s.book.Shown(s.now.rules.Problem()), Sessions: s.views()}
	for _, c := range s.calls.Kept() {
		if c.open(now) {
			snap.Requests = append(snap.Requests, *c.Req)
		}
	}
	broker.SortRequests(snap.Requests)
	return snap
}

// Status counts what there is now.
func (v *View) Status(now time.Time) broker.Status {
	return read(v, func(s *State) broker.Status {
		st := broker.Status{Observing: s.now.observing, FrozenAll: s.freezes.Has(""), Problem: s.now.health.Problem()}
		var oldest *broker.Request
		for _, se := range s.sessions.Kept() {
			if se.known() {
				row := se.Row
				row.Deferred = len(se.deferred)
				st.Count(row)
			}
			for _, id := range se.waiting {
				r := s.call(id).Req
				st.Waiting++
				if r.Held != "" {
					st.Held++
				}
				if r.Assessment != nil && r.Assessment.Class >= risk.Dangerous {
					st.Dangerous++
				}
				if oldest == nil || r.CreatedAt.Before(oldest.CreatedAt) {
					oldest = r
				}
			}
		}
		if r := oldest; r != nil {
			st.Oldest = &broker.Oldest{RequestID: r.ID, SessionID: r.SessionID, SessionName: cmp.Or(sessionnames.Labels(sessionnames.All(s.views()))[r.SessionID], r.SessionID), ToolName: r.ToolName}
			st.OldestWaitMS = max(now.Sub(r.CreatedAt).Milliseconds(), 1)
		}
		return st
	})
}

// Agent is the process with that pid, if it is one of an agent's.
func (v *View) Agent(pid int) (AgentRun, bool) {
	return find(v, func(s *State) (AgentRun, bool) { return s.agents.Get(pid) })
}

// Watched are the processes whose end the broker wants to know of; see Tick.
func (v *View) Watched() []broker.Process {
	set := map[broker.Process]bool{}
	read(v, func(s *State) any {
		for _, run := range s.agents.Kept() {
			set[run.Process] = true
		}
		for _, se := range s.sessions.Kept() {
			if se.Row.EndedAt.IsZero() {
				set[se.Row.Process] = true
			}
			for _, id := range se.waiting {
				if c := s.call(id); c.Asker.attached == 0 {
					set[c.Req.Asker] = true
				}
			}
		}
		for _, id := range s.now.recent {
			if c := s.call(id); c != nil && !c.Told.since.IsZero() {
				set[c.Req.Asker] = true
			}
		}
		return nil
	})
	maps.DeleteFunc(set, func(p broker.Process, _ bool) bool { return p.PID == 0 })
	return slices.Collect(maps.Keys(set))
}

// Debts are what the store could not take yet, or may have taken.
func (v *View) Debts() (calls, strays []string, rest bool) {
	rest = read(v, func(s *State) (rest bool) {
		calls, strays = append(s.debts.Keys(), s.doubts.Keys()...), s.strays.Keys()
		strays = slices.DeleteFunc(strays, func(id string) bool { c := s.call(id); return c != nil && c.shelved() })
		for _, f := range s.freezes.Kept() {
			rest = rest || !f.recorded
		}
		for _, se := range s.sessions.Kept() {
			rest = rest || se.owing()
		}
		return rest
	})
	slices.Sort(calls)
	return calls, strays, rest
}

// Owes reports whether the store could not take the end of a call yet.
func (v *View) Owes(id string) bool {
	return read(v, func(s *State) bool { return s.debts.Has(id) })
}

// Failures is how many commits failed because of the store, and whether it fails still.
func (v *View) Failures() (n int, failing bool) {
	return find(v, func(s *State) (int, bool) { return s.now.failures, s.now.health.StoreErr != "" })
}

// WouldAsk reports whether a call of this tool should have been asked for here first: one was,
// in this session, since its user last spoke in front of this console.
func (v *View) WouldAsk(sessionID, tool string) bool {
	return read(v, func(s *State) bool {
		se := s.session(sessionID)
		return se != nil && se.gated[tool] && !s.now.observes(se)
	})
}

// Alarm is the alarm of a request; nil when there is none.
func (v *View) Alarm(requestID string) *broker.Alarm {
	if a, ok := find(v, func(s *State) (broker.Alarm, bool) { return s.alarmOf.Get(requestID) }); ok {
		return &a
	}
	return nil
}

// MayBeStarting reports whether a call that was allowed just before its stop may be about to run.
func (v *View) MayBeStarting(sessionID string, now time.Time, within time.Duration) bool {
	return read(v, func(s *State) bool {
		se := s.session(sessionID)
		if se == nil || now.Sub(se.Row.StopAskedAt) > within {
			return false
		}
		return slices.ContainsFunc(s.now.recent, func(id string) bool {
			c := s.call(id)
			return c != nil && c.Req.SessionID == sessionID && c.Req.Event == broker.GateOf(c.Req.Agent) && c.Req.State == broker.Allowed &&
				c.Told.over == "" && se.Row.StopAskedAt.Sub(c.Req.Outcome.At) < within
		})
	})
}

// News reports whether the runner of a session has to be told anything that it was not told yet.
func (v *View) News(sessionID string) bool {
	return read(v, func(s *State) bool {
		se := s.session(sessionID)
		if se == nil || se.Row.MayTell() {
			return se != nil
		}
		list := se.Row.Orders(se.run.done)
		return len(list) > 0 && broker.OrderIDs(list) != se.run.sent
	})
}

// Answered are the managed sessions whose call was put off and has been answered, for which
// nobody resumed them yet, with who answered.
func (v *View) Answered() map[string]broker.Actor {
	list := map[string]broker.Actor{}
	read(v, func(s *State) any {
		for id, se := range s.sessions.Kept() {
			for _, cid := range se.deferred {
				r := s.call(cid).Req
				if o := r.Outcome; o != nil && se.Row.Run != nil && !se.Row.Run.Running() && !se.Row.State.UnderStop() && r.Checkpoint.ResumedAt.Before(o.At) && !s.now.closing() {
					list[id] = broker.Actor{Kind: broker.ByOperator, ID: o.By.ID} // who answered wants it heard
				}
			}
		}
		return nil
	})
	return list
}

// Freezes says whether everything is frozen, how many sessions are one by one, and how many
// waiting calls of a session, or of all for "", are held.
func (v *View) Freezes(sessionID string) (all bool, sessions, held int) {
	all = read(v, func(s *State) bool {
		sessions = s.freezes.Len()
		for id, se := range s.sessions.Kept() {
			for _, cid := range se.waiting {
				if (sessionID == "" || id == sessionID) && s.call(cid).Req.Held != "" {
					held++
				}
			}
		}
		return s.freezes.Has("")
	})
	if all {
		sessions--
	}
	return all, sessions, held
}

// ResumedBy is the process that runs the agent for the last resume of a session that was begun.
func (v *View) ResumedBy(sessionID string) broker.Process {
	return read(v, func(s *State) broker.Process {
		if se := s.session(sessionID); se != nil && se.resuming != nil {
			return se.resuming.by
		}
		return broker.Process{}
	})
}

// RanLike reports whether a call like the one that h reports was told to run.
func (v *View) RanLike(h agents.Hook) bool {
	return v.anyCall(func(c *Call) bool { return c.ranLike(h) })
}

// Undelivered reports whether an allowed call has an asker who was not told yet.
func (v *View) Undelivered() bool {
	return v.anyCall(func(c *Call) bool { return !c.Told.since.IsZero() })
}

func (v *View) anyCall(is func(*Call) bool) bool {
	return read(v, func(s *State) bool {
		for _, c := range s.calls.Kept() {
			if is(c) {
				return true
			}
		}
		return false
	})
}

// MayBeKept reports whether a freeze keeps the answer of a call back, or kept it: then it is to
// go through Tell.
func (v *View) MayBeKept(id, sessionID string) bool {
	return read(v, func(s *State) bool {
		c := s.call(id)
		return s.held(sessionID) != "" || c != nil && c.Told.withheld
	})
}
