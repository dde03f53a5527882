package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// askedAgain answers q, which asks for the call of e that is put off. Who asks in the same
// conversation as before has only lost the connection.
func (b *Broker) askedAgain(ctx context.Context, e *entry, q broker.Question) (broker.Request, error) {
	for {
		b.lockIdle(e.id())
		recording := e.claimed && !e.req.State.Terminal()
		b.mu.Unlock()
		if recording { // its answer is
			if _, err := b.settled(ctx, e.id()); err != nil {
				return broker.Request{}, err
			}
		}
		b.mu.Lock()
		req, takesUp := e.req, e.takenUpBy(q)
		if req.Checkpoint != nil && req.State.Terminal() {
			e.heir = q.Correlation
		}
		b.mu.Unlock()
		if !takesUp {
			return req, nil // its hook is told what to do; see hookReply
		}
		req, waits, err := b.waitAgain(ctx, e, q)
		switch {
		case err != nil:
			return broker.Request{}, err
		case waits:
			return b.passTakenUp(ctx, req)
		}
	}
}

// takenUpBy reports whether q makes the call of e wait again. Caller holds mu.
func (e *entry) takenUpBy(q broker.Question) bool {
	cp := e.req.Checkpoint
	return cp != nil && !e.claimed && (cp.Correlation == "" || cp.Correlation != q.Correlation)
}

// waitAgain makes a call that is put off, and for which its agent asks again, one that
// waits; false when that changed before it could begin.
func (b *Broker) waitAgain(ctx context.Context, e *entry, q broker.Question) (req broker.Request, waits bool, err error) {
	asker := q.Asker
	if asker.PID != 0 && asker.Start == 0 {
		asker = peers.FindProcess(asker.PID)
	}
	c := &broker.Change{Sync: true}
	b.mu.Lock()
	se := b.session(q.SessionID)
	b.mu.Unlock()
	unlock := b.withSession(c, se, q) // its record lock comes before e is busy
	cp, ok := b.startTakingUp(e, q)
	if !ok {
		unlock(broker.ErrNoChange)
		return broker.Request{}, false, nil
	}
	now := cp.TakenUpAt
	c.Checkpoint = &cp
	c.Events = append(c.Events, broker.NewEvent(now, broker.EventTakenUpAgain, cp.AsRequest(), broker.CheckpointData{Checkpoint: cp}))
	err = b.commit(ctx, c)
	unlock(err)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.release(e)
	if err != nil {
		return broker.Request{}, false, fmt.Errorf("%w: %w", broker.ErrNotRecorded, err)
	}
	b.unshelve(se, e)
	se.putOffTurn, se.resuming = false, nil
	se.pending[e.req.ID] = e
	b.pending++
	e.taken, e.bound, e.leftAt, e.hungUp = &cp, q.Bound, time.Now(), false
	e.agent, e.correlation, e.headless = q.Session.Process, q.Correlation, q.Headless
	e.req.Asker, e.req.ExpiresAt = asker, cp.ExpiresAt
	e.req.Deferrable = broker.WhyWaits(e.req, q.Headless) == ""
	e.req.ExtendedAt = time.Time{}
	b.arm(e, cp.ExpiresAt.Sub(now))
	b.noteAsker(e, q.Waits)
	b.publish(broker.Update{Request: new(e.req)})
	b.publishSession(se)
	return e.req, true, nil
}

// startTakingUp claims e for q, which takes it up, and makes the checkpoint of that. It is
// false when q does not.
func (b *Broker) startTakingUp(e *entry, q broker.Question) (broker.Checkpoint, bool) {
	b.lockIdle(e.id())
	defer b.mu.Unlock()
	if !e.takenUpBy(q) {
		return broker.Checkpoint{}, false
	}
	e.busy = make(chan struct{})
	cp := *e.req.Checkpoint
	cp.TakenUpAt = now()
	cp.ExpiresAt = cp.TakenUpAt.Add(b.timeout(&q))
	cp.Process, cp.Correlation = q.Session.Process, q.Correlation
	return cp, true
}

