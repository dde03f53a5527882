package far

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// one is u with one field alone, which its place is about.
func one(u broker.Update) broker.Update {
	switch {
	case u.Request != nil:
		return broker.Update{Request: u.Request}
	case u.Session != nil:
		return broker.Update{Session: u.Session}
	case u.Health != nil:
		return broker.Update{Health: u.Health}
	}
	return broker.Update{Rules: u.Rules}
}

// over is the update that takes what u is about off the screen, where it is a call or a session.
func over(u broker.Update) broker.Update {
	switch {
	case u.Request != nil:
		r := *u.Request
		r.State, r.Outcome = broker.Cancelled, nil // nobody knows how it ended
		return broker.Update{Request: &r}
	case u.Session != nil:
		s := *u.Session
		s.State, s.Archived, s.Pending, s.Deferred = broker.SessionGone, true, 0, 0
		return broker.Update{Session: &s}
	}
	return broker.Update{}
}

// All is all that is drawn of the machine, by place: first what there is, then the calls that ended
// without an answer.
func (m *Mirror) All() iter.Seq[broker.Update] {
	return func(yield func(broker.Update) bool) {
		if m.shown == nil {
			return
		}
		for _, place := range slices.Sorted(maps.Keys(m.shown.states)) {
			if !yield(m.local(m.shown.states[place].Update)) {
				return
			}
		}
		for _, place := range slices.Sorted(maps.Keys(m.shown.ended)) {
			if !yield(m.local(broker.Update{Request: m.shown.ended[place].request})) {
				return
			}
		}
	}
}

// local is an update with the machine's id in it, and with its times by our clock where that differs
// from the machine's. What u points to is left as it is.
func (m *Mirror) local(u broker.Update) broker.Update {
	switch {
	case u.Session != nil:
		s := *u.Session
		s.Machine = m.id
		m.shift(&s.StartedAt, &s.LastSeenAt, &s.StopAskedAt, &s.EndedAt)
		return broker.Update{Session: &s}
	case u.Request != nil && m.skew != 0:
		r := *u.Request
		m.shift(&r.CreatedAt, &r.ExpiresAt, &r.ExtendedAt, &r.MayWaitUntil)
		if r.Outcome != nil {
			o := *r.Outcome
			m.shift(&o.At)
			r.Outcome = &o
		}
		return broker.Update{Request: &r}
	}
	return u
}

func (m *Mirror) shift(times ...*time.Time) {
	for _, t := range times {
		if !t.IsZero() {
			*t = t.Add(-m.skew)
		}
	}
}
