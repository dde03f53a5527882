package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine/bucket"
	"github.com/aoctl/aoctl/broker/engine/undo"
)

// touchEvery is how stale a session's stored last-seen time may be.
const touchEvery = 30 * time.Second

// Session is one session with what the broker knows of it beside. A Session that is in the
// state is never changed; see sessions.editSession.
type Session struct {
	Row      broker.Session
	waiting  []string // ids of its calls that wait, the oldest first
	deferred []string // ids of those that were put off and whose answer was not given

	savedAt  time.Time       // when its row was last written; zero: never
	savedAs  broker.Process  // whose the session was in it
	owes     []*broker.Event // what the store could not take when it happened
	doubtful bool            // a row of it that does not hold may have been written

	putOffTurn bool        // the turn goes on in which a call was put off
	resuming   *resumption // the last resume that was begun

	turnSeen bool            // this console saw its user speak, or the session begin
	gated    map[string]bool // tools that it has asked for since; replaced, never changed

	asks, tells bucket.Bucket // of new calls, and of other events
	run         runState
}

// known reports whether the session is on record.
func (se *Session) known() bool { return !se.savedAt.IsZero() }

// owing reports whether the store is to have the session's row again.
func (se *Session) owing() bool { return len(se.owes) > 0 || se.doubtful }

// view is the session as others see it.
func (se *Session) view() broker.Session {
	row := se.Row
	row.Pending, row.Deferred = len(se.waiting), len(se.deferred)
	row.Subagents = slices.Clone(row.Subagents)
	return row
}

// sessions are those in memory, by id, with what holds them and what belongs to them.
type sessions struct {
	undo.Map[string, *Session]
	roots   undo.Map[string, string] // sub-agents: the session that each belongs to
	freezes undo.Map[string, Freeze] // by session; "" is that of all
	agents  undo.Map[int, AgentRun]  // processes of agents, by pid
	self    int                      // pid of this console
}

// session is session id, nil when it is not in memory.
func (ss *sessions) session(id string) *Session { return ss.At(id) }

// begun are sessions under a stop that only the draft could stop: they began, or came back, in it.
func (ss *sessions) begun() (list []broker.Session) {
	for _, id := range ss.Changed() {
		se, was := ss.At(id), ss.Before(id)
		if se != nil && se.Row.State.UnderStop() && (was == nil || !was.Row.State.UnderStop() && (!was.known() || was.Row.State.Ended())) {
			list = append(list, se.Row)
		}
	}
	return list
}

// editSession returns a copy of session id, made on the spot if need be, that is in its place
// from now on. It may be changed until it is kept.
func (ss *sessions) editSession(id string) *Session {
	if se, ok := ss.Drafted(id); ok {
		return se
	}
	next := ss.copySession(id)
	ss.Put(id, next)
	return next
}

// copySession is a copy of session id that is in nobody's place, new if need be.
func (ss *sessions) copySession(id string) *Session {
	if se := ss.session(id); se != nil {
		next := *se
		return &next
	}
	return &Session{Row: broker.Session{ID: id, State: broker.SessionActive, Frozen: ss.held(id) != ""}}
}

// underStop reports whether nothing of a session may run.
func (ss *sessions) underStop(id string) bool {
	se := ss.session(id)
	return se != nil && se.Row.State.UnderStop()
}

// held says why nothing of a session may pass now: a freeze; "" when there is none.
func (ss *sessions) held(id string) string {
	switch {
	case ss.freezes.Has(""):
		return broker.HeldByAll
	case ss.freezes.Has(id):
		return broker.HeldByOne
	}
	return ""
}

// stopped says that a session is under a stop; "" when it is not.
func (ss *sessions) stopped(id string) string {
	if ss.underStop(id) {
		return "its session is stopped"
	}
	return ""
}

// Speaker is what a hook, or a program, tells of its session beside what it is about.
type Speaker struct {
	SessionID string
	Agent     string // "" when it is not the agent that speaks, but something seen of it
	CWD, Mode string
	Hint      broker.SessionHint
	Living    broker.Process // a process of the session that was seen to live just now
}

func speaker(q *broker.Question, living broker.Process) Speaker {
	return Speaker{SessionID: q.SessionID, Agent: q.Agent, CWD: q.CWD, Mode: q.Mode, Hint: q.Session, Living: living}
}

// touch notes that a session was heard of.
func (ss *sessions) touch(se *Session, now time.Time, sp Speaker) {
	row := &se.Row
	broker.Heard(now, row, sp.Agent, sp.CWD, sp.Mode, sp.Hint)
	if p := sp.Hint.Process; p.PID != 0 && sp.Agent != "" {
		ss.remember(p, row.ID)
		// What lives on under a stop is not replaced: whose prompt lifts it hangs on that.
		if !row.State.UnderStop() || row.Process.PID == 0 || !row.EndedAt.IsZero() || row.Process != sp.Living {
			row.Process = p
		}
	}
}

