package engine

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
)

// View is the state as others may read it at any time: what is on record, and nothing that is
// being recorded. It is the one place where readers and the loop meet.
type View struct {
	mu    sync.RWMutex
	state *State
}

// Request is a request that is in memory.
func (v *View) Request(id string) (broker.Request, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	c, ok := v.state.calls.kept[id]
	if !ok {
		return broker.Request{}, false
	}
	return *c.Req, true
}

// ByKey is the request with a correlation key, if it is in memory.
func (v *View) ByKey(key string) (broker.Request, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if c, ok := v.state.calls.kept[v.state.keys.kept[key]]; ok {
		return *c.Req, true
	}
	return broker.Request{}, false
}

// Seen is a call as it was shown, for whoever is about to look at it again.
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
	v.mu.RLock()
	defer v.mu.RUnlock()
	c, ok := v.state.calls.kept[id]
	if !ok {
		return Seen{}, false
	}
	x := Seen{
		Request: *c.Req, Stamp: c.Stamp, Heir: c.Told.heir, Owed: c.Phase == owed, Kept: c.Told.withheld, Over: c.Told.over, GivenAt: c.Told.givenAt,
		Late: c.late(now), Look: v.look(c.Req),
	}
	if c.Phase == waiting {
		x.Left = c.Clock.deadline.Sub(now)
	}
	return x, true
}

// Look is what it takes to judge a request now.
func (v *View) Look(req *broker.Request) Look {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.look(req)
}

func (v *View) look(req *broker.Request) Look {
	s := v.state
	l := Look{Rules: s.kept.rules, Project: broker.FolderOf(*req), Moot: s.kept.observing || v.held(req.SessionID)}
	if se, ok := s.sessions.kept[req.SessionID]; ok {
		l.Project = cmp.Or(se.Row.ProjectDir, l.Project)
		l.Stopped = se.Row.State.UnderStop()
		l.Moot = l.Moot || l.Stopped || se.Row.Observed
	}
	if a := s.alarms.kept[req.SessionID]; a.count > 0 {
		l.Alarm = alarmText(a)
	}
	return l
}

// Held reports whether a freeze holds a session.
func (v *View) Held(sessionID string) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.held(sessionID)
}

func (v *View) held(sessionID string) bool {
	f := v.state.freezes.kept
	_, all := f[""]
	_, one := f[sessionID]
	return all || one
}

// Pending lists the waiting requests of one session, or of all for "", the oldest first.
func (v *View) Pending(sessionID string) []broker.Request {
	v.mu.RLock()
	defer v.mu.RUnlock()
	var list []broker.Request
	for id, se := range v.state.sessions.kept {
		if sessionID != "" && id != sessionID {
			continue
		}
		for _, cid := range slices.Concat(se.waiting, se.deferred) {
			if c := v.state.calls.kept[cid]; c.Req.State == broker.Pending {
				list = append(list, *c.Req)
			}
		}
	}
	broker.SortRequests(list)
	return list
}

