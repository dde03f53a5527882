package broker

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// ExitStopped is the exit code in the session_stop event of a session that a
// person stopped: what a shell reports for Ctrl-C.
const ExitStopped = 130

// ReasonStopped is the reason beside ExitStopped.
const ReasonStopped = "stopped_by_user"

// withSession adds to c what the call q says about its session, if anything needs
// writing. The returned function must be called with the commit's result.
func (b *Broker) withSession(c *Change, se *sessionEntry, q Question) (done func(error)) {
	b.mu.Lock()
	must := se.savedAt.IsZero() || se.s.State.Ended() || se.s.State == SessionIdle
	stale := time.Since(se.savedAt) > touchEvery
	b.touch(se, q)
	// A console that starts anew takes the session of a process that is gone for ended.
	must = must || se.s.Process != se.savedAs
	b.mu.Unlock()
	switch {
	case must:
		se.rec.Lock()
	case stale && se.rec.TryLock():
	default:
		return func(error) {}
	}
	b.mu.Lock()
	next := se.s
	if next.State.Ended() || next.State == SessionIdle {
		next.State, next.EndedAt, next.ExitCode, next.EndReason = SessionActive, time.Time{}, nil, ""
	}
	if se.savedAt.IsZero() {
		c.Events = append([]*Event{sessionEvent(EventSessionStart, next, map[string]any{"agent": next.Agent, "cwd": next.CWD})}, c.Events...)
	}
	b.mu.Unlock()
	c.Sessions = append(c.Sessions, next)
	return func(err error) {
		defer se.rec.Unlock()
		if err == nil {
			b.applySession(se, next)
		}
	}
}

// applySession makes the recorded next the session's state.
func (b *Broker) applySession(se *sessionEntry, next Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if next.LastSeenAt.Before(se.s.LastSeenAt) {
		next.LastSeenAt = se.s.LastSeenAt
	}
	next.Observed, next.Alarm, next.Asks, next.Frozen = se.s.Observed, se.s.Alarm, se.s.Asks, se.s.Frozen // not part of the record, so never set by one
	se.s = next
	se.savedAt, se.savedAs = time.Now(), next.Process
	b.publishSession(se)
}

// touch notes in memory that the session was heard of. Caller holds mu.
func (b *Broker) touch(se *sessionEntry, q Question) {
	s := &se.s
	now := time.Now().UTC().Truncate(time.Millisecond)
	if s.StartedAt.IsZero() {
		s.StartedAt, s.LastSeenAt = now, now
	}
	if q.Agent == "" {
		return // not the agent speaking, but something seen of it
	}
	s.LastSeenAt = now
	set := func(dst *string, v string) {
		if v != "" {
			*dst = v
		}
	}
	set(&s.Agent, q.Agent)
	if s.CWD == "" {
		s.CWD = q.CWD
	}
	set(&s.Mode, q.Mode)
	if q.Session.Pane != "" { // a pane is one of its own server's
		s.Pane, s.TmuxServer = q.Session.Pane, q.Session.TmuxServer
	}
	set(&s.Transcript, q.Session.Transcript)
	if s.ProjectDir == "" {
		s.ProjectDir = q.Session.ProjectDir
	}
	if s.Run == nil || !s.Run.Named {
		set(&s.Name, q.Session.Name)
	}
	if s.Name == "" {
		if dir := cmp.Or(s.ProjectDir, s.CWD); dir != "" {
			s.Name = filepath.Base(dir)
		}
	}
	if p := q.Session.Process; p.PID != 0 {
		b.remember(p, s.ID)
		// What lives on under a stop is not replaced: whose prompt lifts it hangs on that.
		if !s.State.underStop() || s.Process.PID == 0 || !s.EndedAt.IsZero() || !b.opts.Alive(s.Process) {
			s.Process = p
		}
	}
}

// changeSession lets f change a copy of the session that q names, records the copy
// with the events that f returns, and only then makes it the state. f must not block.
func (b *Broker) changeSession(ctx context.Context, q Question, f func(s *Session) []*Event) error {
	if !validSessionID(q.SessionID) {
		return fmt.Errorf("%w: session_id must not be empty, \".\" or \"..\"", ErrInvalid)
	}
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return ErrClosed
	}
	se := b.session(q.SessionID)
	b.mu.Unlock()
	return b.alter(ctx, se, q, false, func(s *Session) ([]*Event, error) { return f(s), nil })
}

// alter is changeSession for the entry of q's session. It changes nothing when f returns an
// error, which it returns then. With sync the change survives a power cut.
func (b *Broker) alter(ctx context.Context, se *sessionEntry, q Question, sync bool, f func(s *Session) ([]*Event, error)) error {
	se.rec.Lock()
	defer se.rec.Unlock()
	b.mu.Lock()
	if _, ok := b.sessions[q.SessionID]; !ok {
		b.sessions[q.SessionID] = se // forgotten since it was found
	}
	isNew := se.savedAt.IsZero()
	b.touch(se, q)
	next := se.view()
	b.mu.Unlock()
	next.Run = next.Run.clone()
	events, err := f(&next)
	if err != nil {
		return err
	}
	if isNew && (len(events) == 0 || events[0].Type != EventSessionStart) {
		events = append([]*Event{sessionEvent(EventSessionStart, next, map[string]any{"agent": next.Agent, "cwd": next.CWD})}, events...)
	}
	if err := b.commit(ctx, &Change{Sessions: []Session{next}, Events: events, Sync: sync}); err != nil {
		return fmt.Errorf("%w: %w", ErrNotRecorded, err)
	}
	b.applySession(se, next)
	return nil
}

