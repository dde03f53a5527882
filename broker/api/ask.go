package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// askBody is the body of both asking routes of the plain API. Only session_id, tool_name and
// tool_input must be there. Names are at most broker.MaxName bytes; the whole body is at most
// wire.MaxBody.
type askBody struct {
	SessionID string          `json:"session_id"`
	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"`
	ToolUseID string          `json:"tool_use_id"`
	RequestID string          `json:"request_id"`
	OtherID   string          `json:"correlation_id"` // the same
	CWD       string          `json:"cwd"`
	Agent     string          `json:"agent"`
	Timeout   float64         `json:"timeout"` // seconds
	AtMost    float64         `json:"at_most"` // seconds; as in Question
}

// question checks the body and makes a question of it. Times come in seconds. The key, by which
// the same call is found again, is the caller's own request id, else made of the session and the
// tool's id; without both every question is a new call.
//
// The key has the agent's name in it, so that two programs which number their calls alike never
// share a request. An id of the caller's own stands alone, as it is also the request's id.
func (a askBody) question() (broker.Question, error) {
	if a.OtherID != "" && a.RequestID != "" && a.OtherID != a.RequestID {
		return broker.Question{}, fmt.Errorf("%w: request_id and correlation_id are two names of one thing", broker.ErrInvalid)
	}
	a.RequestID = cmp.Or(a.RequestID, a.OtherID)
	for name, v := range map[string]string{
		"session_id": a.SessionID, "tool_name": a.ToolName, "tool_use_id": a.ToolUseID, "request_id": a.RequestID, "agent": a.Agent,
	} {
		if err := broker.CheckName(name, v); err != nil {
			return broker.Question{}, err
		}
	}
	switch {
	case a.SessionID == "":
		return broker.Question{}, fmt.Errorf("%w: session_id is missing", broker.ErrInvalid)
	case a.ToolName == "":
		return broker.Question{}, fmt.Errorf("%w: tool_name is missing", broker.ErrInvalid)
	case len(a.ToolInput) == 0 || a.ToolInput[0] != '{':
		return broker.Question{}, fmt.Errorf("%w: tool_input must be an object", broker.ErrInvalid)
	case a.Timeout < 0 || a.Timeout > broker.MaxTimeout.Seconds():
		return broker.Question{}, fmt.Errorf("%w: timeout must lie between 0 and %.0f seconds", broker.ErrInvalid, broker.MaxTimeout.Seconds())
	case a.AtMost < 0 || a.AtMost > broker.MaxTimeout.Seconds():
		return broker.Question{}, fmt.Errorf("%w: at_most must lie between 0 and %.0f seconds", broker.ErrInvalid, broker.MaxTimeout.Seconds())
	case a.RequestID != "" && !broker.ValidID(a.RequestID):
		return broker.Question{}, fmt.Errorf("%w: request_id may hold letters, digits and . _ : - only", broker.ErrInvalid)
	}
	q := broker.Question{Timeout: time.Duration(a.Timeout * float64(time.Second)), AtMost: time.Duration(a.AtMost * float64(time.Second))}
	q.ID, q.SessionID, q.ToolName, q.ToolInput, q.ToolUseID = a.RequestID, a.SessionID, a.ToolName, a.ToolInput, a.ToolUseID
	q.CWD, q.Agent = a.CWD, cmp.Or(a.Agent, "api")
	switch {
	case a.RequestID != "":
		q.Key = broker.OwnKey(a.RequestID)
	case a.ToolUseID != "":
		q.Key = strings.Join([]string{"api", q.Agent, a.SessionID, a.ToolUseID}, "\x1f")
	}
	return q, nil
}

// ask submits the call in the request's body. bound says that the call is cancelled when its
// asker leaves, as with a route that waits for the answer.
//
// A bound call is also tied to the caller's process. When that process ends while no connection
// is open, the engine notices, and the call is cancelled.
func (rt callRoutes) ask(w http.ResponseWriter, r *http.Request, bound bool) (broker.Request, error) {
	q, err := questionIn(w, r)
	if err != nil {
		return broker.Request{}, err
	}
	if bound {
		q.Bound = true
		if pid := peers.From(r.Context()).PID; pid != 0 {
			q.Asker = broker.Process{PID: pid}
		}
	}
	return rt.submitInTurn(r.Context(), q)
}

// questionIn is the call in the request's body.
func questionIn(w http.ResponseWriter, r *http.Request) (q broker.Question, err error) {
	var body askBody
	if err = decodeBody(w, r, &body); err == nil {
		q, err = body.question()
	}
	q.Waits = patienceOf(r)
	return q, err
}

// submitInTurn is Submit for at most maxRecording callers at a time. Recording a call opens files
// and looks at processes. Without a limit a crowd of hooks would use up all descriptors at once;
// the listener waits for the same tokens.
func (sv *Server) submitInTurn(ctx context.Context, q broker.Question) (broker.Request, error) {
	sv.gate.turn <- struct{}{}
	defer func() { <-sv.gate.turn }()
	return sv.o.Calls.Submit(ctx, q)
}

// postRequestApproval blocks until the call is answered: its own deadline is the
// only limit, so a plain HTTP client needs no loop.
//
// A program that is killed while it waits takes its call with it: nobody is left to run what
// would be allowed.
func (rt callRoutes) postRequestApproval(w http.ResponseWriter, r *http.Request) {
	req, err := rt.ask(w, r, true)
	if err != nil {
		fail(w, err)
		return
	}
	rt.whenAnswered(w, r, req, broker.MaxTimeout+time.Minute, rt.decisionReply)
}

