package engine

import (
	"cmp"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
)

// Ask is a call that somebody wants answered. When it was asked before, the reply has its
// request; otherwise it has a Look, and the call is to be judged and put in with Insert.
//
// Errors: ErrConflict (known key, other call), ErrTooMany, ErrTooFast, ErrTooManySessions,
// ErrClosed, ErrNotRecorded.
type Ask struct {
	Question broker.Question // whole: with id, key, digest and who waits for how long
	Living   broker.Process  // a process of the session that was seen to live just now
	Start    How             // of its agent's process, where the call can be put off
}

// Look is what it takes to judge a call.
type Look struct {
	Rules   *Rules
	Project string // folder
	Alarm   string // why no rule may allow anything in the session
	Moot    bool   // the rules have no say now
	Stopped bool   // nothing of the session may run
}

// Judged is what was made of a call with a Look.
type Judged struct {
	Rules      int // version of those that spoke
	Assessment rules.Assessment
	DenyReason string // what the agent is told when a rule refuses
	Stamp      string // of its files; may be left out where a rule decides
	Legible    bool
}

func (in Ask) step(s *State, now time.Time) Reply {
	q := &in.Question
	c := s.byKey(q.Key)
	if c == nil {
		c = s.call(q.ID)
	}
	switch {
	case s.now.closed:
		return Reply{Err: broker.ErrClosed}
	case c != nil && !broker.SameCall(*c.Req, *q):
		return Reply{Err: broker.ErrConflict, Call: *c.Req}
	case c != nil:
		return in.repeated(s, now, c)
	}
	if err := in.admit(s, now); err != nil {
		return Reply{Err: err}
	}
	req := q.Request
	if se := s.session(q.SessionID); req.CWD == "" && se == nil {
		req.CWD = q.CWD
	}
	look := s.look(&req)
	if look.Project == broker.FolderOf(req) && q.Session.ProjectDir != "" {
		look.Project = q.Session.ProjectDir // the first that the session tells of it
	}
	return Reply{Look: look}
}

// look is what it takes to judge req now.
func (s *State) look(req *broker.Request) *Look {
	id := req.SessionID
	l := &Look{Rules: s.now.rules, Project: broker.FolderOf(*req), Alarm: s.alarmWords(id), Stopped: s.underStop(id)}
	se := s.session(id)
	if se != nil {
		l.Project = cmp.Or(se.Row.ProjectDir, l.Project)
	}
	l.Moot = l.Stopped || s.now.observes(se) || s.held(id) != ""
	return l
}

// repeated answers a question that was asked before.
func (in Ask) repeated(s *State, now time.Time, c *Call) Reply {
	q := &in.Question
	switch c.Phase {
	case waiting:
		return in.rejoin(s, now, c)
	case putOff:
		if cp := c.Req.Checkpoint; cp.Correlation != "" && cp.Correlation == q.Correlation {
			return Reply{Call: *c.Req} // who asked has only lost the connection, and is told again that it waits
		}
		return in.takeUp(s, now, c)
	case owed:
		c = s.edit(c)
		c.Told.heir = q.Correlation
		return Reply{Call: *c.Req}
	case ended, none:
	}
	return Reply{Call: *c.Req, Replay: q.Bound && broker.LetsRun(*c.Req)}
}

// rejoin makes q's asker the one that waits for c.
func (in Ask) rejoin(s *State, now time.Time, c *Call) Reply {
	q := &in.Question
	c = s.edit(c)
	before := *c.Req
	c.noteWaits(now, q.Waits)
	req := c.own()
	c.Asker.agent, c.Asker.talk, c.Asker.headless = q.Session.Process, q.Correlation, q.Headless
	c.Asker.bound = c.Asker.bound || q.Bound
	c.Asker.leftAt, c.Asker.hungUp = now, false
	c.Start = in.Start
	req.Deferrable = broker.WhyWaits(*req, q.Headless) == "" // a restart forgot it
	if q.Asker.PID != 0 && q.Asker.PID != req.Asker.PID {
		req.Asker = q.Asker
	}
	if before.MayWaitUntil != req.MayWaitUntil || before.Deferrable != req.Deferrable {
		s.emit(ShowCall{req})
	}
	return Reply{Call: *req}
}

// Insert puts in a new call, with the end that it has at once where something speaks already.
//
// Errors: those of Ask, ErrUnsettled, ErrLookAgain, and ErrDuplicate when the store knows the call
// from an earlier life.
type Insert struct {
	Ask
	Judged Judged
}

