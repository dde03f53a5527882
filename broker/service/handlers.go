package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// handler routes the API; docs/api.md describes it.
func (b *Broker) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]http.HandlerFunc{
		"POST /hooks/{agent}":                 b.postHook,
		"GET /hooks/{agent}/{id}":             b.getHook,
		"POST /hooks/{agent}/cancel":          b.postHookCancel,
		"POST /request-approval":              b.postRequestApproval,
		"POST /create-approval-request":       b.postCreateApprovalRequest,
		decisionRoute:                         b.getDecision,
		"POST /events":                        b.postEvent,
		"GET /check-stop/{id}":                b.getCheckStop,
		"GET /approval-requests":              b.getApprovalRequests,
		"GET /approval-requests/{id}":         b.getApprovalRequest,
		"POST /approval-requests/{id}/decide": b.postDecide,
		"POST /approval-requests/{id}/cancel": b.postCancel,
		"POST /tool-decisions/{id}/respond":   b.postDecide,
		"POST /tool-decisions/{id}/deny":      b.postDeny,
		"POST /tool-decisions/{id}/approve":   b.postApprove,
		"GET /sessions":                       b.getSessions,
		"GET /sessions/{id}":                  b.getSession,
		"GET /sessions/{id}/events":           b.getSessionEvents,
		"GET /sessions/{id}/pending":          b.getSessionPending,
		"GET /sessions/{id}/pending-reviews":  b.getSessionPending,
		"POST /sessions/{id}/answer":          b.postAnswer,
		"POST /sessions/{id}/stop":            b.postStop,
		"GET /sessions/{id}/processes":        b.getSessionProcesses,
		"POST /sessions/{id}/message":         b.postMessage,
		"DELETE /sessions/{id}/message":       b.deleteMessage,
		"POST /sessions/{id}/interrupt":       b.postInterrupt,
		"POST /sessions/{id}/settings":        b.postSettings,
		"POST /runs":                          b.postRun,
		"GET /runs/{id}/orders":               b.getOrders,
		"POST /runs/{id}/reports":             b.postReport,
		"POST /sessions/{id}/resume":          b.postResume,
		"POST /sessions/{id}/request-stop":    b.postStop,
		"GET /rules":                          b.getRules,
		"POST /rules":                         b.postRule,
		"PUT /rules/{id}":                     b.putRule,
		"DELETE /rules/{id}":                  b.deleteRule,
		"GET /sessions/{id}/rules":            b.getSessionRules,
		"POST /sessions/{id}/rules":           b.postSessionRule,
		"POST /rules/explain":                 b.postExplain,
		"POST /rules/preview":                 b.postPreview,
		"GET /grants":                         b.getGrants,
		"DELETE /grants/{id}":                 b.deleteGrant,
		"GET /stats":                          b.getStats,
		"GET /status":                         b.getStatus,
		"POST /observe":                       b.postObserve,
		"POST /freeze":                        b.postFreeze,
		"POST /unfreeze":                      b.postUnfreeze,
	} {
		mux.HandleFunc(pattern, h)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "no_such_route", "there is no "+r.Method+" "+broker.Clip(r.URL.Path), "docs/api.md lists the routes")
	})
	return b.proven(b.guard(mux))
}

// readBody reads a body of at most limit bytes, within the time that limitPeer gave it.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	rc := http.NewResponseController(w)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &tooBig):
		return nil, &bodyError{http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("the body is larger than %d bytes", limit)}
	case err != nil:
		return nil, &bodyError{http.StatusBadRequest, "bad_body", "the body did not arrive whole"}
	}
	noteHeard(r.Context())
	return body, rc.SetReadDeadline(time.Time{})
}

// decodeBody reads a JSON body into v, strictly; no body at all counts as {}. The
// content type is not looked at: no browser reaches a Unix socket, and curl calls
// whatever it sends a form.
func decodeBody(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := readBody(w, r, wire.MaxBody)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	if err := wire.Decode(body, v); err != nil {
		return &bodyError{http.StatusBadRequest, "bad_request", err.Error()}
	}
	return nil
}