// postCreateApprovalRequest answers as soon as the call is on record. The caller polls for the
// decision, from any process, so the call does not end with the connection.
func (rt callRoutes) postCreateApprovalRequest(w http.ResponseWriter, r *http.Request) {
	req, err := rt.ask(w, r, false)
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"request_id": req.ID})
}

// decisionRoute is where a decision is polled for. The pattern has a name because waiting treats
// those who poll it otherwise: they come back, so hanging up says little.
const decisionRoute = "GET /approval-requests/{id}/decision"

// getDecision answers 200 with the outcome, or 202 after ?timeout seconds. ?again says
// within how many seconds the caller looks once more.
//
// From the first poll on the call hangs on those who poll: when they stay away, it is cancelled,
// since nobody would run it.
func (rt callRoutes) getDecision(w http.ResponseWriter, r *http.Request) {
	wait, err := secondsParam(r, "timeout", 5*time.Second)
	again, err2 := secondsParam(r, "again", 0)
	if err = errors.Join(err, err2); err != nil {
		fail(w, err)
		return
	}
	req, err := rt.o.Records.Request(r.Context(), r.PathValue("id"))
	if errors.Is(err, broker.ErrNotFound) && rt.queue != nil {
		if req, err = rt.queue.Response(r.Context(), r.PathValue("id"), min(wait, rt.o.Hold), again); err == nil {
			write(w, rt.decisionReply(req))
			return
		}
	}
	if err != nil {
		fail(w, err)
		return
	}
	rt.o.Engine.Tell(engine.Polled{ID: req.ID, Within: again})
	rt.whenAnswered(w, r, req, min(wait, rt.o.Hold), rt.decisionReply)
}

// decisionReply is how the plain API tells of req. That the asker has heard the answer is told
// only after the bytes were sent: an allow that nobody heard is shown to the operator as such.
func (rt callRoutes) decisionReply(req broker.Request) reply {
	if !req.State.Terminal() {
		return rt.pendingReply(req)
	}
	rep := jsonReply(http.StatusOK, decisionView(req))
	rep.sent = func() { rt.o.Engine.Tell(engine.Heard{ID: req.ID}) }
	return rep
}

// secondsParam reads a parameter of the query that is a number of seconds, usual when it
// is not there.
func secondsParam(r *http.Request, name string, usual time.Duration) (time.Duration, error) {
	s := r.URL.Query().Get(name)
	if s == "" {
		return usual, nil
	}
	n, err := strconv.ParseFloat(s, 64)
	// The negated comparison also refuses NaN, for which every comparison is false.
	if err != nil || !(n >= 0) || n > broker.MaxTimeout.Seconds() {
		return 0, fmt.Errorf("%w: %s must be a number of seconds from 0 to %.0f", broker.ErrInvalid, name, broker.MaxTimeout.Seconds())
	}
	return time.Duration(n * float64(time.Second)), nil
}

// decision is how an outcome reads over the API. Decision is "allow", "deny", or "ask" for a hook's
// call that was left to its agent's own prompt:
// a program that reads only this member is never wrong about whether it may run the call.
type decision struct {
	RequestID    string          `json:"request_id"`
	Status       broker.State    `json:"status"`
	Decision     broker.Verdict  `json:"decision"`
	Reason       string          `json:"reason,omitempty"`
	By           *broker.Actor   `json:"by,omitempty"`
	DecidedAt    time.Time       `json:"decided_at,omitzero"`
	UpdatedInput json.RawMessage `json:"updated_input,omitempty"`
	Unrecorded   bool            `json:"unrecorded,omitempty"`
}

// decisionView is how r's outcome reads. Everything that is not clearly allowed reads as deny. A
// call that was left to its agent because aoctl only observes was let run, so it reads as allow.
func decisionView(r broker.Request) decision {
	d := decision{RequestID: r.ID, Status: r.State, Decision: broker.Deny, Reason: broker.AnswerTo(r).Reason}
	if r.State == broker.Allowed || r.State == broker.Answered && r.Outcome != nil && r.Outcome.By.Kind == broker.ByObserve {
		d.Decision = broker.Allow
	}
	if r.Outcome != nil && r.Outcome.HandedOver() {
		d.Decision = broker.Ask
	}
	if r.Outcome != nil {
		d.Unrecorded = r.Unrecorded
		d.By, d.DecidedAt, d.UpdatedInput = &r.Outcome.By, r.Outcome.At, r.Outcome.UpdatedInput
	}
	return d
}

// patienceOf reads what a client tells of itself. Both headers are in milliseconds and relative,
// so that the clocks of two machines need not agree. A client that sends neither has a zero
// Patience, and its body's times count.
func patienceOf(r *http.Request) broker.Patience {
	var p broker.Patience
	now := time.Now()
	if left := headerMS(r, wire.HeaderTimeoutMS); left > 0 {
		p.Until = now.Add(left)
	}
	if most := headerMS(r, wire.HeaderAtMostMS); most > 0 {
		p.Most = now.Add(most)
	}
	return p
}

// pendingReply tells the asker that req waits, and for how long it may. wait_ms tells the client
// how long the call may wait from now on; the operator may have given it more time since the last
// poll.
func (sv *Server) pendingReply(req broker.Request) reply {
	body := struct {
		RequestID string       `json:"request_id"`
		Status    broker.State `json:"status"`
		WaitMS    int64        `json:"wait_ms,omitempty"`
	}{RequestID: req.ID, Status: broker.Pending}
	if x, ok := sv.o.View.Seen(req.ID, time.Now()); ok {
		body.WaitMS = max(min(x.Left, broker.MaxTimeout).Milliseconds(), 0) // a clock that was set back gives no client more
	}
	rep := jsonReply(http.StatusAccepted, body)
	rep.requestID = req.ID
	return rep
}
