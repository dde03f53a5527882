package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine/bucket"
	"github.com/aoctl/aoctl/broker/wire"
)

// How often a session may be begun anew: more than any agent takes to start and end.
const (
	runStartRate  = 1  // a second
	runStartBurst = 30 // at once
)

// resendAfter is how long a runner's poll is held although there are orders, because it was
// told of just these a moment ago and is at it.
const resendAfter = 2 * time.Second

// runState is what is known in memory of how a session is held.
type runState struct {
	sent            string          // ids of the orders that were sent last
	sentAt          time.Time       //
	done            map[string]bool // orders of a stop that were reported done; replaced, never changed
	said            int             // reports that the agent said something, of this process
	notes           int             // other reports that change nothing
	reports, starts bucket.Bucket   // of reports that do, and of processes
	retryAt         time.Time       // not before then is the session resumed for a message once more
}

// Orders are what a runner shall do.
type Orders struct {
	List  []wire.RunOrder
	Again time.Duration // how long that need not be repeated, because it was told so just now
}

// onRun changes the session id, which must be in memory and on record.
func (s *State) onRun(now time.Time, id string, sync bool, f func(row *broker.Session) ([]*broker.Event, error)) Reply {
	if se := s.session(id); se == nil || !se.known() {
		return Reply{Err: broker.ErrNotFound}
	}
	se, err := s.update(now, Speaker{SessionID: id}, f)
	if err != nil && !errors.Is(err, broker.ErrNoChange) {
		return Reply{Err: err, Session: se.view()}
	}
	s.change.Sync = s.change.Sync || sync && err == nil
	return Reply{Session: se.view(), Done: err == nil}
}

// Recall puts a session into memory that only the store has.
type Recall struct{ Row broker.Session }

func (in Recall) step(s *State, _ time.Time) Reply {
	if se := s.session(in.Row.ID); se == nil || !se.known() {
		se = s.editSession(in.Row.ID)
		se.Row, se.savedAt, se.savedAs = in.Row, in.Row.LastSeenAt, in.Row.Process
	}
	return Reply{}
}

// Liveness says which processes the caller looked at, and which of them live.
type Liveness struct{ checked, living []broker.Process }

// Saw notes that a process was looked at.
func (l *Liveness) Saw(p broker.Process, lives bool) {
	if l.checked = append(l.checked, p); lives {
		l.living = append(l.living, p)
	}
}

// alive is err when p lives, and ErrLookAgain when the caller did not look at it.
func (l *Liveness) alive(p broker.Process, err error) error {
	switch {
	case !slices.Contains(l.checked, p):
		return ErrLookAgain
	case slices.Contains(l.living, p):
		return err
	}
	return nil
}

// StartRun says that a runner holds a session from now on, and an agent in it, which may not
// be there yet. The same runner may say so again. In Liveness a process of
// the session counts as living only when it does not come from the runner.
//
// Errors: ErrOtherProcess, ErrStopped, ErrTooManySessions, ErrTooFast, ErrLookAgain.
type StartRun struct {
	Runner broker.Process
	Start  wire.RunStart
	Agent  broker.Process
	Liveness
}

func (in StartRun) step(s *State, now time.Time) Reply {
	id := in.Start.SessionID
	if err := s.admitSession(now, id); err != nil {
		return Reply{Err: err}
	}
	before, orphaned := s.copySession(id), false
	sp := Speaker{SessionID: id, Agent: in.Start.Agent, CWD: in.Start.CWD}
	se, err := s.update(now, sp, func(row *broker.Session) ([]*broker.Event, error) {
		if row.Run.Running() && row.Run.Runner == in.Runner {
			return nil, broker.ErrNoChange
		}
		if err := in.free(row); err != nil {
			return nil, err
		}
		if s.limits.Rate >= 0 && !before.run.starts.Take(now, runStartRate, runStartBurst) {
			return nil, broker.TooMuch(broker.ErrTooFast, fmt.Sprintf("session %s is begun anew too often", before.Row.Named()), "wait 1 s, then begin it again")
		}
		var events []*broker.Event
		if orphaned = row.Run.Running() && row.Run.Runner.PID != 0; orphaned {
			events = broker.RunnerGone(now, row)
		}
		return append(events, broker.TakeRun(now, row, in.Runner, in.Start, in.Agent)...), nil
	})
	switch {
	case errors.Is(err, broker.ErrNoChange):
		return Reply{Session: se.view()}
	case err != nil:
		return Reply{Err: err}
	}
	se.run = runState{reports: se.run.reports, starts: before.run.starts}
	s.change.Sync = true
	s.rememberRunner(in.Runner, id)
	s.remember(in.Agent, id)
	if orphaned {
		s.close(now, id, cancelled("the agent's runner is gone"), nil)
	}
	return Reply{Session: s.session(id).view(), Done: true}
}

