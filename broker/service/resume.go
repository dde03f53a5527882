package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Resume goes on with a session whose call was put off; see Console.
func (b *Broker) Resume(ctx context.Context, sessionID string, by broker.Actor) (broker.Resumption, error) {
	r, err := b.resume(ctx, sessionID, by, broker.Process{})
	if err != nil {
		return broker.Resumption{}, fmt.Errorf("resume %s: %w", broker.Clip(sessionID), err)
	}
	return r, nil
}

// resume is Resume for runner, a process that is going to run the command itself. Without one
// the command of a session that nobody holds is only told.
func (b *Broker) resume(ctx context.Context, sessionID string, by broker.Actor, runner broker.Process) (broker.Resumption, error) {
	if runner.PID != 0 && runner.Start == 0 {
		runner = peers.FindProcess(runner.PID)
	}
	told, err := b.showResume(ctx, sessionID, by, runner)
	if err != nil || !told.Held && runner.PID == 0 {
		return told, err
	}
	in := engine.Resume{SessionID: sessionID, By: by, Claim: true, Runner: runner}
	if r := b.mayResume(in); r.Err != nil {
		return broker.Resumption{}, r.Err
	}
	if !told.Held {
		return told, nil
	}
	err = b.startRunner(sessionID, by)
	b.loop.Tell(engine.Resumed{SessionID: sessionID}) // from here on the session's row tells whether one is there
	if err != nil {
		return broker.Resumption{}, err
	}
	return broker.Resumption{Started: true, Held: true}, nil
}

// showResume says what resume would do, and does nothing.
func (b *Broker) showResume(ctx context.Context, sessionID string, by broker.Actor, _ broker.Process) (broker.Resumption, error) {
	if by.Kind != broker.ByOperator {
		b.noteRefusal(broker.Request{SessionID: sessionID}, broker.RefusedData{Wanted: broker.WantsResume, Kind: broker.NoOperator, Detail: broker.ErrForbidden.Error(), By: by})
		return broker.Resumption{}, broker.ErrForbidden
	}
	if _, err := b.Session(ctx, sessionID); err != nil {
		return broker.Resumption{}, err
	}
	r := b.mayResume(engine.Resume{SessionID: sessionID, By: by})
	if r.Err != nil {
		return broker.Resumption{}, r.Err
	}
	if r.Session.Run != nil {
		return broker.Resumption{Held: true}, nil
	}
	cp := *r.Call.Checkpoint
	command, err := resumeCommand(cp, r.Session.Agent)
	return broker.Resumption{CWD: cp.CWD, Command: command}, err
}

// mayResume sends in with what is known of the processes that it rests on.
func (b *Broker) mayResume(in engine.Resume) (r engine.Reply) {
	for range mostLooks {
		s, _ := b.view.Session(in.SessionID)
		in.Looked, in.Living = nil, nil
		for _, p := range []broker.Process{s.Process, b.view.ResumedBy(in.SessionID)} {
			if p.PID == 0 {
				continue
			}
			if in.Looked = append(in.Looked, p); b.opts.Alive(p) {
				in.Living = append(in.Living, p)
			}
		}
		if r = b.loop.Do(in); !errors.Is(r.Err, engine.ErrLookAgain) {
			return r
		}
	}
	return r
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

// startRunner starts a runner that takes up a managed session, unless that was stopped since the
// resume began, or the call that was put off was denied for good or taken up.
func (b *Broker) startRunner(sessionID string, by broker.Actor) error {
	if b.opts.Launcher == nil {
		return fmt.Errorf("nothing here starts sessions: %w", errors.ErrUnsupported)
	}
	r := b.loop.Do(engine.StartRunner{SessionID: sessionID, By: by})
	if r.Err != nil {
		return r.Err
	}
	err := b.opts.Launcher.Resume(r.Session)
	if err != nil {
		b.loop.Do(engine.NotStarted{SessionID: sessionID, Cause: err})
	}
	return err
}

// resumeAnswered resumes the managed sessions whose call, which was put off, has an answer by
// now. Each answer does so once; what fails is for the operator to try again.
func (b *Broker) resumeAnswered(ctx context.Context) {
	for id, by := range b.view.Answered() {
		_, err := b.resume(ctx, id, by, broker.Process{})
		if err != nil && !errors.Is(err, broker.ErrConflict) { // whoever has it hears the answer, or it is tried again
			b.log.WarnContext(ctx, "session not resumed for its answer", "session_id", id, "err", err)
		}
	}
}
