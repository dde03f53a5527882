package service

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// withSession adds to c what the call q says about its session, if anything needs
// writing. The returned function must be called with the commit's result.
func (b *Broker) withSession(c *broker.Change, se *sessionEntry, q broker.Question) (done func(error)) {
	b.mu.Lock()
	must := se.savedAt.IsZero() || se.s.State.Ended() || se.s.State == broker.SessionIdle
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
	if next.State.Ended() || next.State == broker.SessionIdle {
		next.State, next.EndedAt, next.ExitCode, next.EndReason = broker.SessionActive, time.Time{}, nil, ""
	}
	if se.savedAt.IsZero() {
		c.Events = append([]*broker.Event{broker.SessionEvent(now(), broker.EventSessionStart, next, map[string]any{"agent": next.Agent, "cwd": next.CWD})}, c.Events...)
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
func (b *Broker) applySession(se *sessionEntry, next broker.Session) {
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
func (b *Broker) touch(se *sessionEntry, q broker.Question) {
	s := &se.s
	now := now()
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
		if !s.State.UnderStop() || s.Process.PID == 0 || !s.EndedAt.IsZero() || !b.opts.Alive(s.Process) {
			s.Process = p
		}
	}
}

// changeSession lets f change a copy of the session that q names, records the copy
// with the events that f returns, and only then makes it the state. f must not block.
func (b *Broker) changeSession(ctx context.Context, q broker.Question, f func(s *broker.Session) []*broker.Event) error {
	if !broker.ValidSessionID(q.SessionID) {
		return fmt.Errorf("%w: session_id must not be empty, \".\" or \"..\"", broker.ErrInvalid)
	}
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return broker.ErrClosed
	}
	se := b.session(q.SessionID)
	b.mu.Unlock()
	return b.alter(ctx, se, q, false, func(s *broker.Session) ([]*broker.Event, error) { return f(s), nil })
}

// alter is changeSession for the entry of q's session. It changes nothing when f returns an
// error, which it returns then. With sync the change survives a power cut.
func (b *Broker) alter(ctx context.Context, se *sessionEntry, q broker.Question, sync bool, f func(s *broker.Session) ([]*broker.Event, error)) error {
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
	next.Run = next.Run.Clone()
	events, err := f(&next)
	if err != nil {
		return err
	}
	if isNew && (len(events) == 0 || events[0].Type != broker.EventSessionStart) {
		events = append([]*broker.Event{broker.SessionEvent(now(), broker.EventSessionStart, next, map[string]any{"agent": next.Agent, "cwd": next.CWD})}, events...)
	}
	if err := b.commit(ctx, &broker.Change{Sessions: []broker.Session{next}, Events: events, Sync: sync}); err != nil {
		return fmt.Errorf("%w: %w", broker.ErrNotRecorded, err)
	}
	b.applySession(se, next)
	return nil
}

// cancelPending ends what the session still asks, because nobody waits for it now.
func (b *Broker) cancelPending(ctx context.Context, sessionID string, why string, pick func(broker.Request) bool, state broker.State) {
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
		_, _ = b.endAll(ctx, ids, broker.Outcome{State: state, By: broker.Actor{Kind: broker.ByAgent}, Reason: why}, nil)
	}
}

// Session returns one session; ErrNotFound.
func (b *Broker) Session(ctx context.Context, id string) (broker.Session, error) {
	b.mu.Lock()
	if se, ok := b.sessions[id]; ok && !se.savedAt.IsZero() {
		defer b.mu.Unlock()
		return se.view(), nil
	}
	b.mu.Unlock()
	list, err := b.store.Sessions(ctx, broker.SessionFilter{ID: id})
	if err != nil {
		return broker.Session{}, fmt.Errorf("session %s: %w", id, err)
	}
	if len(list) == 0 {
		return broker.Session{}, fmt.Errorf("session %s: %w", id, broker.ErrNotFound)
	}
	list[0].Frozen = b.heldNow(id) != ""
	return list[0], nil
}

// Sessions lists the sessions in memory and the store, last seen first.
func (b *Broker) Sessions(ctx context.Context) ([]broker.Session, error) {
	list, err := b.store.Sessions(ctx, broker.SessionFilter{})
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