func sessionEvent(typ string, s Session, data any) *Event {
	return newEvent(typ, Request{SessionID: s.ID}, data)
}

type stopData struct {
	ExitCode *int   `json:"exit_code,omitempty"`
	Reason   string `json:"reason"`
}

// endTurn is the transition when the main agent's turn is seen to end. A stopping
// session is stopped only when its sub-agents are over as well: they outlive the turn.
func endTurn(s *Session) []*Event {
	switch s.State {
	case SessionStopping:
		s.TurnOver = true
		return stoppedIfOver(s)
	case SessionActive:
		s.State = SessionIdle
	case SessionIdle, SessionStopped, SessionFinished, SessionGone:
	}
	return nil
}

// stoppedIfOver ends a stop once nothing of the session is left running: of a managed one
// not even its process.
func stoppedIfOver(s *Session) []*Event {
	if s.State != SessionStopping || !s.TurnOver || len(s.Subagents) > 0 || s.Run.running() {
		return nil
	}
	return []*Event{markStopped(s)}
}

func markStopped(s *Session) *Event {
	code := ExitStopped
	s.State, s.ExitCode, s.EndReason, s.Subagents = SessionStopped, &code, ReasonStopped, nil
	return sessionEvent(EventSessionStop, *s, stopData{ExitCode: &code, Reason: ReasonStopped})
}

// endSession is the transition when the agent's process is over: it said goodbye
// (final SessionFinished) or vanished (final SessionGone).
func endSession(s *Session, final SessionState, code *int, reason string) []*Event {
	now := time.Now().UTC().Truncate(time.Millisecond)
	s.Subagents = nil
	defer func() { s.EndedAt = now }()
	switch s.State {
	case SessionStopping:
		return []*Event{markStopped(s)}
	case SessionStopped:
		if !s.EndedAt.IsZero() {
			return nil
		}
		return []*Event{sessionEvent(EventSessionEnd, *s, stopData{Reason: reason})}
	case SessionFinished, SessionGone:
		now = s.EndedAt
		return nil
	case SessionActive, SessionIdle:
	}
	s.State, s.ExitCode, s.EndReason = final, code, reason
	return []*Event{sessionEvent(EventSessionStop, *s, stopData{ExitCode: code, Reason: reason})}
}

// startTurn is the transition when the session's user speaks. It lifts a stop.
func startTurn(s *Session) []*Event {
	var events []*Event
	if s.State == SessionStopping || s.State == SessionStopped {
		events = append(events, sessionEvent(EventStopLifted, *s, map[string]string{"by": "prompt"}))
		s.StopAskedAt = time.Time{}
	}
	s.State, s.EndedAt, s.ExitCode, s.EndReason = SessionActive, time.Time{}, nil, ""
	s.TurnOver = false
	return events
}

// cancelPending ends what the session still asks, because nobody waits for it now.
func (b *Broker) cancelPending(ctx context.Context, sessionID string, why string, pick func(Request) bool, state State) {
	b.mu.Lock()
	var ids []string
	if se, ok := b.sessions[sessionID]; ok {
		for id, e := range se.pending {
			if pick == nil || pick(e.req) {
				ids = append(ids, id)
			}
		}
	}
	b.mu.Unlock()
	if len(ids) > 0 {
		_, _ = b.endAll(ctx, ids, Outcome{State: state, By: Actor{Kind: ByAgent}, Reason: why}, nil)
	}
}

// Session returns one session; ErrNotFound.
func (b *Broker) Session(ctx context.Context, id string) (Session, error) {
	b.mu.Lock()
	if se, ok := b.sessions[id]; ok && !se.savedAt.IsZero() {
		defer b.mu.Unlock()
		return se.view(), nil
	}
	b.mu.Unlock()
	list, err := b.store.Sessions(ctx, SessionFilter{ID: id})
	if err != nil {
		return Session{}, fmt.Errorf("session %s: %w", id, err)
	}
	if len(list) == 0 {
		return Session{}, fmt.Errorf("session %s: %w", id, ErrNotFound)
	}
	list[0].Frozen = b.heldNow(id) != ""
	return list[0], nil
}

// Sessions lists the sessions in memory and the store, last seen first.
func (b *Broker) Sessions(ctx context.Context) ([]Session, error) {
	list, err := b.store.Sessions(ctx, SessionFilter{})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, s := range list {
		if se, ok := b.sessions[s.ID]; ok {
			list[i] = se.view()
			continue
		}
		list[i].Frozen = b.held(s.ID) != ""
	}
	return list, nil
}