// free says why the runner may not have the session now; nil when it may.
func (in StartRun) free(row *broker.Session) error {
	if row.State.UnderStop() {
		return broker.ErrStopped
	}
	if r := row.Run; r.Running() && r.Runner.PID != 0 {
		if err := in.alive(r.Runner, fmt.Errorf("%w: runner %d", broker.ErrOtherProcess, r.Runner.PID)); err != nil {
			return err
		}
	}
	p := row.Process
	if p.PID == 0 || p == in.Agent || p.Start == 0 && !row.EndedAt.IsZero() { // without a start time the pid may belong to another process now
		return nil
	}
	return in.alive(p, fmt.Errorf("%w: agent %d", broker.ErrOtherProcess, p.PID))
}

// Report is what a runner saw or did. Agent is the process that the report names, as far as it
// is the runner's.
//
// Errors: ErrNotFound, ErrNotManaged, ErrNotRunner, ErrSessionEnded, ErrTooFast.
type Report struct {
	Runner    broker.Process
	SessionID string
	Report    wire.RunReport
	Agent     broker.Process
}

func (in Report) step(s *State, now time.Time) Reply {
	rep := in.Report
	se := s.copySession(in.SessionID)
	run, tells := se.run, se.tells
	r := s.onRun(now, in.SessionID, false, func(row *broker.Session) ([]*broker.Event, error) {
		if err := broker.MayReport(row, in.Runner, rep); err != nil {
			return nil, err
		}
		record, err := in.admit(s, now, row, &run, &tells)
		if err != nil || !record {
			return nil, cmp.Or(err, broker.ErrNoChange)
		}
		return broker.ApplyReport(now, row, rep, in.Agent), nil
	})
	if r.Err != nil {
		return r
	}
	se = s.editSession(in.SessionID)
	if rep.Kind == wire.ReportDone && se.Row.State.UnderStop() && len(run.done) < 16 {
		run.done = with(run.done, rep.OrderID)
	}
	se.run, se.tells = run, tells
	switch rep.Kind {
	case wire.ReportAgent:
		s.remember(in.Agent, in.SessionID)
	case wire.ReportIdle: // what the turn asked nobody waits for, though its runner lives
		main, i := func(c *Call) bool { return c.Req.SubagentID == "" }, se.Row.Run.Interrupted
		s.close(now, in.SessionID, i.Outcome(broker.Actor{}), func(c *Call) bool { return main(c) && i.Ends(now, c.Req.CreatedAt) })
		s.close(now, in.SessionID, cancelled("the turn ended"), main)
	case wire.ReportEnded:
		s.close(now, in.SessionID, cancelled("the agent's process is over"), nil)
	}
	return r
}

// admit says whether the report is recorded. What an agent says, and what its runner merely
// notes, is not, once there is very much of it; a runner that changes its session's state too
// often is told to wait, so that no change is lost.
func (in Report) admit(s *State, now time.Time, row *broker.Session, run *runState, tells *bucket.Bucket) (record bool, err error) {
	rate := float64(eventsPerCall * s.limits.Rate)
	switch in.Report.Kind {
	case wire.ReportSaid:
		run.said++
		return run.said <= broker.MaxSaid && tells.Take(now, rate, burstSeconds*rate), nil
	case wire.ReportNote, wire.ReportStep:
		run.notes++
		return run.notes <= broker.MaxNotes && tells.Take(now, rate, burstSeconds*rate), nil
	}
	if run.reports.Take(now, rate, burstSeconds*rate) {
		return true, nil
	}
	return false, broker.TooMuch(broker.ErrTooFast,
		fmt.Sprintf("the runner of session %s reports more than %d a second", row.Named(), eventsPerCall*s.limits.Rate), "wait 1 s, then report it again")
}

// Poll asks what the runner of a session shall do. A message is told only once it is on
// record that it is. Errors: ErrNotFound, ErrNotManaged, ErrNotRunner.
type Poll struct {
	SessionID string
	Runner    broker.Process
}

func (in Poll) step(s *State, now time.Time) Reply {
	se := s.session(in.SessionID)
	switch {
	case se == nil || !se.known():
		return Reply{Err: broker.ErrNotFound}
	case se.Row.Run == nil:
		return Reply{Err: broker.ErrNotManaged}
	case se.Row.Run.Runner != in.Runner:
		return Reply{Err: broker.ErrNotRunner}
	}
	if se.Row.MayTell() {
		se, _ = s.update(now, Speaker{SessionID: in.SessionID}, func(row *broker.Session) ([]*broker.Event, error) {
			row.Run.Told, row.Message = row.Message, nil
			return nil, nil
		})
	}
	o := Orders{List: se.Row.Orders(se.run.done)}
	if broker.OrderIDs(o.List) == se.run.sent {
		o.Again = max(0, resendAfter-now.Sub(se.run.sentAt))
	}
	return Reply{Orders: o, Session: se.view()}
}

