package service

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// How much one session may ask, unless Options say otherwise.
//
// A model's reply takes seconds and rarely holds more than a dozen calls, so an agent
// with twenty sub-agents, each of them making a call a second, stays below the rate for
// ever, and a reply that fans out into a hundred calls fits into one burst. A loop that
// asks as fast as it can makes thousands a second and is far above both.
const (
	defaultPerSession = 64   // calls of one session that wait
	defaultPending    = 4096 // calls that wait in all
	defaultRate       = 20   // calls a second of one session
	burstSeconds      = 5    // what may be saved up, in seconds of the rate
	eventsPerCall     = 2    // a call is told of when it was asked, and again when it ran

	// Session ids are the caller's own. A person opens a few an hour; programs that start
	// hundreds at once still fit.
	defaultSessions   = 4096 // sessions kept in memory
	newSessionRate    = 2    // new sessions a second
	newSessionBurst   = 512  // new sessions at once
	forgetAfter       = time.Minute
	reservedPart      = 8 // one part in so many of MaxPending is kept for sessions that have few calls waiting
	forgottenTogether = 8 // one session in so many is forgotten when there is no room for a new one
	secondsToSlowDown = 5
)

// bucket is a token bucket. The zero value is full.
type bucket struct {
	used float64   // tokens that were taken and have not come back
	at   time.Time // when used was true
}

// take takes one token. Of rate tokens a second come back, and burst is the most there are.
func (k *bucket) take(now time.Time, rate, burst float64) bool {
	if rate < 0 {
		return true
	}
	if passed := now.Sub(k.at); passed > 0 {
		k.used = max(0, k.used-rate*passed.Seconds())
		k.at = now
	}
	if k.used+1 > burst {
		return false
	}
	k.used++
	return true
}

// admit says whether a new call of a session may be looked at, before anything is parsed
// or recorded on its behalf. Caller holds mu.
func (b *Broker) admit(sessionID string) error {
	if err := b.admitSession(sessionID); err != nil {
		return err
	}
	se := b.session(sessionID)
	rate := float64(b.opts.Rate)
	if !se.asks.take(time.Now(), rate, burstSeconds*rate) {
		return b.refuse(sessionID, fmt.Sprintf("asks faster than %d calls a second", b.opts.Rate), broker.TooMuch(
			broker.ErrTooFast, fmt.Sprintf("session %s asks faster than %d a second", named(se), b.opts.Rate),
			fmt.Sprintf("slow down: wait %d s, then ask for one call at a time", secondsToSlowDown),
		))
	}
	return b.roomFor(se)
}

// roomFor applies the caps on waiting calls. Sub-agents count to their session. Caller
// holds mu.
func (b *Broker) roomFor(se *sessionEntry) error {
	n, all, most := len(se.pending), b.pending, b.opts.MaxPending
	hint := "answer or deny some of them in the console, or stop the session, then ask again"
	switch {
	case n >= b.opts.MaxPerSession:
		return b.refuse(se.s.ID, fmt.Sprintf("has %d calls waiting, the most that one session may have", n), broker.TooMuch(
			broker.ErrTooMany, fmt.Sprintf("%d of session %s, the most that one session may have", n, named(se)), hint,
		))
	case all >= most:
		return b.refuse(se.s.ID, fmt.Sprintf("finds %d calls waiting, the most that may wait in all", all), broker.TooMuch(
			broker.ErrTooMany, fmt.Sprintf("%d in all, the most there may be; %d of them are of session %s", all, n, named(se)),
			"answer some in the console, or stop a session there (S stops all), then ask again",
		))
	case all >= most-most/reservedPart && n >= b.fairShare():
		return b.refuse(se.s.ID, fmt.Sprintf("has %d calls waiting while only %d more may wait in all", n, most-all), broker.TooMuch(
			broker.ErrTooMany, fmt.Sprintf("%d in all, and %d of session %s; the room that is left is kept for sessions with fewer", all, n, named(se)), hint,
		))
	}
	return nil
}