// passTakenUp ends a call that was just taken up where it need not wait: its session is
// stopped, or nothing is held.
func (b *Broker) passTakenUp(ctx context.Context, req broker.Request) (broker.Request, error) {
	b.mu.Lock()
	se := b.session(req.SessionID)
	var end *broker.Outcome
	switch {
	case se.s.State.UnderStop():
		end = &broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByStop}}
	case (b.observing || se.s.Observed) && req.Assessment != nil:
		end = &broker.Outcome{State: broker.Answered, By: broker.Actor{Kind: broker.ByObserve}, Reason: broker.ObservedReason(*req.Assessment)}
	}
	b.mu.Unlock()
	if end != nil {
		_, _ = b.end(ctx, req.ID, *end)
	}
	return b.now(ctx, req), nil
}

// giveDeferred gives the agent that asks again for the call of req the answer that is on
// record, however old it is. It does so once: the checkpoint goes in the transaction that
// says so, and who asks another time is answered as after any other call; see giveAgain.
func (b *Broker) giveDeferred(ctx context.Context, req broker.Request) (broker.Request, error) {
	b.lockIdle(req.ID)
	e, ok := b.requests[req.ID]
	if !ok || e.req.Checkpoint == nil {
		b.mu.Unlock()
		return b.giveAgain(ctx, b.now(ctx, req), e, broker.Question{Bound: true})
	}
	req = e.req
	if b.withhold(req) { // it is given once the freeze is lifted, however long that takes
		b.mu.Unlock()
		return broker.KeptBack(req), nil
	}
	e.busy = make(chan struct{})
	b.mu.Unlock()
	why := ""
	if req.State == broker.Allowed {
		why = b.outdated(ctx, req, e)
	}
	d := broker.CheckpointData{Checkpoint: *req.Checkpoint, Given: req.State}
	if why != "" {
		d.Given = broker.Denied
	}
	at := time.Now()
	c := &broker.Change{Sync: true, DropCheckpoints: []string{req.ID}, Events: []*broker.Event{broker.NewEvent(at, broker.EventTakenUpAgain, req, d)}}
	err := b.commit(ctx, c)
	b.mu.Lock()
	se := b.session(req.SessionID)
	b.release(e)
	if err == nil {
		b.unshelve(se, e)
		e.givenAt = at.UTC().Truncate(time.Millisecond)
		se.putOffTurn, se.resuming = false, nil
		b.forget(e)
		b.publish(broker.Update{Request: new(e.req)})
		b.publishSession(se)
	}
	req = e.req
	b.mu.Unlock()
	if err != nil {
		return broker.Request{}, fmt.Errorf("%w: %w", broker.ErrNotRecorded, err)
	}
	if why == "" && req.State == broker.Allowed {
		why = b.stoppedMeanwhile(req, e)
	}
	switch {
	case why == "" && b.withholds(req): // it is given again once the freeze is lifted
		return broker.KeptBack(req), nil
	case why == "":
		return req, nil
	}
	b.noteRefusal(ctx, req, broker.RefusedData{Wanted: broker.WantsAgain, Kind: broker.Replayed, Detail: why, By: broker.Actor{Kind: broker.ByAgent}})
	return broker.Request{}, fmt.Errorf("%w (it was allowed while it was put off, and %s)", broker.ErrAnsweredBefore, why)
}

// outdated says why what a person allowed while the call was put off must not run any more.
// It is neither the answer's age nor that the turn ended: both are as they should be.
func (b *Broker) outdated(ctx context.Context, req broker.Request, e *entry) string {
	if why := b.stoppedMeanwhile(req, nil); why != "" {
		return why
	}
	b.mu.Lock()
	doubt := cmp.Or(b.keeper.doubt, b.keeper.unread, b.keeper.stuck)
	_, alarm := b.alarms.open[req.SessionID]
	project, stamp := b.projectOf(req), e.stamp
	b.mu.Unlock()
	switch {
	case doubt != "":
		return "nothing is allowed without a person now: " + doubt
	case alarm:
		return "its session has an alarm that nobody has acknowledged"
	}
	if why := b.ranMeanwhile(ctx, req); why != "" {
		return why
	}
	call, _ := b.read(req, project, req.Vouched(), b.opts.Vet.Call)
	if len(req.Outcome.UpdatedInput) > 0 { // that is what would run
		edited := req
		edited.ToolInput = req.Outcome.UpdatedInput
		call, _ = b.read(edited, project, req.Vouched(), b.opts.Vet.Call)
		stamp = ""
	}
	switch a := b.assess(call, project, time.Now()); {
	case a.Verdict == rules.Deny:
		return "a rule denies it now: " + b.denyReason(a)
	case req.Outcome.By.Kind == broker.ByRule && a.Verdict != rules.Allow && !b.hadLastUse(ctx, req, call):
		return "the rules do not allow it any more"
	}
	if stamp != "" && workspace.CallStamp(call) != stamp || stamp == "" && workspace.TouchedSince(call, req.Outcome.At) {
		return "a file that it names changed"
	}
	return ""
}

