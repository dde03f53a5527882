package broker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/workspace"
)

// resumeLease is how long a resume that was begun may take until its agent is there. Then,
// or when whoever began it has ended, it may be begun anew.
const resumeLease = 30 * time.Second

// RejectedReason is the end reason of a session whose call was denied for good while it was
// put off: nothing is started to tell its agent.
const RejectedReason = "rejected"

// resumption is a resume that was begun.
type resumption struct {
	by    Process // who runs the agent in the foreground; none for a runner
	until time.Time
}

// Resume goes on with a session whose call was put off; see Console.
func (b *Broker) Resume(ctx context.Context, sessionID string, by Actor) (Resumption, error) {
	r, err := b.resume(ctx, sessionID, by, Process{})
	if err != nil {
		return Resumption{}, fmt.Errorf("resume %s: %w", clip(sessionID), err)
	}
	return r, nil
}

// resume is Resume for runner, a process that is going to run the command itself. Without
// one the command of a session that nobody holds is only told.
func (b *Broker) resume(ctx context.Context, sessionID string, by Actor, runner Process) (Resumption, error) {
	told, cp, err := b.resumption(ctx, sessionID, by)
	if err != nil || !told.Held && runner.PID == 0 {
		return told, err
	}
	if err := b.claimResume(ctx, sessionID, cp, by, runner); err != nil {
		return Resumption{}, err
	}
	if !told.Held {
		return told, nil
	}
	err = b.startRunner(ctx, sessionID, by)
	b.dropResume(sessionID) // from here on the session's row tells whether one is there
	if err != nil {
		return Resumption{}, err
	}
	return Resumption{Started: true, Held: true}, nil
}

// showResume says what resume would do, and does nothing.
func (b *Broker) showResume(ctx context.Context, sessionID string, by Actor, _ Process) (Resumption, error) {
	told, _, err := b.resumption(ctx, sessionID, by)
	return told, err
}

// resumption is what there is to do to go on with a session, and the checkpoint of the call
// that was put off.
func (b *Broker) resumption(ctx context.Context, sessionID string, by Actor) (Resumption, Checkpoint, error) {
	if by.Kind != ByOperator {
		b.noteRefusal(ctx, Request{SessionID: sessionID}, RefusedData{Wanted: wantsResume, Kind: NoOperator, Detail: ErrForbidden.Error(), By: by})
		return Resumption{}, Checkpoint{}, ErrForbidden
	}
	cp, managed, err := b.mayResumeCall(ctx, sessionID)
	if err != nil {
		return Resumption{}, Checkpoint{}, err
	}
	if managed {
		return Resumption{Held: true}, cp, nil
	}
	command, err := resumeCommand(cp, b.agentOfSession(sessionID))
	return Resumption{CWD: cp.CWD, Command: command}, cp, err
}

// wantsResume is RefusedData.Wanted of who may not resume a session.
const wantsResume = "resume"

// takenError says who has a session that is to be resumed. It is an ErrConflict in words of
// its own.
type takenError struct{ why string }

func (e takenError) Error() string        { return e.why }
func (e takenError) Is(target error) bool { return target == ErrConflict || target == errTaken }

var errTaken = errors.New("somebody has the session")

// errNothingPutOff says that there is no call for which a session is to be resumed.
var errNothingPutOff = fmt.Errorf("%w: nothing of it is put off", ErrNotFound)

