package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// A call that is put off blocks nobody: its agent is told so, its process ends, and the call
// waits as a checkpoint for as long as it takes. It has no deadline and no asker then, and
// nothing that happens to its agent's process ends it.
//
// At most one call of a session is put off at a time: an agent that is resumed asks again for
// the last one only. While its turn goes on, what else it asks is refused unless something
// allows it. When the agent asks again, in another conversation, it gets the answer that is on
// record, once, or the call waits for one like any other.

// PutOff puts a call off. Errors: ErrNotFound, ErrAlreadyDecided, ErrCannotDefer, ErrLookAgain.
type PutOff struct {
	ID    string
	By    broker.Actor
	Used  []string // ids of the rules that say so
	Rules int      // their version
}

func (in PutOff) step(s *State, now time.Time) Reply {
	c := s.call(in.ID)
	switch {
	case c == nil:
		return Reply{Err: broker.ErrNotFound}
	case c.Phase == putOff:
		return Reply{Call: *c.Req}
	case len(in.Used) > 0 && in.Rules != s.now.rules.Version:
		return Reply{Err: ErrLookAgain, Call: *c.Req}
	}
	c, err := s.putOff(now, c, in.By)
	if err != nil {
		return Reply{Err: err, Call: *c.Req}
	}
	s.spend(now, in.Used)
	return Reply{Call: *c.Req, Done: true}
}

// putOff puts the waiting c off, unless something keeps it from that.
func (s *State) putOff(now time.Time, c *Call, by broker.Actor) (*Call, error) {
	se, r := s.session(c.Req.SessionID), c.Req
	switch {
	case c.Phase != waiting:
		return c, broker.ErrAlreadyDecided
	case !r.Deferrable:
		return c, broker.CannotDefer(cmp.Or(broker.WhyWaits(*r, c.Asker.headless), "its agent is not there to be told"))
	case se.Row.Run == nil && c.Start.Forgets:
		return c, broker.CannotDefer("its agent keeps nothing of its session: it waits as before")
	case len(se.deferred) > 0 || se.putOffTurn:
		return c, broker.CannotDefer("another call of its session is deferred, and only one can be: it waits as before")
	}
	cp := &broker.Checkpoint{
		RequestID: r.ID, SessionID: r.SessionID, ToolUseID: r.ToolUseID, CWD: cmp.Or(se.Row.CWD, r.CWD), By: by,
		At: broker.Instant(now), Process: broker.FirstProcess(c.Asker.agent, se.Row.Process), Correlation: c.Asker.talk,
		Program: c.Start.Program, Args: c.Start.Args,
	}
	if run := se.Row.Run; run != nil {
		cp.Program, cp.Args = run.Program, run.Args
	}
	s.change.Checkpoint = cp
	s.noteSynced(cp.At, broker.EventDeferred, cp.AsRequest(), broker.CheckpointData{Checkpoint: *cp})
	c = s.edit(c)
	s.leave(c)
	req := c.own()
	req.Checkpoint, req.OnceToken = cp, false
	c.Clock, c.Asker.bound = clock{}, false
	c.move(putOff)
	se = s.editSession(r.SessionID)
	se.deferred, se.putOffTurn = append(slices.Clone(se.deferred), r.ID), true
	s.emit(Answered{r.ID})
	s.show(c)
	return c, nil
}

