package service

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
)

// decideBody is a decision. digest and dangerous are of interest to one that allows.
type decideBody struct {
	Decision     string          `json:"decision"`
	Reason       string          `json:"reason"`
	UpdatedInput json.RawMessage `json:"updated_input"`
	Digest       string          `json:"digest"`    // of the call that was looked at, or how it begins
	Dangerous    bool            `json:"dangerous"` // it is known that the call is dangerous
	End          bool            `json:"end"`       // deny: the session of a call that is put off is not resumed to hear of it
}

// postDecide takes a decision. Deny is open to every process of the user; allow takes
// an operator's token.
func (b *Broker) postDecide(w http.ResponseWriter, r *http.Request) {
	var body decideBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	switch {
	case allows(body.Decision):
		b.allow(w, r, body)
	case denies(body.Decision):
		b.deny(w, r, body.Reason, body.End)
	case body.Decision == "":
		fail(w, fmt.Errorf("%w: decision is missing; send \"deny\" or \"allow\"", broker.ErrInvalid))
	default:
		fail(w, fmt.Errorf("%w: decision %q is neither \"allow\" nor \"deny\"", broker.ErrInvalid, broker.Clip(body.Decision)))
	}
}

// allows and denies know the words of other brokers of this kind, too.
func allows(decision string) bool {
	return slices.Contains([]string{"allow", "allowed", "approve", "approved"}, decision)
}

func denies(decision string) bool {
	return slices.Contains([]string{"deny", "denied", "reject", "block"}, decision)
}

func (b *Broker) postApprove(w http.ResponseWriter, r *http.Request) {
	var body decideBody
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	if body.Decision != "" && !allows(body.Decision) {
		fail(w, fmt.Errorf("%w: this route allows; leave decision out", broker.ErrInvalid))
		return
	}
	b.allow(w, r, body)
}

func (b *Broker) postDeny(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Reason string `json:"reason"`
		End    bool   `json:"end"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	b.deny(w, r, body.Reason, body.End)
}

func (b *Broker) deny(w http.ResponseWriter, r *http.Request, reason string, end bool) {
	if len(reason) > broker.MaxReason {
		fail(w, fmt.Errorf("%w: reason is longer than %d bytes", broker.ErrInvalid, broker.MaxReason))
		return
	}
	req, err := b.Decide(r.Context(), r.PathValue("id"), broker.Decision{Verdict: broker.Deny, By: peers.ActorOf(r), Reason: reason, End: end})
	if err != nil {
		failWith(w, err, req)
		return
	}
	writeJSON(w, http.StatusOK, decisionView(req))
}

func (b *Broker) getApprovalRequests(w http.ResponseWriter, r *http.Request) {
	f := broker.RequestFilter{State: broker.State(r.URL.Query().Get("status")), SessionID: r.URL.Query().Get("session_id")}
	if f.State != "" && !f.State.Valid() {
		fail(w, fmt.Errorf("%w: status %q; use pending, allowed, denied, expired, cancelled or answered", broker.ErrInvalid, broker.Clip(string(f.State))))
		return
	}
	var err error
	if f.Limit, err = limitParam(r); err != nil {
		fail(w, err)
		return
	}
	if f.State == broker.Pending {
		writeList(w, b.Pending(f.SessionID), nil)
		return
	}
	list, err := b.store.Requests(r.Context(), f)
	writeList(w, list, err)
}

func limitParam(r *http.Request) (int, error) {
	s := r.URL.Query().Get("limit")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 10000 {
		return 0, fmt.Errorf("%w: limit must be a whole number from 1 to 10000", broker.ErrInvalid)
	}
	return n, nil
}

func (b *Broker) getApprovalRequest(w http.ResponseWriter, r *http.Request) {
	req, err := b.Request(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, req)
}

func (b *Broker) getSessionPending(w http.ResponseWriter, r *http.Request) {
	s, err := b.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	writeList(w, b.Pending(s.ID), nil)
}

// sessionView is a session with the word that the console shows.
type sessionView struct {
	broker.Session
	Status string `json:"status"`
}

func (b *Broker) getSessions(w http.ResponseWriter, r *http.Request) {
	list, err := b.Sessions(r.Context())
	views := make([]sessionView, 0, len(list))
	for _, s := range list {
		views = append(views, sessionView{s, s.Status()})
	}
	writeList(w, views, err)
}

func (b *Broker) getSession(w http.ResponseWriter, r *http.Request) {
	s, err := b.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, sessionView{s, s.Status()})
}

// getSessionEvents lists a session's events, oldest first, after ?after.
func (b *Broker) getSessionEvents(w http.ResponseWriter, r *http.Request) {
	s, err := b.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	f := broker.EventFilter{SessionID: s.ID, After: -1}
	if v := r.URL.Query().Get("after"); v != "" {
		if f.After, err = strconv.ParseInt(v, 10, 64); err != nil || f.After < 0 {
			fail(w, fmt.Errorf("%w: after must be an event's id", broker.ErrInvalid))
			return
		}
		if f.After == 0 {
			f.After = -1
		}
	}
	if f.Limit, err = limitParam(r); err != nil {
		fail(w, err)
		return
	}
	list, err := b.store.Events(r.Context(), f)
	writeList(w, list, err)
}

func (b *Broker) postStop(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Reason string `json:"reason"`
		Kill   bool   `json:"kill"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	if body.Kill {
		b.kill(w, r)
		return
	}
	s, err := b.Stop(r.Context(), r.PathValue("id"), peers.ActorOf(r))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, sessionView{s, s.Status()})
}

