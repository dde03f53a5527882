package engine

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// keepEnded is how many ended calls stay in memory, for hooks that ask again and for late cards.
const keepEnded = 4096

// end is the one way in which a call that waits, or is put off, gets its end: it is recorded,
// and those who wait for the call hear of it. The rules that spoke are counted.
func (s *State) end(now time.Time, c *Call, o broker.Outcome, used ...string) *Call {
	o.At = broker.Instant(now)
	c = s.edit(c)
	s.settle(c, o, c.Clock.taken != nil || c.Phase == putOff && broker.GivesUp(o), used...)
	s.finish(now, c, o)
	return c
}

// settle records that c ends with o, or notes that the store is owed it. returned says that what
// the store has of its being put off goes with it.
func (s *State) settle(c *Call, o broker.Outcome, returned bool, used ...string) {
	if returned {
		s.dropCheckpoint(c)
	}
	if s.cause != nil {
		s.debts.Put(c.Req.ID, o)
		return
	}
	w := &s.change
	w.Settle = append(w.Settle, broker.Settlement{ID: c.Req.ID, Outcome: o})
	w.Events = append(w.Events, s.limits.decided(c.Req, o, used...))
	w.Sync = w.Sync || o.By.Kind == broker.ByOperator || o.By.Kind == broker.ByProcess
}

// dropCheckpoint has the store forget that c was put off.
func (s *State) dropCheckpoint(c *Call) {
	if s.cause == nil {
		s.change.DropCheckpoints = append(s.change.DropCheckpoints, c.Req.ID)
	} else {
		s.strays.Put(c.Req.ID, c.Req.SessionID)
	}
}

// finish makes o the end of c, which edit returned, for everybody: whoever waits, whoever
// watches, and the counts.
func (s *State) finish(now time.Time, c *Call, o broker.Outcome) {
	c.Clock.taken = nil
	if c.Phase == putOff && !broker.GivesUp(o) {
		c.move(owed)
	} else {
		s.retire(c)
		if o.State == broker.Allowed {
			c.Told.since = now
		}
	}
	s.give(c, o)
	s.emit(Answered{c.Req.ID})
	s.show(c)
}

// give makes o the end of c, which edit returned. One that nobody answered may be allowed late.
func (s *State) give(c *Call, o broker.Outcome) {
	c.LateUntil = time.Time{}
	if o.Unanswered() {
		c.LateUntil = o.At.Add(s.limits.LateFor)
	}
	req := c.own()
	req.State, req.Held, req.OnceToken, req.Outcome, req.Unrecorded = o.State, "", false, &o, s.debts.Has(req.ID)
}

// queue makes c, which edit returned, one that waits.
func (s *State) queue(c *Call) {
	c.move(waiting)
	se := s.editSession(c.Req.SessionID)
	se.waiting = append(slices.Clone(se.waiting), c.Req.ID)
	s.now.waiting++
}

// leave takes c, which edit returned, from the calls of its session that wait or are put off.
func (s *State) leave(c *Call) {
	if c.Phase == waiting {
		s.now.waiting--
	}
	if c.Phase != none {
		se := s.editSession(c.Req.SessionID)
		is := func(other string) bool { return other == c.Req.ID }
		se.waiting = slices.DeleteFunc(slices.Clone(se.waiting), is)
		se.deferred = slices.DeleteFunc(slices.Clone(se.deferred), is)
		c.own().Checkpoint = nil
	}
}

// retire makes c one that has ended, and keeps it for a while. The oldest ended ones beyond
// keepEnded are dropped; the store answers for those.
func (s *State) retire(c *Call) {
	s.leave(c)
	c.move(ended)
	s.now.recent = append(s.now.recent, c.Req.ID)
	for len(s.now.recent) > keepEnded {
		old := s.now.recent[0]
		s.now.recent = s.now.recent[1:]
		if c := s.call(old); c != nil && c.Phase == ended {
			s.calls.Drop(old)
			if at, ok := s.idOf.Get(c.Req.Key); ok && at == old {
				s.idOf.Drop(c.Req.Key)
			}
		}
	}
}

// barred reports why o must not end c now: a stop or a freeze is in the way of what would let
// it run, and nothing that happens to its agent ends a call that is put off.
func (s *State) barred(c *Call, o broker.Outcome) bool {
	switch {
	case c == nil || c.Phase != waiting && c.Phase != putOff:
		return true
	case c.Phase == putOff && o.State != broker.Allowed && o.State != broker.Denied:
		return true
	case o.LetsRun() && s.underStop(c.Req.SessionID):
		return true
	}
	return broker.FrozenOut(o) && s.held(c.Req.SessionID) != ""
}

// cancelled is the end of a call for whose answer nobody waits any more.
func cancelled(why string) broker.Outcome {
	return broker.Outcome{State: broker.Cancelled, By: broker.Actor{Kind: broker.ByAgent}, Reason: why}
}

// refused is the end of a call that the broker itself denies; id says for what.
func refused(id, why string) broker.Outcome {
	return broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByBroker, ID: id}, Reason: why}
}
