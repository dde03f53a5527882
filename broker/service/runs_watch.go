package service

import (
	"context"
	"errors"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// watchRuns looks after sessions whose runner died or never came, and resumes those for
// which a message waits.
func (b *Broker) watchRuns(ctx context.Context) {
	type look struct {
		id            string
		runner        broker.Process
		awaited, wake bool
		since         time.Time
	}
	b.mu.Lock()
	var list []look
	for id, se := range b.sessions {
		if r := se.s.Run; r != nil && !se.savedAt.IsZero() {
			list = append(list, look{id, r.Runner, r.Awaited(), !r.Running(), r.StartedAt})
		}
	}
	b.mu.Unlock()
	for _, l := range list {
		switch {
		case l.wake:
			b.resumeSoon(l.id)
		case l.awaited:
			if time.Since(l.since) > broker.StartGrace {
				b.noteNotStarted(ctx, l.id, errors.New("no runner came"))
			}
		case !b.opts.Alive(l.runner):
			b.noteRunnerGone(ctx, l.id, l.runner)
		}
	}
}

func (b *Broker) noteRunnerGone(ctx context.Context, id string, runner broker.Process) {
	gone := false
	_, err := b.changeRun(ctx, id, false, func(s *broker.Session) ([]*broker.Event, error) {
		if !s.Run.Running() || s.Run.Runner != runner {
			return nil, broker.ErrNoChange
		}
		gone = true
		return broker.RunnerGone(now(), s), nil
	})
	if err == nil && gone {
		b.cancelOfRun(ctx, id, "the agent's runner is gone")
	}
}
