package engine

import (
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Stop denies the waiting calls of a session at once and its later ones until its user speaks
// again; without an id it stops every session that has not ended. Stopping one that is stopped
// changes nothing.
//
// Errors: ErrNotFound, ErrSessionEnded.
type Stop struct {
	SessionID string
	All       bool
	By        broker.Actor
}

func (in Stop) step(s *State, now time.Time) Reply {
	list := []string{in.SessionID}
	if in.All {
		list = slices.DeleteFunc(s.sessions.Keys(), func(id string) bool { return !s.session(id).stoppable() })
	} else if se := s.session(in.SessionID); se == nil || !se.known() && !se.doubtful {
		return Reply{Err: broker.ErrNotFound}
	} else if se.Row.State.Ended() && len(se.deferred) == 0 {
		return Reply{Err: broker.ErrSessionEnded}
	}
	var r Reply
	for _, id := range list {
		r.Calls = append(r.Calls, in.stop(s, now, id)...)
		r.Session = s.session(id).view()
	}
	r.Sessions, r.Done = len(list), true
	return r
}

// stoppable reports whether a stop of everything stops the session.
func (se *Session) stoppable() bool {
	return len(se.deferred) > 0 || !se.Row.State.Ended() && (!se.Row.State.UnderStop() || se.owing())
}

// stop stops a session and denies what it asks. It returns what it denied.
func (in Stop) stop(s *State, now time.Time, id string) (denied []broker.Request) {
	se := s.editSession(id)
	if !se.Row.State.UnderStop() {
		s.touch(se, now, Speaker{SessionID: id})
		events := broker.StopSession(now, &se.Row, len(se.waiting), in.By)
		s.save(se, now, events...)
	} else if se.owing() { // nobody may be told that it is stopped before that is on record
		s.save(se, now)
	}
	s.change.Sync = true
	return s.denyStopped(now, id, in.By)
}

// denyStopped ends what waits in a session under a stop. Who was put off and has an answer is
// not to be given it any more.
func (s *State) denyStopped(now time.Time, id string, by broker.Actor) (denied []broker.Request) {
	o := broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByStop, PID: by.PID, Exe: by.Exe, TTY: by.TTY}}
	se := s.session(id)
	for _, cid := range slices.Concat(se.waiting, se.deferred) {
		c := s.call(cid)
		if c.Phase != owed {
			denied = append(denied, *s.end(now, c, o).Req)
			continue
		}
		c = s.edit(c)
		s.dropCheckpoint(c)
		s.retire(c)
		s.emit(ShowCall{c.Req})
	}
	s.emit(ShowSession{id})
	return denied
}