// postHook takes one hook payload. A question is held until it is answered or
// Hold has passed; everything else is answered at once.
func (b *Broker) postHook(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(w, r, wire.MaxHookBody)
	if err != nil {
		fail(w, err)
		return
	}
	a := readAsking(r)
	d, err := dialectFor(r.PathValue("agent"), body, a.env)
	if err != nil {
		fail(w, err)
		return
	}
	a = a.fromAgent(d.Name())
	h, err := d.Decode(body)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set(wire.HeaderCorrelation, a.correlation)
	h.SessionID = b.rootOf(h)
	a.agent = b.knownAgent(h.SessionID, a)
	h.Headless = agents.Headless(d.Name(), a.env) || b.fromRunner(h.SessionID, a)
	if h.Kind == agents.Settings {
		if err := b.settingsChange(r.Context(), h, a); err != nil {
			fail(w, err) // the guarded line ends in exit 2, which is what keeps a change out
			return
		}
	}
	if h.Kind != agents.Gate {
		answer, err := b.observe(r.Context(), h, a)
		if err != nil {
			fail(w, err)
			return
		}
		rep := reply{status: http.StatusOK, body: d.Encode(h.Event, nil, answer)}
		if answer.StopTurn && d.Traits().StopTurn {
			rep.sent = func() { b.noteTurnStopped(context.Background(), h.SessionID, h.SubagentID) }
		}
		write(w, rep)
		return
	}
	if h.Slash != nil {
		var asks bool
		if h, asks, err = b.slash(h, a); err != nil {
			fail(w, err)
			return
		}
		if !asks {
			write(w, reply{status: http.StatusOK, body: d.Encode(h.Event, h.ToolInput, agents.Answer{Verdict: agents.Allow})})
			return
		}
	}
	if h.Second && b.allowedFirst(r.Context(), h, a) {
		write(w, reply{status: http.StatusOK, body: d.Encode(h.Event, h.ToolInput, agents.Answer{Verdict: agents.Allow})})
		return
	}
	req, err := b.submitInTurn(r.Context(), question(h, a))
	if err != nil {
		fail(w, err)
		return
	}
	b.answerHook(w, r, d, req)
}

// getHook goes on waiting for the answer to a question.
func (b *Broker) getHook(w http.ResponseWriter, r *http.Request) {
	if _, err := agents.For(r.PathValue("agent")); err != nil {
		fail(w, err)
		return
	}
	req, err := b.Request(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	d, err := agents.For(req.Agent) // which may be another than the hook was installed for
	if err != nil || req.Event == "" {
		fail(w, broker.ErrNotFound)
		return
	}
	if !b.isHeir(req.ID, r.Header.Get(wire.HeaderCorrelation)) {
		write(w, putOffReply(d, req))
		return
	}
	b.answerHook(w, r, d, req)
}

// answerHook waits for req's end, at most Hold, and writes the agent's answer, or
// 202 when there is none yet.
func (b *Broker) answerHook(w http.ResponseWriter, r *http.Request, d agents.Dialect, req broker.Request) {
	b.whenAnswered(w, r, req, b.opts.Hold, func(req broker.Request) reply { return b.hookReply(d, req) })
}

// hookReply is what an agent's hook is told about req.
func (b *Broker) hookReply(d agents.Dialect, req broker.Request) reply {
	if rep, putOff := b.sayPutOff(context.Background(), d, req); putOff {
		return rep
	}
	if !req.State.Terminal() {
		return b.pendingReply(req)
	}
	answer := broker.AnswerTo(req)
	answer.Tool = req.ToolName
	if answer.Verdict != agents.Allow {
		if stop, err := b.StopRequested(context.Background(), req.SessionID); err == nil && stop {
			answer.StopTurn = true
		}
	}
	rep := reply{status: http.StatusOK, body: d.Encode(req.Event, req.ToolInput, answer), requestID: req.ID}
	rep.sent = func() {
		b.heard(req.ID)
		if answer.StopTurn && d.Traits().StopTurn {
			b.noteTurnStopped(context.Background(), req.SessionID, req.SubagentID)
		}
	}
	return rep
}

// dialectFor finds out who really calls: some agents run the hooks of others.
func dialectFor(hint string, body []byte, env map[string]string) (agents.Dialect, error) {
	if _, err := agents.For(hint); err != nil {
		return nil, err
	}
	name, err := agents.Recognise(hint, body, env)
	if err != nil {
		return nil, err
	}
	return agents.For(name)
}

// askBody is the body of both asking routes of the plain API.
type askBody struct {
	SessionID string          `json:"session_id"`
	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"`
	ToolUseID string          `json:"tool_use_id"`
	RequestID string          `json:"request_id"`
	CWD       string          `json:"cwd"`
	Agent     string          `json:"agent"`
	Timeout   float64         `json:"timeout"` // seconds
	AtMost    float64         `json:"at_most"` // seconds; as in Question
}

func (a askBody) question() (broker.Question, error) {
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
		q.Key = "id:" + a.RequestID
	case a.ToolUseID != "":
		q.Key = strings.Join([]string{"api", q.Agent, a.SessionID, a.ToolUseID}, "\x1f")
	}
	return q, nil
}

func (b *Broker) ask(w http.ResponseWriter, r *http.Request, bound bool) (broker.Request, error) {
	var body askBody
	if err := decodeBody(w, r, &body); err != nil {
		return broker.Request{}, err
	}
	q, err := body.question()
	if err != nil {
		return broker.Request{}, err
	}
	q.Waits = patienceOf(r)
	if bound {
		q.Bound = true
		if pid := peers.From(r.Context()).PID; pid != 0 {
			q.Asker = broker.Process{PID: pid}
		}
	}
	return b.submitInTurn(r.Context(), q)
}

