package service

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// What was allowed runs only when whoever asked hears of it. An asker may leave just before
// the answer and not come back: the record then says beside the decision that nobody was
// waiting. One that comes later, and is answered, takes that back.

// noteUnheard notes that e was allowed and its asker not yet told. What is put off is told
// in a way of its own. Caller holds mu.
func (b *Broker) noteUnheard(e *entry) {
	if e.req.State == broker.Allowed && e.saved && e.req.Checkpoint == nil {
		b.unheard[e.req.ID] = time.Now()
	}
}

// heard notes that whoever asked for request id was told its end.
func (b *Broker) heard(id string) {
	b.mu.Lock()
	delete(b.unheard, id)
	req, late := b.requests[id].heardLate(b)
	b.mu.Unlock()
	if !late {
		return
	}
	ev := broker.NewEvent(now(), broker.EventAnsweredAgain, req, broker.AnsweredAgainData{ToolUseID: req.ToolUseID})
	if err := b.commit(context.Background(), &broker.Change{Events: []*broker.Event{ev}}); err != nil {
		b.log.Error("late answer not recorded", "request_id", id, "err", err)
	}
}

// heardLate takes back that nobody heard e's answer, and returns the request; false when
// nobody said so. e may be nil. Caller holds mu.
func (e *entry) heardLate(b *Broker) (broker.Request, bool) {
	if e == nil || !e.req.Unheard {
		return broker.Request{}, false
	}
	e.req.Unheard = false
	b.publish(broker.Update{Request: new(e.req)})
	return e.req, true
}

// tellUnheard records which allowed calls have nobody left who would hear of it.
func (b *Broker) tellUnheard(ctx context.Context) {
	for _, a := range b.unheardNow() {
		if !b.isAway(a) {
			continue
		}
		req, err := b.Request(ctx, a.id)
		if err == nil {
			err = b.commit(ctx, &broker.Change{Events: []*broker.Event{broker.NewEvent(now(), broker.EventUnheard, req, broker.UnheardData{ToolName: req.ToolName, Digest: req.Digest})}})
		}
		if err != nil {
			continue // the next sweep tries again
		}
		b.mu.Lock()
		e, known := b.requests[a.id]
		_, still := b.unheard[a.id]
		delete(b.unheard, a.id)
		if known && still {
			e.req.Unheard = true
			b.publish(broker.Update{Request: new(e.req)})
		}
		b.mu.Unlock()
	}
}

// unheardNow lists the allowed calls whose asker was not told and is not there.
func (b *Broker) unheardNow() []absence {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []absence
	for id, since := range b.unheard {
		e, ok := b.requests[id]
		if !ok {
			delete(b.unheard, id)
			continue
		}
		if e.attached > 0 || b.held(e.req.SessionID) != "" { // a freeze keeps the answer back
			continue
		}
		a := absence{id: id, leftAt: since, most: max(b.opts.AskerGrace, e.req.ExpiresAt.Sub(since))}
		if e.bound {
			a.asker, a.most = e.req.Asker, e.mayBeAway(b.opts.AskerGrace)
			if e.leftAt.After(since) {
				a.leftAt = e.leftAt
			}
		}
		list = append(list, a)
	}
	return list
}

// markUnheard marks in list, newest decision first, the allowed calls of which the log says
// that nobody heard it.
func (b *Broker) markUnheard(ctx context.Context, list []broker.Request) error {
	if len(list) == 0 {
		return nil
	}
	oldest := list[len(list)-1]
	events, err := b.store.Events(ctx, broker.EventFilter{Types: []string{broker.EventUnheard, broker.EventAnsweredAgain}, Since: oldest.Outcome.At})
	last := map[string]bool{} // whether the newest event about a call says so
	for _, e := range events {
		if _, newer := last[e.RequestID]; !newer {
			last[e.RequestID] = e.Type == broker.EventUnheard
		}
	}
	for i := range list {
		list[i].Unheard = last[list[i].ID]
	}
	return err
}
