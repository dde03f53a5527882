package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
)

// eventBody is what a program without hooks tells of its session. event_type is one of those that
// check lists. Text members are cut to an excerpt in the log; data is stored as it came.
type eventBody struct {
	EventType string          `json:"event_type"`
	SessionID string          `json:"session_id"`
	Agent     string          `json:"agent"`
	Name      string          `json:"name"`
	CWD       string          `json:"cwd"`
	ExitCode  *int            `json:"exit_code"`
	Reason    string          `json:"reason"`
	Message   string          `json:"message"`
	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"`
	ToolUseID string          `json:"tool_use_id"`
	Data      json.RawMessage `json:"data"`
	Role      string          `json:"role"`   // of who said a message
	Status    string          `json:"status"` // how a step ended, in the program's own word

	// Names that other programs have for name and result.
	SessionName string          `json:"session_name"`
	ToolOutput  json.RawMessage `json:"tool_output"`

	// Of a post_tool only.
	RequestID  string          `json:"request_id"`
	Result     json.RawMessage `json:"result"`
	Error      string          `json:"error"`
	DurationMS float64         `json:"duration_ms"`
}

// postEvent records what a program says of its own session. It never lifts a stop:
// any process could say so, and only the session's user may.
func (rt sessionRoutes) postEvent(w http.ResponseWriter, r *http.Request) {
	var body eventBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	if err := body.oneName(); err != nil {
		fail(w, err)
		return
	}
	if err := body.check(); err != nil {
		fail(w, err)
		return
	}
	in := engine.FromProgram{
		Speaker: engine.Speaker{SessionID: body.SessionID, Agent: cmp.Or(body.Agent, "api"), CWD: body.CWD, Hint: broker.SessionHint{Name: body.Name}},
		Apply:   body.transition, Ends: body.EventType == broker.EventSessionStop,
	}
	after := func() {}
	// What a program says it ran is compared with what it was allowed, as for hooks; that comes
	// after the event is on record.
	if body.EventType == broker.EventPostTool {
		in.Apply, after = rt.o.Hooks.ProgramRan(r.Context(), body.RequestID, body.ran(), body.Data)
	}
	if err := rt.o.Engine.Do(in).Err; err != nil {
		fail(w, err)
		return
	}
	after()
	writeJSON(w, http.StatusOK, map[string]string{"session_id": body.SessionID, "event_type": body.EventType})
}

// failedWords are what a status of a step that failed is.
var failedWords = []string{"error", "failed", "failure"}

// oneName gives what came under another name its own. Two values of one thing are an error.
func (e *eventBody) oneName() error {
	if e.Name != "" && e.SessionName != "" && e.Name != e.SessionName || len(e.Result) > 0 && len(e.ToolOutput) > 0 {
		return fmt.Errorf("%w: name and session_name, like result and tool_output, are two names of one thing", broker.ErrInvalid)
	}
	e.Name = cmp.Or(e.Name, e.SessionName)
	if len(e.Result) == 0 {
		e.Result = e.ToolOutput
	}
	if e.EventType == broker.EventPostTool && e.Error == "" && slices.Contains(failedWords, e.Status) {
		// A text is its words, anything else its JSON.
		if json.Unmarshal(e.Result, &e.Error) != nil {
			e.Error = string(e.Result)
		}
		e.Error = cmp.Or(e.Error, e.Status)
	}
	return nil
}

// check refuses what could not be recorded, or would be read otherwise than it was meant.
func (e eventBody) check() error {
	for name, v := range map[string]string{"session_id": e.SessionID, "agent": e.Agent, "name": e.Name, "tool_name": e.ToolName, "tool_use_id": e.ToolUseID, "role": e.Role, "status": e.Status} {
		if err := broker.CheckName(name, v); err != nil {
			return err
		}
	}
	if e.SessionID == "" {
		return fmt.Errorf("%w: session_id is missing", broker.ErrInvalid)
	}
	switch e.EventType {
	case broker.EventSessionStart, broker.EventSessionStop, broker.EventMessage, broker.EventUser, broker.EventPreTool, broker.EventPostTool:
		return e.checkRan()
	case "":
		return fmt.Errorf("%w: event_type is missing", broker.ErrInvalid)
	}
	return fmt.Errorf("%w: event_type %q; use session_start, session_stop, message, user, pre_tool or post_tool", broker.ErrInvalid, broker.Clip(e.EventType))
}

// transition changes s as the event says, and returns what goes into the log. A session that had
// ended goes on when its program says that it starts.
func (e eventBody) transition(now time.Time, s *broker.Session) []*broker.Event {
	switch e.EventType {
	case broker.EventSessionStop:
		return broker.EndSession(now, s, broker.SessionFinished, e.ExitCode, cmp.Or(e.Reason, "ended"))
	case broker.EventSessionStart:
		if s.State.Ended() {
			s.State, s.SessionEnd = broker.SessionActive, broker.SessionEnd{}
		}
	}
	data := map[string]any{}
	// Empty members are left out, so that a reader of the log can tell what was said.
	for k, v := range map[string]string{"agent": e.Agent, "name": e.Name, "cwd": e.CWD, "reason": e.Reason, "message": broker.Excerpt(e.Message), "tool_name": e.ToolName, "tool_use_id": e.ToolUseID, "role": e.Role, "status": e.Status} {
		if v != "" {
			data[k] = v
		}
	}
	if len(e.ToolInput) > 0 {
		data["tool_input"] = e.ToolInput
	}
	if len(e.Data) > 0 {
		data["data"] = e.Data
	}
	return []*broker.Event{broker.SessionEvent(now, e.EventType, *s, data)}
}

// longestRun is more milliseconds than any call takes: those of a year. Above it the number of
// nanoseconds would not fit into a time.Duration before long.
const longestRun = 365 * 24 * 60 * 60 * 1000

// checkRan looks at the fields of a post_tool.
func (e eventBody) checkRan() error {
	// A program that sends these with another event believes that its call is being compared. It
	// is told that it is not.
	if e.EventType != broker.EventPostTool && (e.RequestID != "" || len(e.Result) > 0 || e.Error != "" || e.DurationMS != 0) {
		return fmt.Errorf("%w: request_id, result, error and duration_ms go with post_tool", broker.ErrInvalid)
	}
	if !(e.DurationMS >= 0 && e.DurationMS < longestRun) {
		return fmt.Errorf("%w: duration_ms must be a number from 0 on, below a year", broker.ErrInvalid)
	}
	return broker.CheckName("request_id", e.RequestID)
}

// ran is e as a hook would tell it. An error becomes the result, as a JSON string, since that is
// where agents report theirs.
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
