package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/broker"
)

// startRunner starts a runner that takes up a managed session, unless that was stopped since
// the resume began, or the call that was put off was denied for good or taken up.
func (b *Broker) startRunner(ctx context.Context, id string, by broker.Actor) error {
	if b.opts.Launcher == nil {
		return fmt.Errorf("nothing here starts sessions: %w", errors.ErrUnsupported)
	}
	s, err := b.changeRun(ctx, id, false, func(s *broker.Session) ([]*broker.Event, error) {
		switch {
		case s.State.UnderStop():
			return nil, broker.ErrStopped
		case s.Run.Running():
			return nil, broker.TakenError{Why: "a runner has it"}
		case s.Deferred == 0:
			return nil, broker.ErrNothingPutOff
		}
		return []*broker.Event{broker.BeginResume(now(), s, by)}, nil
	})
	if err != nil {
		return err
	}
	if err := b.opts.Launcher.Resume(s); err != nil {
		b.noteNotStarted(ctx, id, err)
		return err
	}
	return nil
}

// resumeAnswered resumes the managed sessions whose call, which was put off, has an answer
// by now. Each answer does so once; what fails is for the operator to try again.
func (b *Broker) resumeAnswered(ctx context.Context) {
	if b.opts.Launcher == nil {
		return
	}
	b.mu.Lock()
	due := map[string]broker.Actor{}
	for id, se := range b.sessions {
		for _, e := range se.deferred {
			o := e.req.Outcome
			if o != nil && se.s.Run != nil && !se.s.Run.Running() && !se.s.State.UnderStop() && e.req.Checkpoint.ResumedAt.Before(o.At) && e.busy == nil {
				due[id] = broker.Actor{Kind: broker.ByOperator, ID: o.By.ID} // who answered wants it heard
			}
		}
	}
	closed := b.closed || b.draining
	b.mu.Unlock()
	if closed {
		return
	}
	for id, by := range due {
		_, err := b.resume(ctx, id, by, broker.Process{})
		if err != nil && !errors.Is(err, broker.ErrConflict) { // whoever has it hears the answer, or it is tried again
			b.log.WarnContext(ctx, "session not resumed for its answer", "session_id", id, "err", err)
		}
	}
}

// resumeLater is resumeAnswered beside the sweep: starting a runner takes its time.
func (b *Broker) resumeLater(ctx context.Context) {
	if b.opts.Launcher == nil || !b.resumes.CompareAndSwap(false, true) {
		return
	}
	b.wg.Go(func() {
		defer b.resumes.Store(false)
		b.resumeAnswered(ctx)
	})
}