// fairShare is how many waiting calls a session may have when the room for all is nearly
// gone: those that wait for many leave what is left to those that wait for few. Caller
// holds mu.
func (b *Broker) fairShare() int {
	waiting := 0
	for _, se := range b.sessions {
		if len(se.pending) > 0 {
			waiting++
		}
	}
	return max(1, b.opts.MaxPending/reservedPart/max(1, waiting))
}

// admitSession says whether a session may be known: one that is, always; a new one while
// there is room, and when not too many came just now. Caller holds mu.
func (b *Broker) admitSession(id string) error {
	if _, known := b.sessions[id]; known {
		return nil
	}
	hint := "end what starts them; sessions that are known go on as before"
	if len(b.sessions) >= b.opts.MaxSessions && !b.forgetSessions() {
		return b.refuse("", fmt.Sprintf("are refused: %d sessions are open, the most there may be", len(b.sessions)), broker.TooMuch(
			broker.ErrTooManySessions, fmt.Sprintf("%d are open, the most there may be", len(b.sessions)), hint,
		))
	}
	if b.opts.Rate < 0 || b.newcomers.take(time.Now(), newSessionRate, newSessionBurst) {
		return nil
	}
	return b.refuse("", fmt.Sprintf("come faster than %d a second", newSessionRate), broker.TooMuch(
		broker.ErrTooManySessions, fmt.Sprintf("new ones come faster than %d a second", newSessionRate), hint,
	))
}

// admitEvent is admit for what is told and not asked.
func (b *Broker) admitEvent(sessionID string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.admitSession(sessionID); err != nil {
		return err
	}
	se := b.session(sessionID)
	rate := float64(eventsPerCall * b.opts.Rate)
	if se.tells.take(time.Now(), rate, burstSeconds*rate) {
		return nil
	}
	return b.refuse(sessionID, fmt.Sprintf("tells of more than %d events a second", eventsPerCall*b.opts.Rate), broker.TooMuch(
		broker.ErrTooFast, fmt.Sprintf("session %s tells of more than %d events a second", named(se), eventsPerCall*b.opts.Rate),
		fmt.Sprintf("slow down: wait %d s", secondsToSlowDown),
	))
}

// forgetSessions makes room for new sessions: those that ended go first, then those
// behind which no process is known, the longest silent first. Sessions with waiting
// calls, or calls that are put off, with a stop that holds, or with a living process stay. It reports whether any
// went. The store keeps them all. Caller holds mu.
func (b *Broker) forgetSessions() bool {
	now := time.Now()
	var list []*sessionEntry
	for _, se := range b.sessions {
		s := &se.s
		held := s.EndedAt.IsZero() && (s.State == broker.SessionStopping || s.State == broker.SessionStopped || s.Process.PID != 0)
		held = held || s.Run.Running() || s.Message != nil
		if len(se.pending)+len(se.deferred) == 0 && !held && !s.Observed && now.Sub(s.LastSeenAt) > forgetAfter {
			list = append(list, se)
		}
	}
	slices.SortFunc(list, func(x, y *sessionEntry) int {
		if x.s.EndedAt.IsZero() != y.s.EndedAt.IsZero() {
			if y.s.EndedAt.IsZero() {
				return -1
			}
			return 1
		}
		return cmp.Or(x.s.LastSeenAt.Compare(y.s.LastSeenAt), cmp.Compare(x.s.ID, y.s.ID))
	})
	gone := list[:min(len(list), max(1, b.opts.MaxSessions/forgottenTogether))]
	for _, se := range gone {
		delete(b.sessions, se.s.ID)
	}
	if len(gone) > 0 { // a new snapshot is how a console learns that a session is no longer known
		for w := range b.watchers {
			b.dropWatcher(w)
		}
	}
	return len(gone) > 0
}

// named is what a person calls a session, for an error's text.
func named(se *sessionEntry) string {
	if se.s.Name != "" && se.s.Name != se.s.ID {
		return broker.Clip(se.s.Name) + " (" + broker.Clip(se.s.ID) + ")"
	}
	return broker.Clip(se.s.ID)
}

// overLimit reports whether err refuses because of Options.Rate.
func overLimit(err error) bool { return errors.Is(err, broker.ErrTooFast) }
