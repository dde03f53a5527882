package service

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// Late reports whether r ended without a person's answer so lately that allowing it
// still helps: the agent may ask again.
func (b *Broker) Late(r broker.Request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.requests[r.ID]
	return ok && time.Now().Before(e.lateUntil)
}

// restoreLate takes up the cards that were late when an earlier broker ended: a person
// who comes back may still allow what the agent is about to ask again.
func (b *Broker) restoreLate(ctx context.Context) error {
	list, err := b.store.Requests(ctx, broker.RequestFilter{Late: true, Decided: true, Since: time.Now().Add(-b.opts.LateFor), Limit: keepDecided / 2})
	if err != nil {
		return fmt.Errorf("load late calls: %w", err)
	}
	for _, r := range slices.Backward(list) {
		b.restoreOneLate(ctx, r.ID)
	}
	return nil
}

// restoreOneLate takes up a late call, if the log vouches for it.
func (b *Broker) restoreOneLate(ctx context.Context, id string) {
	r, err := b.store.Request(ctx, id)
	if err != nil || r.Outcome == nil {
		b.log.WarnContext(ctx, "a late call was left out", "request_id", id, "err", err)
		return
	}
	if r.Outcome.Withdrawn() {
		return
	}
	e := &entry{req: r, saved: true, claimed: true, done: make(chan struct{}), tried: make(chan struct{}), lateUntil: r.Outcome.At.Add(b.opts.LateFor)}
	close(e.done)
	close(e.tried)
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.requests[id]; !known {
		b.addEntry(e)
		b.forget(e)
	}
}

// unassessed lists the calls, waiting or late, that an earlier broker left.
func (b *Broker) unassessed() []broker.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []broker.Request
	for _, e := range b.requests {
		if e.saved && e.req.Assessment == nil {
			list = append(list, e.req)
		}
	}
	return list
}
