package service

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
)

// Some agents ask twice about one call, once before every tool and once before tools of one
// kind, and the second question has no id. Where both are hooked, what was allowed the first
// time is allowed the second time, once and at once, unless something came in between.

// allowedFirst reports whether h asks again about a call that was just allowed, and takes
// note of that. In all doubt it is a question of its own.
func (b *Broker) allowedFirst(ctx context.Context, h agents.Hook, a asking) bool {
	if b.heldNow(h.SessionID) != "" {
		return false
	}
	e, req := b.takeFirst(h)
	if e == nil || b.outlived(ctx, req, e, false) != "" {
		return false
	}
	ev := broker.NewEvent(now(), broker.EventAnsweredAgain, req, broker.AnsweredAgainData{ToolUseID: req.ToolUseID, PID: a.client.PID})
	if err := b.commit(ctx, &broker.Change{Events: []*broker.Event{ev}}); err != nil {
		b.log.ErrorContext(ctx, "second answer not recorded", "request_id", req.ID, "err", err)
		return false
	}
	return b.stoppedMeanwhile(req, e) == "" && b.heldNow(h.SessionID) == ""
}

// takeFirst finds the newest call that was allowed as h asks for it, and was not asked about
// again yet.
func (b *Broker) takeFirst(h agents.Hook) (*entry, broker.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found *entry
	for _, e := range b.requests {
		r := e.req
		if e.second || r.State != broker.Allowed || r.Outcome == nil || r.SessionID != h.SessionID || r.Agent != h.Agent || r.Event != broker.GateOf(h.Agent) ||
			r.ToolName != h.ToolName || time.Since(r.Outcome.At) > againFor || !broker.CoversInput(r, h.ToolInput) {
			continue
		}
		if found == nil || r.Outcome.At.After(found.req.Outcome.At) {
			found = e
		}
	}
	if found == nil {
		return nil, broker.Request{}
	}
	found.second = true
	return found, found.req
}
