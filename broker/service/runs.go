package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// startRun notes that runner holds a session from now on, and agent in it, which may not be there
// yet. The same runner may say so again.
//
// Errors: ErrInvalid, ErrHeld, ErrStopped, ErrTooManySessions, ErrTooFast, ErrNotRecorded.
func (b *Broker) startRun(ctx context.Context, runner broker.Process, start wire.RunStart, agent broker.Process) (broker.Session, error) {
	if err := broker.CheckStart(start); err != nil {
		return broker.Session{}, fmt.Errorf("start a run: %w", err)
	}
	if _, err := b.recall(ctx, start.SessionID); err != nil && !errors.Is(err, broker.ErrNotFound) {
		return broker.Session{}, fmt.Errorf("start a run: %w", err)
	}
	for range mostLooks {
		in := engine.StartRun{Runner: runner, Start: start, Agent: agent}
		s, _ := b.view.Session(start.SessionID)
		if r := s.Run; r.Running() && r.Runner.PID != 0 {
			in.Saw(r.Runner, b.opts.Alive(r.Runner))
		}
		if p := s.Process; p.PID != 0 {
			in.Saw(p, b.opts.Alive(p) && !peers.IsBelow(p, runner))
		}
		r := b.loop.Do(in)
		switch {
		case errors.Is(r.Err, engine.ErrLookAgain):
		case r.Err != nil:
			return broker.Session{}, fmt.Errorf("start a run: %w", r.Err)
		default:
			return r.Session, nil
		}
	}
	return broker.Session{}, fmt.Errorf("start a run: %w", broker.ErrHeld)
}

