package service

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/workspace"
)

// resumeLease is how long a resume that was begun may take until its agent is there. Then,
// or when whoever began it has ended, it may be begun anew.
const resumeLease = 30 * time.Second

// resumption is a resume that was begun.
type resumption struct {
	by    broker.Process // who runs the agent in the foreground; none for a runner
	until time.Time
}

// Resume goes on with a session whose call was put off; see Console.
func (b *Broker) Resume(ctx context.Context, sessionID string, by broker.Actor) (broker.Resumption, error) {
	r, err := b.resume(ctx, sessionID, by, broker.Process{})
	if err != nil {
		return broker.Resumption{}, fmt.Errorf("resume %s: %w", broker.Clip(sessionID), err)
	}
	return r, nil
}

// resume is Resume for runner, a process that is going to run the command itself. Without
// one the command of a session that nobody holds is only told.
func (b *Broker) resume(ctx context.Context, sessionID string, by broker.Actor, runner broker.Process) (broker.Resumption, error) {
	told, cp, err := b.resumption(ctx, sessionID, by)
	if err != nil || !told.Held && runner.PID == 0 {
		return told, err
	}
	if err := b.claimResume(ctx, sessionID, cp, by, runner); err != nil {
		return broker.Resumption{}, err
	}
	if !told.Held {
		return told, nil
	}
	err = b.startRunner(ctx, sessionID, by)
	b.dropResume(sessionID) // from here on the session's row tells whether one is there
	if err != nil {
		return broker.Resumption{}, err
	}
	return broker.Resumption{Started: true, Held: true}, nil
}

// showResume says what resume would do, and does nothing.
func (b *Broker) showResume(ctx context.Context, sessionID string, by broker.Actor, _ broker.Process) (broker.Resumption, error) {
	told, _, err := b.resumption(ctx, sessionID, by)
	return told, err
}

// resumption is what there is to do to go on with a session, and the checkpoint of the call
// that was put off.
func (b *Broker) resumption(ctx context.Context, sessionID string, by broker.Actor) (broker.Resumption, broker.Checkpoint, error) {
	if by.Kind != broker.ByOperator {
		b.noteRefusal(ctx, broker.Request{SessionID: sessionID}, broker.RefusedData{Wanted: broker.WantsResume, Kind: broker.NoOperator, Detail: broker.ErrForbidden.Error(), By: by})
		return broker.Resumption{}, broker.Checkpoint{}, broker.ErrForbidden
	}
	cp, managed, err := b.mayResumeCall(ctx, sessionID)
	if err != nil {
		return broker.Resumption{}, broker.Checkpoint{}, err
	}
	if managed {
		return broker.Resumption{Held: true}, cp, nil
	}
	command, err := resumeCommand(cp, b.agentOfSession(sessionID))
	return broker.Resumption{CWD: cp.CWD, Command: command}, cp, err
}

// mayResumeCall is the checkpoint for which session id is to be resumed, unless something is
// in the way.
func (b *Broker) mayResumeCall(ctx context.Context, id string) (cp broker.Checkpoint, managed bool, err error) {
	s, err := b.Session(ctx, id)
	if err != nil {
		return cp, false, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	se, ok := b.sessions[id]
	if !ok || len(se.deferred) == 0 {
		return cp, false, broker.ErrNothingPutOff
	}
	for _, e := range se.deferred {
		cp = *e.req.Checkpoint
	}
	managed = s.Run != nil
	switch p := se.s.Process; {
	case se.s.State.UnderStop():
		return cp, managed, broker.ErrStopped
	case s.Run.Running():
		return cp, managed, broker.TakenError{Why: "a runner has it"}
	case managed && s.Run.Program == "":
		return cp, managed, fmt.Errorf("%w: what is on record of how it was started does not count; start it with aoctl run --resume %s", broker.ErrUnknownStart, id)
	case p.PID != 0 && (p.Start != 0 || se.s.EndedAt.IsZero()) && b.opts.Alive(p):
		return cp, managed, broker.TakenError{Why: fmt.Sprintf("process %d of it still runs", p.PID)}
	}
	if se.resuming != nil && se.resuming.live(b.opts.Alive) {
		return cp, managed, broker.TakenError{Why: "it is being resumed already"}
	}
	return cp, managed, nil
}

func (b *Broker) agentOfSession(id string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session(id).s.Agent
}

// resumeCommand is what resumes the session of cp by hand. Errors: errUnknownStart.
func resumeCommand(cp broker.Checkpoint, agent string) ([]string, error) {
	more := agents.Resume(agent, cp.SessionID)
	switch {
	case cp.Program == "" || len(more) == 0:
		return nil, fmt.Errorf("%w: it is not known how its agent was started; start it as before, with --resume %s and no prompt", broker.ErrUnknownStart, cp.SessionID)
	case !filepath.IsAbs(cp.Program) || !workspace.FileExists(cp.Program):
		return nil, fmt.Errorf("%w: its program %s is not there any more", broker.ErrUnknownStart, cp.Program)
	}
	if info, err := os.Stat(cp.CWD); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%w: its folder %s is not there any more", broker.ErrUnknownStart, cp.CWD)
	}
	return append(append([]string{cp.Program}, cp.Args...), more...), nil
}