// hadLastUse reports whether the rules that allowed req would do so now, had it not had one
// of their uses.
func (b *Broker) hadLastUse(ctx context.Context, req broker.Request, call *rules.Call) bool {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	events, err := b.store.Events(ctx, broker.EventFilter{
		SessionID: req.SessionID, Since: req.Outcome.At, Until: req.Outcome.At, Types: []string{broker.EventRequestDecided},
	})
	if err != nil {
		return false
	}
	set := b.keeper.set.Load()
	for _, ev := range events {
		var d broker.DecidedData
		if ev.RequestID != req.ID || json.Unmarshal(ev.Data, &d) != nil {
			continue
		}
		for _, id := range d.Rules {
			if set, err = b.withoutUse(set, id); err != nil {
				return false
			}
		}
	}
	return set.Judge(call, time.Now()).Verdict == rules.Allow
}

// withoutUse is set with one use of rule id given back.
func (b *Broker) withoutUse(set *rules.Set, id string) (*rules.Set, error) {
	b.mu.Lock()
	r, ok := b.keeper.rule(id)
	b.mu.Unlock()
	if !ok || r.Uses == 0 {
		return set, nil
	}
	r.Uses--
	return set.With(r)
}

// mostSince is how many events are looked at after the answer of a call that was put off.
const mostSince = 10_000

// ranMeanwhile says what the log has after req's decision that speaks against its answer.
func (b *Broker) ranMeanwhile(ctx context.Context, req broker.Request) string {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	events, err := b.store.Events(ctx, broker.EventFilter{
		SessionID: req.SessionID, Since: req.Outcome.At, Types: []string{broker.EventPostTool, broker.EventStopRequested, broker.EventAnswerWithheld}, Limit: mostSince,
	})
	switch {
	case err != nil:
		return "what came since cannot be read"
	case len(events) == mostSince:
		return "too much happened since" // there may be more
	}
	for _, ev := range events {
		switch {
		case ev.Type == broker.EventStopRequested:
			return "its session was stopped meanwhile"
		case ev.Type == broker.EventAnswerWithheld && ev.RequestID == req.ID:
			return "its asker was refused when it was made"
		case ev.Type == broker.EventAnswerWithheld:
			continue
		}
		if broker.RanCall(ev, req.ToolUseID) {
			return "the call has already run"
		}
	}
	return ""
}

// isHeir reports whether the conversation talk may have the answer of request id. That of a
// call that was put off is for who asked again for the call, and not for who knows its id.
func (b *Broker) isHeir(id, talk string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.requests[id]
	return !ok || e.req.Checkpoint == nil || !e.req.State.Terminal() || talk != "" && talk == e.heir
}

// putOffReply tells a hook that the call of req is put off.
func putOffReply(d agents.Dialect, req broker.Request) reply {
	a := broker.PutOffAnswer()
	a.Tool = req.ToolName
	return reply{status: http.StatusOK, body: d.Encode(req.Event, req.ToolInput, a), requestID: req.ID}
}

// sayPutOff is what the hook of req hears while it is put off, or has an answer that nobody
// was given: ok is false for any other call.
func (b *Broker) sayPutOff(ctx context.Context, d agents.Dialect, req broker.Request) (rep reply, ok bool) {
	switch {
	case req.Checkpoint == nil:
		return reply{}, false
	case !req.State.Terminal():
		return putOffReply(d, req), true
	}
	req, err := b.giveDeferred(ctx, req)
	if err != nil {
		return errorReply(err), true
	}
	return b.hookReply(d, req), true
}
