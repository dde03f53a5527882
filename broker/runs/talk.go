package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/hookclient/profile"
)

// StartRun notes that runner holds a session from now on, and agent in it, which may not be there
// yet. The same runner may say so again.
//
// Errors: ErrInvalid, ErrOtherProcess, ErrStopped, ErrTooManySessions, ErrTooFast, ErrNotRecorded.
func (rs *Runs) StartRun(ctx context.Context, runner broker.Process, start wire.RunStart, agent broker.Process) (broker.Session, error) {
	if err := broker.CheckStart(start); err != nil {
		return broker.Session{}, broker.While(err, "start a run")
	}
	if _, err := rs.o.Records.Recall(ctx, start.SessionID); err != nil && !errors.Is(err, broker.ErrNotFound) {
		return broker.Session{}, broker.While(err, "start a run")
	}
	for range mostLooks {
		in := engine.StartRun{Runner: runner, Start: start, Agent: agent}
		s, _ := rs.o.View.Session(start.SessionID)
		if r := s.Run; r.Running() && r.Runner.PID != 0 {
			in.Saw(r.Runner, rs.o.Alive(r.Runner))
		}
		if p := s.Process; p.PID != 0 {
			// An agent below this very runner is its own, which it has started before it said so.
			in.Saw(p, rs.o.Alive(p) && !peers.IsBelow(p, runner))
		}
		r := rs.o.Engine.Do(in)
		switch {
		case errors.Is(r.Err, engine.ErrLookAgain):
		case r.Err != nil:
			return broker.Session{}, broker.While(r.Err, "start a run")
		default:
			return r.Session, nil
		}
	}
	return broker.Session{}, broker.While(broker.ErrOtherProcess, "start a run")
}

