package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
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

// restoreAlarms reads what the log has of alarms. In doubt about one of them no rule may
// allow anything, in any session.
func (b *Broker) restoreAlarms(ctx context.Context) error {
	b.alarms = alarms{open: map[string]broker.Alarm{}, count: map[string]int{}, of: map[string]broker.Alarm{}, seen: map[string]bool{}}
	for after := int64(-1); ; { // all of them, oldest first: one that was let go would no longer hold its session's rules
		events, err := b.store.Events(ctx, broker.EventFilter{Console: true, Types: []string{broker.EventAlarm, broker.EventAlarmSeen}, After: after, Limit: alarmsRead})
		if err != nil {
			return fmt.Errorf("read the alarms: %w", err)
		}
		for _, e := range events {
			after = e.Seq
			var a broker.Alarm
			if err := json.Unmarshal(e.Data, &a); err != nil { // whose it is nobody knows
				b.keeper.doubt = cmp.Or(b.keeper.doubt, fmt.Sprintf("event %d of the log cannot be read: %v", e.Seq, err))
				continue
			}
			if e.Type == broker.EventAlarm {
				b.alarms.add(a)
			} else {
				b.alarms.seenIn(a.SessionID)
			}
		}
		if len(events) < alarmsRead {
			break
		}
	}
	for id, a := range b.alarms.open {
		if se, ok := b.sessions[id]; ok {
			se.s.Alarm = new(a)
		}
	}
	return nil
}

// compareRun looks whether the call that h reports was allowed as it ran.
func (b *Broker) compareRun(ctx context.Context, h agents.Hook) {
	if h.Kind != agents.ToolDone {
		return
	}
	if h.ToolUseID == "" {
		b.compareByInput(ctx, h)
		return
	}
	req, err := b.requestOfRun(ctx, h)
	a := broker.Alarm{SessionID: h.SessionID, ToolName: h.ToolName, ToolUseID: h.ToolUseID, Ran: h.ToolInput, Digest: broker.Digest(h.ToolName, h.ToolInput, "")}
	switch {
	case errors.Is(err, broker.ErrNotFound):
		if !b.wouldHaveAsked(h) {
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
	key := broker.CallKey(h, broker.GateOf(h.Agent))
	b.mu.Lock()
	e, ok := b.byKey[key]
	var req broker.Request
	if ok {
		req = e.req
	}
	b.mu.Unlock()
	if ok {
		return req, nil
	}
	req, err := b.store.RequestByKey(ctx, key)
	if errors.Is(err, broker.ErrTampered) {
		return broker.Request{State: broker.Denied}, nil // a record that says otherwise than the log allows nothing
	}
	return req, err
}

// wouldHaveAsked reports whether the call that h reports should have been asked for here
// first: its tool was, in this session, since its user last spoke in front of this console.
func (b *Broker) wouldHaveAsked(h agents.Hook) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	se, ok := b.sessions[h.SessionID]
	return ok && se.gated[h.ToolName] && !b.observing && !se.s.Observed
}

// raise records an alarm and tells everybody. One that cannot be recorded is told none
// the less.
func (b *Broker) raise(ctx context.Context, a broker.Alarm) {
	once := strings.Join([]string{a.SessionID, cmp.Or(a.ToolUseID, a.RequestID), string(a.Kind)}, "\x1f")
	b.mu.Lock()
	again := b.alarms.seen[once] || b.alarms.count[a.SessionID] >= mostOpen // reports have no other limit
	if len(b.alarms.seen) < 10*maxAlarms {
		b.alarms.seen[once] = true
	}
	a.At = now()
	if len(a.Ran) > maxRan {
		a.Ran = nil
	}
	if !again {
		b.alarms.add(a) // before its record, which may take long: from here on no rule allows
	}
	b.mu.Unlock()
	if again {
		return
	}
	who := broker.Request{SessionID: a.SessionID, ID: a.RequestID}
	// The session's own log tells of it, and the console's, which a starting one reads.
	err := b.commit(ctx, &broker.Change{Events: []*broker.Event{
		broker.NewEvent(a.At, broker.EventRanOtherwise, who, a), broker.NewEvent(a.At, broker.EventAlarm, broker.Request{ID: a.RequestID}, a),
	}})
	if err != nil {
		b.log.ErrorContext(ctx, "alarm not recorded", "err", err)
	}
	b.log.WarnContext(ctx, "a call ran otherwise than it was allowed", "session_id", a.SessionID, "request_id", a.RequestID, "kind", string(a.Kind))
	b.mu.Lock()
	defer b.mu.Unlock()
	se := b.session(a.SessionID)
	if se.s.Alarm == nil {
		se.s.Alarm = new(a)
	}
	if e, ok := b.requests[a.RequestID]; ok {
		e.req.Alarm = new(a)
		if e.saved {
			b.publish(broker.Update{Request: new(e.req)})
		}
	}
	b.publishSession(se)
}

// Acknowledge takes note of a session's alarm; see Console.
func (b *Broker) Acknowledge(ctx context.Context, sessionID string, by broker.Actor) error {
	if by.Kind != broker.ByOperator {
		return fmt.Errorf("acknowledge: %w", broker.ErrForbidden)
	}
	b.mu.Lock()
	a, ok := b.alarms.open[sessionID]
	b.mu.Unlock()
	if !ok {
		return fmt.Errorf("acknowledge %s: %w", broker.Clip(sessionID), broker.ErrNotFound)
	}
	data := map[string]any{"session_id": sessionID, "tool_use_id": a.ToolUseID, "kind": a.Kind, "by": by}
	if err := b.commit(ctx, &broker.Change{Sync: true, Events: []*broker.Event{broker.NewEvent(now(), broker.EventAlarmSeen, broker.Request{ID: a.RequestID}, data)}}); err != nil {
		return fmt.Errorf("acknowledge: %w: %w", broker.ErrNotRecorded, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.alarms.open[sessionID].At.Equal(a.At) && b.alarms.open[sessionID].ToolUseID == a.ToolUseID {
		b.alarms.seenIn(sessionID)
		se := b.session(sessionID)
		se.s.Alarm = nil
		b.publishSession(se)
	}
	return nil
}

// alarmed reports why no rule may allow anything in c's session; "" when they may.
// Caller holds mu.
func (b *Broker) alarmed(c *rules.Call) string {
	a, ok := b.alarms.open[c.SessionID()]
	if !ok {
		return ""
	}
	return "no rule may allow anything in this session until its alarm is acknowledged: " + a.ToolName + ": " + a.Words()
}

// markAlarms adds their alarms to recorded calls.
func (b *Broker) markAlarms(list []broker.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range list {
		if a, ok := b.alarms.of[list[i].ID]; ok {
			list[i].Alarm = new(a)
		}
	}
}