func (in Insert) step(s *State, now time.Time) Reply {
	q := &in.Question
	switch {
	case s.now.closed:
		return Reply{Err: broker.ErrClosed}
	case s.byKey(q.Key) != nil || s.call(q.ID) != nil: // somebody asked the same meanwhile
		return in.Ask.step(s, now)
	case s.debts.Has(q.ID): // a refusal is to be written under it first
		return Reply{Err: broker.ErrUnsettled}
	case in.Judged.Rules != s.now.rules.Version:
		return Reply{Err: ErrLookAgain}
	}
	if err := s.roomFor(now, q.SessionID); err != nil {
		return Reply{Err: err}
	}
	if !s.book.Spendable(in.Judged.Assessment) {
		return Reply{Err: ErrLookAgain}
	}
	se := s.heardFrom(now, speaker(q, in.Living))
	c := in.newCall(s, now)
	se.noteGated(c.Req)
	if se.Row.Asks.Over(agents.Hook{Kind: agents.Gate, SubagentID: q.SubagentID, ToolUseID: q.ToolUseID}) {
		se.Row.Asks = nil
	}
	end, used := s.firstEnd(now, c, in.Judged)
	if end == nil {
		in.wait(s, now, c)
	} else {
		in.endAtOnce(s, now, c, *end, used)
	}
	s.change.Insert = c.Req
	return Reply{Call: *c.Req, Done: true}
}

// newCall is the call, in no phase yet.
func (in Insert) newCall(s *State, now time.Time) *Call {
	q := &in.Question
	req := q.Request
	req.State, req.CreatedAt = broker.Pending, broker.Instant(now)
	req.ExpiresAt = req.CreatedAt.Add(s.limits.Timeout(q))
	req.Deferrable = broker.WhyWaits(req, q.Headless) == ""
	a := broker.AsWaiting(in.Judged.Assessment, req, q.Headless)
	req.Assessment, req.Legible = &a, in.Judged.Legible
	c := &Call{
		Req: &req, Stamp: in.Judged.Stamp, Start: in.Start,
		Asker: asker{agent: q.Session.Process, talk: q.Correlation, headless: q.Headless, bound: q.Bound, leftAt: now},
	}
	s.add(c)
	return c
}

// wait makes the new call c one that waits.
func (in Insert) wait(s *State, now time.Time, c *Call) {
	req := c.Req
	s.note(now, broker.EventRequestCreated, *req, broker.CreatedDataOf(req))
	s.queue(c)
	req.Held = s.held(req.SessionID)
	s.arm(c, now.Add(req.ExpiresAt.Sub(req.CreatedAt)))
	c.noteWaits(now, in.Question.Waits)
	s.show(c)
}

// firstEnd is the end that a call has at once, nil when it must wait: a stop comes before
// everything, then a freeze, then that nothing is held, then a rule, then what the operator
// allowed late.
func (s *State) firstEnd(now time.Time, c *Call, j Judged) (end *broker.Outcome, used firstUse) {
	req, a := c.Req, *c.Req.Assessment
	se := s.session(req.SessionID)
	switch {
	case se.Row.State.UnderStop():
		return &broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByStop}}, used
	case s.held(req.SessionID) != "":
		return nil, used
	case s.now.observes(se) && !a.NeedsTwo:
		return &broker.Outcome{State: broker.Answered, By: broker.Actor{Kind: broker.ByObserve}, Reason: broker.ObservedReason(a)}, used
	case broker.EndsCall(a):
		return broker.Ruled(a, j.DenyReason), firstUse{rules: a.Rules}
	case broker.AsksElsewhere(*req):
		return broker.LeftToAgent(), used
	}
	if s.now.health.StoreErr == "" && !a.NeedsTwo { // else only a person may still allow it
		if g, ok := s.covering(now, req, j.Stamp); ok {
			by := g.By
			by.ID = g.ID
			return &broker.Outcome{State: broker.Allowed, By: by}, firstUse{grant: g.ID}
		}
	}
	if se.putOffTurn && c.Phase == none { // what waits already goes on waiting
		return beside(), used
	}
	return nil, used
}

// beside is the end of a new call that comes while another one of its turn is put off
// and that nothing allows: nobody can be asked about it without holding up the agent's end.
func beside() *broker.Outcome { return new(refused(broker.BesideID, broker.BesideReason)) }

// endAtOnce gives the new call c its end, in the record that makes it.
func (in Insert) endAtOnce(s *State, now time.Time, c *Call, o broker.Outcome, used firstUse) {
	o.At = c.Req.CreatedAt
	s.use(now, c, o, used)
	s.change.Events = append(s.change.Events, s.limits.decided(c.Req, o, used.rules...))
	s.change.Sync = s.change.Sync || o.By.Kind == broker.ByOperator
	s.finish(now, c, o)
}

// firstUse is what an end uses up.
type firstUse struct {
	rules []string // ids of those that spoke
	grant string   // id
}

// use uses up what the end o of c rests on. What it leaves to the agent's own prompt its session
// asks from then on.
func (s *State) use(now time.Time, c *Call, o broker.Outcome, used firstUse) {
	s.spend(now, used.rules)
	if used.grant != "" {
		s.grants.Drop(grantKey(c.Req.SessionID, c.Req.SubagentID, c.Req.Digest))
		s.change.UseGrant = &broker.GrantUse{ID: used.grant, By: c.Req.ID}
		s.note(now, broker.EventGrantUsed, *c.Req, map[string]string{"grant": used.grant})
	}
	if o.State == broker.Answered && o.By.Kind == broker.ByAgent {
		s.editSession(c.Req.SessionID).Row.Asks = broker.AsksOf(*c.Req)
	}
}