// PendingWhich are the ids of at most so many waiting requests that want picks. It must be quick.
func (v *View) PendingWhich(most int, want func(*broker.Request) bool) (ids []string) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, se := range v.state.sessions.kept {
		for _, id := range slices.Concat(se.waiting, se.deferred) {
			if r := v.state.calls.kept[id].Req; len(ids) < most && r.State == broker.Pending && want(r) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Session is a session that is in memory and on record.
func (v *View) Session(id string) (broker.Session, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if se, ok := v.state.sessions.kept[id]; ok && se.known() {
		return se.view(), true
	}
	return broker.Session{}, false
}

// Sessions are those that are in memory and on record.
func (v *View) Sessions() []broker.Session {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.sessions()
}

func (v *View) sessions() []broker.Session {
	var list []broker.Session
	for _, se := range v.state.sessions.kept {
		if se.known() {
			list = append(list, se.view())
		}
	}
	return list
}

// Health is what the console says of the broker itself.
func (v *View) Health() broker.Health {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.state.kept.health
}

// Rules are those in force, RuleBook all that is known of them.
func (v *View) Rules() *Rules {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.state.kept.rules
}

// RuleBook is all that decides without a person.
func (v *View) RuleBook() broker.RuleBook {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.ruleBook()
}

func (v *View) ruleBook() broker.RuleBook {
	s := v.state
	r := s.kept.rules
	book := broker.RuleBook{Problem: cmp.Or(r.Doubt, r.Unread, r.Stuck)}
	withUses := func(r rules.Rule) rules.Rule {
		u := s.book.uses.kept[r.ID]
		r.Uses, r.LastUsedAt = u.Uses, u.Last
		return r
	}
	for _, rule := range s.book.own.kept {
		book.Rules = append(book.Rules, withUses(rule))
	}
	for _, f := range s.book.files.kept {
		f.Rules = slices.Clone(f.Rules)
		for i := range f.Rules {
			f.Rules[i] = withUses(f.Rules[i])
		}
		book.Files = append(book.Files, f)
		book.Rules = append(book.Rules, f.Rules...)
	}
	slices.SortFunc(book.Files, func(x, y broker.RulesFile) int { return cmp.Compare(x.Path, y.Path) })
	slices.SortFunc(book.Rules, func(x, y rules.Rule) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), x.CreatedAt.Compare(y.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
	return book
}

// Tokens are those in force.
func (v *View) Tokens() []Token {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.state.kept.rules.Doubt != "" {
		return nil // which tokens there are is no longer certain
	}
	var list []Token
	for _, t := range v.state.book.tokens.kept {
		list = append(list, t)
	}
	slices.SortFunc(list, func(x, y Token) int { return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.ID, y.ID)) })
	return list
}

// Snapshot is everything that a console draws.
func (v *View) Snapshot(now time.Time) broker.Snapshot {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.snapshot(now)
}

func (v *View) snapshot(now time.Time) broker.Snapshot {
	snap := broker.Snapshot{Health: v.state.kept.health, Rules: v.ruleBook(), Sessions: v.sessions()}
	for _, c := range v.state.calls.kept {
		if c.Req.State == broker.Pending || c.late(now) {
			snap.Requests = append(snap.Requests, *c.Req)
		}
	}
	broker.SortRequests(snap.Requests)
	return snap
}

// Status counts what there is now.
func (v *View) Status(now time.Time) broker.Status {
	v.mu.RLock()
	defer v.mu.RUnlock()
	s := v.state
	_, all := s.freezes.kept[""]
	st := broker.Status{Observing: s.kept.observing, FrozenAll: all, Problem: s.kept.health.Problem()}
	var oldest *Call
	for _, se := range s.sessions.kept {
		if se.known() {
			st.Count(se.Row)
		}
		for _, id := range se.waiting {
			c := s.calls.kept[id]
			st.Waiting++
			if c.Req.Held != "" {
				st.Held++
			}
			if a := c.Req.Assessment; a != nil && a.Class >= risk.Dangerous {
				st.Dangerous++
			}
			if oldest == nil || c.Req.CreatedAt.Before(oldest.Req.CreatedAt) {
				oldest = c
			}
		}
	}
	if oldest != nil {
		r := oldest.Req
		st.Oldest = &broker.Oldest{RequestID: r.ID, SessionID: r.SessionID, SessionName: cmp.Or(s.sessions.kept[r.SessionID].Row.Name, r.SessionID), ToolName: r.ToolName}
		st.OldestWaitMS = max(now.Sub(r.CreatedAt).Milliseconds(), 1)
	}
	return st
}

// Agent is the process with that pid, if it is one of an agent's.
func (v *View) Agent(pid int) (AgentRun, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	run, ok := v.state.agents.kept[pid]
	return run, ok
}

// Watched are the processes whose end the broker wants to know of; see Tick.
func (v *View) Watched() []broker.Process {
	v.mu.RLock()
	defer v.mu.RUnlock()
	set := map[broker.Process]bool{}
	for _, run := range v.state.agents.kept {
		set[run.Process] = true
	}
	for _, se := range v.state.sessions.kept {
		if se.Row.EndedAt.IsZero() && se.Row.Process.PID != 0 {
			set[se.Row.Process] = true
		}
		for _, id := range se.waiting {
			if c := v.state.calls.kept[id]; c.Asker.attached == 0 && c.Req.Asker.PID != 0 {
				set[c.Req.Asker] = true
			}
		}
	}
	for _, id := range v.state.kept.recent {
		if c := v.state.calls.kept[id]; c != nil && !c.Told.since.IsZero() && c.Req.Asker.PID != 0 {
			set[c.Req.Asker] = true
		}
	}
	list := make([]broker.Process, 0, len(set))
	for p := range set {
		list = append(list, p)
	}
	return list
}

// Debts are what the store could not take yet, or may have taken.
func (v *View) Debts() (calls, strays []string, rest bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for id := range v.state.debts.kept {
		calls = append(calls, id)
	}
	for id := range v.state.doubts.kept {
		calls = append(calls, id)
	}
	for id := range v.state.strays.kept {
		if c := v.state.calls.kept[id]; c == nil || !c.shelved() {
			strays = append(strays, id)
		}
	}
	for _, f := range v.state.freezes.kept {
		rest = rest || !f.recorded
	}
	for _, se := range v.state.sessions.kept {
		rest = rest || se.owing()
	}
	slices.Sort(calls)
	slices.Sort(strays)
	return calls, strays, rest
}

// Failures is how many commits failed because of the store, and whether it fails still.
func (v *View) Failures() (n int, failing bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.state.kept.failures, v.state.kept.health.StoreErr != ""
}

// Rule is a rule that is not built in, with its uses.
func (v *View) Rule(id string) (rules.Rule, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	b := &v.state.book
	r, ok := b.own.kept[id]
	for _, f := range b.files.kept {
		if ok {
			break
		}
		if i := slices.IndexFunc(f.Rules, func(r rules.Rule) bool { return r.ID == id }); i >= 0 {
			r, ok = f.Rules[i], true
		}
	}
	u := b.uses.kept[id]
	r.Uses, r.LastUsedAt = u.Uses, u.Last
	return r, ok
}

// Trusted is the digest that a project's rules file must have so that its allow rules count.
func (v *View) Trusted(path string) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.state.book.trusted.kept[path]
}

