package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Resume goes on with a session whose call was put off, for the console's keyboard: it starts a runner
// where the session is managed. Any other it opens, so that for broker.ResumeOpen a person at a
// terminal may resume it without a token, and says what to run. Two at once start one. Errors: ErrNotFound,
// ErrResume, ErrConflict (a process has the session already), ErrNotRecorded, and those of the
// launcher.
func (rs *Runs) Resume(ctx context.Context, sessionID string, by broker.Actor) (broker.Resumption, error) {
	r, err := rs.ResumeFor(ctx, sessionID, by, broker.Process{})
	if err != nil {
		return broker.Resumption{}, broker.While(err, "resume %s", broker.Clip(sessionID))
	}
	if !r.Managed {
		err = rs.open(sessionID, by)
	}
	return r, err
}

// ResumeFor is Resume for runner, a process that is going to run the command itself. Without one
// the command of a session that nobody holds is only told.
func (rs *Runs) ResumeFor(ctx context.Context, sessionID string, by broker.Actor, runner broker.Process) (broker.Resumption, error) {
	if runner.PID != 0 && runner.Start == 0 {
		runner = peers.FindProcess(runner.PID)
	}
	told, err := rs.ShowResume(ctx, sessionID, by, runner)
	if err != nil || !told.Managed && runner.PID == 0 {
		return told, err
	}
	// From here on the session counts as being resumed, so a second resume in the same moment is
	// turned away.
	in := engine.Resume{SessionID: sessionID, By: by, Begin: true, Runner: runner}
	if r := rs.mayResume(in); r.Err != nil {
		return broker.Resumption{}, r.Err
	}
	if !told.Managed {
		return told, nil
	}
	err = rs.startRunner(sessionID, by)
	rs.o.Engine.Tell(engine.Resumed{SessionID: sessionID}) // from here on the session's row tells whether one is there
	if err != nil {
		return broker.Resumption{}, err
	}
	return broker.Resumption{Started: true, Managed: true}, nil
}

// ShowResume says what ResumeFor would do, and does nothing.
func (rs *Runs) ShowResume(ctx context.Context, sessionID string, by broker.Actor, _ broker.Process) (broker.Resumption, error) {
	if by.Kind != broker.ByOperator {
		rs.o.Records.NoteRefusal(broker.Request{SessionID: sessionID}, broker.RefusedData{Wanted: broker.WantsResume, Kind: broker.NoOperator, Detail: broker.ErrResume.Error(), By: by})
		return broker.Resumption{}, broker.ErrResume
	}
	if _, err := rs.o.Records.Session(ctx, sessionID); err != nil {
		return broker.Resumption{}, err
	}
	r := rs.mayResume(engine.Resume{SessionID: sessionID, By: by})
	if r.Err != nil {
		return broker.Resumption{}, r.Err
	}
	if r.Session.Run != nil {
		return broker.Resumption{Managed: true}, nil
	}
	cp := *r.Call.Checkpoint
	command, err := resumeCommand(cp, r.Session.Agent)
	return broker.Resumption{CWD: cp.CWD, Command: command}, err
}

// mayResume sends in with what is known of the processes that it rests on. The engine cannot look
// at processes. It says which ones its answer rests on, and is told whether they live.
func (rs *Runs) mayResume(in engine.Resume) (r engine.Reply) {
	for range mostLooks {
		s, _ := rs.o.View.Session(in.SessionID)
		in.Liveness = engine.Liveness{}
		for _, p := range []broker.Process{s.Process, rs.o.View.ResumedBy(in.SessionID)} {
			if p.PID != 0 {
				in.Saw(p, rs.o.Alive(p))
			}
		}
		if r = rs.o.Engine.Do(in); !errors.Is(r.Err, engine.ErrLookAgain) {
			return r
		}
	}
	return r
}

// resumeCommand is what resumes the session of cp by hand. Errors: ErrUnknownStart. The command
// is for a person's terminal or for "aoctl resume" to run. It is checked as far as the disk
// tells, so that nobody is sent to a folder that is gone.
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
func (rs *Runs) startRunner(sessionID string, by broker.Actor) error {
	if rs.o.Launcher == nil {
		return fmt.Errorf("nothing here starts sessions: %w", errors.ErrUnsupported)
	}
	r := rs.o.Engine.Do(engine.OnRun{SessionID: sessionID, Apply: func(now time.Time, row *broker.Session) ([]*broker.Event, error) {
		return broker.ResumePutOff(now, row, by)
	}})
	if r.Err != nil {
		return r.Err
	}
	err := rs.o.Launcher.Resume(r.Session)
	if err != nil {
		rs.o.Engine.Do(engine.NotStarted{SessionID: sessionID, Cause: err})
	}
	return err
}

// ResumeAnswered resumes the managed sessions whose call, which was put off, has an answer by
// now. Each answer does so once; what fails is for the operator to try again. The broker's
// sweeper calls it again and again.
func (rs *Runs) ResumeAnswered(ctx context.Context) {
	for id, by := range rs.o.View.Answered() {
		_, err := rs.ResumeFor(ctx, id, by, broker.Process{})
		if err != nil && !errors.Is(err, broker.ErrConflict) { // whoever has it hears the answer, or it is tried again
			rs.o.Log.WarnContext(ctx, "session not resumed for its answer", "session_id", id, "err", err)
		}
	}
}
