package service

import (
	"cmp"
	"context"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
)

// Some agents give their calls no id. What they report to have run is told by session,
// tool and input, and each allowed call stands for one report. That two calls with the
// same input ran in another order than they were asked makes no difference to anybody.

// compareByInput looks whether the call that h reports, which has no id, was allowed. One
// that waits although it ran is closed. There is an alarm only where no call with this
// input was allowed in the session at all: a report may come twice, or late.
func (b *Broker) compareByInput(ctx context.Context, h agents.Hook) {
	if agents.TraitsOf(h.Agent).CallID {
		return // the call had one, so there is no telling which it was
	}
	b.mu.Lock()
	if e := b.runOf(h, broker.ToldToRun); e != nil {
		e.reported, e.over = true, "the call has already run"
		b.mu.Unlock()
		return
	}
	refused := b.runOf(h, func(r broker.Request) bool { return !broker.ToldToRun(r) })
	if refused == nil {
		b.mu.Unlock()
		return
	}
	refused.reported = true
	req := refused.req
	se := b.session(h.SessionID)
	held := se.turnSeen && !b.observing && !se.s.Observed
	b.mu.Unlock()
	if !req.State.Terminal() {
		_, _ = b.endAll(ctx, []string{req.ID}, broker.Outcome{State: broker.Answered, By: broker.Actor{Kind: broker.ByAgent}, Reason: "the call has already run"}, nil)
	}
	if held && !b.everAllowed(ctx, h) {
		b.raise(ctx, broker.Alarm{
			Kind: broker.RanRefused, SessionID: h.SessionID, RequestID: req.ID, ToolName: h.ToolName, Ran: h.ToolInput, Digest: broker.Digest(h.ToolName, h.ToolInput, ""),
		})
	}
}

// pastRuns is how many recorded calls of a session are looked through.
const pastRuns = 1000

// runOf is the oldest call that may be the one that h reports, was not reported before,
// and is as pick wants it; nil when there is none. Caller holds mu.
func (b *Broker) runOf(h agents.Hook, pick func(broker.Request) bool) *entry {
	var found *entry
	for _, e := range b.requests {
		if e.reported || !broker.RanAs(e.req, h) || !pick(e.req) {
			continue
		}
		if found == nil || cmp.Or(e.req.CreatedAt.Compare(found.req.CreatedAt), cmp.Compare(e.req.ID, found.req.ID)) < 0 {
			found = e
		}
	}
	return found
}

// everAllowed reports whether a call like the one that h reports was allowed, as far as
// the record goes. What cannot be read was.
func (b *Broker) everAllowed(ctx context.Context, h agents.Hook) bool {
	b.mu.Lock()
	for _, e := range b.requests {
		if broker.RanAs(e.req, h) && broker.ToldToRun(e.req) {
			b.mu.Unlock()
			return true
		}
	}
	b.mu.Unlock()
	calls, err := b.store.Requests(ctx, broker.RequestFilter{SessionID: h.SessionID, Decided: true, Limit: pastRuns})
	if err != nil || len(calls) == pastRuns {
		return true
	}
	for _, r := range calls {
		if broker.RanAs(r, h) && broker.ToldToRun(r) {
			return true
		}
	}
	return false
}
