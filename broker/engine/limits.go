package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// How much one session may ask, unless Limits say otherwise.
//
// A model's reply takes seconds and rarely holds more than a dozen calls, so an agent with
// twenty sub-agents, each of them making a call a second, stays below the rate for ever, and a
// reply that fans out into a hundred calls fits into one burst. A loop that asks as fast as it
// can makes thousands a second and is far above both.
const (
	burstSeconds  = 5 // what may be saved up, in seconds of the rate
	eventsPerCall = 2 // a call is told of when it was asked, and again when it ran

	// Session ids are the caller's own. A person opens a few an hour; programs that start
	// hundreds at once still fit.
	newSessionRate    = 2   // new sessions a second
	newSessionBurst   = 512 // new sessions at once
	forgetAfter       = time.Minute
	reservedPart      = 8 // one part in so many of MaxPending is kept for sessions that have few calls waiting
	forgottenTogether = 8 // one session in so many is forgotten when there is no room for a new one
	secondsToSlowDown = 5
)

var errSessionID = fmt.Errorf("%w: session_id must not be empty, \".\" or \"..\"", broker.ErrInvalid)

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

// admit says whether a new call of a session may be looked at, before anything is parsed or
// recorded on its behalf.
func (in Ask) admit(s *State, now time.Time) error {
	sessionID := in.Question.SessionID
	if err := s.admitSession(now, sessionID); err != nil {
		return err
	}
	se := s.editSession(sessionID)
	rate := float64(s.limits.Rate)
	if !se.asks.take(now, rate, burstSeconds*rate) {
		return s.refuse(now, sessionID, fmt.Sprintf("asks faster than %d calls a second", s.limits.Rate), broker.TooMuch(
			broker.ErrTooFast, fmt.Sprintf("session %s asks faster than %d a second", se.Row.Named(), s.limits.Rate),
			fmt.Sprintf("slow down: wait %d s, then ask for one call at a time", secondsToSlowDown),
		))
	}
	return s.roomFor(now, sessionID)
}

// roomFor applies the caps on waiting calls. Sub-agents count to their session.
func (s *State) roomFor(now time.Time, sessionID string) error {
	se := s.editSession(sessionID)
	n, all, most := len(se.waiting), s.now.waiting, s.limits.MaxPending
	hint := "answer or deny some of them in the console, or stop the session, then ask again"
	switch {
	case n >= s.limits.MaxPerSession:
		return s.refuse(now, sessionID, fmt.Sprintf("has %d calls waiting, the most that one session may have", n), broker.TooMuch(
			broker.ErrTooMany, fmt.Sprintf("%d of session %s, the most that one session may have", n, se.Row.Named()), hint,
		))
	case all >= most:
		return s.refuse(now, sessionID, fmt.Sprintf("finds %d calls waiting, the most that may wait in all", all), broker.TooMuch(
			broker.ErrTooMany, fmt.Sprintf("%d in all, the most there may be; %d of them are of session %s", all, n, se.Row.Named()),
			"answer some in the console, or stop a session there (S stops all), then ask again",
		))
	case all >= most-most/reservedPart && n >= s.fairShare(most):
		return s.refuse(now, sessionID, fmt.Sprintf("has %d calls waiting while only %d more may wait in all", n, most-all), broker.TooMuch(
			broker.ErrTooMany, fmt.Sprintf("%d in all, and %d of session %s; the room that is left is kept for sessions with fewer", all, n, se.Row.Named()), hint,
		))
	}
	return nil
}

// fairShare is how many waiting calls a session may have when the room for all is nearly gone:
// those that wait for many leave what is left to those that wait for few.
func (ss *sessions) fairShare(most int) int {
	sessions := 0
	for _, id := range ss.keys() {
		if len(ss.session(id).waiting) > 0 {
			sessions++
		}
	}
	return max(1, most/reservedPart/max(1, sessions))
}

// admitSession says whether a session may be known: one that is, always; a new one while there
// is room, and when not too many came just now.
func (s *State) admitSession(now time.Time, id string) error {
	if s.session(id) != nil {
		return nil
	}
	hint := "end what starts them; sessions that are known go on as before"
	if n := s.sessions.len(); n >= s.limits.MaxSessions && !s.forgetSessions(now) {
		return s.refuse(now, "", fmt.Sprintf("are refused: %d sessions are open, the most there may be", n), broker.TooMuch(
			broker.ErrTooManySessions, fmt.Sprintf("%d are open, the most there may be", n), hint,
		))
	}
	if s.limits.Rate < 0 || s.now.newcomers.take(now, newSessionRate, newSessionBurst) {
		return nil
	}
	return s.refuse(now, "", fmt.Sprintf("come faster than %d a second", newSessionRate), broker.TooMuch(
		broker.ErrTooManySessions, fmt.Sprintf("new ones come faster than %d a second", newSessionRate), hint,
	))
}

