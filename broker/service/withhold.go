package service

import (
	"context"
	"maps"

	"github.com/aoctl/aoctl/broker"
)

// An answer that lets a call run is not told while a freeze holds its session: its agent
// goes on waiting. Once the freeze is lifted it is told as an answer that is given again,
// only while nothing speaks against it.

// withholds reports whether r's answer is not to be told now, and remembers that.
func (b *Broker) withholds(r broker.Request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.withhold(r)
}

// withhold is withholds for those who hold mu.
func (b *Broker) withhold(r broker.Request) bool {
	if !broker.LetsRun(r) || b.held(r.SessionID) == "" {
		return false
	}
	if len(b.withheld) >= keepDecided { // left over from earlier freezes
		maps.DeleteFunc(b.withheld, func(id string, _ struct{}) bool { _, ok := b.requests[id]; return !ok })
	}
	b.withheld[r.ID] = struct{}{}
	return true
}

// toldNow is r as its asker is told of it. Caller holds mu.
func (b *Broker) toldNow(r broker.Request) broker.Request {
	if _, kept := b.withheld[r.ID]; kept && broker.LetsRun(r) || b.withhold(r) {
		return broker.KeptBack(r)
	}
	return r
}

// tellable is r as its asker may be told of it, after a freeze that withheld its answer
// was lifted. Errors: those of giveAgain.
func (b *Broker) tellable(ctx context.Context, r broker.Request) (broker.Request, error) {
	if !broker.LetsRun(r) {
		return r, nil
	}
	b.mu.Lock()
	if b.withhold(r) {
		b.mu.Unlock()
		return broker.KeptBack(r), nil
	}
	_, kept := b.withheld[r.ID]
	delete(b.withheld, r.ID)
	e := b.requests[r.ID]
	b.mu.Unlock()
	if !kept || r.Checkpoint != nil { // what was put off is given in a way of its own
		return r, nil
	}
	return b.giveAgain(ctx, r, e, broker.Question{Request: broker.Request{Asker: r.Asker}, Bound: true})
}

// wakeWithheld lets those who wait for an answer that was withheld ask again. Caller holds
// mu.
func (b *Broker) wakeWithheld(sessionID string) {
	for id := range b.withheld {
		e, ok := b.requests[id]
		if !ok || sessionID != "" && e.req.SessionID != sessionID {
			continue
		}
		for _, p := range e.parked {
			p.wake()
		}
	}
}