// claimResume records that a resume begins, and lets no other one begin meanwhile.
func (b *Broker) claimResume(ctx context.Context, id string, cp broker.Checkpoint, by broker.Actor, runner broker.Process) error {
	if runner.PID != 0 && runner.Start == 0 {
		runner = peers.FindProcess(runner.PID)
	}
	b.lockIdle(cp.RequestID)
	se := b.session(id)
	e, ok := se.deferred[cp.RequestID]
	if !ok || e.claimed && !e.req.State.Terminal() || se.resuming != nil && se.resuming.live(b.opts.Alive) {
		b.mu.Unlock()
		return broker.TakenError{Why: "it is being resumed already"}
	}
	before := se.resuming
	se.resuming = &resumption{by: runner, until: time.Now().Add(resumeLease)}
	e.busy = make(chan struct{})
	cp = *e.req.Checkpoint
	b.mu.Unlock()
	cp.ResumedAt = now()
	c := &broker.Change{Sync: true, Checkpoint: &cp}
	if runner.PID != 0 { // of a runner's start the session's row tells
		c.Events = append(c.Events, broker.NewEvent(cp.ResumedAt, broker.EventResumed, cp.AsRequest(), map[string]any{"by": by}))
	}
	err := b.commit(ctx, c)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.release(e)
	if err != nil {
		se.resuming = before
		return fmt.Errorf("%w: %w", broker.ErrNotRecorded, err)
	}
	e.req.Checkpoint = &cp
	b.publish(broker.Update{Request: new(e.req)})
	return nil
}

// live reports whether the resume is still under way.
func (r *resumption) live(alive func(broker.Process) bool) bool {
	if r.by.PID != 0 {
		return alive(r.by)
	}
	return time.Now().Before(r.until)
}

// dropResume notes that a resume is over: the next one may begin.
func (b *Broker) dropResume(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.session(id).resuming = nil
}

// reject is the change that ends a session whose call is denied for good: nothing is started
// to tell its agent. done must be called with the result. off is false, and there is neither,
// when the call is not put off any more.
func (b *Broker) reject(req broker.Request, by broker.Actor) (c *broker.Change, done func(error), off bool) {
	b.mu.Lock()
	se := b.session(req.SessionID)
	b.mu.Unlock()
	se.rec.Lock()
	b.lockIdle(req.ID)
	next := se.view()
	_, off = se.deferred[req.ID]
	b.mu.Unlock()
	if !off {
		se.rec.Unlock()
		return nil, nil, false
	}
	next.Run = next.Run.Clone()
	c = &broker.Change{DropCheckpoints: []string{req.ID}, OnlyIfEnded: true, Sync: true}
	c.Events = append(c.Events, broker.EndSession(now(), &next, broker.SessionFinished, nil, broker.RejectedReason)...)
	next.EndReason = broker.RejectedReason
	if len(c.Events) == 0 { // its process had ended before
		c.Events = append(c.Events, broker.SessionEvent(now(), broker.EventSessionEnd, next, map[string]any{"reason": broker.RejectedReason, "by": by}))
	}
	c.Events = append(c.Events, broker.EndRun(now(), &next)...)
	c.Sessions = append(c.Sessions, next)
	return c, func(err error) {
		defer se.rec.Unlock()
		if err == nil {
			b.applySession(se, next)
		}
	}, true
}