// submitInTurn is Submit for at most maxRecording callers at a time.
func (b *Broker) submitInTurn(ctx context.Context, q broker.Question) (broker.Request, error) {
	b.gate.turn <- struct{}{}
	defer func() { <-b.gate.turn }()
	return b.Submit(ctx, q)
}

// postRequestApproval blocks until the call is answered: its own deadline is the
// only limit, so a plain HTTP client needs no loop.
func (b *Broker) postRequestApproval(w http.ResponseWriter, r *http.Request) {
	req, err := b.ask(w, r, true)
	if err != nil {
		fail(w, err)
		return
	}
	b.whenAnswered(w, r, req, broker.MaxTimeout+time.Minute, b.decisionReply)
}

func (b *Broker) postCreateApprovalRequest(w http.ResponseWriter, r *http.Request) {
	req, err := b.ask(w, r, false)
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"request_id": req.ID})
}

const decisionRoute = "GET /approval-requests/{id}/decision"

// getDecision answers 200 with the outcome, or 202 after ?timeout seconds. ?again says
// within how many seconds the caller looks once more.
func (b *Broker) getDecision(w http.ResponseWriter, r *http.Request) {
	wait, err := secondsParam(r, "timeout", 5*time.Second)
	again, err2 := secondsParam(r, "again", 0)
	if err = errors.Join(err, err2); err != nil {
		fail(w, err)
		return
	}
	req, err := b.Request(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	b.loop.Tell(engine.Looked{ID: req.ID, Again: again})
	b.whenAnswered(w, r, req, min(wait, b.opts.Hold), b.decisionReply)
}

// decisionReply is how the plain API tells of req.
func (b *Broker) decisionReply(req broker.Request) reply {
	if !req.State.Terminal() {
		return b.pendingReply(req)
	}
	rep := jsonReply(http.StatusOK, decisionView(req))
	rep.sent = func() { b.heard(req.ID) }
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
	if err != nil || !(n >= 0) || n > broker.MaxTimeout.Seconds() {
		return 0, fmt.Errorf("%w: %s must be a number of seconds from 0 to %.0f", broker.ErrInvalid, name, broker.MaxTimeout.Seconds())
	}
	return time.Duration(n * float64(time.Second)), nil
}

// decision is how an outcome reads over the API.
type decision struct {
	RequestID    string          `json:"request_id"`
	Status       broker.State    `json:"status"`
	Decision     broker.Verdict  `json:"decision"`
	Reason       string          `json:"reason,omitempty"`
	By           *broker.Actor   `json:"by,omitempty"`
	DecidedAt    time.Time       `json:"decided_at,omitzero"`
	UpdatedInput json.RawMessage `json:"updated_input,omitempty"`
}

func decisionView(r broker.Request) decision {
	d := decision{RequestID: r.ID, Status: r.State, Decision: broker.Deny, Reason: broker.AnswerTo(r).Reason}
	if r.State == broker.Allowed || r.State == broker.Answered && r.Outcome != nil && r.Outcome.By.Kind == broker.ByObserve {
		d.Decision = broker.Allow
	}
	if r.Outcome != nil {
		d.By, d.DecidedAt, d.UpdatedInput = &r.Outcome.By, r.Outcome.At, r.Outcome.UpdatedInput
	}
	return d
}

// patienceOf reads what a client tells of itself.
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

// patience is that of who asks q, counted from now.
func (b *Broker) patience(q *broker.Question) broker.Patience {
	if !q.Waits.Until.IsZero() {
		return q.Waits
	}
	limits := b.limits()
	now, timeout := time.Now(), max(min(q.Timeout, broker.MaxTimeout), limits.Timeout(q))
	p := broker.Patience{Until: now.Add(timeout)}
	if q.AtMost > 0 {
		p.Most = now.Add(min(max(q.AtMost, timeout), broker.MaxTimeout))
	}
	return p
}

// pendingReply tells who asks that req waits, and for how long it may.
func (b *Broker) pendingReply(req broker.Request) reply {
	told := struct {
		RequestID string       `json:"request_id"`
		Status    broker.State `json:"status"`
		WaitMS    int64        `json:"wait_ms,omitempty"`
	}{RequestID: req.ID, Status: broker.Pending}
	if x, ok := b.view.Seen(req.ID, time.Now()); ok {
		told.WaitMS = max(min(x.Left, broker.MaxTimeout).Milliseconds(), 0) // a clock that was set back gives no client more
	}
	rep := jsonReply(http.StatusAccepted, told)
	rep.requestID = req.ID
	return rep
}
