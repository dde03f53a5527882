package broker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// What may come with a RunStart.
const (
	maxRunArgs  = 256
	maxArgBytes = 64 << 10 // of all arguments together
	maxPath     = 4096
	maxEnvNames = 512
)

// How often a session may be begun anew: more than any agent takes to start and end.
const (
	runStartRate  = 1  // a second
	runStartBurst = 30 // at once
)

// errSame ends a change that would change nothing.
var errSame = errors.New("nothing changes")

// runEntry is what is known in memory of how a session is held. Guarded by Broker.mu.
type runEntry struct {
	poll    *parked         // its runner's, held
	told    string          // ids of the orders that were told last
	toldAt  time.Time       //
	done    map[string]bool // orders of a stop that were reported done
	said    int             // reports that the agent said something, of this process
	notes   int             // other reports that change nothing
	reports bucket          // of those that do
	starts  bucket          // of processes: each is on record with its prompt and arguments
	retryAt time.Time       // not before then is the session resumed for a message once more
}

// changeRun changes the session id, which must be known, as alter does. f may return
// errSame. Errors: ErrNotFound, ErrNotRecorded, and those of f.
func (b *Broker) changeRun(ctx context.Context, id string, sync bool, f func(s *Session) ([]*Event, error)) (Session, error) {
	se, err := b.recall(ctx, id)
	if err != nil {
		return Session{}, err
	}
	err = b.alter(ctx, se, Question{Request: Request{SessionID: id}}, sync, f)
	if errors.Is(err, errSame) {
		err = nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return se.view(), err
}

// recall finds the session id: in memory, else in the store, from where it is taken into
// memory. Errors: ErrNotFound, ErrClosed, and the store's.
func (b *Broker) recall(ctx context.Context, id string) (*sessionEntry, error) {
	b.mu.Lock()
	se, ok := b.sessions[id]
	known, closed := ok && !se.savedAt.IsZero(), b.closed
	b.mu.Unlock()
	switch {
	case closed:
		return nil, ErrClosed
	case known:
		return se, nil
	}
	s, err := b.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	se = b.session(id)
	if se.savedAt.IsZero() {
		se.s, se.savedAt, se.savedAs = s, s.LastSeenAt, s.Process
	}
	return se, nil
}

// startRun notes that runner holds a session from now on, and agent in it, which may not
// be there yet. The same runner may say so again.
//
// Errors: ErrInvalid, errHeld, errStopped, ErrTooManySessions, ErrTooFast, ErrNotRecorded.
func (b *Broker) startRun(ctx context.Context, runner Process, start wire.RunStart, agent Process) (Session, error) {
	if err := checkStart(start); err != nil {
		return Session{}, fmt.Errorf("start a run: %w", err)
	}
	se, err := b.recall(ctx, start.SessionID)
	if errors.Is(err, ErrNotFound) {
		b.mu.Lock()
		if err = b.admitSession(start.SessionID); err == nil {
			se = b.session(start.SessionID)
		}
		b.mu.Unlock()
	}
	if err != nil {
		return Session{}, fmt.Errorf("start a run: %w", err)
	}
	q := Question{Request: Request{SessionID: start.SessionID, Agent: start.Agent, CWD: start.CWD}}
	orphaned, taken := false, false
	err = b.alter(ctx, se, q, true, func(s *Session) ([]*Event, error) {
		if s.Run.running() && s.Run.Runner == runner {
			return nil, errSame
		}
		if err := b.free(s, runner, agent); err != nil {
			return nil, err
		}
		if err := b.admitStart(se); err != nil {
			return nil, err
		}
		var events []*Event
		if orphaned = s.Run.running() && s.Run.Runner.PID != 0; orphaned {
			events = runnerGone(s)
		}
		taken = true
		return append(events, takeRun(s, runner, start, agent)...), nil
	})
	if err != nil && !errors.Is(err, errSame) {
		return Session{}, fmt.Errorf("start a run: %w", err)
	}
	if orphaned {
		b.cancelOfRun(ctx, start.SessionID, "the agent's runner is gone")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if taken {
		poll := se.run.poll
		se.run = runEntry{poll: poll, reports: se.run.reports, starts: se.run.starts}
		b.rememberRunner(runner, start.SessionID)
		b.remember(agent, start.SessionID)
	}
	return se.view(), nil
}

// admitStart keeps a program that begins a session over and over from filling the log.
func (b *Broker) admitStart(se *sessionEntry) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opts.Rate < 0 || se.run.starts.take(time.Now(), runStartRate, runStartBurst) {
		return nil
	}
	return &limitError{ErrTooFast, fmt.Sprintf("session %s is begun anew too often", named(se)), "wait 1 s, then begin it again"}
}

func checkStart(start wire.RunStart) error {
	if !validSessionID(start.SessionID) {
		return fmt.Errorf("%w: session_id must not be empty, \".\" or \"..\"", ErrInvalid)
	}
	for name, v := range map[string]string{"session_id": start.SessionID, "name": start.Name, "model": start.Model} {
		if err := checkName(name, v); err != nil {
			return err
		}
	}
	for name, v := range map[string]string{"cwd": start.CWD, "program": start.Program, "log": start.Log} {
		if v == "" && name == "log" {
			continue
		}
		if !filepath.IsAbs(v) || len(v) > maxPath || strings.ContainsRune(v, 0) {
			return fmt.Errorf("%w: %s must be an absolute path of at most %d bytes", ErrInvalid, name, maxPath)
		}
	}
	size := 0
	for _, a := range start.Args {
		size += len(a)
	}
	switch {
	case start.Agent != "claude":
		return fmt.Errorf("%w: agent %q cannot be held by a runner; \"claude\" can", ErrInvalid, clip(start.Agent))
	case len(start.Args) > maxRunArgs || size > maxArgBytes:
		return fmt.Errorf("%w: there are more than %d arguments, or more than %d bytes of them", ErrInvalid, maxRunArgs, maxArgBytes)
	case len(start.Prompt) > maxMessage:
		return fmt.Errorf("%w: the prompt is longer than %d bytes", ErrInvalid, maxMessage)
	case start.MaxTurns < 0:
		return fmt.Errorf("%w: max_turns must not be negative", ErrInvalid)
	}
	return checkEnv(start)
}

// checkEnv bounds what is told of the agent's environment.
func checkEnv(start wire.RunStart) error {
	if len(start.EnvNames) > maxEnvNames || len(start.EnvDiffers) > maxEnvNames {
		return fmt.Errorf("%w: there are more than %d variables", ErrInvalid, maxEnvNames)
	}
	for _, name := range slices.Concat([]string{start.EnvSeal}, start.EnvNames, start.EnvDiffers) {
		if err := checkName("a variable's name or the seal", name); err != nil {
			return err
		}
	}
	return nil
}

// free says why runner may not have the session now; nil when it may.
func (b *Broker) free(s *Session, runner, agent Process) error {
	if s.State.underStop() {
		return errStopped
	}
	if r := s.Run; r.running() && r.Runner.PID != 0 && b.opts.Alive(r.Runner) {
		return fmt.Errorf("%w: runner %d", errHeld, r.Runner.PID)
	}
	p := s.Process
	known := p.PID != 0 && (p.Start != 0 || s.EndedAt.IsZero()) // a pid alone may be another's by now
	if known && p != agent && b.opts.Alive(p) && !isBelow(p, runner) {
		return fmt.Errorf("%w: agent %d", errHeld, p.PID)
	}
	return nil
}

// isBelow reports whether p descends from ancestor.
func isBelow(p, ancestor Process) bool {
	chain, err := lineageOf(p.PID)
	if err != nil || len(chain) == 0 || chain[0].Start != p.Start {
		return false
	}
	for _, k := range chain[1:] {
		if k.Process == ancestor {
			return true
		}
	}
	return false
}

// takeRun gives a free session to runner.
func takeRun(s *Session, runner Process, start wire.RunStart, agent Process) []*Event {
	r := &Run{Earlier: RunTally{}}
	if old := s.Run; old != nil {
		*r = Run{Cost: old.Cost, Usage: old.Usage, Turns: old.Turns, Named: old.Named}
		if !old.awaited() && s.Message != nil {
			s.Message = ptr(*s.Message)
			s.Message.Failures = 0 // somebody else took the trouble
		}
	}
	r.Earlier = RunTally{r.Cost, r.Usage, r.Turns}
	r.Runner, r.Program, r.Args, r.Model, r.MaxTurns = runner, start.Program, start.Args, start.Model, start.MaxTurns
	r.Detached, r.Log, r.Prompted = start.Detached, start.Log, start.Prompt != ""
	r.EnvSeal, r.EnvNames, r.EnvDiffers = start.EnvSeal, start.EnvNames, start.EnvDiffers
	r.Turn, r.StartedAt = TurnStarting, now()
	if start.Name != "" {
		s.Name, r.Named = start.Name, true
	}
	s.Run, s.CWD, s.Process = r, start.CWD, agent
	s.Subagents = nil
	revive(s)
	return []*Event{sessionEvent(EventRunStarted, *s, start)}
}

// revive makes a session that has ended one that has not.
func revive(s *Session) {
	s.State, s.EndedAt, s.ExitCode, s.EndReason, s.TurnOver = SessionActive, time.Time{}, nil, "", false
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// cancelOfRun ends what a session asks whose process is over. What was put off waits on: its
// answer is for the next process.
func (b *Broker) cancelOfRun(ctx context.Context, id, why string) {
	b.cancelPending(context.WithoutCancel(ctx), id, why, func(r Request) bool { return r.Checkpoint == nil }, Cancelled)
}
