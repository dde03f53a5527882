package api

import (
	"context"
	"net/http"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/wire"
)

// getOrders answers a runner's poll: at once when there is something to do, else when there is, or
// after ?timeout seconds. A held poll costs what a waiting hook does.
func (rt runRoutes) getOrders(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	wait, err := secondsParam(r, "timeout", 5*time.Second)
	if err != nil {
		fail(w, err)
		return
	}
	runner, err := runnerOf(r)
	if err != nil {
		fail(w, err)
		return
	}
	list, again, err := rt.o.Runs.Orders(r.Context(), id, runner)
	if err != nil {
		fail(w, err)
		return
	}
	// Orders that the runner was told a moment ago are not told at once again: it is carrying
	// them out.
	wait = min(wait, rt.o.Hold)
	if len(list) > 0 {
		wait = min(wait, again)
	}
	if wait <= 0 {
		write(w, rt.tell(id, list))
		return
	}
	// The request's context ends with its handler, which is before the answer is sent.
	proof, ctx := proofOf(w), context.WithoutCancel(r.Context())
	rt.park(w, func(p *Parked) {
		if !rt.HoldOrders(p, id, wait) {
			return
		}
		answer := errorReply(broker.ErrClosed)
		if !rt.draining.Load() {
			answer = rt.ordersReply(ctx, id, runner)
		}
		answer.proof = proof
		p.send(answer)
	})
}

// ordersReply reads the orders anew after the wait. The runner is checked again too: another one
// may hold the session by now.
func (rt runRoutes) ordersReply(ctx context.Context, id string, runner broker.Process) reply {
	list, _, err := rt.o.Runs.Orders(ctx, id, runner)
	if err != nil {
		return errorReply(err)
	}
	return rt.tell(id, list)
}

// tell is the answer that tells a runner of list. That they are about to be told is noted first.
// Should the answer be lost, they are told once more after a pause, under the same ids.
func (rt runRoutes) tell(id string, list []wire.RunOrder) reply {
	rt.o.Engine.Do(engine.OrdersSent{SessionID: id, List: list})
	if list == nil {
		list = []wire.RunOrder{}
	}
	return jsonReply(http.StatusOK, wire.RunOrders{Orders: list})
}
