package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Submit records q and returns its request: pending, or already decided by a rule,
// a grant or a stop. The same key and digest again is the same request, with the
// recorded answer if it has one; see giveAgain.
//
// Errors: ErrInvalid, ErrConflict (known key, other call), ErrAnsweredBefore, ErrTooMany, ErrTooFast,
// ErrTooManySessions, ErrNotRecorded, ErrClosed. After an error the call must not run.
func (b *Broker) Submit(ctx context.Context, q broker.Question) (broker.Request, error) {
	if err := q.Validate(); err != nil {
		return broker.Request{}, err
	}
	q.LimitTimes(time.Now())
	q.Waits = b.patience(&q) // before a record is made, which takes from their time
	e, known, err := b.reserve(&q)
	if err != nil {
		return broker.Request{}, err
	}
	if known {
		return b.join(ctx, e, q)
	}
	return b.insert(ctx, e, q)
}

// reserve finds q's request or claims its key for a new one.
func (b *Broker) reserve(q *broker.Question) (e *entry, known bool, err error) {
	id := q.ID
	if id == "" {
		v7, err := uuid.NewV7()
		if err != nil {
			return nil, false, fmt.Errorf("make a request id: %w", err)
		}
		id = v7.String()
	}
	q.Digest = broker.Digest(q.ToolName, q.ToolInput, q.CWD)
	if q.Key == "" {
		q.Key = "id:" + id
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, false, broker.ErrClosed
	}
	if e, ok := b.byKey[q.Key]; ok {
		return e, true, nil
	}
	if e, ok := b.requests[id]; ok {
		return e, true, nil
	}
	if err := b.admit(q.SessionID); err != nil {
		return nil, false, err
	}
	e = &entry{req: q.Request, done: make(chan struct{}), tried: make(chan struct{}), bound: q.Bound, leftAt: time.Now()}
	e.agent, e.correlation, e.headless = q.Session.Process, q.Correlation, q.Headless
	e.req.ID = id
	e.req.Deferrable = broker.WhyWaits(e.req, q.Headless) == ""
	e.req.State = broker.Pending
	e.req.CreatedAt = now()
	e.req.ExpiresAt = e.req.CreatedAt.Add(b.timeout(q))
	b.addEntry(e)
	return e, false, nil
}

// timeout is the operator's time for q: what the asker grants, and no more than the
// operator chose.
func (b *Broker) timeout(q *broker.Question) time.Duration {
	if q.Timeout > 0 && (!b.capped || q.Timeout < b.opts.ApprovalTimeout) {
		return min(q.Timeout, broker.MaxTimeout)
	}
	return b.opts.ApprovalTimeout
}

// insert records the new request e, together with its end where a rule, a grant or
// a stop already speaks.
func (b *Broker) insert(ctx context.Context, e *entry, q broker.Question) (broker.Request, error) {
	b.mu.Lock()
	se := b.session(q.SessionID)
	project := cmp.Or(se.s.ProjectDir, q.Session.ProjectDir, broker.FolderOf(q.Request))
	moot := b.moot(se)
	se.noteAsks(e.req)
	if se.s.Asks.Over(agents.Hook{Kind: agents.Gate, SubagentID: q.SubagentID, ToolUseID: q.ToolUseID}) {
		se.s.Asks = nil
	}
	b.mu.Unlock()
	call, legible := b.read(e.req, project, q.Trusted, b.opts.Vet.Call)
	assessment, ruled := b.ruling(call, project, !moot)
	assessment = broker.AsWaiting(assessment, e.req, q.Headless)
	stamp := ""
	if ruled == nil { // a person will look at it
		stamp = workspace.CallStamp(call)
	}

	b.mu.Lock()
	e.req.Assessment, e.req.Legible = &assessment, legible
	e.stamp = stamp
	end, grant := b.firstEnd(se, e.req, stamp, ruled)
	e.passing = end != nil
	e.unjudged = end == nil && b.held(q.SessionID) != ""
	b.mu.Unlock()
	if ruled != nil && end != ruled { // a stop or a freeze came in between
		b.unspend(assessment.Rules)
		b.stampLate(e, call)
	}

	var spoke []string
	if end != nil && end.By.Kind == broker.ByRule {
		spoke = assessment.Rules
	}
	c := b.creation(b.withAsker(e, end == nil), end, spoke)
	if grant != nil {
		c.UseGrant = &broker.GrantUse{ID: grant.ID, By: e.req.ID}
		c.Events = append(c.Events, broker.NewEvent(now(), broker.EventGrantUsed, e.req, map[string]string{"grant": grant.ID}))
	}
	unlock := b.withSession(c, se, q)
	err := b.commit(ctx, c)
	unlock(err)
	if err != nil {
		b.giveBack(grant, err)
		old, err := b.notInserted(ctx, e, q, err)
		if err != nil {
			return broker.Request{}, err
		}
		return b.giveAgain(ctx, old, nil, q)
	}
	req := b.inserted(ctx, e, end, q)
	if end == nil && assessment.Verdict == rules.Defer && req.Held == "" {
		req = b.putOffByRule(ctx, req, assessment)
	}
	return req, nil
}

