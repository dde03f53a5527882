package service

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
)

// getOrders answers a runner's poll: at once when there is something to do, else when there
// is, or after ?timeout seconds. A held poll costs what a waiting hook does.
func (b *Broker) getOrders(w http.ResponseWriter, r *http.Request) {
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
	list, again, err := b.ordersNow(r.Context(), id, runner)
	if err != nil {
		fail(w, err)
		return
	}
	wait = min(wait, b.opts.Hold)
	if len(list) > 0 {
		wait = min(wait, again)
	}
	if wait <= 0 {
		write(w, b.tell(id, list))
		return
	}
	proof, ctx := proofOf(w), context.WithoutCancel(r.Context())
	b.park(w, func(p *parked) {
		if !b.holdPoll(p, id, wait) {
			return
		}
		answer := errorReply(broker.ErrClosed)
		if !b.isDraining() {
			answer = b.ordersReply(ctx, id, runner)
		}
		answer.proof = proof
		p.send(answer)
	})
}

func (b *Broker) ordersReply(ctx context.Context, id string, runner broker.Process) reply {
	list, _, err := b.ordersNow(ctx, id, runner)
	if err != nil {
		return errorReply(err)
	}
	return b.tell(id, list)
}

// tell is the answer that tells a runner of list.
func (b *Broker) tell(id string, list []wire.RunOrder) reply {
	b.noteTold(id, list)
	if list == nil {
		list = []wire.RunOrder{}
	}
	return jsonReply(http.StatusOK, wire.RunOrders{Orders: list})
}

// holdPoll waits until the runner of session id has to be told something, or the time is
// over; it is false when the runner has left or spoke out of turn. A later poll ends an
// earlier one.
func (b *Broker) holdPoll(p *parked, id string, wait time.Duration) bool {
	if p.conn.SetDeadline(time.Now().Add(wait)) != nil {
		return false
	}
	b.mu.Lock()
	se, ok := b.sessions[id]
	if !ok || b.draining || se.news() {
		b.mu.Unlock()
		return true
	}
	if se.run.poll != nil {
		se.run.poll.wake()
	}
	se.run.poll = p
	b.mu.Unlock()
	var one [1]byte
	_, err := p.conn.Read(one[:])
	b.mu.Lock()
	defer b.mu.Unlock()
	if se.run.poll == p {
		se.run.poll = nil
	}
	return errors.Is(err, os.ErrDeadlineExceeded)
}
