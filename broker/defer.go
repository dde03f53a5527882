package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
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

// whyWaits says why the agent of r cannot be told that its call is put off; "" when it can.
// It is about what does not change.
func whyWaits(r Request, headless bool) string {
	t := agents.TraitsOf(r.Agent)
	switch {
	case !t.Defer:
		return "its agent cannot be told so: it waits as before"
	case r.Event == "" || r.Event != t.Gate || r.ToolUseID == "":
		return "its agent would not ask again: it waits as before"
	case r.SubagentID != "":
		return "a sub-agent's call would be lost: it waits as before"
	case dialog(r) != "":
		return "its agent asks the user, and would not ask again: it waits as before"
	case !headless:
		return "its user may sit before the agent: it waits as before"
	}
	return ""
}

// cannotDefer is ErrCannotDefer with the reason.
func cannotDefer(why string) error { return fmt.Errorf("%w: %s", ErrCannotDefer, why) }

// Defer puts a call off; see Console.
func (b *Broker) Defer(ctx context.Context, id string, by Actor) (Request, error) {
	req, err := b.putOff(ctx, id, by)
	if err != nil {
		return req, fmt.Errorf("put off %s: %w", clip(id), err)
	}
	return req, nil
}

func (b *Broker) putOff(ctx context.Context, id string, by Actor, used ...string) (Request, error) {
	e, cp, err := b.startPuttingOff(id, by)
	switch {
	case errors.Is(err, ErrNotFound):
		req, gone := b.store.Request(ctx, id) // ended long ago, or never asked
		if gone == nil {
			gone = ErrAlreadyDecided
		}
		return req, gone
	case err != nil:
		return b.now(ctx, Request{ID: id}), err
	case cp == nil: // put off already
		return b.now(ctx, Request{ID: id}), nil
	}
	if cp.Program == "" {
		cp.Program, cp.Args = startedHow(e.req.Agent, cp.Process)
	}
	c := &Change{Sync: true, Checkpoint: cp, Used: used, Events: []*Event{newEventAt(cp.At, EventDeferred, cp.request(), CheckpointData{Checkpoint: *cp})}}
	err = b.commit(ctx, c)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.release(e)
	se := b.session(e.req.SessionID)
	if err != nil {
		se.putOffTurn = false
		if storeFailed(err) {
			b.strays[id] = cp.SessionID
		}
		return e.req, fmt.Errorf("%w: %w", ErrNotRecorded, err)
	}
	b.shelve(se, e, cp)
	b.publish(Update{Request: ptr(e.req)})
	b.publishSession(se)
	for _, p := range e.parked {
		p.wake()
	}
	return e.req, nil
}

// startPuttingOff claims request id for being put off, and makes its checkpoint. Without
// one it is put off already.
func (b *Broker) startPuttingOff(id string, by Actor) (*entry, *Checkpoint, error) {
	b.lockIdle(id)
	e, ok := b.requests[id]
	if !ok {
		b.mu.Unlock()
		return nil, nil, ErrNotFound
	}
	r, se := e.req, b.session(e.req.SessionID)
	process := firstProcess(e.agent, se.s.Process)
	if run := se.s.Run; run == nil && r.State == Pending && r.Checkpoint == nil && r.Deferrable {
		b.mu.Unlock()
		if forgets(r.Agent, process) { // reads the process table
			return e, nil, cannotDefer("its agent keeps nothing of its session: it waits as before")
		}
		b.lockIdle(id)
		r = e.req
	}
	defer b.mu.Unlock()
	switch {
	case r.State.Terminal() || e.claimed || !e.saved:
		return e, nil, ErrAlreadyDecided
	case r.Checkpoint != nil:
		return e, nil, nil
	case !r.Deferrable:
		return e, nil, cannotDefer(cmp.Or(whyWaits(r, e.headless), "its agent is not there to be told"))
	case len(se.deferred) > 0 || se.putOffTurn:
		return e, nil, cannotDefer("another call of its session is put off, and only one can be: it waits as before")
	}
	cp := &Checkpoint{
		RequestID: id, SessionID: r.SessionID, ToolUseID: r.ToolUseID, CWD: cmp.Or(se.s.CWD, r.CWD), By: by,
		At: time.Now().UTC().Truncate(time.Millisecond), Process: process, Correlation: e.correlation,
	}
	if run := se.s.Run; run != nil {
		cp.Program, cp.Args = run.Program, run.Args
	}
	se.putOffTurn = true
	e.busy = make(chan struct{})
	return e, cp, nil
}

func firstProcess(list ...Process) Process {
	for _, p := range list {
		if p.PID != 0 {
			return p
		}
	}
	return Process{}
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
func (b *Broker) shelve(se *sessionEntry, e *entry, cp *Checkpoint) {
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
	if b.opts.OnTimeout != Defer {
		return false
	}
	_, err := b.putOff(context.Background(), id, Actor{Kind: ByDeadline})
	return err == nil
}

// clearStrays takes back checkpoints of which nobody knows whether they were recorded: their
// agents were not told.
func (b *Broker) clearStrays(ctx context.Context) {
	b.mu.Lock()
	var list []Request
	for id, session := range b.strays {
		if e, ok := b.requests[id]; !ok || e.busy == nil && e.req.Checkpoint == nil && e.taken == nil {
			list = append(list, Request{ID: id, SessionID: session})
		}
	}
	b.mu.Unlock()
	for _, r := range list {
		err := b.commit(ctx, &Change{DropCheckpoints: []string{r.ID}, Events: []*Event{newEvent(EventNotDeferred, r, struct{}{})}})
		if err != nil && !errors.Is(err, ErrNotFound) {
			return // still broken; the next sweep tries again
		}
		b.mu.Lock()
		delete(b.strays, r.ID)
		b.mu.Unlock()
	}
}

// putOffAnswer is what the hook of a call is told that is put off.
func putOffAnswer() agents.Answer {
	return agents.Answer{Verdict: agents.Defer, Reason: "Put off in aoctl: a person will answer later."}
}

// besidePutOff is the end of a call that comes while another one of its turn is put off and
// that nothing allows: nobody can be asked about it without holding up the agent's end.
// Caller holds mu.
func (b *Broker) besidePutOff(se *sessionEntry, req Request) *Outcome {
	if e, ok := b.requests[req.ID]; !se.putOffTurn || ok && e.saved { // what waits already goes on waiting
		return nil
	}
	return &Outcome{State: Denied, By: Actor{Kind: ByBroker, ID: BesideID}, Reason: besideReason, At: req.CreatedAt}
}

// waitsBeside reports whether another call of the turn of request id is put off.
func (b *Broker) waitsBeside(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.requests[id]
	return ok && b.session(e.req.SessionID).putOffTurn
}

// BesideID is the id of the actor that refuses calls beside one that is put off.
const BesideID = "beside-deferred"

const besideReason = "another call of this turn is put off until a person answers"

// besideWords are what the model reads.
const besideWords = "Not run: another call of this turn was put off in aoctl until a person answers it. Nobody has refused this call. " +
	"Make it again once the call that was put off is answered."

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
