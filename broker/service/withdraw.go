package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// Withdraw ends request id because whoever asked does not want to know any more. It can
// only refuse, so it is open to every process of the user. by is that process.
//
// A call that was withdrawn before is returned as it ended. Errors: ErrNotFound,
// ErrAlreadyDecided (the returned request says how), errPutOff, ErrInvalid, ErrNotRecorded
// (the agent was told no).
func (b *Broker) Withdraw(ctx context.Context, id, reason string, by broker.Actor) (broker.Request, error) {
	if len(reason) > broker.MaxReason {
		return broker.Request{}, fmt.Errorf("%w: reason is longer than %d bytes", broker.ErrInvalid, broker.MaxReason)
	}
	r := b.loop.Do(engine.Withdraw{ID: id, Reason: reason, By: by})
	if errors.Is(r.Err, broker.ErrNotFound) { // it ended long ago, or was never asked
		if r.Call, r.Err = b.store.Request(ctx, id); r.Err == nil && !r.Call.Outcome.Withdrawn() {
			r.Err = broker.ErrAlreadyDecided
		}
	}
	if r.Err != nil {
		return r.Call, fmt.Errorf("withdraw %s: %w", broker.Clip(id), r.Err)
	}
	return r.Call, nil
}

// postCancel takes a question back.
func (b *Broker) postCancel(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Reason string `json:"reason"`
	}
	if err := decodeBody(w, r, &body); err != nil {
		fail(w, err)
		return
	}
	b.withdraw(w, r, r.PathValue("id"), body.Reason)
}

// postHookCancel takes back the question that the same payload asked under the same
// correlation: a hook does not know its request's id before it is told to wait.
func (b *Broker) postHookCancel(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(w, r, wire.MaxHookBody)
	if err != nil {
		fail(w, err)
		return
	}
	id, err := b.askedBy(r, body)
	if err != nil {
		fail(w, err)
		return
	}
	b.withdraw(w, r, id, r.URL.Query().Get("reason"))
}

// askedBy is the id of the request that a hook's payload made.
func (b *Broker) askedBy(r *http.Request, payload []byte) (string, error) {
	a := readAsking(r)
	d, err := dialectFor(r.PathValue("agent"), payload, a.env)
	if err != nil {
		return "", err
	}
	h, err := d.Decode(payload)
	if err != nil {
		return "", err
	}
	if h.Kind != agents.Gate {
		return "", fmt.Errorf("%w: %s asks nothing", broker.ErrInvalid, broker.Clip(h.Event))
	}
	h.SessionID = b.rootOf(h)
	q := question(h, a.fromAgent(d.Name()))
	q.Digest = broker.Digest(q.ToolName, q.ToolInput, q.CWD)
	req, err := b.requestByKey(r.Context(), q.Key)
	if err != nil {
		return "", fmt.Errorf("withdraw: %w", err)
	}
	if !broker.SameCall(req, q) {
		return "", fmt.Errorf("withdraw: %w", broker.ErrConflict)
	}
	return req.ID, nil
}

func (b *Broker) withdraw(w http.ResponseWriter, r *http.Request, id, reason string) {
	req, err := b.Withdraw(r.Context(), id, reason, peers.ActorOf(r))
	if err != nil {
		failWith(w, err, req)
		return
	}
	writeJSON(w, http.StatusOK, decisionView(req))
}
