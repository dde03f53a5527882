package engine

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// keepEnded is how many ended calls are kept in memory, for hooks that ask again and for late
// cards.
const keepEnded = 4096

// end is the one way in which a call that waits, or is put off, gets its end: it is recorded,
// and whoever waits for the call hears of it. The rules that spoke are counted.
func (s *State) end(now time.Time, c *Call, o broker.Outcome, used ...string) *Call {
	o.At = broker.Instant(now)
	c = s.edit(c)
	given := c.endsCheckpoint(o)
	if s.out.cause == nil {
		w := &s.out.change
		w.Settle = append(w.Settle, broker.Settlement{ID: c.Req.ID, Outcome: o})
		w.Events = append(w.Events, s.decided(c.Req, o, used...))
		w.Sync = w.Sync || o.By.Kind == broker.ByOperator || o.By.Kind == broker.ByProcess
		if given {
			w.DropCheckpoints = append(w.DropCheckpoints, c.Req.ID)
		}
	} else {
		s.debts.put(c.Req.ID, o)
		if given {
			s.strays.put(c.Req.ID, c.Req.SessionID)
		}
	}
	s.finish(now, c, o)
	return c
}

// endsCheckpoint reports whether what was recorded of c's being put off goes with its end.
func (c *Call) endsCheckpoint(o broker.Outcome) bool {
	return c.Clock.taken != nil || c.Phase == putOff && broker.GivesUp(o)
}

// endAtOnce gives the new call c its end, in the record that makes it.
func (in Insert) endAtOnce(s *State, now time.Time, c *Call, se *Session, o broker.Outcome, used firstUse) {
	o.At = c.Req.CreatedAt
	w := &s.out.change
	w.Used = used.rules
	s.spend(now, used.rules)
	if used.grant != "" {
		s.useGrant(now, used.grant, *c.Req)
	}
	w.Events = append(w.Events, s.decided(c.Req, o, used.rules...))
	w.Sync = w.Sync || o.By.Kind == broker.ByOperator
	if o.State == broker.Answered && o.By.Kind == broker.ByAgent {
		se.Row.Asks = broker.AsksOf(*c.Req)
	}
	s.finish(now, c, o)
}

// finish makes o the end of c, which edit returned, for everybody: whoever waits, whoever
// watches, and the counts.
func (s *State) finish(now time.Time, c *Call, o broker.Outcome) {
	req := c.own()
	req.State, req.Held, req.Outcome = o.State, "", &o
	if o.State == broker.Expired || o.State == broker.Cancelled && !o.Withdrawn() {
		c.LateUntil = now.Add(s.limits.LateFor)
	}
	if c.Phase == waiting {
		s.now.waiting--
		s.unlist(req.SessionID, req.ID)
	}
	c.Clock.taken = nil
	if c.Phase == putOff && !broker.GivesUp(o) {
		c.move(owed)
	} else {
		if c.Phase == putOff {
			s.unshelve(c)
		}
		c.move(ended)
		s.forget(req.ID)
		if o.State == broker.Allowed {
			c.Told.since = now
		}
	}
	s.emit(Answered{req.ID})
	s.emit(ShowCall{c.Req})
	s.emit(ShowSession{req.SessionID})
}

// unlist takes a call from those of its session that wait or were put off.
func (ss *sessions) unlist(sessionID, id string) {
	se := ss.editSession(sessionID)
	is := func(other string) bool { return other == id }
	se.waiting = slices.DeleteFunc(slices.Clone(se.waiting), is)
	se.deferred = slices.DeleteFunc(slices.Clone(se.deferred), is)
}

// forget keeps the ended call id for a while, and drops the oldest ended ones beyond
// keepEnded; the store answers for those.
func (s *State) forget(id string) {
	s.now.recent = append(s.now.recent, id)
	for len(s.now.recent) > keepEnded {
		old := s.now.recent[0]
		s.now.recent = s.now.recent[1:]
		if c := s.call(old); c != nil && c.Phase == ended {
			s.calls.drop(old)
			if at, ok := s.idOf.get(c.Req.Key); ok && at == old {
				s.idOf.drop(c.Req.Key)
			}
		}
	}
}

// decided is the event of r ending with o, for which these rules spoke.
func (s *State) decided(r *broker.Request, o broker.Outcome, rules ...string) *broker.Event {
	d := broker.DecidedData{
		Status: o.State, By: o.By, Reason: o.Reason, UpdatedInput: o.UpdatedInput,
		ToolName: r.ToolName, Digest: r.Digest, WaitedMS: o.At.Sub(r.CreatedAt).Milliseconds(), Rules: rules,
	}
	if len(o.UpdatedInput) > 0 {
		d.UpdatedDigest, d.AskedInput = broker.Digest(r.ToolName, o.UpdatedInput, r.CWD), r.ToolInput
		if s.limits.Difference != nil {
			d.Difference = broker.Cut(s.limits.Difference(r.ToolInput, o.UpdatedInput), broker.MaxDifference)
		}
	}
	return broker.NewEvent(o.At, broker.EventRequestDecided, *r, d)
}

// barred reports why o must not end c now: a stop or a freeze is in the way of what would let
// it run, and nothing that happens to its agent ends a call that is put off.
func (s *State) barred(c *Call, o broker.Outcome) bool {
	switch {
	case c == nil || c.Phase != waiting && c.Phase != putOff:
		return true
	case c.Phase == putOff && o.State != broker.Allowed && o.State != broker.Denied:
		return true
	case o.State == broker.Allowed && s.underStop(c.Req.SessionID):
		return true
	}
	return broker.FrozenOut(o) && s.held(c.Req.SessionID) != ""
}

// cancelled is the end of a call for whose answer nobody waits any more.
func cancelled(why string) broker.Outcome {
	return broker.Outcome{State: broker.Cancelled, By: broker.Actor{Kind: broker.ByAgent}, Reason: why}
}