func (b *Broker) getCheckStop(w http.ResponseWriter, r *http.Request) {
	stop, err := b.StopRequested(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]bool{"stop_requested": stop})
}

// eventBody is what a program without hooks tells of its session.
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

	// Of a post_tool only.
	RequestID  string          `json:"request_id"`
	Result     json.RawMessage `json:"result"`
	Error      string          `json:"error"`
	DurationMS float64         `json:"duration_ms"`
}

// postEvent records what a program says of its own session. It never lifts a stop:
// any process could say so, and only the session's user may.
func (b *Broker) postEvent(w http.ResponseWriter, r *http.Request) {
	var body eventBody
	if err := decodeBody(w, r, &body); err != nil {
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
	if body.EventType == broker.EventPostTool {
		in.Apply, after = b.noteToldRan(r.Context(), body)
	}
	if err := b.loop.Do(in).Err; err != nil {
		fail(w, err)
		return
	}
	after()
	writeJSON(w, http.StatusOK, map[string]string{"session_id": body.SessionID, "event_type": body.EventType})
}

func (e eventBody) check() error {
	for name, v := range map[string]string{"session_id": e.SessionID, "agent": e.Agent, "name": e.Name, "tool_name": e.ToolName, "tool_use_id": e.ToolUseID} {
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

func (e eventBody) transition(now time.Time, s *broker.Session) []*broker.Event {
	switch e.EventType {
	case broker.EventSessionStop:
		return broker.EndSession(now, s, broker.SessionFinished, e.ExitCode, cmp.Or(e.Reason, "ended"))
	case broker.EventSessionStart:
		if s.State.Ended() {
			s.State, s.EndedAt, s.ExitCode, s.EndReason = broker.SessionActive, time.Time{}, nil, ""
		}
	}
	data := map[string]any{}
	for k, v := range map[string]string{"agent": e.Agent, "name": e.Name, "cwd": e.CWD, "reason": e.Reason, "message": broker.Excerpt(e.Message), "tool_name": e.ToolName, "tool_use_id": e.ToolUseID} {
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

// failWith adds to an already-decided error how the request ended.
func failWith(w http.ResponseWriter, err error, req broker.Request) {
	if errors.Is(err, broker.ErrAlreadyDecided) && req.State.Terminal() {
		writeJSON(w, http.StatusConflict, struct {
			Error   apiError `json:"error"`
			Outcome decision `json:"outcome"`
		}{apiError{"already_decided", "this call was already " + string(req.State), "the first answer counts"}, decisionView(req)})
		return
	}
	fail(w, err)
}
