package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
)

// toldRan is the data of an EventPostTool that a program told over the API: RanData, and
// what else it said.
type toldRan struct {
	broker.RanData
	ToolInput json.RawMessage `json:"tool_input,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
}

// longestRun is more milliseconds than any call takes: those of a year.
const longestRun = 365 * 24 * 60 * 60 * 1000

// checkRan looks at the fields of a post_tool.
func (e eventBody) checkRan() error {
	if e.EventType != broker.EventPostTool && (e.RequestID != "" || len(e.Result) > 0 || e.Error != "" || e.DurationMS != 0) {
		return fmt.Errorf("%w: request_id, result, error and duration_ms go with post_tool", broker.ErrInvalid)
	}
	if !(e.DurationMS >= 0 && e.DurationMS < longestRun) {
		return fmt.Errorf("%w: duration_ms must be a number from 0 on, below a year", broker.ErrInvalid)
	}
	return broker.CheckName("request_id", e.RequestID)
}

// ran is e as a hook would tell it.
func (e eventBody) ran() agents.Hook {
	h := agents.Hook{
		Agent: cmp.Or(e.Agent, "api"), Kind: agents.ToolDone, SessionID: e.SessionID, CWD: e.CWD,
		ToolName: e.ToolName, ToolInput: e.ToolInput, ToolUseID: e.ToolUseID, Result: e.Result,
		Failed: e.Error != "", Duration: time.Duration(e.DurationMS * float64(time.Millisecond)),
	}
	if h.Failed {
		h.Result, _ = json.Marshal(e.Error) // a string never fails
	}
	return h
}

// requestRan is the request of the call that e says has run, if it is known.
func (b *Broker) requestRan(ctx context.Context, e eventBody) (broker.Request, error) {
	req, err := broker.Request{}, broker.ErrNotFound
	switch {
	case e.RequestID != "":
		req, err = b.Request(ctx, e.RequestID)
	case e.ToolUseID != "":
		req, err = b.requestByKey(ctx, strings.Join([]string{"api", cmp.Or(e.Agent, "api"), e.SessionID, e.ToolUseID}, "\x1f"))
	}
	if err == nil && (req.SessionID != e.SessionID || req.Event != "") {
		return broker.Request{}, broker.ErrNotFound // a program tells of its own calls only
	}
	return req, err
}

// noteToldRan is the change of a post_tool over the API, and what is to be done once it
// is recorded: what ran is compared with what was allowed, where it says what ran.
func (b *Broker) noteToldRan(ctx context.Context, e eventBody) (change func(time.Time, *broker.Session) []*broker.Event, after func()) {
	req, err := b.requestRan(ctx, e)
	h := e.ran()
	d := toldRan{RanData: b.ranData(h), ToolInput: e.ToolInput, Data: e.Data}
	about := broker.Request{SessionID: e.SessionID, ID: req.ID}
	change = func(now time.Time, _ *broker.Session) []*broker.Event {
		return []*broker.Event{broker.NewEvent(now, broker.EventPostTool, about, d)}
	}
	return change, func() {
		if err != nil && !errors.Is(err, broker.ErrNotFound) {
			b.log.ErrorContext(ctx, "a call that ran was not compared", "session_id", e.SessionID, "err", err)
		}
		if err != nil || len(e.ToolInput) == 0 {
			return
		}
		if kind := broker.CompareRun(req, h); kind != "" {
			b.raise(ctx, broker.Alarm{
				Kind: kind, SessionID: e.SessionID, RequestID: req.ID, ToolName: e.ToolName, ToolUseID: e.ToolUseID,
				Ran: e.ToolInput, Digest: broker.Digest(e.ToolName, e.ToolInput, ""),
			})
		}
	}
}
