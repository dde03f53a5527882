package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/broker"
)

// restorePutOff takes up a call of an earlier broker that was put off. It reports whether
// the call waits like any other since its agent asked again. Caller holds mu.
func (b *Broker) restorePutOff(e *entry, cp *broker.Checkpoint) (waits bool) {
	e.agent, e.correlation, e.headless = cp.Process, cp.Correlation, true
	if !cp.TakenUpAt.IsZero() {
		e.taken, e.req.ExpiresAt = cp, cp.ExpiresAt
		return true
	}
	se := b.session(e.req.SessionID)
	b.shelve(se, e, cp)
	se.putOffTurn = cp.Process.PID != 0 && b.opts.Alive(cp.Process)
	return false
}

// restoreDecided takes up the calls that were put off and decided, and whose agents have not
// asked for the answer yet. One for which the log does not vouch has none.
func (b *Broker) restoreDecided(ctx context.Context, saved broker.Saved) error {
	for _, cp := range saved.Checkpoints {
		b.mu.Lock()
		e, known := b.requests[cp.RequestID]
		known = known && e.req.State == broker.Pending
		b.mu.Unlock()
		if known {
			continue
		}
		r, err := b.store.Request(ctx, cp.RequestID)
		switch {
		case errors.Is(err, broker.ErrTampered), errors.Is(err, broker.ErrNotFound):
			b.log.WarnContext(ctx, "a call that was put off was left out", "request_id", cp.RequestID, "err", err)
			continue
		case err != nil:
			return fmt.Errorf("load calls that were put off: %w", err)
		case r.Outcome == nil || !cp.TakenUpAt.IsZero(): // its answer was told, and the rest could not be recorded
			b.mu.Lock()
			b.strays[cp.RequestID] = cp.SessionID
			b.mu.Unlock()
			continue
		}
		r.Checkpoint = &cp
		e = &entry{req: r, saved: true, claimed: true, done: make(chan struct{}), tried: make(chan struct{}), agent: cp.Process, correlation: cp.Correlation, headless: true}
		close(e.done)
		close(e.tried)
		b.mu.Lock()
		b.addEntry(e)
		b.session(r.SessionID).deferred[r.ID] = e
		b.mu.Unlock()
	}
	return nil
}

// fromRunner reports whether a hook payload of a managed session came from what holds it:
// nobody sits before its agent.
func (b *Broker) fromRunner(sessionID string, a asking) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	se, ok := b.sessions[sessionID]
	if !ok || se.s.Run == nil || a.client.PID == 0 || a.client.PID != se.s.Run.Runner.PID {
		return false
	}
	return b.opts.Alive(se.s.Run.Runner)
}