// save puts se's row into the change, with events about it, and what the store still owes.
func (s *State) save(se *Session, now time.Time, events ...*broker.Event) {
	c := &s.change
	if s.cause != nil { // it is written as soon as the store can
		se.owes = append(slices.Clone(se.owes), events...)
		return
	}
	if !se.known() && (len(events) == 0 || events[0].Type != broker.EventSessionStart) {
		started := broker.SessionEvent(now, broker.EventSessionStart, se.Row, map[string]any{"agent": se.Row.Agent, "cwd": se.Row.CWD})
		c.Events = append([]*broker.Event{started}, c.Events...)
	}
	c.Sync = c.Sync || se.owing() // what is owed, as a stop, holds already
	c.Events = append(append(c.Events, se.owes...), events...)
	c.Sessions = append(slices.DeleteFunc(c.Sessions, func(row broker.Session) bool { return row.ID == se.Row.ID }), se.view())
	se.savedAt, se.savedAs, se.owes, se.doubtful = now, se.Row.Process, nil, false
	s.emit(ShowSession{se.Row.ID})
}

// heardFrom notes that the agent of a session speaks, and records what must be of that.
func (s *State) heardFrom(now time.Time, sp Speaker) *Session {
	se := s.editSession(sp.SessionID)
	stale := !se.known() || now.Sub(se.savedAt) > touchEvery || se.Row.Archived
	s.touch(se, now, sp)
	if se.Row.State.Ended() || se.Row.State == broker.SessionIdle {
		se.Row.State, se.Row.SessionEnd, stale = broker.SessionActive, broker.SessionEnd{}, true
	}
	// A console that starts anew takes the session of a process that is gone for ended.
	if stale || se.Row.Process != se.savedAs {
		s.save(se, now)
	}
	return se
}

// update lets f change the row of a session and say what the log is to tell of it, and
// records both. It changes nothing when f returns an error.
func (s *State) update(now time.Time, sp Speaker, f func(row *broker.Session) ([]*broker.Event, error)) (*Session, error) {
	se := s.copySession(sp.SessionID)
	s.touch(se, now, sp)
	row := se.view()
	row.Run = row.Run.Clone()
	events, err := f(&row)
	if err != nil {
		return s.session(sp.SessionID), err
	}
	se.Row = row
	s.sessions.Put(sp.SessionID, se)
	s.save(se, now, events...)
	return se, nil
}

// ChangeSession is what a person wants to be otherwise about a session. One that is removed must
// be over, as far as its processes are known here; what it asks ends with it.
// Errors: ErrNotFound, ErrSessionLives, ErrPutOff.
type ChangeSession struct {
	SessionID string
	Change    broker.SessionChange
	By        broker.Actor
}

func (in ChangeSession) step(s *State, now time.Time) Reply {
	if se := s.session(in.SessionID); in.Change.Removed && se != nil {
		switch row := &se.Row; {
		case !row.Over() && (row.Process.PID != 0 || row.Run.Running()):
			return Reply{Err: broker.ErrSessionLives}
		case len(se.deferred) > 0:
			return Reply{Err: broker.ErrPutOff}
		}
	}
	r := s.onRun(now, in.SessionID, true, func(row *broker.Session) ([]*broker.Event, error) {
		return broker.ChangeSession(now, row, in.Change, in.By)
	})
	if in.Change.Removed && r.Err == nil {
		s.close(now, in.SessionID, broker.Outcome{State: broker.Cancelled, By: in.By, Reason: "its session was removed"}, nil)
		r.Session = s.session(in.SessionID).view()
	}
	return r
}

// noteGated notes what a session asks for before it runs.
func (se *Session) noteGated(req *broker.Request) {
	if !se.turnSeen || req.Event != broker.GateOf(req.Agent) || se.gated[req.ToolName] || len(se.gated) >= maxAlarms {
		return
	}
	se.gated = with(se.gated, req.ToolName)
}

// with is a copy of set that has k.
func with(set map[string]bool, k string) map[string]bool {
	next := map[string]bool{k: true}
	maps.Copy(next, set)
	return next
}

// AgentRun is a process of an agent, as long as it lives: also one that said that its session
// is over, and one after which the session had another process. Everything below it belongs to
// an agent.
type AgentRun struct {
	broker.Process
	Session string
	Runner  bool // it holds the agent, and is none itself
}

// remember takes p for a process of the agent of session id.
func (ss *sessions) remember(p broker.Process, id string) {
	if p.PID <= 1 {
		return
	}
	if old, ok := ss.agents.Get(p.PID); !ok || old.Start != p.Start || old.Runner {
		ss.agents.Put(p.PID, AgentRun{p, id, false})
	}
}

// rememberRunner takes what is below p for the agent of session id, also before p says which
// process that is: an agent can be faster, or stop who would say so. What is below this console
// stays the user's.
func (ss *sessions) rememberRunner(p broker.Process, id string) {
	if p.PID <= 1 || p.PID == ss.self {
		return
	}
	if old, ok := ss.agents.Get(p.PID); !ok || old.Start != p.Start {
		ss.agents.Put(p.PID, AgentRun{p, id, true})
	}
}

// forgetDead drops the processes that are no more.
func (in Tick) forgetDead(s *State) {
	for _, p := range in.Dead {
		if run, ok := s.agents.Get(p.PID); ok && run.Process == p {
			s.agents.Drop(p.PID)
		}
	}
}
