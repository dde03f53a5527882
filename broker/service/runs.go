package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// How often a session may be begun anew: more than any agent takes to start and end.
const (
	runStartRate  = 1  // a second
	runStartBurst = 30 // at once
)

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
func (b *Broker) changeRun(ctx context.Context, id string, sync bool, f func(s *broker.Session) ([]*broker.Event, error)) (broker.Session, error) {
	se, err := b.recall(ctx, id)
	if err != nil {
		return broker.Session{}, err
	}
	err = b.alter(ctx, se, broker.Question{Request: broker.Request{SessionID: id}}, sync, f)
	if errors.Is(err, broker.ErrNoChange) {
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
		return nil, broker.ErrClosed
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
func (b *Broker) startRun(ctx context.Context, runner broker.Process, start wire.RunStart, agent broker.Process) (broker.Session, error) {
	if err := broker.CheckStart(start); err != nil {
		return broker.Session{}, fmt.Errorf("start a run: %w", err)
	}
	se, err := b.recall(ctx, start.SessionID)
	if errors.Is(err, broker.ErrNotFound) {
		b.mu.Lock()
		if err = b.admitSession(start.SessionID); err == nil {
			se = b.session(start.SessionID)
		}
		b.mu.Unlock()
	}
	if err != nil {
		return broker.Session{}, fmt.Errorf("start a run: %w", err)
	}
	q := broker.Question{Request: broker.Request{SessionID: start.SessionID, Agent: start.Agent, CWD: start.CWD}}
	orphaned, taken := false, false
	err = b.alter(ctx, se, q, true, func(s *broker.Session) ([]*broker.Event, error) {
		if s.Run.Running() && s.Run.Runner == runner {
			return nil, broker.ErrNoChange
		}
		if err := b.free(s, runner, agent); err != nil {
			return nil, err
		}
		if err := b.admitStart(se); err != nil {
			return nil, err
		}
		var events []*broker.Event
		if orphaned = s.Run.Running() && s.Run.Runner.PID != 0; orphaned {
			events = broker.RunnerGone(now(), s)
		}
		taken = true
		return append(events, broker.TakeRun(now(), s, runner, start, agent)...), nil
	})
	if err != nil && !errors.Is(err, broker.ErrNoChange) {
		return broker.Session{}, fmt.Errorf("start a run: %w", err)
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
	return broker.TooMuch(broker.ErrTooFast, fmt.Sprintf("session %s is begun anew too often", named(se)), "wait 1 s, then begin it again")
}

// free says why runner may not have the session now; nil when it may.
func (b *Broker) free(s *broker.Session, runner, agent broker.Process) error {
	if s.State.UnderStop() {
		return broker.ErrStopped
	}
	if r := s.Run; r.Running() && r.Runner.PID != 0 && b.opts.Alive(r.Runner) {
		return fmt.Errorf("%w: runner %d", broker.ErrHeld, r.Runner.PID)
	}
	p := s.Process
	known := p.PID != 0 && (p.Start != 0 || s.EndedAt.IsZero()) // a pid alone may be another's by now
	if known && p != agent && b.opts.Alive(p) && !peers.IsBelow(p, runner) {
		return fmt.Errorf("%w: agent %d", broker.ErrHeld, p.PID)
	}
	return nil
}

// cancelOfRun ends what a session asks whose process is over. What was put off waits on: its
// answer is for the next process.
func (b *Broker) cancelOfRun(ctx context.Context, id, why string) {
	b.cancelPending(context.WithoutCancel(ctx), id, why, func(r broker.Request) bool { return r.Checkpoint == nil }, broker.Cancelled)
}