// reported takes in what the runner of session id saw or did. agent is the process that rep.PID
// names, as far as that is the runner's.
//
// Errors: ErrNotFound, ErrNotManaged, ErrNotRunner, ErrSessionEnded, ErrInvalid, ErrTooFast,
// ErrNotRecorded.
func (b *Broker) reported(ctx context.Context, runner broker.Process, id string, rep wire.RunReport, agent broker.Process) error {
	err := broker.CheckReport(rep)
	if err == nil {
		_, err = b.recall(ctx, id)
	}
	if err == nil {
		err = b.loop.Do(engine.Report{Runner: runner, SessionID: id, Report: rep, Agent: agent}).Err
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if rep.Kind == wire.ReportEnded {
		b.loop.Do(engine.WakeFor{SessionID: id})
	}
	return nil
}

// ordersNow is what the runner of session id shall do. When it was told so just now, again says
// how long that need not be repeated. Errors: ErrNotFound, ErrNotManaged, ErrNotRunner,
// ErrNotRecorded.
func (b *Broker) ordersNow(ctx context.Context, id string, runner broker.Process) (list []wire.RunOrder, again time.Duration, err error) {
	if _, err := b.recall(ctx, id); err != nil {
		return nil, 0, fmt.Errorf("orders: %w", err)
	}
	r := b.loop.Do(engine.Poll{SessionID: id, Runner: runner})
	if r.Err != nil {
		return nil, 0, fmt.Errorf("orders of %s: %w", broker.Clip(id), r.Err)
	}
	return r.Orders.List, r.Orders.Again, nil
}

// getOrders answers a runner's poll: at once when there is something to do, else when there is, or
// after ?timeout seconds. A held poll costs what a waiting hook does.
func (b *Broker) getOrders(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	wait, err := secondsParam(r, "timeout", 5*time.Second)
	if err != nil {
		fail(w, err)
		return
	}
	runner, err := runnerOf(r)
	if err != nil {
		fail(w, err)
		return
	}
	list, again, err := b.ordersNow(r.Context(), id, runner)
	if err != nil {
		fail(w, err)
		return
	}
	wait = min(wait, b.opts.Hold)
	if len(list) > 0 {
		wait = min(wait, again)
	}
	if wait <= 0 {
		write(w, b.tell(id, list))
		return
	}
	proof, ctx := proofOf(w), context.WithoutCancel(r.Context())
	b.park(w, func(p *parked) {
		if !b.holdPoll(p, id, wait) {
			return
		}
		answer := errorReply(broker.ErrClosed)
		if !b.draining.Load() {
			answer = b.ordersReply(ctx, id, runner)
		}
		answer.proof = proof
		p.send(answer)
	})
}

func (b *Broker) ordersReply(ctx context.Context, id string, runner broker.Process) reply {
	list, _, err := b.ordersNow(ctx, id, runner)
	if err != nil {
		return errorReply(err)
	}
	return b.tell(id, list)
}

// tell is the answer that tells a runner of list.
func (b *Broker) tell(id string, list []wire.RunOrder) reply {
	b.loop.Do(engine.OrdersTold{SessionID: id, List: list})
	if list == nil {
		list = []wire.RunOrder{}
	}
	return jsonReply(http.StatusOK, wire.RunOrders{Orders: list})
}

// holdPoll waits until the runner of session id has to be told something, or the time is over; it
// is false when the runner has left or spoke out of turn. A later poll ends an earlier one.
func (b *Broker) holdPoll(p *parked, id string, wait time.Duration) bool {
	line := runnerLine(id)
	b.lines.join(line, p)
	b.lines.wake(line) // an earlier one ends
	defer b.lines.leave(line, p)
	return p.await(time.Now().Add(wait), func() bool {
		_, ok := b.view.Session(id)
		return !ok || b.draining.Load() || b.view.News(id) || b.lines.later(line, p)
	})
}

// Say queues text as a session's next message, or takes the one that waits back for ""; see
// Console.
func (b *Broker) Say(ctx context.Context, sessionID, text string, by broker.Actor) (broker.Session, error) {
	in, what := engine.Say{SessionID: sessionID, By: by}, "withdraw a message to"
	if text != "" {
		what = "say to"
		var err error
		if in.Message, err = broker.NewMessage(now(), newID(), text, by); err != nil {
			return broker.Session{}, fmt.Errorf("say: %w", err)
		}
	}
	return b.onRun(ctx, what, sessionID, in)
}

// Interrupt ends the turn of a managed session; see Console. Nothing happens when no turn is under
// way.
func (b *Broker) Interrupt(ctx context.Context, sessionID string, by broker.Actor) error {
	_, err := b.onRun(ctx, "interrupt", sessionID, engine.Interrupt{SessionID: sessionID, NewID: newID(), By: by})
	return err
}

// onRun sends an input about a managed session.
func (b *Broker) onRun(ctx context.Context, what, sessionID string, in engine.Input) (broker.Session, error) {
	s, err := b.recall(ctx, sessionID)
	if err == nil {
		r := b.loop.Do(in)
		s, err = r.Session, r.Err
	}
	if err != nil {
		return s, fmt.Errorf("%s %s: %w", what, broker.Clip(sessionID), err)
	}
	return s, nil
}

// Configure changes the permission mode or the model of a managed session; "" leaves one as it
// is. Errors: ErrNotFound, ErrNotManaged, ErrSessionEnded, ErrInvalid, ErrForbidden (the mode
// widens what passes and by is no operator), ErrNotRecorded.
func (b *Broker) Configure(ctx context.Context, sessionID, mode, model string, by broker.Actor) (broker.Session, error) {
	widens, known := broker.PermissionModes[mode]
	switch {
	case mode == "" && model == "":
		return broker.Session{}, fmt.Errorf("settings: %w: neither permission_mode nor model is given", broker.ErrInvalid)
	case mode != "" && !known:
		return broker.Session{}, fmt.Errorf("settings: %w: permission_mode %q; use default, plan, acceptEdits, auto, bypassPermissions or dontAsk", broker.ErrInvalid, broker.Clip(mode))
	case widens && by.Kind != broker.ByOperator:
		return broker.Session{}, fmt.Errorf("settings: %w: permission mode %s asks less", broker.ErrForbidden, mode)
	}
	if err := broker.CheckName("model", model); err != nil {
		return broker.Session{}, fmt.Errorf("settings: %w", err)
	}
	return b.onRun(ctx, "settings of", sessionID, engine.Configure{SessionID: sessionID, Mode: mode, Model: model, NewIDs: [2]string{newID(), newID()}, By: by})
}

// Launch starts a new managed session; see Console. The session is on record before anything is
// started, and says so when that fails.
func (b *Broker) Launch(ctx context.Context, n broker.NewRun, by broker.Actor) (broker.Session, error) {
	n.Agent = cmp.Or(n.Agent, "claude")
	err := b.checkLaunch(n, by)
	id := uuid.NewString()
	if err == nil {
		err = b.loop.Do(engine.Launch{SessionID: id, New: n, By: by}).Err
	}
	if err != nil {
		return broker.Session{}, fmt.Errorf("launch: %w", err)
	}
	if err = b.opts.Launcher.Launch(id, n); err != nil {
		b.loop.Do(engine.NotStarted{SessionID: id, Cause: err})
		err = fmt.Errorf("launch: %w", err)
	}
	s, lost := b.Session(ctx, id)
	return s, cmp.Or(err, lost)
}

func (b *Broker) checkLaunch(n broker.NewRun, by broker.Actor) error {
	switch {
	case by.Kind != broker.ByOperator:
		return broker.ErrForbidden
	case b.opts.Launcher == nil:
		return fmt.Errorf("nothing here starts sessions: %w", errors.ErrUnsupported)
	case n.Agent != "claude":
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
	_, err := broker.NewMessage(now(), newID(), n.Prompt, by)
	return err
}
