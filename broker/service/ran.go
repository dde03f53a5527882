package service

import (
	"context"
	"errors"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
)

// An agent reports each call that it ran. The report is compared with what was allowed:
// another hook may have rewritten the call after us, or the gate may have been passed by.
// A difference is an alarm: recorded, shown, and until the operator has acknowledged it
// no rule allows anything in that session.
//
// What is no alarm, because it happens to honest agents:
//   - calls that nobody held (observing), or that were asked as PermissionRequest, where
//     the person in the agent's own terminal may be quicker, and may change the input;
//   - what a person fills in at the agent's own form (formTools);
//   - the input of a plan, which agents do not report; another plan is one;
//   - calls of a tool that this session has not asked for in the turn that this console
//     saw begin: the hook may be installed for other tools only, or since later;
//   - the folder, which a command may change while it runs;
//   - defaults that the agent adds to an input that the operator has edited.

// compareRun looks whether the call that h reports was allowed as it ran. r is what the engine
// made of the report.
func (b *Broker) compareRun(ctx context.Context, h agents.Hook, r engine.Reply) {
	if h.Kind != agents.ToolDone {
		return
	}
	if h.ToolUseID == "" {
		if r.Replay && !b.everAllowed(ctx, h) {
			b.raise(ctx, broker.Alarm{
				Kind: broker.RanRefused, SessionID: h.SessionID, RequestID: r.Call.ID, ToolName: h.ToolName, Ran: h.ToolInput, Digest: broker.Digest(h.ToolName, h.ToolInput, ""),
			})
		}
		return
	}
	req, err := b.requestOfRun(ctx, h)
	a := broker.Alarm{SessionID: h.SessionID, ToolName: h.ToolName, ToolUseID: h.ToolUseID, Ran: h.ToolInput, Digest: broker.Digest(h.ToolName, h.ToolInput, "")}
	switch {
	case errors.Is(err, broker.ErrNotFound):
		if !b.view.WouldAsk(h.SessionID, h.ToolName) {
			return
		}
		a.Kind = broker.RanUnasked
	case err != nil:
		b.log.ErrorContext(ctx, "a call that ran was not compared", "session_id", h.SessionID, "tool_use_id", h.ToolUseID, "err", err)
		return
	default:
		if a.Kind = broker.CompareRun(req, h); a.Kind == "" {
			return
		}
		a.RequestID = req.ID
	}
	b.raise(ctx, a)
}

// requestOfRun finds the gate's request for the call that h reports.
func (b *Broker) requestOfRun(ctx context.Context, h agents.Hook) (broker.Request, error) {
	req, err := b.requestByKey(ctx, broker.CallKey(h, broker.GateOf(h.Agent)))
	if errors.Is(err, broker.ErrTampered) {
		return broker.Request{State: broker.Denied}, nil // a record that says otherwise than the log allows nothing
	}
	return req, err
}

// pastRuns is how many recorded calls of a session are looked through.
const pastRuns = 1000

// everAllowed reports whether a call like the one that h reports was allowed, as far as the
// record goes. What cannot be read was.
func (b *Broker) everAllowed(ctx context.Context, h agents.Hook) bool {
	if b.view.RanLike(h) {
		return true
	}
	calls, err := b.store.Requests(ctx, broker.RequestFilter{SessionID: h.SessionID, Decided: true, Limit: pastRuns})
	if err != nil || len(calls) == pastRuns {
		return true
	}
	return slices.ContainsFunc(calls, func(r broker.Request) bool { return broker.RanAs(r, h) && broker.ToldToRun(r) })
}

// raise records an alarm and tells everybody. One that cannot be recorded is told none the less.
func (b *Broker) raise(ctx context.Context, a broker.Alarm) {
	r := b.loop.Do(engine.Raise{Alarm: a})
	if r.Err != nil {
		b.log.ErrorContext(ctx, "alarm not recorded", "err", r.Err)
	}
	if r.Done || r.Err != nil {
		b.log.WarnContext(ctx, "a call ran otherwise than it was allowed", "session_id", a.SessionID, "request_id", a.RequestID, "kind", string(a.Kind))
	}
}
