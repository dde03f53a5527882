package broker

import (
	"context"
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/wire"
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
	ev := newEvent(EventAnsweredAgain, req, AnsweredAgainData{ToolUseID: req.ToolUseID, PID: a.client.PID})
	if err := b.commit(ctx, &Change{Events: []*Event{ev}}); err != nil {
		b.log.ErrorContext(ctx, "second answer not recorded", "request_id", req.ID, "err", err)
		return false
	}
	return b.stoppedMeanwhile(req, e) == "" && b.heldNow(h.SessionID) == ""
}

// takeFirst finds the newest call that was allowed as h asks for it, and was not asked about
// again yet.
func (b *Broker) takeFirst(h agents.Hook) (*entry, Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found *entry
	for _, e := range b.requests {
		r := e.req
		if e.second || r.State != Allowed || r.Outcome == nil || r.SessionID != h.SessionID || r.Agent != h.Agent || r.Event != gateOf(h.Agent) ||
			r.ToolName != h.ToolName || time.Since(r.Outcome.At) > againFor || !covers(r, h.ToolInput) {
			continue
		}
		if found == nil || r.Outcome.At.After(found.req.Outcome.At) {
			found = e
		}
	}
	if found == nil {
		return nil, Request{}
	}
	found.second = true
	return found, found.req
}

// covers reports whether input is what was allowed with r.
func covers(r Request, input json.RawMessage) bool {
	allowed := r.ToolInput
	if len(r.Outcome.UpdatedInput) > 0 {
		allowed = r.Outcome.UpdatedInput
	}
	was, err1 := members(allowed)
	now, err2 := members(input)
	if err1 != nil || err2 != nil || len(now) == 0 {
		return false
	}
	for key, v := range now {
		if w, ok := was[key]; !ok || !wire.Same(w, v) {
			return false
		}
		delete(was, key)
	}
	delete(was, "timeout") // of a command: not asked about again
	return len(was) == 0
}
