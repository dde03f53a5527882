package engine

import (
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// resumeLease is how long a resume that was begun may take until its agent is there. Then, or
// when the process that began it has ended, it may be begun anew.
const resumeLease = 30 * time.Second

// resumption is a resume that was begun.
type resumption struct {
	by    broker.Process // who runs the agent in the foreground; none for a runner
	until time.Time
}

// Resume goes on with a session whose call was put off. Without Begin it only asks whether it
// may. Reply.Call is the call that was put off; Reply.Session.Run says whether aoctl holds the
// session.
//
// Errors: ErrNotFound, ErrStopped, ErrTaken, ErrUnknownStart, ErrLookAgain.
type Resume struct {
	SessionID string
	By        broker.Actor
	Begin     bool
	Runner    broker.Process // who is going to run the agent in the foreground; may be none
	Liveness                 // of the session's process, and of the one that began the last resume
}

func (in Resume) step(s *State, now time.Time) Reply {
	c, err := in.resumable(s, now)
	if err != nil {
		return Reply{Err: err}
	}
	if !in.Begin {
		return Reply{Call: *c.Req, Session: s.session(in.SessionID).view()}
	}
	c = s.edit(c)
	cp := *c.Req.Checkpoint
	cp.ResumedAt = broker.Instant(now)
	w := &s.change
	w.Sync, w.Checkpoint = true, &cp
	if in.Runner.PID != 0 { // of a runner's start the session's row tells
		s.note(cp.ResumedAt, broker.EventResumed, cp.AsRequest(), map[string]any{"by": in.By})
	}
	c.own().Checkpoint = &cp
	se := s.editSession(in.SessionID)
	se.resuming = &resumption{by: in.Runner, until: now.Add(resumeLease)}
	s.emit(ShowCall{c.Req})
	return Reply{Call: *c.Req, Session: se.view(), Done: true}
}

// resumable is the call for which a session is to be resumed, unless something is in the way.
func (in Resume) resumable(s *State, now time.Time) (*Call, error) {
	se := s.session(in.SessionID)
	if se == nil || len(se.deferred) == 0 {
		return nil, broker.ErrNothingPutOff
	}
	row, p := &se.Row, se.Row.Process
	switch {
	case row.State.UnderStop():
		return nil, broker.ErrStopped
	case row.Run.Running():
		return nil, broker.TakenError{Why: "a runner has it"}
	case row.Run != nil && row.Run.Program == "":
		return nil, fmt.Errorf("%w: what is on record of how it was started does not count; start it with aoctl run --resume %s", broker.ErrUnknownStart, in.SessionID)
	case p.PID == 0 || p.Start == 0 && !row.EndedAt.IsZero():
	default:
		if err := in.alive(p, broker.TakenError{Why: fmt.Sprintf("process %d of it still runs", p.PID)}); err != nil {
			return nil, err
		}
	}
	if r := se.resuming; r != nil {
		taken := broker.TakenError{Why: "it is being resumed already"}
		if r.by.PID == 0 && now.Before(r.until) {
			return nil, taken
		}
		if r.by.PID != 0 {
			if err := in.alive(r.by, taken); err != nil {
				return nil, err
			}
		}
	}
	return s.call(se.deferred[len(se.deferred)-1]), nil
}

// Resumed says that a resume is over: the next one may begin.
type Resumed struct{ SessionID string }

func (in Resumed) step(s *State, _ time.Time) Reply {
	if s.session(in.SessionID) != nil {
		s.editSession(in.SessionID).resuming = nil
	}
	return Reply{}
}