// admitEvent is admit for what is told and not asked.
func (s *State) admitEvent(now time.Time, sessionID string) error {
	if err := s.admitSession(now, sessionID); err != nil {
		return err
	}
	se := s.editSession(sessionID)
	most := eventsPerCall * s.limits.Rate
	if se.tells.take(now, float64(most), burstSeconds*float64(most)) {
		return nil
	}
	return s.refuse(now, sessionID, fmt.Sprintf("tells of more than %d events a second", most), broker.TooMuch(
		broker.ErrTooFast, fmt.Sprintf("session %s tells of more than %d events a second", se.Row.Named(), most),
		fmt.Sprintf("slow down: wait %d s", secondsToSlowDown),
	))
}

func tooFast(err error) bool { return errors.Is(err, broker.ErrTooFast) }

// forgetSessions makes room for new sessions: those that ended go first, then those behind
// which no process is known, the longest silent first. Sessions with calls that wait or were
// put off, with a stop that holds, or with a living process stay. It reports whether any went.
// The store keeps them all.
func (s *State) forgetSessions(now time.Time) bool {
	var list []*Session
	for _, id := range s.sessions.keys() {
		if se := s.session(id); se.forgettable(now) {
			list = append(list, se)
		}
	}
	slices.SortStableFunc(list, func(x, y *Session) int {
		if x.Row.EndedAt.IsZero() != y.Row.EndedAt.IsZero() {
			if y.Row.EndedAt.IsZero() {
				return -1
			}
			return 1
		}
		return x.Row.LastSeenAt.Compare(y.Row.LastSeenAt)
	})
	gone := list[:min(len(list), max(1, s.limits.MaxSessions/forgottenTogether))]
	for _, se := range gone {
		s.sessions.drop(se.Row.ID)
	}
	if len(gone) > 0 { // a new snapshot is how a console learns that a session is no longer known
		s.emit(ShowAnew{})
	}
	return len(gone) > 0
}

func (se *Session) forgettable(now time.Time) bool {
	row := &se.Row
	held := row.EndedAt.IsZero() && (row.State.UnderStop() || row.Process.PID != 0)
	held = held || row.Run.Running() || row.Message != nil || row.Observed || se.owing()
	return len(se.waiting)+len(se.deferred) == 0 && !held && now.Sub(row.LastSeenAt) > forgetAfter
}

const (
	floodOver  = 5 * time.Second // without a refusal: then a flood has ended
	floodNoted = time.Minute     // between two events about one flood
	floodsTold = 8               // floods in Health, the largest
)

// flood is a broker.Flood that goes on, with what of it is in the log.
type flood struct {
	broker.Flood
	noted   int
	notedAt time.Time
}

// attempts are what was turned away.
type attempts struct {
	floods table[string, flood]    // calls beyond the limits, by session and kind
	notes  table[string, refusals] // decisions, by what they have in common
}

// refuse counts a call that is refused with err.
func (as *attempts) refuse(now time.Time, sessionID, why string, err *broker.LimitError) error {
	at := broker.Instant(now)
	key := sessionID + "\x1f" + err.Kind.Error()
	f, ok := as.floods.get(key)
	if !ok {
		f.SessionID, f.Since = sessionID, at
	}
	f.Why, f.Until = why, at
	f.Refused++
	as.floods.put(key, f)
	return err
}

// noteFloods writes down what was refused: one event for each flood when it begins, once a
// minute while it lasts, and at its end. It also tells the console.
func (s *State) noteFloods(now time.Time, last bool) {
	var told []broker.Flood
	for _, key := range s.floods.keys() {
		f, _ := s.floods.get(key)
		over := last || now.Sub(f.Until) > floodOver
		if now.Sub(f.Until) <= floodOver {
			told = append(told, f.Flood)
		}
		if n := f.Refused - f.noted; n > 0 && (over || now.Sub(f.notedAt) >= floodNoted) {
			s.note(now, broker.EventCallsRefused, broker.Request{SessionID: f.SessionID}, broker.CallsRefusedData{
				Why: f.Why, Count: n, Total: f.Refused, Since: f.Since, Until: f.Until,
			})
			f.noted, f.notedAt = f.Refused, now
			s.floods.put(key, f)
		} else if over {
			s.floods.drop(key)
		}
	}
	slices.SortFunc(told, func(x, y broker.Flood) int {
		return cmp.Or(cmp.Compare(y.Refused, x.Refused), cmp.Compare(x.SessionID, y.SessionID), cmp.Compare(x.Why, y.Why))
	})
	more := max(0, len(told)-floodsTold)
	told = told[:len(told)-more]
	if h := &s.now.health; !slices.Equal(told, h.Floods) || more != h.MoreFloods {
		h.Floods, h.MoreFloods = told, more
		s.emit(ShowHealth{})
	}
}
