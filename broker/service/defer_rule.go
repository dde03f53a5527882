package service

import (
	"context"
	"errors"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
)

// putOffByRule puts a new call off because a rule says so. Where it cannot be, it waits for
// a person, and its card says why.
func (b *Broker) putOffByRule(ctx context.Context, req broker.Request, a rules.Assessment) broker.Request {
	if !b.spend(b.keeper.set.Load(), a.Rules, time.Now()) {
		return req // the rule is used up, or they are others by now
	}
	put, err := b.putOff(ctx, req.ID, broker.Actor{Kind: broker.ByRule, ID: a.Rule}, a.Rules...)
	if err == nil {
		return put
	}
	if !errors.Is(err, broker.ErrNotRecorded) {
		b.unspend(a.Rules)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.requests[req.ID]
	if !ok {
		return req
	}
	if e.req.State == broker.Pending {
		e.req.Assessment = new(broker.AskInstead(a, a.Reason+"; but "+err.Error()))
		b.publish(broker.Update{Request: new(e.req)})
	}
	return e.req
}