// moot reports whether rules have no say about se's calls now. Caller holds mu.
func (b *Broker) moot(se *sessionEntry) bool {
	return se.s.State == broker.SessionStopping || se.s.State == broker.SessionStopped || b.observing || se.s.Observed || b.held(se.s.ID) != ""
}

// firstEnd is the end that a new request has at once, nil when it must wait: a stop
// comes before everything, then a freeze, then that nothing is held, then a rule, then
// what the operator allowed late. Caller holds mu.
func (b *Broker) firstEnd(se *sessionEntry, req broker.Request, stamp string, ruled *broker.Outcome) (end *broker.Outcome, used *broker.Grant) {
	switch {
	case se.s.State == broker.SessionStopping || se.s.State == broker.SessionStopped:
		end = &broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByStop}}
	case b.held(se.s.ID) != "":
		return nil, nil
	case b.observing || se.s.Observed:
		end = &broker.Outcome{State: broker.Answered, By: broker.Actor{Kind: broker.ByObserve}, Reason: broker.ObservedReason(*req.Assessment)}
	case ruled != nil:
		end = ruled
	case broker.AsksElsewhere(req):
		end = broker.LeftToAgent()
	case b.notRecording() != "": // a person may still allow it
		return b.besidePutOff(se, req), nil
	default:
		grant, ok := b.takeGrant(req, stamp)
		if !ok {
			end = b.besidePutOff(se, req)
			break
		}
		by := grant.By
		by.ID = grant.ID
		end, used = &broker.Outcome{State: broker.Allowed, By: by}, &grant
	}
	if end != nil {
		end.At = req.CreatedAt
	}
	return end, used
}

// withAsker returns e's request. Who is going to wait is watched, and a pid alone may
// be used again, so a waiting asker gets its start time.
func (b *Broker) withAsker(e *entry, waits bool) broker.Request {
	b.mu.Lock()
	asker := e.req.Asker
	b.mu.Unlock()
	if waits && asker.PID != 0 && asker.Start == 0 {
		asker = peers.FindProcess(asker.PID)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.req.Asker = asker
	return e.req
}

// creation is the change that records req, with its end when it has one, for which
// these rules spoke.
func (b *Broker) creation(req broker.Request, end *broker.Outcome, rules []string) *broker.Change {
	c := &broker.Change{Used: rules}
	if end == nil {
		c.Events = append(c.Events, broker.NewEvent(now(), broker.EventRequestCreated, req, createdData{
			Agent: req.Agent, Event: req.Event, ToolName: req.ToolName, Digest: req.Digest,
			SubagentID: req.SubagentID, ToolUseID: req.ToolUseID,
		}))
	} else {
		req.State, req.Outcome = end.State, end
		c.Events = append(c.Events, b.decidedEvent(req, *end, rules...))
		c.Sync = end.By.Kind == broker.ByOperator
	}
	c.Insert = &req
	return c
}

type createdData struct {
	Agent      string `json:"agent"`
	Event      string `json:"event,omitempty"`
	ToolName   string `json:"tool_name"`
	Digest     string `json:"digest"`
	SubagentID string `json:"subagent_id,omitempty"`
	ToolUseID  string `json:"tool_use_id,omitempty"`
}

// inserted makes the recorded request visible: to watchers, deciders and its clock.
func (b *Broker) inserted(ctx context.Context, e *entry, end *broker.Outcome, q broker.Question) broker.Request {
	b.mu.Lock()
	e.saved = true
	e.leftAt = time.Now() // who asked could not wait for it before, however long the disk took
	close(e.tried)
	if end != nil {
		if end.State == broker.Answered && end.By.Kind == broker.ByAgent {
			b.session(e.req.SessionID).s.Asks = broker.AsksOf(e.req)
		}
		b.finish(e, *end)
		defer b.mu.Unlock()
		return e.req
	}
	b.arm(e, e.req.ExpiresAt.Sub(e.req.CreatedAt))
	b.noteAsker(e, q.Waits)
	e.req.Held = b.held(e.req.SessionID)
	b.publish(broker.Update{Request: new(e.req)})
	se := b.session(e.req.SessionID)
	b.publishSession(se)
	stopped := se.s.State == broker.SessionStopping || se.s.State == broker.SessionStopped
	freed := e.unjudged && e.req.Held == ""
	asked := e.req
	b.mu.Unlock()
	if freed { // the freeze was lifted while the row was being written
		b.judgeAgain(asked)
	}
	if stopped { // the stop came while the row was being written
		_, _ = b.end(ctx, e.req.ID, broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByStop}})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return e.req
}

