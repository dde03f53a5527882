package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

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
//
// Errors are logged and raise no alarm: an alarm that comes from a full disk would soon be one
// that nobody reads.
func (hs *Hooks) compareRun(ctx context.Context, h agents.Hook, r engine.Reply) {
	if h.Kind != agents.ToolDone {
		return
	}
	// Without an id several requests fit the report. Only when none like it was ever allowed is
	// it an alarm.
	if h.ToolUseID == "" {
		if r.Replay && !hs.everAllowed(ctx, h) {
			hs.raise(ctx, broker.Alarm{
				Kind: broker.RanRefused, SessionID: h.SessionID, RequestID: r.Call.ID, ToolName: h.ToolName, Ran: h.ToolInput, Digest: broker.Digest(h.ToolName, h.ToolInput, ""),
			})
		}
		return
	}
	req, err := hs.requestOfRun(ctx, h)
	a := broker.Alarm{SessionID: h.SessionID, ToolName: h.ToolName, ToolUseID: h.ToolUseID, Ran: h.ToolInput, Digest: broker.Digest(h.ToolName, h.ToolInput, "")}
	switch {
	case errors.Is(err, broker.ErrNotFound):
		if !hs.o.View.WouldAsk(h.SessionID, h.ToolName) {
			return
		}
		a.Kind = broker.RanUnasked
	case err != nil:
		hs.o.Log.ErrorContext(ctx, "a call that ran was not compared", "session_id", h.SessionID, "tool_use_id", h.ToolUseID, "err", err)
		return
	default:
		if a.Kind = broker.CompareRun(req, h); a.Kind == "" {
			return
		}
		a.RequestID = req.ID
	}
	hs.raise(ctx, a)
}

// requestOfRun finds the gate's request for the call that h reports.
func (hs *Hooks) requestOfRun(ctx context.Context, h agents.Hook) (broker.Request, error) {
	req, err := hs.o.Records.RequestByKey(ctx, broker.CallKey(h, broker.GateOf(h.Agent)))
	if errors.Is(err, broker.ErrTampered) {
		return broker.Request{State: broker.Denied}, nil // a record that says otherwise than the log allows nothing
	}
	return req, err
}

// runsRead is how many recorded calls of a session are looked through. A session with more is not
// searched: then the call counts as allowed, since a false alarm stops every rule of the session.
const runsRead = 1000

// everAllowed reports whether a call like the one that h reports was allowed, as far as the
// record goes. What cannot be read was.
func (hs *Hooks) everAllowed(ctx context.Context, h agents.Hook) bool {
	if hs.o.View.RanLike(h) {
		return true
	}
	calls, err := hs.o.Store.Requests(ctx, broker.RequestFilter{SessionID: h.SessionID, Decided: true, Limit: runsRead})
	if err != nil || len(calls) == runsRead {
		return true
	}
	return slices.ContainsFunc(calls, func(r broker.Request) bool { return broker.RanAs(r, h) && broker.ToldToRun(r) })
}

// raise records an alarm and tells everybody. Everybody hears of it even when it cannot be
// recorded. Done is false when the same alarm is raised already; it is logged once.
func (hs *Hooks) raise(ctx context.Context, a broker.Alarm) {
	r := hs.o.Engine.Do(engine.Raise{Alarm: a})
	if r.Err != nil {
		hs.o.Log.ErrorContext(ctx, "alarm not recorded", "err", r.Err)
	}
	if r.Done || r.Err != nil {
		hs.o.Log.WarnContext(ctx, "a call ran otherwise than it was allowed", "session_id", a.SessionID, "request_id", a.RequestID, "kind", string(a.Kind))
	}
}

// programRan is the data of an EventPostTool that a program told over the API: RanData, and
// what else it said.
type programRan struct {
	broker.RanData
	ToolInput json.RawMessage `json:"tool_input,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
}

// requestOfProgram is the request of the call that a program says has run, if it is known. The id
// may be any caller's guess, so the session must fit as well.
func (hs *Hooks) requestOfProgram(ctx context.Context, id string, h agents.Hook) (broker.Request, error) {
	req, err := broker.Request{}, broker.ErrNotFound
	switch {
	case id != "":
		req, err = hs.o.Records.Request(ctx, id)
	case h.ToolUseID != "":
		req, err = hs.o.Records.RequestByKey(ctx, strings.Join([]string{"api", h.Agent, h.SessionID, h.ToolUseID}, "\x1f"))
	}
	if err == nil && (req.SessionID != h.SessionID || req.Event != "") {
		return broker.Request{}, broker.ErrNotFound // a program tells of its own calls only
	}
	return req, err
}

// ProgramRan is the change of a program that says over the API that a call has run, and what is to
// be done once it is recorded: what ran is compared with what was allowed, where it says what ran.
// id is of the request, "" where it is not said; data is what else was said.
func (hs *Hooks) ProgramRan(ctx context.Context, id string, h agents.Hook, data json.RawMessage) (change func(time.Time, *broker.Session) []*broker.Event, after func()) {
	req, err := hs.requestOfProgram(ctx, id, h)
	d := programRan{RanData: hs.RanData(h), ToolInput: h.ToolInput, Data: data}
	about := broker.Request{SessionID: h.SessionID, ID: req.ID}
	change = func(now time.Time, _ *broker.Session) []*broker.Event {
		return []*broker.Event{broker.NewEvent(now, broker.EventPostTool, about, d)}
	}
	return change, func() {
		if err != nil && !errors.Is(err, broker.ErrNotFound) {
			hs.o.Log.ErrorContext(ctx, "a call that ran was not compared", "session_id", h.SessionID, "err", err)
		}
		// A program need not say what it ran. Without it there is nothing to compare.
		if err != nil || len(h.ToolInput) == 0 {
			return
		}
		if kind := broker.CompareRun(req, h); kind != "" {
			hs.raise(ctx, broker.Alarm{
				Kind: kind, SessionID: h.SessionID, RequestID: req.ID, ToolName: h.ToolName, ToolUseID: h.ToolUseID,
				Ran: h.ToolInput, Digest: broker.Digest(h.ToolName, h.ToolInput, ""),
			})
		}
	}
}