// takeUp answers a question for a call that is put off: its agent was resumed and asks again.
// The call waits as it did before, or ends where it need not.
func (in Ask) takeUp(s *State, now time.Time, c *Call) Reply {
	q := &in.Question
	se := s.heardFrom(now, speaker(q, in.Living))
	var end *broker.Outcome
	switch {
	case se.Row.State.UnderStop():
		end = &broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByStop}}
	case s.now.observes(se) && c.Req.Assessment != nil && !c.Req.Assessment.NeedsTwo && s.held(q.SessionID) == "":
		end = &broker.Outcome{State: broker.Answered, By: broker.Actor{Kind: broker.ByObserve}, Reason: broker.ObservedReason(*c.Req.Assessment)}
	}
	c = s.edit(c)
	cp := *c.Req.Checkpoint
	cp.TakenUpAt = broker.Instant(now)
	cp.ExpiresAt = cp.TakenUpAt.Add(s.limits.Timeout(q))
	cp.Process, cp.Correlation = q.Session.Process, q.Correlation
	s.leave(c)
	req := c.Req
	req.Asker, req.ExpiresAt, req.ExtendedAt = q.Asker, cp.ExpiresAt, time.Time{}
	req.Deferrable = broker.WhyWaits(*req, q.Headless) == ""
	c.Asker = asker{agent: q.Session.Process, talk: q.Correlation, headless: q.Headless, bound: q.Bound, leftAt: now}
	c.Clock.taken, c.Start = &cp, in.Start
	s.queue(c)
	s.editSession(q.SessionID).back()
	if end != nil {
		return Reply{Call: *s.end(now, c, *end).Req}
	}
	s.change.Checkpoint = &cp
	s.noteSynced(now, broker.EventTakenUpAgain, cp.AsRequest(), broker.CheckpointData{Checkpoint: cp})
	s.arm(c, now.Add(cp.ExpiresAt.Sub(cp.TakenUpAt)))
	c.noteWaits(now, q.Waits)
	s.show(c)
	return Reply{Call: *c.Req}
}

// Give gives the agent that asks again for a call that is owed an answer the one that is on
// record, however old it is. It does so once: the checkpoint goes with it. Why is what speaks
// against letting the call run, as far as the caller can tell; "" when nothing does.
//
// Errors: ErrAnsweredBefore. Replay is set where somebody else was given it before.
type Give struct {
	ID  string
	Why string
}

func (in Give) step(s *State, now time.Time) Reply {
	c := s.call(in.ID)
	if c == nil || c.Phase != owed {
		return Reply{Replay: true}
	}
	if s.withholds(c, c.Req) { // it is given once the freeze is lifted, however long that takes
		return Reply{Call: broker.KeptBack(*c.Req)}
	}
	why := in.Why
	if c.Req.State == broker.Allowed {
		why = cmp.Or(s.stopped(c.Req.SessionID), why)
	}
	c = s.edit(c)
	d := broker.CheckpointData{Checkpoint: *c.Req.Checkpoint, Given: c.Req.State}
	if why != "" {
		d.Given = broker.Denied
	}
	s.dropCheckpoint(c)
	s.noteSynced(now, broker.EventTakenUpAgain, *c.Req, d)
	s.retire(c)
	c.Told.givenAt = broker.Instant(now)
	s.editSession(c.Req.SessionID).back()
	s.show(c)
	if why != "" {
		return Reply{Err: broker.AnsweredBefore("it was allowed while it was deferred, and " + why), Call: *c.Req}
	}
	return Reply{Call: *c.Req, Done: true}
}

// reject denies a call that is put off for good: nothing is started to tell its agent, and its
// session ends with it.
func (in Decide) reject(s *State, now time.Time, c *Call) Reply {
	o := in.Decision.Outcome()
	o.At = broker.Instant(now)
	c = s.edit(c)
	s.change.Sync = true
	s.settle(c, o, true)
	s.retire(c)
	s.give(c, o)
	se := s.editSession(c.Req.SessionID)
	row := se.view()
	row.Run = row.Run.Clone()
	events := broker.Reject(now, &row, in.Decision.By)
	se.Row = row
	s.save(se, now, events...)
	s.emit(Answered{c.Req.ID}, ShowCall{c.Req})
	return Reply{Call: *c.Req, Done: true}
}

// back notes that the session's agent is there again after a call of it was put off.
func (se *Session) back() { se.putOffTurn, se.resuming = false, nil }
