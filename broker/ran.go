package broker

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/wire"
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

// RunKind says what is wrong about a call that ran.
type RunKind string

// The kinds of alarm.
const (
	RanChanged RunKind = "changed" // with another input than was allowed
	RanRefused RunKind = "refused" // although it was refused, or before it was answered
	RanUnasked RunKind = "unasked" // without having been asked for
)

// Alarm is a call that ran otherwise than it was allowed.
type Alarm struct {
	Kind      RunKind         `json:"kind"`
	SessionID string          `json:"session_id"`
	RequestID string          `json:"request_id,omitempty"` // none when it was never asked for
	ToolName  string          `json:"tool_name"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Ran       json.RawMessage `json:"ran,omitempty"` // the input that ran; left out when it is large
	Digest    string          `json:"digest"`        // of what ran, without a folder
	At        time.Time       `json:"at"`
}

// Words say what happened, as the end of a sentence about the call.
func (a Alarm) Words() string {
	switch a.Kind {
	case RanChanged:
		return "what ran was not what was allowed"
	case RanRefused:
		return "ran without being allowed"
	case RanUnasked:
	}
	return "ran without being asked for"
}

const (
	maxRan    = 64 << 10 // bytes of an input that ran that are kept
	maxAlarms = 1000     // tools of a session that are told apart; a tenth of the reports
	mostOpen  = 100      // alarms of a session that nobody has acknowledged; more say nothing new

	alarmsRead = 1000 // events that a starting console reads at a time
)

// formTools are tools whose input a person completes in the agent's own terminal.
var formTools = map[string]bool{agents.AskUserQuestion: true, agents.ExitPlanMode: true}

// alarms are the alarms of the log. Guarded by Broker.mu.
type alarms struct {
	open  map[string]Alarm // by session: the first one that nobody has acknowledged
	count map[string]int   // by session: how many there are of those
	of    map[string]Alarm // by request
	seen  map[string]bool  // by session, tool use and kind: reports come twice when two hooks are installed
}

// restoreAlarms reads what the log has of alarms. In doubt about one of them no rule may
// allow anything, in any session.
func (b *Broker) restoreAlarms(ctx context.Context) error {
	b.alarms = alarms{open: map[string]Alarm{}, count: map[string]int{}, of: map[string]Alarm{}, seen: map[string]bool{}}
	for after := int64(-1); ; { // all of them, oldest first: one that was let go would no longer hold its session's rules
		events, err := b.store.Events(ctx, EventFilter{Console: true, Types: []string{EventAlarm, EventAlarmSeen}, After: after, Limit: alarmsRead})
		if err != nil {
			return fmt.Errorf("read the alarms: %w", err)
		}
		for _, e := range events {
			after = e.Seq
			var a Alarm
			if err := json.Unmarshal(e.Data, &a); err != nil { // whose it is nobody knows
				b.keeper.doubt = cmp.Or(b.keeper.doubt, fmt.Sprintf("event %d of the log cannot be read: %v", e.Seq, err))
				continue
			}
			if e.Type == EventAlarm {
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
			se.s.Alarm = ptr(a)
		}
	}
	return nil
}

func (l *alarms) add(a Alarm) {
	if _, ok := l.open[a.SessionID]; !ok {
		l.open[a.SessionID] = a
	}
	l.count[a.SessionID]++
	if a.RequestID != "" {
		l.of[a.RequestID] = a
	}
}

// seenIn takes note that somebody has acknowledged the alarms of a session.
func (l *alarms) seenIn(sessionID string) {
	delete(l.open, sessionID)
	delete(l.count, sessionID)
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
	a := Alarm{SessionID: h.SessionID, ToolName: h.ToolName, ToolUseID: h.ToolUseID, Ran: h.ToolInput, Digest: Digest(h.ToolName, h.ToolInput, "")}
	switch {
	case errors.Is(err, ErrNotFound):
		if !b.wouldHaveAsked(h) {
			return
		}
		a.Kind = RanUnasked
	case err != nil:
		b.log.ErrorContext(ctx, "a call that ran was not compared", "session_id", h.SessionID, "tool_use_id", h.ToolUseID, "err", err)
		return
	default:
		if a.Kind = runKind(req, h); a.Kind == "" {
			return
		}
		a.RequestID = req.ID
	}
	b.raise(ctx, a)
}

// requestOfRun finds the gate's request for the call that h reports.
func (b *Broker) requestOfRun(ctx context.Context, h agents.Hook) (Request, error) {
	key := callKey(h, gateOf(h.Agent))
	b.mu.Lock()
	e, ok := b.byKey[key]
	var req Request
	if ok {
		req = e.req
	}
	b.mu.Unlock()
	if ok {
		return req, nil
	}
	req, err := b.store.RequestByKey(ctx, key)
	if errors.Is(err, ErrTampered) {
		return Request{State: Denied}, nil // a record that says otherwise than the log allows nothing
	}
	return req, err
}

// runKind is what is wrong about a run of req, "" when nothing is.
func runKind(req Request, h agents.Hook) RunKind {
	switch req.State {
	case Allowed:
	case Answered:
		if req.Outcome == nil || req.Outcome.By.Kind == ByObserve || asksElsewhere(req) {
			return ""
		}
		return RanRefused
	case Pending, Denied, Expired, Cancelled:
		return RanRefused
	}
	if dialog(req) == agents.ExitPlanMode && req.ToolName == h.ToolName {
		return planKind(req, h)
	}
	want, edited := req.ToolInput, false
	if req.Outcome != nil && len(req.Outcome.UpdatedInput) > 0 {
		want, edited = req.Outcome.UpdatedInput, true
	}
	if req.ToolName != h.ToolName || !sameRun(want, h.ToolInput, func(v json.RawMessage) bool {
		return formTools[h.ToolName] || edited && (string(v) == "null" || string(v) == "false")
	}) {
		return RanChanged
	}
	return ""
}

// planKind is what is wrong about the plan that h reports as approved. Claude Code does
// not report the input that was asked with, but the plan itself as the result.
func planKind(req Request, h agents.Hook) RunKind {
	var was, is struct {
		Plan   *string `json:"plan"`
		Edited bool    `json:"planWasEdited"` // by the person, in the agent's own terminal
	}
	if json.Unmarshal(req.ToolInput, &was) != nil || json.Unmarshal(h.Result, &is) != nil {
		return ""
	}
	if was.Plan != nil && is.Plan != nil && *was.Plan != *is.Plan && !is.Edited {
		return RanChanged
	}
	return ""
}

// sameRun compares the input that was allowed with the one that ran, by value; mayAdd
// says which members the latter may have beside.
func sameRun(allowed, ran json.RawMessage, mayAdd func(v json.RawMessage) bool) bool {
	x, errX := members(allowed)
	y, errY := members(ran)
	if errX != nil || errY != nil {
		return bytes.Equal(allowed, ran)
	}
	for key, v := range y {
		want, ok := x[key]
		if !ok && !mayAdd(v) || ok && !wire.Same(want, v) {
			return false
		}
		delete(x, key)
	}
	return len(x) == 0
}

// members reads an object strictly: what two readers could read differently is compared
// byte for byte.
func members(raw json.RawMessage) (map[string]json.RawMessage, error) {
	fields, err := wire.Fields(raw)
	m := make(map[string]json.RawMessage, len(fields))
	for _, f := range fields {
		m[f.Key] = f.Value
	}
	return m, err
}

// wouldHaveAsked reports whether the call that h reports should have been asked for here
// first: its tool was, in this session, since its user last spoke in front of this console.
func (b *Broker) wouldHaveAsked(h agents.Hook) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	se, ok := b.sessions[h.SessionID]
	return ok && se.gated[h.ToolName] && !b.observing && !se.s.Observed
}

// noteAsks notes what a session asks for before it runs. Caller holds mu.
func (se *sessionEntry) noteAsks(req Request) {
	if !se.turnSeen || req.Event != gateOf(req.Agent) {
		return
	}
	if se.gated == nil {
		se.gated = map[string]bool{}
	}
	if len(se.gated) < maxAlarms {
		se.gated[req.ToolName] = true
	}
}

// noteTurn notes that this console saw a turn begin: what runs from now on was asked for
// from now on. Caller holds mu.
func (se *sessionEntry) noteTurn(h agents.Hook) {
	if h.Kind == agents.SessionStart || h.Kind == agents.Prompt && !h.FromApp {
		se.turnSeen = true
	}
}

// raise records an alarm and tells everybody. One that cannot be recorded is told none
// the less.
func (b *Broker) raise(ctx context.Context, a Alarm) {
	once := strings.Join([]string{a.SessionID, cmp.Or(a.ToolUseID, a.RequestID), string(a.Kind)}, "\x1f")
	b.mu.Lock()
	again := b.alarms.seen[once] || b.alarms.count[a.SessionID] >= mostOpen // reports have no other limit
	if len(b.alarms.seen) < 10*maxAlarms {
		b.alarms.seen[once] = true
	}
	a.At = time.Now().UTC().Truncate(time.Millisecond)
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
	who := Request{SessionID: a.SessionID, ID: a.RequestID}
	// The session's own log tells of it, and the console's, which a starting one reads.
	err := b.commit(ctx, &Change{Events: []*Event{
		newEventAt(a.At, EventRanOtherwise, who, a), newEventAt(a.At, EventAlarm, Request{ID: a.RequestID}, a),
	}})
	if err != nil {
		b.log.ErrorContext(ctx, "alarm not recorded", "err", err)
	}
	b.log.WarnContext(ctx, "a call ran otherwise than it was allowed", "session_id", a.SessionID, "request_id", a.RequestID, "kind", string(a.Kind))
	b.mu.Lock()
	defer b.mu.Unlock()
	se := b.session(a.SessionID)
	if se.s.Alarm == nil {
		se.s.Alarm = ptr(a)
	}
	if e, ok := b.requests[a.RequestID]; ok {
		e.req.Alarm = ptr(a)
		if e.saved {
			b.publish(Update{Request: ptr(e.req)})
		}
	}
	b.publishSession(se)
}

// Acknowledge takes note of a session's alarm; see Console.
func (b *Broker) Acknowledge(ctx context.Context, sessionID string, by Actor) error {
	if by.Kind != ByOperator {
		return fmt.Errorf("acknowledge: %w", ErrForbidden)
	}
	b.mu.Lock()
	a, ok := b.alarms.open[sessionID]
	b.mu.Unlock()
	if !ok {
		return fmt.Errorf("acknowledge %s: %w", clip(sessionID), ErrNotFound)
	}
	data := map[string]any{"session_id": sessionID, "tool_use_id": a.ToolUseID, "kind": a.Kind, "by": by}
	if err := b.commit(ctx, &Change{Sync: true, Events: []*Event{newEvent(EventAlarmSeen, Request{ID: a.RequestID}, data)}}); err != nil {
		return fmt.Errorf("acknowledge: %w: %w", ErrNotRecorded, err)
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
func (b *Broker) markAlarms(list []Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range list {
		if a, ok := b.alarms.of[list[i].ID]; ok {
			list[i].Alarm = ptr(a)
		}
	}
}
