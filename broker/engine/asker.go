package engine

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Who asks may leave without a word, be paused, or look only now and again. What was allowed
// runs only when the asker hears of it: the record says where nobody did.

const (
	// hungUpGrace is how long a call waits for an asker that hung up while it waited: longer
	// than the longest pause after which a hook client asks again (half a second).
	hungUpGrace = 1200 * time.Millisecond

	// missedPolls is how many of its own intervals a poller may stay away, and leastAway the least
	// that it may, however quickly it asks.
	missedPolls = 3
	leastAway   = 10 * time.Second

	// deadGrace is how long after it left an asker whose process has ended counts as there:
	// it may have been seen between two connections.
	deadGrace = 250 * time.Millisecond
)

type (
	// Attach says that a connection waits for the end of a call.
	Attach struct{ ID string }
	// Detach says that it no longer does.
	Detach struct {
		ID     string
		HungUp bool // before there was an answer
	}
)

func (in Attach) step(s *State, _ time.Time) Reply {
	if c := s.call(in.ID); c != nil {
		s.edit(c).Asker.attached++
	}
	return Reply{}
}

func (in Detach) step(s *State, now time.Time) Reply {
	if c := s.call(in.ID); c != nil {
		c = s.edit(c)
		c.Asker.attached = max(0, c.Asker.attached-1)
		c.Asker.leftAt, c.Asker.hungUp = now, in.HungUp
	}
	return Reply{}
}

// Polled says that somebody asked for the answer of a call of the plain API, and asks again
// within that time; 0: they do not say. From now on the call hangs on them: when they stay away, it
// is cancelled.
type Polled struct {
	ID     string
	Within time.Duration
}

func (in Polled) step(s *State, now time.Time) Reply {
	if c := s.call(in.ID); c != nil && c.Req.Event == "" {
		c = s.edit(c)
		a := &c.Asker
		if a.polled = a.polled || !a.bound; in.Within > 0 {
			a.pollsWithin = in.Within
		} else if !a.polledAt.IsZero() {
			gap := now.Sub(a.polledAt)
			if a.pollGap > 0 { // two gaps, since several may ask in turn
				a.pollsWithin = max(gap, a.pollGap)
			}
			a.pollGap = gap
		}
		a.polledAt = now
		a.bound, a.leftAt, a.hungUp = true, now, false
	}
	return Reply{}
}

// Heard says that the asker of a call was told its end.
type Heard struct{ ID string }

func (in Heard) step(s *State, now time.Time) Reply {
	c := s.call(in.ID)
	if c == nil || c.Told.since.IsZero() && !c.Req.Unheard {
		return Reply{}
	}
	c = s.edit(c)
	c.Told.since = time.Time{}
	if c.Req.Unheard { // somebody came late, and is answered
		s.takeBackUnheard(c)
		s.note(now, broker.EventAnsweredAgain, *c.Req, broker.AnsweredAgainData{ToolUseID: c.Req.ToolUseID})
	}
	return Reply{}
}

// mayBeAway is how long nobody may ask for the call's answer before its asker counts as gone.
func (c *Call) mayBeAway(usual time.Duration) time.Duration {
	switch {
	case c.Asker.hungUp:
		return min(hungUpGrace, usual)
	case c.Asker.polled && c.Asker.pollsWithin > 0:
		return max(leastAway, min(missedPolls*c.Asker.pollsWithin, usual), c.Asker.pollsWithin)
	}
	return usual
}

// away reports whether nobody is left who would hear the end of c: its asker has been away
// since then for longer than it may, or is one of the dead processes.
func (in Tick) away(now time.Time, c *Call, since time.Time, most time.Duration) bool {
	gone := now.Sub(since)
	if c.Asker.attached > 0 {
		return false
	}
	return gone > most || c.Req.Asker.PID != 0 && gone >= deadGrace && slices.Contains(in.Dead, c.Req.Asker)
}

// cancelAbandoned ends the calls whose asker is dead, or alive but away for too long.
func (in Tick) cancelAbandoned(s *State, now time.Time) {
	for _, se := range s.sessions.All() {
		for _, id := range se.waiting {
			c := s.call(id)
			if c.Asker.bound && in.away(now, c, c.Asker.leftAt, c.mayBeAway(s.limits.AskerGrace)) {
				why := "the hook that asked is gone"
				if c.Req.Event == "" {
					why = "the program that asked is gone"
				}
				s.end(now, c, cancelled(why))
			}
		}
	}
}

// tellUnheard records which allowed calls have nobody left who would hear of it.
func (in Tick) tellUnheard(s *State, now time.Time) {
	for _, id := range s.now.recent {
		c := s.call(id)
		if c == nil || c.Told.since.IsZero() || s.held(c.Req.SessionID) != "" { // a freeze keeps the answer back
			continue
		}
		since, most := c.Told.since, max(s.limits.AskerGrace, c.Req.ExpiresAt.Sub(c.Told.since))
		if c.Asker.bound {
			most = c.mayBeAway(s.limits.AskerGrace)
			if c.Asker.leftAt.After(since) {
				since = c.Asker.leftAt
			}
		}
		if !in.away(now, c, since, most) {
			continue
		}
		c = s.edit(c)
		c.Told.since = time.Time{}
		c.own().Unheard = true
		s.note(now, broker.EventUnheard, *c.Req, broker.UnheardData{ToolName: c.Req.ToolName, Digest: c.Req.Digest})
		s.emit(ShowCall{c.Req})
	}
}

// noteWaits notes how long the latest of its askers would wait.
func (c *Call) noteWaits(now time.Time, p broker.Patience) {
	most := p.Until
	if p.Most.After(most) {
		most = p.Most
	}
	if wait := broker.HardLimit(*c.Req); wait > 0 { // a hook that asks for a call again does not begin anew
		if last := now.Add(c.Req.CreatedAt.Add(wait).Sub(now)); most.After(last) {
			most = last
		}
	}
	c.Clock.mayMore = !p.Most.IsZero()
	if moved := most.Sub(c.Clock.most); !c.Clock.most.IsZero() && -time.Second < moved && moved < time.Second {
		return // the same one, as it says again and again
	}
	c.Clock.most = most
	c.own().MayWaitUntil = broker.Instant(now.UTC().Add(most.Add(-broker.ExtendMargin).Sub(now)))
}