// Reported takes in what the runner of session id saw or did. agent is the process that rep.PID
// names, as far as that is the runner's.
//
// Errors: ErrNotFound, ErrNotManaged, ErrNotRunner, ErrSessionEnded, ErrInvalid, ErrTooFast,
// ErrNotRecorded.
func (rs *Runs) Reported(ctx context.Context, runner broker.Process, id string, rep wire.RunReport, agent broker.Process) error {
	err := broker.CheckReport(rep)
	if err == nil {
		_, err = rs.o.Records.Recall(ctx, id)
	}
	if err == nil {
		err = rs.o.Engine.Do(engine.Report{Runner: runner, SessionID: id, Report: rep, Agent: agent}).Err
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	// A message may wait for the session to have no process, so that it can be resumed for it.
	if rep.Kind == wire.ReportEnded {
		rs.o.Engine.Do(engine.WakeFor{SessionID: id})
	}
	return nil
}

// Orders is what the runner of session id shall do. When it was told so just now, again says
// how long that need not be repeated. Errors: ErrNotFound, ErrNotManaged, ErrNotRunner,
// ErrNotRecorded.
func (rs *Runs) Orders(ctx context.Context, id string, runner broker.Process) (list []wire.RunOrder, again time.Duration, err error) {
	if _, err := rs.o.Records.Recall(ctx, id); err != nil {
		return nil, 0, fmt.Errorf("orders: %w", err)
	}
	r := rs.o.Engine.Do(engine.Poll{SessionID: id, Runner: runner})
	if r.Err != nil {
		return nil, 0, fmt.Errorf("orders of %s: %w", broker.Clip(id), r.Err)
	}
	return r.Orders.List, r.Orders.Again, nil
}

// Say queues text as the next message of a managed session's user: it is told as soon as the agent's
// turn is over, and a session that has ended is resumed for it. It takes the place of a message that
// waits; "" takes that one back. By an operator it lifts a stop. Errors: ErrNotFound, ErrNotManaged,
// ErrInvalid, ErrForbidden (the session is stopped and by is no operator), ErrNotRecorded.
func (rs *Runs) Say(ctx context.Context, sessionID, text string, by broker.Actor) (broker.Session, error) {
	in, what := engine.Say{SessionID: sessionID, By: by}, "withdraw a message to"
	if text != "" {
		what = "say to"
		var err error
		if in.Message, err = broker.NewMessage(broker.Instant(time.Now()), newID(), text, by); err != nil {
			return broker.Session{}, broker.While(err, "say")
		}
	}
	return rs.onRun(ctx, what, sessionID, in)
}

// Interrupt ends the turn of a managed session and keeps the session. Nothing happens when no turn
// is under way. Errors: ErrNotFound, ErrNotManaged, ErrSessionEnded, ErrNotRecorded.
func (rs *Runs) Interrupt(ctx context.Context, sessionID string, by broker.Actor) error {
	id := newID()
	_, err := rs.onRun(ctx, "interrupt", sessionID, engine.OnRun{SessionID: sessionID, Sync: true, Apply: func(now time.Time, row *broker.Session) ([]*broker.Event, error) {
		return broker.Interrupt(now, row, id, by)
	}})
	return err
}

// onRun sends an input about a managed session.
func (rs *Runs) onRun(ctx context.Context, what, sessionID string, in engine.Input) (broker.Session, error) {
	s, err := rs.o.Records.Recall(ctx, sessionID)
	if err == nil {
		r := rs.o.Engine.Do(in)
		s, err = r.Session, r.Err
	}
	if err != nil {
		return s, broker.While(err, "%s %s", what, broker.Clip(sessionID))
	}
	return s, nil
}

// Configure changes the permission mode or the model of a managed session; "" leaves one as it
// is. Errors: ErrNotFound, ErrNotManaged, ErrSessionEnded, ErrInvalid, ErrForbidden (the mode
// widens what passes and by is no operator), ErrNotRecorded.
func (rs *Runs) Configure(ctx context.Context, sessionID, mode, model string, by broker.Actor) (broker.Session, error) {
	widens, known := broker.PermissionModes[mode]
	switch {
	case mode == "" && model == "":
		return broker.Session{}, broker.While(fmt.Errorf("%w: neither permission_mode nor model is given", broker.ErrInvalid), "settings")
	case mode != "" && !known:
		return broker.Session{}, broker.While(fmt.Errorf("%w: permission_mode %q; use default, plan, acceptEdits, auto, bypassPermissions or dontAsk", broker.ErrInvalid, broker.Clip(mode)), "settings")
	case widens && by.Kind != broker.ByOperator:
		return broker.Session{}, broker.While(fmt.Errorf("%w: permission mode %s asks less", broker.ErrForbidden, mode), "settings")
	}
	if err := broker.CheckName("model", model); err != nil {
		return broker.Session{}, broker.While(err, "settings")
	}
	ids := [2]string{newID(), newID()}
	return rs.onRun(ctx, "settings of", sessionID, engine.OnRun{SessionID: sessionID, Sync: true, Apply: func(now time.Time, row *broker.Session) ([]*broker.Event, error) {
		return broker.Configure(now, row, mode, model, ids, by)
	}})
}

// Launch starts a new managed session in the background. It is on record before anything is started,
// and says so when that fails. Errors: ErrInvalid, ErrForbidden, ErrNotRecorded, and those of the
// launcher.
func (rs *Runs) Launch(ctx context.Context, n broker.NewRun, by broker.Actor) (broker.Session, error) {
	n.Agent = cmp.Or(n.Agent, "claude")
	// The id is ours: the agent is told to use it, so its first hook finds the session.
	err := rs.checkLaunch(n, by)
	id := uuid.NewString()
	if err == nil {
		err = rs.o.Engine.Do(engine.Launch{SessionID: id, New: n, By: by}).Err
	}
	if err != nil {
		return broker.Session{}, broker.While(err, "launch")
	}
	if err = rs.o.Launcher.Launch(id, n); err != nil {
		rs.o.Engine.Do(engine.NotStarted{SessionID: id, Cause: err})
		err = broker.While(err, "launch")
	}
	s, lost := rs.o.Records.Session(ctx, id)
	return s, cmp.Or(err, lost)
}

// checkLaunch refuses what could not be started anyway, before anything is on record. The prompt
// is checked as the message that it becomes.
func (rs *Runs) checkLaunch(n broker.NewRun, by broker.Actor) error {
	switch {
	case by.Kind != broker.ByOperator:
		return broker.ErrForbidden
	case rs.o.Launcher == nil:
		return fmt.Errorf("nothing here starts sessions: %w", errors.ErrUnsupported)
	case !profile.Of(n.Agent).Traits.Runs:
		return fmt.Errorf("%w: agent %q cannot be started from here; \"claude\" can", broker.ErrInvalid, broker.Clip(n.Agent))
	case !filepath.IsAbs(n.Folder):
		return fmt.Errorf("%w: the folder must be an absolute path", broker.ErrInvalid)
	}
	if info, err := os.Stat(n.Folder); err != nil || !info.IsDir() {
		return fmt.Errorf("%w: there is no folder %s", broker.ErrInvalid, n.Folder)
	}
	for name, v := range map[string]string{"name": n.Name, "model": n.Model} {
		if err := broker.CheckName(name, v); err != nil {
			return err
		}
	}
	_, err := broker.NewMessage(broker.Instant(time.Now()), newID(), n.Prompt, by)
	return err
}
