package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine/undo"
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

// admit says whether a new call of a session may be looked at, before anything is parsed or
// recorded on its behalf.
func (in Ask) admit(s *State, now time.Time) error {
	sessionID := in.Question.SessionID
	if err := s.admitSession(now, sessionID); err != nil {
		return err
	}
	se := s.editSession(sessionID)
	rate := float64(s.limits.Rate)
	if !se.asks.Take(now, rate, burstSeconds*rate) {
		return s.refuse(now, sessionID, broker.ErrTooFast,
			fmt.Sprintf("asks faster than %d calls a second", s.limits.Rate), fmt.Sprintf("session %s asks faster than %d a second", se.Row.Named(), s.limits.Rate),
			fmt.Sprintf("slow down: wait %d s, then ask for one call at a time", secondsToSlowDown))
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
		return s.refuse(now, sessionID, broker.ErrTooMany,
			fmt.Sprintf("has %d calls waiting, the most that one session may have", n), fmt.Sprintf("%d of session %s, the most that one session may have", n, se.Row.Named()), hint)
	case all >= most:
		return s.refuse(now, sessionID, broker.ErrTooMany, fmt.Sprintf("finds %d calls waiting, the most that may wait in all", all),
			fmt.Sprintf("%d in all, the most there may be; %d of them are of session %s", all, n, se.Row.Named()),
			"answer some in the console, or stop a session there (S stops all), then ask again")
	case all >= most-most/reservedPart && n >= s.fairShare(most):
		return s.refuse(now, sessionID, broker.ErrTooMany, fmt.Sprintf("has %d calls waiting while only %d more may wait in all", n, most-all),
			fmt.Sprintf("%d in all, and %d of session %s; the room that is left is kept for sessions with fewer", all, n, se.Row.Named()), hint)
	}
	return nil
}

// fairShare is how many waiting calls a session may have when the room for all is nearly gone:
// those that wait for many leave what is left to those that wait for few.
func (ss *sessions) fairShare(most int) int {
	sessions := 0
	for _, se := range ss.All() {
		if len(se.waiting) > 0 {
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
	if n, most := s.sessions.Len(), s.limits.MaxSessions; n >= most {
		if !s.forget(now, max(1, most/forgottenTogether)) {
			return s.refuse(now, "", broker.ErrTooManySessions,
				fmt.Sprintf("are refused: %d sessions are open, the most there may be", n), fmt.Sprintf("%d are open, the most there may be", n), hint)
		}
		s.emit(ShowAnew{}) // a new snapshot is how a console learns that a session is no longer known
	}
	if s.limits.Rate < 0 || s.now.newcomers.Take(now, newSessionRate, newSessionBurst) {
		return nil
	}
	return s.refuse(now, "", broker.ErrTooManySessions,
		fmt.Sprintf("come faster than %d a second", newSessionRate), fmt.Sprintf("new ones come faster than %d a second", newSessionRate), hint)
}

// admitEvent is admit for what is told and not asked.
func (s *State) admitEvent(now time.Time, sessionID string) error {
	if err := s.admitSession(now, sessionID); err != nil {
		return err
	}
	se := s.editSession(sessionID)
	most := eventsPerCall * s.limits.Rate
	if se.tells.Take(now, float64(most), burstSeconds*float64(most)) {
		return nil
	}
	return s.refuse(now, sessionID, broker.ErrTooFast, fmt.Sprintf("tells of more than %d events a second", most),
		fmt.Sprintf("session %s tells of more than %d events a second", se.Row.Named(), most), fmt.Sprintf("slow down: wait %d s", secondsToSlowDown))
}

// forget makes room for new sessions: those that ended go first, then those behind which no
// process is known, the longest silent first. Sessions with calls that wait or were put off, with a
// stop that holds, or with a living process stay. At most so many go; it reports whether any did.
// The store keeps them all.
func (ss *sessions) forget(now time.Time, most int) bool {
	var gone []*Session
	for _, se := range ss.All() {
		if se.forgettable(now) {
			gone = append(gone, se)
		}
	}
	silent := map[bool]int{true: 1} // by whether it has not ended
	slices.SortStableFunc(gone, func(x, y *Session) int {
		return cmp.Or(silent[x.Row.EndedAt.IsZero()]-silent[y.Row.EndedAt.IsZero()], x.Row.LastSeenAt.Compare(y.Row.LastSeenAt))
	})
	for _, se := range gone[:min(len(gone), most)] {
		ss.Drop(se.Row.ID)
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
)

// flood is a broker.Flood that goes on, with what of it is in the log.
type flood struct {
	broker.Flood
	noted   int
	notedAt time.Time
}

// attempts are what was turned away.
type attempts struct {
	floods undo.Map[string, flood]    // calls beyond the limits, by session and kind
	notes  undo.Map[string, refusals] // decisions, by what they have in common
}

// refuse counts a call that is refused, and returns the error that says so. Why goes on from the
// session's name, for the console; what and hint are for who asks.
func (as *attempts) refuse(now time.Time, sessionID string, kind error, why, what, hint string) error {
	at := broker.Instant(now)
	key := sessionID + "\x1f" + kind.Error()
	f, ok := as.floods.Get(key)
	if !ok {
		f.SessionID, f.Since = sessionID, at
	}
	f.Why, f.Until = why, at
	f.Refused++
	as.floods.Put(key, f)
	return broker.TooMuch(kind, what, hint)
}

// noteFloods writes down what was refused: one event for each flood when it begins, once a
// minute while it lasts, and at its end. It also tells the console.
func (s *State) noteFloods(now time.Time, last bool) {
	var told []broker.Flood
	for key, f := range s.floods.All() {
		over := last || now.Sub(f.Until) > floodOver
		if now.Sub(f.Until) <= floodOver {
			told = append(told, f.Flood)
		}
		if n := f.Refused - f.noted; n > 0 && (over || now.Sub(f.notedAt) >= floodNoted) {
			s.note(now, broker.EventCallsRefused, broker.Request{SessionID: f.SessionID}, broker.CallsRefusedData{
				Why: f.Why, Count: n, Total: f.Refused, Since: f.Since, Until: f.Until,
			})
			f.noted, f.notedAt = f.Refused, now
			s.floods.Put(key, f)
		} else if over {
			s.floods.Drop(key)
		}
	}
	if s.now.health.NoteFloods(told) {
		s.emit(ShowHealth{})
	}
}
