package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Stop denies the pending calls of a session at once and its later ones until its
// user speaks again. Stopping a session that is stopping or stopped changes nothing.
//
// Errors: ErrNotFound, ErrSessionEnded, ErrNotRecorded (the stop holds in memory:
// calls are denied, but a restart would forget it).
func (b *Broker) Stop(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, error) {
	s, err := b.Session(ctx, sessionID)
	if err != nil {
		return broker.Session{}, fmt.Errorf("stop: %w", err)
	}
	if s.State == broker.SessionStopped {
		return s, nil
	}
	b.mu.Lock()
	se, live := b.sessions[sessionID]
	live = live && (!se.s.State.Ended() || len(se.deferred) > 0)
	b.mu.Unlock()
	if !live {
		return broker.Session{}, fmt.Errorf("stop %s: %w", sessionID, broker.ErrSessionEnded)
	}
	_, err = b.stopAll(ctx, []*sessionEntry{se}, by)
	b.mu.Lock()
	defer b.mu.Unlock()
	return se.view(), err
}

// StopAll stops every session that has not ended: all of them in one transaction.
// It returns how many sessions it stopped and how many pending calls it denied.
func (b *Broker) StopAll(ctx context.Context, by broker.Actor) (sessions, denied int, err error) {
	b.mu.Lock()
	var list []*sessionEntry
	for _, se := range b.sessions {
		if len(se.deferred) > 0 || !se.s.State.Ended() && se.s.State != broker.SessionStopped && se.s.State != broker.SessionStopping {
			list = append(list, se)
		}
	}
	b.mu.Unlock()
	if len(list) == 0 {
		return 0, 0, nil
	}
	denied, err = b.stopAll(ctx, list, by)
	return len(list), denied, err
}

// stopAll marks the sessions first, so that no new call of theirs can pass, then
// denies what they ask, in one transaction with the sessions' rows.
func (b *Broker) stopAll(ctx context.Context, list []*sessionEntry, by broker.Actor) (denied int, err error) {
	b.mu.Lock()
	ids := make(map[*sessionEntry]string, len(list))
	for _, se := range list {
		ids[se] = se.s.ID
	}
	b.mu.Unlock()
	slices.SortFunc(list, func(x, y *sessionEntry) int { return strings.Compare(ids[x], ids[y]) }) // one order for all, or two stops could deadlock
	for _, se := range list {
		se.rec.Lock()
		defer se.rec.Unlock()
	}
	c := &broker.Change{Sync: true}
	var waiting []string
	var unasked []*entry // put off and answered, and the answer is not to be given any more
	b.mu.Lock()
	now := broker.Instant(time.Now())
	for _, se := range list {
		for id := range se.pending {
			waiting = append(waiting, id)
		}
		for id, e := range se.deferred {
			if e.req.State == broker.Pending {
				waiting = append(waiting, id)
			} else if e.busy == nil {
				e.busy = make(chan struct{})
				unasked, c.DropCheckpoints = append(unasked, e), append(c.DropCheckpoints, id)
			}
		}
		if _, ok := b.sessions[ids[se]]; !ok {
			b.sessions[ids[se]] = se // forgotten since it was found: a stop is not
		}
		if se.s.State == broker.SessionStopping || se.s.State == broker.SessionStopped {
			continue
		}
		se.s.TurnOver = se.s.State.Ended() || se.s.State == broker.SessionIdle && len(se.pending) == 0
		se.s.State, se.s.StopAskedAt = broker.SessionStopping, now
		c.Events = append(c.Events, broker.SessionEvent(now, broker.EventStopRequested, se.s, map[string]any{"by": by, "pending": len(se.pending)}))
		c.Events = append(c.Events, broker.StopRun(now, &se.s)...)
		c.Events = append(c.Events, broker.StoppedIfOver(now, &se.s)...)
		c.Sessions = append(c.Sessions, se.view())
	}
	b.mu.Unlock()
	if len(c.Sessions) == 0 && len(waiting) == 0 && len(unasked) == 0 {
		return 0, nil
	}
	ended, err := b.endAll(ctx, waiting, broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByStop, PID: by.PID, Exe: by.Exe, TTY: by.TTY}}, c)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range unasked {
		b.release(e)
		if err == nil && e.req.Checkpoint != nil {
			b.unshelve(b.session(e.req.SessionID), e)
			b.forget(e)
			b.publish(broker.Update{Request: new(e.req)})
		}
	}
	for _, se := range list {
		if err == nil {
			se.savedAt = time.Now()
		}
		b.publishSession(se)
	}
	return len(ended), err
}

// noteTurnStopped is called when an answer that ends a turn has been delivered: to
// the main agent for subagentID "", else to that sub-agent. No event of the agent's
// own tells of such an end.
func (b *Broker) noteTurnStopped(ctx context.Context, sessionID, subagentID string) {
	b.mu.Lock()
	se, ok := b.sessions[sessionID]
	stopping := ok && se.s.State == broker.SessionStopping
	b.mu.Unlock()
	if !stopping {
		return
	}
	err := b.changeSession(ctx, broker.Question{Request: broker.Request{SessionID: sessionID}}, func(s *broker.Session) []*broker.Event {
		if subagentID == "" {
			return broker.EndTurn(now(), s)
		}
		s.Subagents = broker.WithoutSubagent(s.Subagents, subagentID)
		return broker.StoppedIfOver(now(), s)
	})
	if err != nil {
		b.log.ErrorContext(ctx, "end of a stopped turn not recorded", "session_id", sessionID, "err", err)
	}
}

// StopRequested reports whether the session was asked to stop and has not been
// spoken to since; ErrNotFound.
func (b *Broker) StopRequested(ctx context.Context, sessionID string) (bool, error) {
	s, err := b.Session(ctx, sessionID)
	if err != nil {
		return false, err
	}
	return s.State == broker.SessionStopping || s.State == broker.SessionStopped, nil
}

// underStop reports whether nothing of the session may run.
func (b *Broker) underStop(sessionID string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	se, ok := b.sessions[sessionID]
	return ok && se.s.State.UnderStop()
}

// denyStopped ends what waits in sessions under a stop. A broker leaves such a call
// behind when it dies between recording a call and noticing that a stop came meanwhile.
func (b *Broker) denyStopped(ctx context.Context) {
	b.mu.Lock()
	var ids []string
	for _, se := range b.sessions {
		if !se.s.State.UnderStop() {
			continue
		}
		for id := range se.pending {
			ids = append(ids, id)
		}
		for id := range se.deferred {
			ids = append(ids, id)
		}
	}
	b.mu.Unlock()
	if len(ids) > 0 {
		_, _ = b.endAll(ctx, ids, broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByStop}}, nil)
	}
}
