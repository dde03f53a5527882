package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/hooks"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// postHook takes one hook payload. A question is held until it is answered or
// Hold has passed; everything else is answered at once.
//
// The answer is the agent's own JSON, which the client prints as it is. A status other than 200
// and 202 makes the client refuse the call, so every error here fails closed.
func (rt hookRoutes) postHook(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(w, r, wire.MaxHookBody)
	if err != nil {
		fail(w, err)
		return
	}
	d, h, a, err := rt.o.Hooks.Decode(r.PathValue("agent"), body, readAsker(r))
	if err != nil {
		fail(w, err)
		return
	}
	// A client that sent none gets the one that was made up, so that its polls belong to the same
	// conversation.
	w.Header().Set(wire.HeaderCorrelation, a.Correlation)
	h, a = rt.o.Hooks.Behind(h, a)
	// What keeps a change of settings out is this answer, so it comes before anything else is told.
	if h.Kind == agents.Settings {
		if err := rt.o.Settings.Change(r.Context(), h, a); err != nil {
			fail(w, err) // the guarded line ends in exit 2, which is what keeps a change out
			return
		}
	}
	if h.Kind != agents.Gate {
		answer, err := rt.o.Hooks.Observe(r.Context(), h, a)
		if err != nil {
			fail(w, err)
			return
		}
		// Only an agent that ends its turn when it is told to counts as told. With any other the
		// stop waits until its turn is seen to end.
		rep := reply{status: http.StatusOK, body: d.Encode(h.Event, nil, answer)}
		if answer.StopTurn && agents.TraitsOf(d.Name()).StopTurn {
			rep.sent = func() { rt.o.Sessions.TurnStopped(context.Background(), h.SessionID, h.SubagentID) }
		}
		write(w, rep)
		return
	}
	// A command that the user typed may run shell commands while the agent reads its text. Those
	// are asked about; a text without any is let pass.
	if h.Slash != nil {
		var asks bool
		if h, asks, err = rt.o.Hooks.Slash(h, a); err != nil {
			fail(w, err)
			return
		}
		if !asks {
			write(w, reply{status: http.StatusOK, body: d.Encode(h.Event, h.ToolInput, agents.Answer{Verdict: agents.Allow})})
			return
		}
	}
	// Some agents ask twice about one call. The second question gets the first one's answer, so
	// that the operator sees one card.
	if h.Second && rt.o.Calls.AllowedFirst(r.Context(), h, a.Client.PID) {
		write(w, reply{status: http.StatusOK, body: d.Encode(h.Event, h.ToolInput, agents.Answer{Verdict: agents.Allow})})
		return
	}
	req, err := rt.submitInTurn(r.Context(), hooks.Question(h, a))
	if err != nil {
		fail(w, err)
		return
	}
	rt.answerHook(w, r, d, req)
}

