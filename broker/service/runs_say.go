package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Say queues text as a session's next message, or takes the one that waits back for "";
// see Console.
func (b *Broker) Say(ctx context.Context, sessionID, text string, by broker.Actor) (broker.Session, error) {
	if text == "" {
		return b.takeBack(ctx, sessionID)
	}
	m, err := broker.NewMessage(now(), newID(), text, by)
	if err != nil {
		return broker.Session{}, fmt.Errorf("say: %w", err)
	}
	wakes := false
	s, err := b.changeRun(ctx, sessionID, true, func(s *broker.Session) ([]*broker.Event, error) {
		if s.Run == nil {
			return nil, broker.ErrNotManaged
		}
		var events []*broker.Event
		if s.State.UnderStop() {
			if by.Kind != broker.ByOperator {
				return nil, broker.ErrLift
			}
			events = broker.LiftStop(now(), s)
		}
		if s.Message != nil {
			events = append(events, broker.MessageDropped(now(), s, s.Message, "a later one took its place"))
		}
		s.Message = m
		events = append(events, broker.SessionEvent(now(), broker.EventMessageQueued, *s, m))
		if wakes = b.mayResume(s); wakes {
			events = append(events, broker.BeginResume(now(), s, by))
		}
		return events, nil
	})
	if err != nil {
		return s, fmt.Errorf("say to %s: %w", broker.Clip(sessionID), err)
	}
	if wakes {
		b.launch(sessionID, func() error { return b.opts.Launcher.Resume(s) })
	}
	return s, nil
}

func (b *Broker) takeBack(ctx context.Context, sessionID string) (broker.Session, error) {
	s, err := b.changeRun(ctx, sessionID, true, func(s *broker.Session) ([]*broker.Event, error) {
		switch {
		case s.Run == nil:
			return nil, broker.ErrNotManaged
		case s.Message == nil:
			return nil, broker.ErrNoChange
		}
		events := []*broker.Event{broker.MessageDropped(now(), s, s.Message, "withdrawn")}
		s.Message = nil
		return events, nil
	})
	if err != nil {
		return s, fmt.Errorf("withdraw a message to %s: %w", broker.Clip(sessionID), err)
	}
	return s, nil
}

// mayResume reports whether the session, as view shows it, can be resumed for the message
// that waits. While a call of it is put off, that call's answer comes first.
func (b *Broker) mayResume(s *broker.Session) bool {
	if b.opts.Launcher == nil || s.Run == nil || s.State.UnderStop() || s.Message == nil || s.Message.Failures >= broker.MaxFailures {
		return false
	}
	return s.Run.Turn == broker.TurnEnded || s.Run.Turn == broker.TurnDeferred && s.Deferred == 0
}

// launch runs start, which starts a runner for session id, beside everything else. It may
// take minutes, and Close does not wait for it: a runner that came is found by the next
// broker, and one that did not is missed by it.
func (b *Broker) launch(id string, start func() error) {
	go func() {
		if err := start(); err != nil {
			b.noteNotStarted(context.Background(), id, err)
		}
	}()
}

// noteNotStarted records that no runner came for session id, and why.
func (b *Broker) noteNotStarted(ctx context.Context, id string, cause error) {
	failures := 0
	_, err := b.changeRun(ctx, id, false, func(s *broker.Session) ([]*broker.Event, error) {
		if !s.Run.Awaited() {
			return nil, broker.ErrNoChange // one came all the same, or a stop
		}
		events := broker.NotStarted(now(), s, cause)
		if s.Message != nil {
			failures = s.Message.Failures
		}
		return events, nil
	})
	if err != nil && !errors.Is(err, broker.ErrClosed) {
		b.log.ErrorContext(ctx, "a runner that did not start is not recorded", "session_id", id, "err", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if se, ok := b.sessions[id]; ok {
		se.run.retryAt = time.Now().Add(time.Duration(failures) * broker.RetryPause)
	}
}

// resumeSoon resumes session id when a message waits for that, unless that just failed.
func (b *Broker) resumeSoon(id string) {
	b.mu.Lock()
	se, ok := b.sessions[id]
	due := ok && !b.closed && !b.draining && !time.Now().Before(se.run.retryAt)
	if due {
		due = b.mayResume(new(se.view()))
	}
	b.mu.Unlock()
	if !due {
		return
	}
	ctx := context.Background()
	begun := false
	s, err := b.changeRun(ctx, id, false, func(s *broker.Session) ([]*broker.Event, error) {
		if !b.mayResume(s) {
			return nil, broker.ErrNoChange
		}
		begun = true
		return []*broker.Event{broker.BeginResume(now(), s, s.Message.By)}, nil
	})
	switch {
	case errors.Is(err, broker.ErrClosed):
	case err != nil:
		b.log.ErrorContext(ctx, "session not resumed for its message", "session_id", id, "err", err)
	case begun:
		b.launch(id, func() error { return b.opts.Launcher.Resume(s) })
	}
}