// OrdersSent says which orders a runner is being told of.
type OrdersSent struct {
	SessionID string
	List      []wire.RunOrder
}

func (in OrdersSent) step(s *State, now time.Time) Reply {
	if s.session(in.SessionID) != nil && len(in.List) > 0 {
		se := s.editSession(in.SessionID)
		se.run.sent, se.run.sentAt = broker.OrderIDs(in.List), now
	}
	return Reply{}
}

// Say queues a message of a session's user; none takes the one that waits back. By an operator
// it lifts a stop.
//
// Errors: ErrNotFound, ErrNotManaged, ErrLift.
type Say struct {
	SessionID string
	Message   *broker.Message
	By        broker.Actor
}

func (in Say) step(s *State, now time.Time) Reply {
	wakes := false
	r := s.onRun(now, in.SessionID, true, func(row *broker.Session) ([]*broker.Event, error) {
		events, err := broker.Say(now, row, in.Message, in.By)
		if wakes = err == nil && in.Message != nil && s.limits.Launches && row.MayResume(); wakes {
			events = append(events, broker.BeginResume(now, row, in.By))
		}
		return events, err
	})
	if wakes {
		s.emit(Wake{r.Session})
	}
	return r
}

// WakeFor resumes a session when a message waits for that, unless that just failed.
type WakeFor struct{ SessionID string }

func (in WakeFor) step(s *State, now time.Time) Reply {
	se := s.session(in.SessionID)
	if se == nil || s.now.closing() || now.Before(se.run.retryAt) || !s.limits.Launches || !new(se.view()).MayResume() {
		return Reply{}
	}
	r := s.onRun(now, in.SessionID, false, func(row *broker.Session) ([]*broker.Event, error) {
		return []*broker.Event{broker.BeginResume(now, row, row.Message.By)}, nil
	})
	s.emit(Wake{r.Session})
	return r
}

// NotStarted says that no runner came for a session, and why.
type NotStarted struct {
	SessionID string
	Cause     error
}

func (in NotStarted) step(s *State, now time.Time) Reply {
	r := s.onRun(now, in.SessionID, false, func(row *broker.Session) ([]*broker.Event, error) {
		if !row.Run.Awaited() {
			return nil, broker.ErrNoChange // one came all the same, or a stop
		}
		return broker.NotStarted(now, row, in.Cause), nil
	})
	if r.Err == nil {
		failures := 0
		if m := r.Session.Message; m != nil {
			failures = m.Failures
		}
		s.editSession(in.SessionID).run.retryAt = now.Add(time.Duration(failures) * broker.RetryPause)
	}
	return r
}

// RunnerGone says that a session's runner died without a word.
type RunnerGone struct {
	SessionID string
	Runner    broker.Process
}

func (in RunnerGone) step(s *State, now time.Time) Reply {
	gone := false
	r := s.onRun(now, in.SessionID, false, func(row *broker.Session) ([]*broker.Event, error) {
		if !row.Run.Running() || row.Run.Runner != in.Runner {
			return nil, broker.ErrNoChange
		}
		gone = true
		return broker.RunnerGone(now, row), nil
	})
	if gone {
		s.close(now, in.SessionID, cancelled("the agent's runner is gone"), nil)
	}
	return r
}

// OnRun changes a session by a transition that needs nothing but its row, and says whether that
// must be on the disk at once. Errors: ErrNotFound, and those of Apply.
type OnRun struct {
	SessionID string
	Sync      bool
	Apply     func(now time.Time, row *broker.Session) ([]*broker.Event, error)
}

func (in OnRun) step(s *State, now time.Time) Reply {
	return s.onRun(now, in.SessionID, in.Sync, func(row *broker.Session) ([]*broker.Event, error) { return in.Apply(now, row) })
}

// Launch puts a new managed session on record, before anything of it is started.
// Errors: ErrClosed, ErrTooManySessions.
type Launch struct {
	SessionID string
	New       broker.NewRun
	By        broker.Actor
}

func (in Launch) step(s *State, now time.Time) Reply {
	err := s.admitSession(now, in.SessionID)
	if s.now.closed {
		err = broker.ErrClosed
	}
	if err != nil {
		return Reply{Err: err}
	}
	n := in.New
	sp := Speaker{SessionID: in.SessionID, Agent: n.Agent, CWD: n.Folder, Hint: broker.SessionHint{Name: n.Name}}
	se, _ := s.update(now, sp, func(row *broker.Session) ([]*broker.Event, error) {
		return broker.BeginLaunch(now, row, n, in.By), nil
	})
	s.change.Sync = true
	return Reply{Session: se.view(), Done: true}
}