// WouldAsk reports whether a call of this tool should have been asked for here first: one was,
// in this session, since its user last spoke in front of this console.
func (v *View) WouldAsk(sessionID, tool string) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	se, ok := v.state.sessions.kept[sessionID]
	return ok && se.gated[tool] && !v.state.kept.observing && !se.Row.Observed
}

// Alarm is the alarm of a request; nil when there is none.
func (v *View) Alarm(requestID string) *broker.Alarm {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if a, ok := v.state.alarmOf.kept[requestID]; ok {
		return &a
	}
	return nil
}

// MayBeStarting reports whether a call of a session that was allowed just before its stop was
// not heard to have run.
func (v *View) MayBeStarting(sessionID string, now time.Time, within time.Duration) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	se, ok := v.state.sessions.kept[sessionID]
	if !ok || now.Sub(se.Row.StopAskedAt) > within {
		return false
	}
	for _, id := range v.state.kept.recent {
		c := v.state.calls.kept[id]
		if c != nil && c.Req.SessionID == sessionID && c.Req.Event == broker.GateOf(c.Req.Agent) && c.Req.State == broker.Allowed &&
			c.Told.over == "" && se.Row.StopAskedAt.Sub(c.Req.Outcome.At) < within {
			return true
		}
	}
	return false
}

// News reports whether the runner of a session has to be told anything that it was not told yet.
func (v *View) News(sessionID string) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	se, ok := v.state.sessions.kept[sessionID]
	if !ok {
		return false
	}
	if se.Row.MayTell() {
		return true
	}
	list := se.Row.Orders(se.run.done)
	return len(list) > 0 && broker.OrderIDs(list) != se.run.told
}

// Answered are the managed sessions whose call was put off and has an answer by now, for which
// nobody resumed them yet, with who answered.
func (v *View) Answered() map[string]broker.Actor {
	v.mu.RLock()
	defer v.mu.RUnlock()
	list := map[string]broker.Actor{}
	if v.state.kept.closed || v.state.kept.draining {
		return list
	}
	for id, se := range v.state.sessions.kept {
		for _, cid := range se.deferred {
			r := v.state.calls.kept[cid].Req
			if o := r.Outcome; o != nil && se.Row.Run != nil && !se.Row.Run.Running() && !se.Row.State.UnderStop() && r.Checkpoint.ResumedAt.Before(o.At) {
				list[id] = broker.Actor{Kind: broker.ByOperator, ID: o.By.ID} // who answered wants it heard
			}
		}
	}
	return list
}

// Freezes says whether everything is frozen, how many sessions are one by one, and how many
// waiting calls of a session, or of all for "", are held.
func (v *View) Freezes(sessionID string) (all bool, sessions, held int) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	sessions = len(v.state.freezes.kept)
	if _, all = v.state.freezes.kept[""]; all {
		sessions--
	}
	for id, se := range v.state.sessions.kept {
		for _, cid := range se.waiting {
			if (sessionID == "" || id == sessionID) && v.state.calls.kept[cid].Req.Held != "" {
				held++
			}
		}
	}
	return all, sessions, held
}

// ResumedBy is the process that runs the agent for the last resume of a session that was begun.
func (v *View) ResumedBy(sessionID string) broker.Process {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if se, ok := v.state.sessions.kept[sessionID]; ok && se.resuming != nil {
		return se.resuming.by
	}
	return broker.Process{}
}

// RanLike reports whether a call like the one that h reports was told to run.
func (v *View) RanLike(h agents.Hook) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, c := range v.state.calls.kept {
		if broker.RanAs(*c.Req, h) && broker.ToldToRun(*c.Req) {
			return true
		}
	}
	return false
}

// Untold is how many allowed calls have an asker who was not told yet.
func (v *View) Untold() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	n := 0
	for _, c := range v.state.calls.kept {
		if !c.Told.since.IsZero() {
			n++
		}
	}
	return n
}

// Owes reports whether the store could not take the end of a call yet.
func (v *View) Owes(id string) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	_, owes := v.state.debts.kept[id]
	return owes
}

// MayBeKept reports whether a freeze keeps the answer of a call back, or kept it: then it is to
// go through Tell.
func (v *View) MayBeKept(id, sessionID string) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	c := v.state.calls.kept[id]
	return v.held(sessionID) || c != nil && c.Told.withheld
}
