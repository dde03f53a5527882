package broker

import (
	"context"
	"errors"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
)

// putOffByRule puts a new call off because a rule says so. Where it cannot be, it waits for
// a person, and its card says why.
func (b *Broker) putOffByRule(ctx context.Context, req Request, a rules.Assessment) Request {
	if !b.spend(b.keeper.set.Load(), a.Rules, time.Now()) {
		return req // the rule is used up, or they are others by now
	}
	put, err := b.putOff(ctx, req.ID, Actor{Kind: ByRule, ID: a.Rule}, a.Rules...)
	if err == nil {
		return put
	}
	if !errors.Is(err, ErrNotRecorded) {
		b.unspend(a.Rules)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.requests[req.ID]
	if !ok {
		return req
	}
	if e.req.State == Pending {
		e.req.Assessment = ptr(askInstead(a, a.Reason+"; but "+err.Error()))
		b.publish(Update{Request: ptr(e.req)})
	}
	return e.req
}

// asWaits is what a says of the call of r as a person reads it: a rule that puts it off asks
// where its agent cannot be told so. headless says whether its agent has no user.
func asWaits(a rules.Assessment, r Request, headless bool) rules.Assessment {
	if a.Verdict != rules.Defer {
		return a
	}
	if why := whyWaits(r, headless); why != "" {
		return askInstead(a, a.Reason+"; but "+why)
	}
	return a
}
