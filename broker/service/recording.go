package service

import (
	"context"
	"errors"
	"maps"

	"github.com/aoctl/aoctl/broker"
)

// Once a record failed, nobody knows what the store can do: it may take small changes
// and fail on the next. So nothing is allowed without a person from then on, until a
// write that nobody waits for has reached the disk.

// noteCommit keeps the health that the status line shows. A commit that works does not
// clear it: only probe does.
func (b *Broker) noteCommit(err error) {
	if !broker.StoreFailed(err) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	b.setStoreErr(err.Error())
}

// setStoreErr is what watchers are told of recording. Caller holds mu.
func (b *Broker) setStoreErr(text string) {
	if text != b.health.StoreErr {
		b.health.StoreErr = text
		b.publish(broker.Update{Health: new(b.health)})
	}
}

// notRecording is why nothing may be allowed without a person now; "" when all is
// well. Caller holds mu.
func (b *Broker) notRecording() string {
	if b.health.StoreErr == "" {
		return ""
	}
	return "the log could not be written: " + b.health.StoreErr
}

// mend brings the store up to date after it failed, and finds out whether it works.
func (b *Broker) mend(ctx context.Context) {
	b.mu.Lock()
	failing, failures := b.health.StoreErr != "", b.failures
	b.mu.Unlock()
	if b.saveUnsaved(ctx) && failing {
		b.probe(ctx, failures)
	}
	b.recordFreezes(ctx)
}

// probe writes to the disk. When that works, and nothing failed since, the store works.
func (b *Broker) probe(ctx context.Context, failures int) {
	c := &broker.Change{Sync: true, Events: []*broker.Event{broker.NewEvent(now(), broker.EventNotification, broker.Request{}, map[string]string{"message": "the log can be written again"})}}
	if b.commit(ctx, c) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures == failures {
		b.setStoreErr("")
		b.log.InfoContext(ctx, "the log can be written again")
	}
}

// saveUnsaved records ends that the store could not take when they happened. It
// reports whether none is left.
func (b *Broker) saveUnsaved(ctx context.Context) bool {
	b.mu.Lock()
	late := maps.Clone(b.unsaved)
	b.mu.Unlock()
	for id, o := range late {
		if err := b.saveLate(ctx, id, o); err != nil {
			return false // still broken; the next sweep tries again
		}
		b.mu.Lock()
		delete(b.unsaved, id)
		b.mu.Unlock()
	}
	return true
}

// saveLate brings the store up to date with how the asker of request id was told that
// it ended. The commit that failed may have been applied after all: then the log says
// so, and that its answer was not given.
func (b *Broker) saveLate(ctx context.Context, id string, o broker.Outcome) error {
	look, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	req, err := b.store.Request(look, id)
	switch {
	case errors.Is(err, broker.ErrTampered):
		b.log.ErrorContext(ctx, "a call whose record failed is not as the log has it", "request_id", id, "err", err)
		return nil
	case err != nil:
	case req.State == broker.Pending:
		err = b.commit(ctx, &broker.Change{Settle: []broker.Settlement{{ID: id, Outcome: o}}, Events: []*broker.Event{b.decidedEvent(req, o)}})
	case req.State != o.State:
		err = b.commit(ctx, &broker.Change{Events: []*broker.Event{broker.NewEvent(now(), broker.EventAnswerWithheld, req, map[string]broker.State{"recorded": req.State, "told": o.State})}})
	}
	if errors.Is(err, broker.ErrAlreadyDecided) || errors.Is(err, broker.ErrNotFound) {
		return nil
	}
	return err
}