// mayResumeCall is the checkpoint for which session id is to be resumed, unless something is
// in the way.
func (b *Broker) mayResumeCall(ctx context.Context, id string) (cp Checkpoint, managed bool, err error) {
	s, err := b.Session(ctx, id)
	if err != nil {
		return cp, false, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	se, ok := b.sessions[id]
	if !ok || len(se.deferred) == 0 {
		return cp, false, errNothingPutOff
	}
	for _, e := range se.deferred {
		cp = *e.req.Checkpoint
	}
	managed = s.Run != nil
	switch p := se.s.Process; {
	case se.s.State.underStop():
		return cp, managed, errStopped
	case s.Run.running():
		return cp, managed, takenError{"a runner has it"}
	case managed && s.Run.Program == "":
		return cp, managed, fmt.Errorf("%w: what is on record of how it was started does not count; start it with aoctl run --resume %s", errUnknownStart, id)
	case p.PID != 0 && (p.Start != 0 || se.s.EndedAt.IsZero()) && b.opts.Alive(p):
		return cp, managed, takenError{fmt.Sprintf("process %d of it still runs", p.PID)}
	}
	if se.resuming != nil && se.resuming.live(b.opts.Alive) {
		return cp, managed, takenError{"it is being resumed already"}
	}
	return cp, managed, nil
}

func (b *Broker) agentOfSession(id string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session(id).s.Agent
}

// resumeCommand is what resumes the session of cp by hand. Errors: errUnknownStart.
func resumeCommand(cp Checkpoint, agent string) ([]string, error) {
	more := agents.Resume(agent, cp.SessionID)
	switch {
	case cp.Program == "" || len(more) == 0:
		return nil, fmt.Errorf("%w: it is not known how its agent was started; start it as before, with --resume %s and no prompt", errUnknownStart, cp.SessionID)
	case !filepath.IsAbs(cp.Program) || !workspace.FileExists(cp.Program):
		return nil, fmt.Errorf("%w: its program %s is not there any more", errUnknownStart, cp.Program)
	}
	if info, err := os.Stat(cp.CWD); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%w: its folder %s is not there any more", errUnknownStart, cp.CWD)
	}
	return append(append([]string{cp.Program}, cp.Args...), more...), nil
}

// errUnknownStart says that a session cannot be resumed as it was started.
var errUnknownStart = errors.New("it cannot be resumed from here")

// claimResume records that a resume begins, and lets no other one begin meanwhile.
func (b *Broker) claimResume(ctx context.Context, id string, cp Checkpoint, by Actor, runner Process) error {
	if runner.PID != 0 && runner.Start == 0 {
		runner = FindProcess(runner.PID)
	}
	b.lockIdle(cp.RequestID)
	se := b.session(id)
	e, ok := se.deferred[cp.RequestID]
	if !ok || e.claimed && !e.req.State.Terminal() || se.resuming != nil && se.resuming.live(b.opts.Alive) {
		b.mu.Unlock()
		return takenError{"it is being resumed already"}
	}
	before := se.resuming
	se.resuming = &resumption{by: runner, until: time.Now().Add(resumeLease)}
	e.busy = make(chan struct{})
	cp = *e.req.Checkpoint
	b.mu.Unlock()
	cp.ResumedAt = time.Now().UTC().Truncate(time.Millisecond)
	c := &Change{Sync: true, Checkpoint: &cp}
	if runner.PID != 0 { // of a runner's start the session's row tells
		c.Events = append(c.Events, newEventAt(cp.ResumedAt, EventResumed, cp.request(), map[string]any{"by": by}))
	}
	err := b.commit(ctx, c)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.release(e)
	if err != nil {
		se.resuming = before
		return fmt.Errorf("%w: %w", ErrNotRecorded, err)
	}
	e.req.Checkpoint = &cp
	b.publish(Update{Request: ptr(e.req)})
	return nil
}

// live reports whether the resume is still under way.
func (r *resumption) live(alive func(Process) bool) bool {
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
func (b *Broker) reject(req Request, by Actor) (c *Change, done func(error), off bool) {
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
	next.Run = next.Run.clone()
	c = &Change{DropCheckpoints: []string{req.ID}, OnlyIfEnded: true, Sync: true}
	c.Events = append(c.Events, endSession(&next, SessionFinished, nil, RejectedReason)...)
	next.EndReason = RejectedReason
	if len(c.Events) == 0 { // its process had ended before
		c.Events = append(c.Events, sessionEvent(EventSessionEnd, next, map[string]any{"reason": RejectedReason, "by": by}))
	}
	c.Events = append(c.Events, endRun(&next)...)
	c.Sessions = append(c.Sessions, next)
	return c, func(err error) {
		defer se.rec.Unlock()
		if err == nil {
			b.applySession(se, next)
		}
	}, true
}
