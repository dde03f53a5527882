package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/peers"
)

// A call that is put off blocks nobody: its agent is told so, its process ends, and the
// request waits as a checkpoint for as long as it takes. It has no deadline and no asker
// then, and nothing that happens to its agent's process ends it.
//
// At most one call of a session is put off at a time: an agent that is resumed asks again
// for the last one only, and the others would be lost. While its turn goes on, what else it
// asks is refused unless something allows it (see besidePutOff).
//
// When the agent asks again, in another conversation, it gets the answer that is on record,
// once (giveDeferred), or waits for one like any other call (waitAgain).

// Defer puts a call off; see Console.
func (b *Broker) Defer(ctx context.Context, id string, by broker.Actor) (broker.Request, error) {
	req, err := b.putOff(ctx, id, by)
	if err != nil {
		return req, fmt.Errorf("put off %s: %w", broker.Clip(id), err)
	}
	return req, nil
}

func (b *Broker) putOff(ctx context.Context, id string, by broker.Actor, used ...string) (broker.Request, error) {
	e, cp, err := b.startPuttingOff(id, by)
	switch {
	case errors.Is(err, broker.ErrNotFound):
		req, gone := b.store.Request(ctx, id) // ended long ago, or never asked
		if gone == nil {
			gone = broker.ErrAlreadyDecided
		}
		return req, gone
	case err != nil:
		return b.now(ctx, broker.Request{ID: id}), err
	case cp == nil: // put off already
		return b.now(ctx, broker.Request{ID: id}), nil
	}
	if cp.Program == "" {
		cp.Program, cp.Args = peers.StartedHow(e.req.Agent, cp.Process)
	}
	c := &broker.Change{Sync: true, Checkpoint: cp, Used: used, Events: []*broker.Event{broker.NewEvent(cp.At, broker.EventDeferred, cp.AsRequest(), broker.CheckpointData{Checkpoint: *cp})}}
	err = b.commit(ctx, c)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.release(e)
	se := b.session(e.req.SessionID)
	if err != nil {
		se.putOffTurn = false
		if broker.StoreFailed(err) {
			b.strays[id] = cp.SessionID
		}
		return e.req, fmt.Errorf("%w: %w", broker.ErrNotRecorded, err)
	}
	b.shelve(se, e, cp)
	b.publish(broker.Update{Request: new(e.req)})
	b.publishSession(se)
	for _, p := range e.parked {
		p.wake()
	}
	return e.req, nil
}

// startPuttingOff claims request id for being put off, and makes its checkpoint. Without
// one it is put off already.
func (b *Broker) startPuttingOff(id string, by broker.Actor) (*entry, *broker.Checkpoint, error) {
	b.lockIdle(id)
	e, ok := b.requests[id]
	if !ok {
		b.mu.Unlock()
		return nil, nil, broker.ErrNotFound
	}
	r, se := e.req, b.session(e.req.SessionID)
	process := broker.FirstProcess(e.agent, se.s.Process)
	if run := se.s.Run; run == nil && r.State == broker.Pending && r.Checkpoint == nil && r.Deferrable {
		b.mu.Unlock()
		if peers.Forgets(r.Agent, process) { // reads the process table
			return e, nil, broker.CannotDefer("its agent keeps nothing of its session: it waits as before")
		}
		b.lockIdle(id)
		r = e.req
	}
	defer b.mu.Unlock()
	switch {
	case r.State.Terminal() || e.claimed || !e.saved:
		return e, nil, broker.ErrAlreadyDecided
	case r.Checkpoint != nil:
		return e, nil, nil
	case !r.Deferrable:
		return e, nil, broker.CannotDefer(cmp.Or(broker.WhyWaits(r, e.headless), "its agent is not there to be told"))
	case len(se.deferred) > 0 || se.putOffTurn:
		return e, nil, broker.CannotDefer("another call of its session is put off, and only one can be: it waits as before")
	}
	cp := &broker.Checkpoint{
		RequestID: id, SessionID: r.SessionID, ToolUseID: r.ToolUseID, CWD: cmp.Or(se.s.CWD, r.CWD), By: by,
		At: now(), Process: process, Correlation: e.correlation,
	}
	if run := se.s.Run; run != nil {
		cp.Program, cp.Args = run.Program, run.Args
	}
	se.putOffTurn = true
	e.busy = make(chan struct{})
	return e, cp, nil
}

// release ends what e was claimed for without having ended. Caller holds mu.
func (b *Broker) release(e *entry) {
	close(e.busy)
	e.busy = nil
}

