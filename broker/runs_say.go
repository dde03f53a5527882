package broker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	// maxFailures is how often a message is tried to be told, also by resuming its session,
	// before it waits for somebody to send it again.
	maxFailures = 3
	// startGrace is how long a runner that was asked for may take to come.
	startGrace = time.Minute
	// retryPause is how long the first pause between two tries to resume a session is.
	retryPause = 10 * time.Second
)

// Say queues text as a session's next message, or takes the one that waits back for "";
// see Console.
func (b *Broker) Say(ctx context.Context, sessionID, text string, by Actor) (Session, error) {
	if text == "" {
		return b.takeBack(ctx, sessionID)
	}
	m, err := newMessage(text, by)
	if err != nil {
		return Session{}, fmt.Errorf("say: %w", err)
	}
	wakes := false
	s, err := b.changeRun(ctx, sessionID, true, func(s *Session) ([]*Event, error) {
		if s.Run == nil {
			return nil, ErrNotManaged
		}
		var events []*Event
		if s.State.underStop() {
			if by.Kind != ByOperator {
				return nil, errLift
			}
			events = liftStop(s)
		}
		if s.Message != nil {
			events = append(events, dropped(s, s.Message, "a later one took its place"))
		}
		s.Message = m
		events = append(events, sessionEvent(EventMessageQueued, *s, m))
		if wakes = b.mayResume(s); wakes {
			events = append(events, beginResume(s, by))
		}
		return events, nil
	})
	if err != nil {
		return s, fmt.Errorf("say to %s: %w", clip(sessionID), err)
	}
	if wakes {
		b.launch(sessionID, func() error { return b.opts.Launcher.Resume(s) })
	}
	return s, nil
}

func newMessage(text string, by Actor) (*Message, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, fmt.Errorf("%w: the message is empty", ErrInvalid)
	case len(text) > maxMessage:
		return nil, fmt.Errorf("%w: the message is longer than %d bytes", ErrInvalid, maxMessage)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("make a message id: %w", err)
	}
	return &Message{ID: id.String(), Text: text, By: by, QueuedAt: now()}, nil
}

func (b *Broker) takeBack(ctx context.Context, sessionID string) (Session, error) {
	s, err := b.changeRun(ctx, sessionID, true, func(s *Session) ([]*Event, error) {
		switch {
		case s.Run == nil:
			return nil, ErrNotManaged
		case s.Message == nil:
			return nil, errSame
		}
		events := []*Event{dropped(s, s.Message, "withdrawn")}
		s.Message = nil
		return events, nil
	})
	if err != nil {
		return s, fmt.Errorf("withdraw a message to %s: %w", clip(sessionID), err)
	}
	return s, nil
}

// liftStop is the transition when the operator speaks to a stopped session.
func liftStop(s *Session) []*Event {
	events := []*Event{sessionEvent(EventStopLifted, *s, map[string]string{"by": "message"})}
	s.StopAskedAt, s.TurnOver = time.Time{}, false
	switch {
	case s.Run.running() && s.Run.Turn == TurnIdle:
		s.State = SessionIdle
	case s.Run.running():
		s.State = SessionActive
	default:
		s.State, s.EndedAt = SessionFinished, firstTime(s.EndedAt, now())
		return events
	}
	s.ExitCode, s.EndReason = nil, ""
	return events
}

func firstTime(list ...time.Time) time.Time {
	for _, t := range list {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// mayResume reports whether the session, as view shows it, can be resumed for the message
// that waits. While a call of it is put off, that call's answer comes first.
func (b *Broker) mayResume(s *Session) bool {
	if b.opts.Launcher == nil || s.Run == nil || s.State.underStop() || s.Message == nil || s.Message.Failures >= maxFailures {
		return false
	}
	return s.Run.Turn == TurnEnded || s.Run.Turn == TurnDeferred && s.Deferred == 0
}

// beginResume is the transition when a runner is asked for. Whoever makes it starts one.
func beginResume(s *Session, by Actor) *Event {
	s.Run.Turn, s.Run.Runner, s.Run.Error, s.Run.StartedAt = TurnStarting, Process{}, "", now()
	revive(s)
	data := map[string]any{"by": by}
	if s.Message != nil {
		data["message"] = s.Message.ID
	}
	return sessionEvent(EventResumed, *s, data)
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
	_, err := b.changeRun(ctx, id, false, func(s *Session) ([]*Event, error) {
		if !s.Run.awaited() {
			return nil, errSame // one came all the same, or a stop
		}
		events := notStarted(s, cause)
		if s.Message != nil {
			failures = s.Message.Failures
		}
		return events, nil
	})
	if err != nil && !errors.Is(err, ErrClosed) {
		b.log.ErrorContext(ctx, "a runner that did not start is not recorded", "session_id", id, "err", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if se, ok := b.sessions[id]; ok {
		se.run.retryAt = time.Now().Add(time.Duration(failures) * retryPause)
	}
}

// notStarted is the transition when no runner came: the session is as before, and says why.
func notStarted(s *Session, cause error) []*Event {
	s.Run.Turn, s.Run.Error = TurnEnded, excerpt(cause.Error())
	events := []*Event{sessionEvent(EventRunEnded, *s, map[string]string{"kind": "not_started", "error": s.Run.Error})}
	events = append(events, endSession(s, SessionFinished, nil, "not_started")...)
	return append(events, notTold(s)...)
}

// resumeSoon resumes session id when a message waits for that, unless that just failed.
func (b *Broker) resumeSoon(id string) {
	b.mu.Lock()
	se, ok := b.sessions[id]
	due := ok && !b.closed && !b.draining && !time.Now().Before(se.run.retryAt)
	if due {
		due = b.mayResume(ptr(se.view()))
	}
	b.mu.Unlock()
	if !due {
		return
	}
	ctx := context.Background()
	begun := false
	s, err := b.changeRun(ctx, id, false, func(s *Session) ([]*Event, error) {
		if !b.mayResume(s) {
			return nil, errSame
		}
		begun = true
		return []*Event{beginResume(s, s.Message.By)}, nil
	})
	switch {
	case errors.Is(err, ErrClosed):
	case err != nil:
		b.log.ErrorContext(ctx, "session not resumed for its message", "session_id", id, "err", err)
	case begun:
		b.launch(id, func() error { return b.opts.Launcher.Resume(s) })
	}
}