// notInserted undoes a reservation whose record failed. When the store knows the
// key from an earlier life, that request is the answer; everything else refuses.
func (b *Broker) notInserted(ctx context.Context, e *entry, q broker.Question, cause error) (broker.Request, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout) // others wait for this answer too
	defer cancel()
	old, err := b.recordedBefore(ctx, e.req.ID, q, cause)
	told := broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByBroker}, Reason: "not recorded", At: now()}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.instead, e.failure = old, err
	close(e.tried)
	b.finish(e, told)
	if broker.StoreFailed(cause) {
		b.unsaved[e.req.ID] = told // it may have been recorded after all
	}
	delete(b.requests, e.req.ID)
	if b.byKey[e.req.Key] == e {
		delete(b.byKey, e.req.Key)
	}
	return old, err
}

// recordedBefore is what the store has in place of q, whose record failed with cause.
func (b *Broker) recordedBefore(ctx context.Context, id string, q broker.Question, cause error) (broker.Request, error) {
	if !errors.Is(cause, broker.ErrDuplicate) {
		b.log.ErrorContext(ctx, "request not recorded", "request_id", id, "session_id", q.SessionID, "err", cause)
		return broker.Request{}, fmt.Errorf("%w: %w", broker.ErrNotRecorded, cause)
	}
	old, err := b.store.RequestByKey(ctx, q.Key)
	if errors.Is(err, broker.ErrNotFound) {
		old, err = b.store.Request(ctx, id)
	}
	if err != nil {
		return broker.Request{}, fmt.Errorf("look up the recorded answer: %w", err)
	}
	if b.wasRefused(old.ID) {
		return broker.Request{}, fmt.Errorf("%w: its record is not settled yet", broker.ErrNotRecorded)
	}
	if !broker.SameCall(old, q) || !old.State.Terminal() {
		return broker.Request{}, broker.ErrConflict
	}
	return old, nil
}

// wasRefused reports whether the asker of request id was told no, and the store does not
// know yet.
func (b *Broker) wasRefused(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, told := b.unsaved[id]
	return told
}

// giveBack puts back a grant whose use failed to be recorded: it still holds. If the
// use was recorded after all, the store refuses a second one.
func (b *Broker) giveBack(g *broker.Grant, cause error) {
	if g == nil || errors.Is(cause, broker.ErrGrantUsed) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	k := grantKey{g.SessionID, g.SubagentID, g.Digest}
	if _, newer := b.grants[k]; !newer {
		b.grants[k] = *g
	}
}

// join answers a question that was asked before. Who asks while the first one's record
// is still being made waits for it: what is not recorded is not accepted.
func (b *Broker) join(ctx context.Context, e *entry, q broker.Question) (broker.Request, error) {
	select {
	case <-e.tried:
	case <-ctx.Done():
		return broker.Request{}, fmt.Errorf("%w: %w", broker.ErrNotRecorded, ctx.Err())
	}
	b.mu.Lock()
	same, saved := broker.SameCall(e.req, q), e.saved
	b.mu.Unlock()
	switch {
	case !same && saved:
		return broker.Request{}, broker.ErrConflict
	case !same: // what it would clash with came to nothing
		return b.Submit(ctx, q)
	case !saved && e.failure != nil:
		return broker.Request{}, e.failure
	case !saved:
		return b.giveAgain(ctx, e.instead, nil, q)
	}
	b.mu.Lock()
	if e.req.Checkpoint != nil || e.busy != nil {
		b.mu.Unlock()
		return b.askedAgain(ctx, e, q)
	}
	if e.req.State.Terminal() {
		req := e.req
		b.mu.Unlock()
		return b.giveAgain(ctx, req, e, q)
	}
	defer b.mu.Unlock()
	e.agent, e.correlation, e.headless = q.Session.Process, q.Correlation, q.Headless
	before := e.req.MayWaitUntil
	if b.noteAsker(e, q.Waits); e.req.MayWaitUntil != before {
		b.publish(broker.Update{Request: new(e.req)})
	}
	if able := broker.WhyWaits(e.req, q.Headless) == ""; able != e.req.Deferrable { // a restart forgot it
		e.req.Deferrable = able
		b.publish(broker.Update{Request: new(e.req)})
	}
	if q.Asker.PID != 0 && q.Asker.PID != e.req.Asker.PID {
		e.req.Asker = q.Asker // a pid without a start time: enough for the rest of one wait
	}
	e.bound = e.bound || q.Bound
	e.leftAt, e.hungUp = time.Now(), false
	b.log.DebugContext(ctx, "request asked again", "request_id", e.req.ID)
	return e.req, nil
}

// takeGrant removes and returns the grant that covers r, whose files have stamp now. It
// covers none whose files changed since it was allowed. Caller holds mu.
func (b *Broker) takeGrant(r broker.Request, stamp string) (broker.Grant, bool) {
	k := grantKey{r.SessionID, r.SubagentID, r.Digest}
	g, ok := b.grants[k]
	if allowed := b.grantStamps[g.ID]; !ok || allowed != "" && allowed != stamp {
		return broker.Grant{}, false
	}
	delete(b.grants, k)
	return g, time.Now().Before(g.ExpiresAt)
}
