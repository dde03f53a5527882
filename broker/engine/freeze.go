package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// A freeze holds every agent, or one session's, at its next call. Anybody may freeze, for it
// only makes things safer: it holds also when it cannot be recorded. Only an operator
// lifts it, and the record comes first. While it holds, a call waits whatever rules, grants and
// observing would say; it still ends by a person's no, by a stop, by its deadline, and when its
// asker leaves.
//
// An answer that lets a call run is not told while a freeze holds its session. Once the freeze
// is lifted it is told as an answer that is given again.

// maxFreezes is how many sessions may be frozen one by one: the log keeps each for good.
const maxFreezes = 1024

// Freeze is one that holds.
type Freeze struct {
	By       broker.Actor
	recorded bool // the log has it; while it has not, a restart would forget it
}

// SetFreeze holds the calls of a session, or for "" of all, or lets them go on. After a lift
// Reply.Unheld says what it held. Errors: ErrForbidden, ErrClosed, ErrTooMany.
type SetFreeze struct {
	SessionID string
	On        bool
	By        broker.Actor
}

func (in SetFreeze) step(s *State, now time.Time) Reply {
	f, frozen := s.freezes.Get(in.SessionID)
	switch {
	case s.now.closed:
		return Reply{Err: broker.ErrClosed}
	case !in.On && in.By.Kind != broker.ByOperator:
		return Reply{Err: broker.ErrForbidden}
	case !in.On && !frozen, in.On && frozen && f.recorded:
		return Reply{}
	case in.On && !frozen && in.SessionID != "" && s.freezes.Len() >= maxFreezes:
		return Reply{Err: broker.TooMuch(
			broker.ErrTooMany, fmt.Sprintf("%d sessions are frozen one by one, the most there may be", maxFreezes),
			"freeze everything instead, or lift some of them",
		)}
	}
	if !frozen || !in.On {
		f.By = in.By
	}
	s.recordFreeze(now, in.SessionID, in.On, f.By)
	if f.recorded = s.cause == nil; in.On {
		s.freezes.Put(in.SessionID, f)
	} else {
		s.freezes.Drop(in.SessionID)
	}
	s.showHeld(in.SessionID)
	if in.On {
		return Reply{Done: true}
	}
	in.freeAnswers(s)
	return Reply{Done: true, Unheld: in.freed(s)}
}

// freed are the calls that wait or are put off, and that no freeze holds any more.
func (in SetFreeze) freed(s *State) (ids []string) {
	for id, se := range s.sessions.All() {
		if (in.SessionID == "" || id == in.SessionID) && s.held(id) == "" {
			ids = slices.Concat(ids, se.waiting, se.deferred)
		}
	}
	return ids
}

// showHeld brings what sessions, cards and health say of freezes up to date, after that of a
// session, or for "" of all, changed.
func (s *State) showHeld(sessionID string) {
	if sessionID == "" {
		f, on := s.freezes.Get("")
		s.now.health.Frozen, s.now.health.FrozenBy = on, f.By
		s.emit(ShowHealth{})
	}
	for id, se := range s.sessions.All() {
		if sessionID != "" && id != sessionID {
			continue
		}
		why := s.held(id)
		for _, cid := range slices.Concat(se.waiting, se.deferred) { // what is put off cannot be allowed either
			if c := s.call(cid); c.Req.State == broker.Pending && c.Req.Held != why {
				req := s.edit(c).own()
				req.Held = why
				s.emit(ShowCall{req})
			}
		}
		if se.Row.Frozen != (why != "") {
			s.editSession(id).Row.Frozen = why != ""
			s.emit(ShowSession{id})
		}
	}
}

// withholds reports whether r's answer is not to be told now, and remembers that of c, which
// is r's call where it is in memory.
func (s *State) withholds(c *Call, r *broker.Request) bool {
	if !broker.LetsRun(*r) || s.held(r.SessionID) == "" {
		return false
	}
	if c != nil {
		s.edit(c).Told.withheld = true
	}
	return true
}

// freeAnswers lets those ask again who wait for an answer that was withheld.
func (in SetFreeze) freeAnswers(s *State) {
	for id, c := range s.calls.All() {
		if c.Told.withheld && (in.SessionID == "" || c.Req.SessionID == in.SessionID) {
			s.emit(Answered{id})
		}
	}
}

// Tell asks how the asker of an ended call may be told of it now. Reply.Replay says that its
// answer was withheld, and is to go through Replay.
type Tell struct{ Call broker.Request }

func (in Tell) step(s *State, _ time.Time) Reply {
	c := s.call(in.Call.ID)
	switch {
	case s.withholds(c, &in.Call):
		return Reply{Call: broker.KeptBack(in.Call)}
	case c != nil && c.Told.withheld && broker.LetsRun(in.Call):
		s.edit(c).Told.withheld = false
		return Reply{Call: in.Call, Replay: c.Phase != owed} // what was put off is given in a way of its own
	default:
		return Reply{Call: in.Call}
	}
}
