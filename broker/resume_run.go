package broker

import (
	"context"
	"errors"
	"fmt"
)

// endRun is what it does to how s is held that s ends without having been told the answer to
// the call that was put off: a message that waits would start it, so it is dropped; a later
// one does.
func endRun(s *Session) []*Event {
	if s.Run == nil {
		return nil
	}
	s.Run.nothingPutOff()
	if s.Message == nil {
		return nil
	}
	m := s.Message
	s.Message = nil
	return []*Event{dropped(s, m, "the session was ended with the call that was put off")}
}

// nothingPutOff is the transition when the call that was put off waits no longer, and its
// answer resumes nothing.
func (r *Run) nothingPutOff() {
	if r.Turn == TurnDeferred {
		r.Turn = TurnEnded
	}
}

// startRunner starts a runner that takes up a managed session, unless that was stopped since
// the resume began, or the call that was put off was denied for good or taken up.
func (b *Broker) startRunner(ctx context.Context, id string, by Actor) error {
	if b.opts.Launcher == nil {
		return fmt.Errorf("nothing here starts sessions: %w", errors.ErrUnsupported)
	}
	s, err := b.changeRun(ctx, id, false, func(s *Session) ([]*Event, error) {
		switch {
		case s.State.underStop():
			return nil, errStopped
		case s.Run.running():
			return nil, takenError{"a runner has it"}
		case s.Deferred == 0:
			return nil, errNothingPutOff
		}
		return []*Event{beginResume(s, by)}, nil
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
	due := map[string]Actor{}
	for id, se := range b.sessions {
		for _, e := range se.deferred {
			o := e.req.Outcome
			if o != nil && se.s.Run != nil && !se.s.Run.running() && !se.s.State.underStop() && e.req.Checkpoint.ResumedAt.Before(o.At) && e.busy == nil {
				due[id] = Actor{Kind: ByOperator, ID: o.By.ID} // who answered wants it heard
			}
		}
	}
	closed := b.closed || b.draining
	b.mu.Unlock()
	if closed {
		return
	}
	for id, by := range due {
		_, err := b.resume(ctx, id, by, Process{})
		if err != nil && !errors.Is(err, ErrConflict) { // whoever has it hears the answer, or it is tried again
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
