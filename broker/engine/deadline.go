package engine

import (
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Due says that the time of a call may be over.
type Due struct{ ID string }

func (in Due) step(s *State, now time.Time) Reply {
	c := s.call(in.ID)
	switch {
	case c == nil || c.Phase != waiting:
	case c.overdue(now):
		s.timeOver(now, c)
	default: // it has more time since, or waits anew
		s.emit(Timer{in.ID, c.Clock.deadline})
	}
	return Reply{}
}

// timeOver does with a call whose time is over what the operator chose.
func (s *State) timeOver(now time.Time, c *Call) {
	if s.limits.OnTimeout == broker.Defer && s.cause != nil {
		s.dropCheckpoint(c) // it may be put off on the disk, and its agent is never told
	} else if s.limits.OnTimeout == broker.Defer {
		if _, err := s.putOff(now, c, broker.Actor{Kind: broker.ByDeadline}); err == nil {
			return
		}
	}
	o := broker.Outcome{State: broker.Expired, By: broker.Actor{Kind: broker.ByDeadline}}
	switch {
	case s.session(c.Req.SessionID).putOffTurn:
		o = *beside()
	case s.held(c.Req.SessionID) != "":
		o.Reason = broker.HeldTillEnd
	case s.limits.OnTimeout == broker.Ask && s.cause == nil && c.Req.Assessment != nil && broker.MayAsk(*c.Req): // it may need two, as long as nobody looked
		o.State = broker.Answered
	}
	s.end(now, c, o)
}

// Extend gives a call the standard time to answer anew, from now on, or as much of it as
// the asker would wait. The row keeps the deadline that it was sealed with; the log says what
// holds in its place. Errors: ErrNotFound, ErrForbidden, ErrAlreadyDecided, ErrNoMoreTime.
type Extend struct {
	ID string
	By broker.Actor
}

func (in Extend) step(s *State, now time.Time) Reply {
	c := s.call(in.ID)
	switch {
	case in.By.Kind != broker.ByOperator:
		return Reply{Err: broker.ErrForbidden}
	case c == nil:
		return Reply{Err: broker.ErrNotFound}
	case c.Phase == putOff:
		return Reply{Err: fmt.Errorf("%w: %s", broker.ErrNoMoreTime, broker.ReasonPutOff), Call: *c.Req}
	case c.Phase != waiting || c.overdue(now): // its timer is about to fire
		return Reply{Err: broker.ErrAlreadyDecided, Call: *c.Req}
	}
	deadline := now.Add(s.limits.ApprovalTimeout)
	if last := c.Clock.most.Add(-broker.ExtendMargin); deadline.After(last) {
		deadline = last
	}
	if deadline.Sub(c.Clock.deadline) < broker.LeastMore {
		return Reply{Err: fmt.Errorf("%w: %s", broker.ErrNoMoreTime, broker.WhyNoMore(c.Req, c.Clock.deadline, c.Clock.most, c.Clock.mayMore)), Call: *c.Req}
	}
	c = s.edit(c)
	req := c.own()
	d := broker.ExtendedData{From: req.ExpiresAt, ExpiresAt: broker.Instant(now.UTC().Add(deadline.Sub(now))), By: in.By}
	req.ExpiresAt, req.ExtendedAt = d.ExpiresAt, broker.Instant(now)
	s.noteSynced(now, broker.EventExtended, *req, d)
	s.arm(c, deadline)
	s.emit(Moved{in.ID}, ShowCall{req})
	return Reply{Call: *req, Done: true}
}