// id is that of e's request, which never changes.
func (e *entry) id() string { return e.req.ID }

// lockIdle locks mu at a moment when none of ids is just being put off or taken up. Who
// marks one as busy does so before mu is unlocked, and takes no record lock until it is
// released: whoever waits here may hold one.
func (b *Broker) lockIdle(ids ...string) {
	for {
		b.mu.Lock()
		busy := b.busyOf(ids)
		if busy == nil {
			return
		}
		b.mu.Unlock()
		<-busy // at most as long as a record may take
	}
}

// busyOf is what to wait for until one of ids is not busy any more; nil when none is.
// Caller holds mu.
func (b *Broker) busyOf(ids []string) <-chan struct{} {
	for _, id := range ids {
		if e, ok := b.requests[id]; ok && e.busy != nil {
			return e.busy
		}
	}
	return nil
}

// shelve takes the waiting e from those that have a deadline and an asker. Caller holds mu.
func (b *Broker) shelve(se *sessionEntry, e *entry, cp *broker.Checkpoint) {
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
	}
	if _, waits := se.pending[e.req.ID]; waits {
		delete(se.pending, e.req.ID)
		b.pending--
	}
	e.req.Checkpoint, e.taken, e.bound = cp, nil, false
	se.deferred[e.req.ID] = e
}

// unshelve takes e from those that are put off. Caller holds mu.
func (b *Broker) unshelve(se *sessionEntry, e *entry) {
	e.req.Checkpoint = nil
	delete(se.deferred, e.req.ID)
}

// atDeadline does with a call whose time is over what the operator chose; false when it is
// to end as expired.
func (b *Broker) atDeadline(id string) bool {
	b.awaitExtended(id)
	b.lockIdle(id)
	e, ok := b.requests[id]
	shelved := ok && e.req.Checkpoint != nil
	early := ok && e.timer != nil && time.Now().Before(e.deadline) // taken up meanwhile, or given more time
	b.mu.Unlock()
	if shelved || early {
		return true
	}
	if b.opts.OnTimeout != broker.Defer {
		return false
	}
	_, err := b.putOff(context.Background(), id, broker.Actor{Kind: broker.ByDeadline})
	return err == nil
}

// clearStrays takes back checkpoints of which nobody knows whether they were recorded: their
// agents were not told.
func (b *Broker) clearStrays(ctx context.Context) {
	b.mu.Lock()
	var list []broker.Request
	for id, session := range b.strays {
		if e, ok := b.requests[id]; !ok || e.busy == nil && e.req.Checkpoint == nil && e.taken == nil {
			list = append(list, broker.Request{ID: id, SessionID: session})
		}
	}
	b.mu.Unlock()
	for _, r := range list {
		err := b.commit(ctx, &broker.Change{DropCheckpoints: []string{r.ID}, Events: []*broker.Event{broker.NewEvent(now(), broker.EventNotDeferred, r, struct{}{})}})
		if err != nil && !errors.Is(err, broker.ErrNotFound) {
			return // still broken; the next sweep tries again
		}
		b.mu.Lock()
		delete(b.strays, r.ID)
		b.mu.Unlock()
	}
}

// besidePutOff is the end of a call that comes while another one of its turn is put off and
// that nothing allows: nobody can be asked about it without holding up the agent's end.
// Caller holds mu.
func (b *Broker) besidePutOff(se *sessionEntry, req broker.Request) *broker.Outcome {
	if e, ok := b.requests[req.ID]; !se.putOffTurn || ok && e.saved { // what waits already goes on waiting
		return nil
	}
	return &broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByBroker, ID: broker.BesideID}, Reason: broker.BesideReason, At: req.CreatedAt}
}

// waitsBeside reports whether another call of the turn of request id is put off.
func (b *Broker) waitsBeside(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.requests[id]
	return ok && b.session(e.req.SessionID).putOffTurn
}

// notePutOffTurn notes when the turn in which a call was put off is over. Caller holds mu.
func (se *sessionEntry) notePutOffTurn(h agents.Hook) {
	switch h.Kind {
	case agents.TurnEnd, agents.Prompt, agents.SessionEnd, agents.SessionStart:
		if h.SubagentID == "" {
			se.putOffTurn = false
		}
	case agents.Observe, agents.Gate, agents.ToolDone, agents.SubagentStart, agents.SubagentStop, agents.Notify, agents.Settings:
	}
}
