package service

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
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
	if err := b.recorded(ctx, id); err != nil {
		return broker.Request{}, fmt.Errorf("withdraw %s: %w", broker.Clip(id), err)
	}
	req, err := b.Request(ctx, id)
	if err != nil {
		return broker.Request{}, fmt.Errorf("withdraw %s: %w", broker.Clip(id), err)
	}
	if !req.State.Terminal() && req.Checkpoint != nil {
		return req, fmt.Errorf("withdraw %s: %w", id, broker.ErrPutOff)
	}
	if !req.State.Terminal() {
		by.Kind, by.ID = broker.ByAgent, broker.WithdrawnID
		ended, err := b.endAll(ctx, []string{id}, broker.Outcome{State: broker.Cancelled, By: by, Reason: cmp.Or(reason, broker.ReasonWithdrawn)}, nil)
		if len(ended) == 1 {
			return ended[0], err
		}
		if req, err = b.settled(ctx, id); err != nil { // somebody else won it
			return broker.Request{}, fmt.Errorf("withdraw %s: %w", id, err)
		}
	}
	if req.Outcome != nil && req.Outcome.Withdrawn() {
		return req, nil
	}
	return req, fmt.Errorf("withdraw %s: %w", id, broker.ErrAlreadyDecided)
}

// recorded waits until it is known whether request id could be recorded: one that is just
// being asked is not there yet for anybody to end.
func (b *Broker) recorded(ctx context.Context, id string) error {
	b.mu.Lock()
	e, ok := b.requests[id]
	b.mu.Unlock()
	if !ok {
		return nil
	}
	select {
	case <-e.tried:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", broker.ErrNotRecorded, ctx.Err())
	}
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
	b.mu.Lock()
	e, ok := b.byKey[q.Key]
	var req broker.Request
	if ok {
		req = e.req
	}
	b.mu.Unlock()
	if !ok {
		if req, err = b.store.RequestByKey(r.Context(), q.Key); err != nil {
			return "", fmt.Errorf("withdraw: %w", err)
		}
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