// getHook goes on waiting for the answer to a question.
//
// The correlation tells who polls. The call of another conversation may be known by its id alone,
// and its answer is not for everybody who knows that.
func (rt hookRoutes) getHook(w http.ResponseWriter, r *http.Request) {
	if _, err := agents.For(r.PathValue("agent")); err != nil {
		fail(w, err)
		return
	}
	req, err := rt.o.Records.Request(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	d, err := agents.For(req.Agent) // which may be another than the hook was installed for
	// A call of the plain API has no hook, so no dialect could write its answer.
	if err != nil || req.Event == "" {
		fail(w, broker.ErrNotFound)
		return
	}
	if !rt.o.Calls.IsHeir(req.ID, r.Header.Get(wire.HeaderCorrelation)) {
		write(w, putOffReply(d, req))
		return
	}
	rt.answerHook(w, r, d, req)
}

// answerHook waits for req's end, at most Hold, and writes the agent's answer, or
// 202 when there is none yet.
func (rt hookRoutes) answerHook(w http.ResponseWriter, r *http.Request, d agents.Dialect, req broker.Request) {
	rt.whenAnswered(w, r, req, rt.o.Hold, func(req broker.Request) reply { return rt.hookReply(d, req) })
}

// hookReply is what an agent's hook is told about req. It may run long after the hook's request,
// so it takes no context of it.
func (rt hookRoutes) hookReply(d agents.Dialect, req broker.Request) reply {
	if rep, putOff := rt.sayPutOff(context.Background(), d, req); putOff {
		return rep
	}
	if !req.State.Terminal() {
		return rt.pendingReply(req)
	}
	answer := broker.AnswerTo(req)
	answer.Tool = req.ToolName
	// A refusal under a stop also ends the turn. Otherwise the model would try the next call, and
	// the next one.
	if answer.Verdict != agents.Allow {
		if stop, err := rt.o.Records.StopRequested(context.Background(), req.SessionID); err == nil && stop {
			answer.StopTurn = true
		}
	}
	rep := reply{status: http.StatusOK, body: d.Encode(req.Event, req.ToolInput, answer), requestID: req.ID}
	// What follows is said once the bytes are on their way: an agent that left before has not
	// heard, and the engine must not believe that it has.
	rep.sent = func() {
		rt.o.Engine.Tell(engine.Heard{ID: req.ID})
		if answer.StopTurn && agents.TraitsOf(d.Name()).StopTurn {
			rt.o.Sessions.TurnStopped(context.Background(), req.SessionID, req.SubagentID)
		}
	}
	return rep
}

// readAsker reads who sends a hook payload from the headers and the connection. The headers are
// the sender's own words: a correlation that is missing or too long is replaced, and a variable
// that cannot be read is left out. The process comes from the kernel.
//
// A value of wire.HeaderEnv is name=value, with the value escaped as in a query, since a variable
// may hold bytes that no header may.
func readAsker(r *http.Request) hooks.Asker {
	a := hooks.Asker{Correlation: r.Header.Get(wire.HeaderCorrelation), Env: map[string]string{}}
	if a.Correlation == "" || len(a.Correlation) > broker.MaxName {
		a.Correlation = uuid.NewString()
	}
	a.Timeout, a.Patience = headerMS(r, wire.HeaderTimeoutMS), patienceOf(r)
	for _, kv := range r.Header.Values(wire.HeaderEnv) {
		name, value, _ := strings.Cut(kv, "=")
		if v, err := url.QueryUnescape(value); err == nil {
			a.Env[name] = v
		}
	}
	peer := peers.From(r.Context())
	if peer.PID != 0 {
		a.Client = broker.Process{PID: peer.PID}
	}
	a.TCP = peer.TCP
	return a
}

// headerMS reads a header of milliseconds, 0 when there is none. A client whose time is over
// says 0, and that must not become our own default. What is longer than any call may wait counts
// as the longest, so a client cannot overflow the sum of two times.
func headerMS(r *http.Request, name string) time.Duration {
	ms, err := strconv.ParseInt(r.Header.Get(name), 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(min(max(ms, 1), broker.MaxTimeout.Milliseconds())) * time.Millisecond
}

// putOffReply tells a hook that the call of req is put off. Its agent ends cleanly with that
// answer. Which agents do, their profiles say.
func putOffReply(d agents.Dialect, req broker.Request) reply {
	a := broker.PutOffAnswer()
	a.Tool = req.ToolName
	return reply{status: http.StatusOK, body: d.Encode(req.Event, req.ToolInput, a), requestID: req.ID}
}

// sayPutOff is what the hook of req hears while it is put off, or has an answer that nobody
// was given: ok is false for any other call.
//
// An answer that was found is given once, and only to the conversation that asked again: getHook
// has looked at that.
func (rt hookRoutes) sayPutOff(ctx context.Context, d agents.Dialect, req broker.Request) (rep reply, ok bool) {
	switch {
	case req.Checkpoint == nil:
		return reply{}, false
	case !req.State.Terminal():
		return putOffReply(d, req), true
	}
	req, err := rt.o.Calls.GiveDeferred(ctx, req)
	if err != nil {
		return errorReply(err), true
	}
	return rt.hookReply(d, req), true
}

// postHookCancel takes back the question that the same payload asked under the same
// correlation: a hook does not know its request's id before it is told to wait. It needs the
// whole payload again, since that is what the request's key and digest are made of.
func (rt hookRoutes) postHookCancel(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(w, r, wire.MaxHookBody)
	if err != nil {
		fail(w, err)
		return
	}
	id, err := rt.askedBy(r, body)
	if err != nil {
		fail(w, err)
		return
	}
	rt.withdraw(w, r, id, r.URL.Query().Get("reason"))
}

// askedBy is the id of the request that a hook's payload made. Errors: broker.ErrNotFound,
// broker.ErrConflict (the same key came with another call), broker.ErrInvalid for a hook that
// asks nothing.
func (rt hookRoutes) askedBy(r *http.Request, payload []byte) (string, error) {
	_, h, a, err := rt.o.Hooks.Decode(r.PathValue("agent"), payload, readAsker(r))
	if err != nil {
		return "", err
	}
	if h.Kind != agents.Gate {
		return "", fmt.Errorf("%w: %s asks nothing", broker.ErrInvalid, broker.Clip(h.Event))
	}
	q := hooks.Question(h, a)
	q.Digest = broker.Digest(q.ToolName, q.ToolInput, q.CWD)
	req, err := rt.o.Records.RequestByKey(r.Context(), q.Key)
	if err != nil {
		return "", broker.While(err, "withdraw")
	}
	if !broker.SameCall(req, q) {
		return "", broker.While(broker.ErrConflict, "withdraw")
	}
	return req.ID, nil
}
