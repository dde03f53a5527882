package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
)

// Decide ends request id with d. The first answer wins.
//
// Allowing a request that ended without a person's answer and is still late leaves
// a grant instead: the agent's next identical call passes once. With another input it
// cannot be: nobody allowed the call as it was asked.
//
// With another input the call is judged anew: what a rule refuses is refused, and what
// is dangerous, or touches aoctl's own files, takes d.Dangerous.
//
// Errors: ErrNotFound, ErrAlreadyDecided (the returned request says how), ErrStale
// (d.Digest is of another call), ErrChanged (a file of the call did), ErrInvalid, ErrNotRecorded (the agent was told no).
func (b *Broker) Decide(ctx context.Context, id string, d broker.Decision) (broker.Request, error) {
	if err := d.Validate(); err != nil {
		return broker.Request{}, fmt.Errorf("decide %s: %w", id, err)
	}
	req, err := b.Request(ctx, id)
	if err != nil {
		return broker.Request{}, fmt.Errorf("decide %s: %w", id, err)
	}
	if d.Digest != "" && d.Digest != req.Digest {
		return req, fmt.Errorf("decide %s: %w", id, broker.ErrStale)
	}
	if d.Verdict == broker.Allow && len(d.UpdatedInput) > 0 {
		if err := broker.TakesInput(req, d.UpdatedInput); err != nil {
			return req, fmt.Errorf("decide %s: %w", id, err)
		}
	}
	if d.Verdict == broker.Allow {
		if err := b.notFrozen(req); err != nil {
			return req, fmt.Errorf("decide %s: %w", id, err)
		}
	}
	if req.State.Terminal() {
		return b.decideLate(ctx, req, d)
	}
	if d.Verdict == broker.Allow && b.overdue(id) {
		b.expire(id)
		return b.decideLate(ctx, b.now(ctx, req), d)
	}
	if d.Verdict == broker.Allow && b.underStop(req.SessionID) {
		if req, err = b.end(ctx, id, broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByStop}}); err == nil {
			err = fmt.Errorf("decide %s: %w", id, broker.ErrAlreadyDecided)
		}
		return req, err
	}
	if d.Verdict == broker.Allow {
		if err := b.stillTrue(ctx, req, d); err != nil {
			return b.now(ctx, req), fmt.Errorf("decide %s: %w", id, err)
		}
	}
	if d.End && req.Checkpoint != nil {
		return b.endRejected(ctx, req, d)
	}
	return b.end(ctx, id, d.Outcome())
}

// endRejected denies a call that is put off, and ends its session with it.
func (b *Broker) endRejected(ctx context.Context, req broker.Request, d broker.Decision) (broker.Request, error) {
	c, done, off := b.reject(req, d.By)
	if !off { // its agent asked again meanwhile, and waits
		return b.end(ctx, req.ID, d.Outcome())
	}
	ended, err := b.endAll(ctx, []string{req.ID}, d.Outcome(), c)
	if len(ended) == 0 && err == nil {
		err = broker.ErrAlreadyDecided
	}
	if err == nil {
		b.mu.Lock()
		e := b.requests[req.ID]
		if e.req.Checkpoint != nil {
			b.unshelve(b.session(req.SessionID), e)
			b.forget(e)
		}
		req = e.req
		b.publish(broker.Update{Request: new(req)})
		b.mu.Unlock()
	}
	done(err)
	if err != nil {
		return b.now(ctx, req), fmt.Errorf("decide %s: %w", req.ID, err)
	}
	return req, nil
}

// stillTrue reports why d must not allow req as it was shown: its files changed, or it
// brings an input that must not run. The files of an input that was shown count in place
// of those of the call as it was asked.
func (b *Broker) stillTrue(ctx context.Context, req broker.Request, d broker.Decision) error {
	if len(d.UpdatedInput) > 0 {
		if err := b.mayEdit(req, d); err != nil || d.Seal != "" {
			return err
		}
	}
	return b.unchanged(ctx, req.ID)
}

// DecideAll ends several calls as one, or none of them; see Console.
func (b *Broker) DecideAll(ctx context.Context, picks []broker.Pick, d broker.Decision) ([]broker.Request, error) {
	err := d.Validate()
	if err == nil && len(d.UpdatedInput) > 0 {
		err = fmt.Errorf("%w: a call with another input is decided by itself", broker.ErrInvalid)
	}
	if err != nil {
		return nil, fmt.Errorf("decide %d calls: %w", len(picks), err)
	}
	ids := make([]string, 0, len(picks))
	for _, p := range picks {
		if err := b.stillAsShown(ctx, p, d, len(picks) > 1); err != nil {
			return nil, fmt.Errorf("decide %d calls: %s: %w", len(picks), p.ID, err)
		}
		ids = append(ids, p.ID)
	}
	ended, err := b.endAll(ctx, ids, d.Outcome(), nil)
	if err == nil && len(ended) == 0 && len(ids) > 0 {
		err = b.holdsBack(ids[0], d.Outcome())
	}
	if err != nil {
		return ended, fmt.Errorf("decide %d calls: %w", len(picks), err)
	}
	return ended, nil
}

// stillAsShown reports why p cannot be part of decision d.
func (b *Broker) stillAsShown(ctx context.Context, p broker.Pick, d broker.Decision, several bool) error {
	req, err := b.Request(ctx, p.ID)
	switch {
	case err != nil:
		return err
	case p.Digest != req.Digest:
		return broker.ErrStale
	case req.State.Terminal():
		return broker.ErrAlreadyDecided
	case d.Verdict != broker.Allow:
		return nil
	case b.notFrozen(req) != nil:
		return b.notFrozen(req)
	case b.overdue(p.ID):
		b.expire(p.ID)
		return broker.ErrAlreadyDecided
	case several && req.Assessment != nil && req.Assessment.Class == risk.Dangerous:
		return fmt.Errorf("%w: a dangerous call is decided by itself", broker.ErrInvalid)
	}
	return b.unchanged(ctx, p.ID)
}

// overdue reports whether id's time is over although its timer has not fired yet,
// as after the process was paused. More time that was asked for before and is being
// recorded is waited for.
func (b *Broker) overdue(id string) bool {
	over := func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		e, ok := b.requests[id]
		return ok && e.timer != nil && !time.Now().Before(e.deadline)
	}
	if !over() {
		return false
	}
	b.awaitExtended(id)
	return over()
}

func (b *Broker) now(ctx context.Context, req broker.Request) broker.Request {
	if r, err := b.Request(ctx, req.ID); err == nil {
		return r
	}
	return req
}

// end records o as the end of request id and releases whoever waits. It is the one
// way in which a pending request becomes something else.
//
// When the record cannot be made, the waiter is told no and the error is
// ErrNotRecorded; the sweeper brings the record up to date later.
func (b *Broker) end(ctx context.Context, id string, o broker.Outcome) (broker.Request, error) {
	ended, err := b.endAll(ctx, []string{id}, o, nil)
	if len(ended) == 1 {
		return ended[0], err
	}
	if err == nil {
		err = b.holdsBack(id, o)
	}
	if err != nil {
		return broker.Request{}, err
	}
	req, err := b.settled(ctx, id)
	if err != nil {
		return broker.Request{}, fmt.Errorf("decide %s: %w", id, err)
	}
	return req, fmt.Errorf("decide %s: %w", id, broker.ErrAlreadyDecided)
}

// endAll claims those of ids that are still open, records o for each in one
// transaction together with what else extra holds, and settles them. It returns
// the requests that it ended.
func (b *Broker) endAll(ctx context.Context, ids []string, o broker.Outcome, extra *broker.Change) ([]broker.Request, error) {
	if o.At.IsZero() {
		o.At = time.Now()
	}
	o.At = o.At.UTC().Truncate(time.Millisecond)
	claimed := b.claim(ids, o)
	if len(claimed) == 0 && (extra == nil || len(extra.Events) == 0 || extra.UseGrant != nil || extra.OnlyIfEnded) {
		return nil, nil // nothing happened, so nothing was used either
	}
	c := extra
	if c == nil {
		c = &broker.Change{}
	}
	reqs, gone := b.asClaimed(claimed, o)
	c.DropCheckpoints = append(c.DropCheckpoints, gone...)
	for _, r := range reqs {
		c.Settle = append(c.Settle, broker.Settlement{ID: r.ID, Outcome: o})
		c.Events = append(c.Events, b.decidedEvent(r, o, c.Used...))
	}
	c.Sync = c.Sync || o.By.Kind == broker.ByOperator || o.By.Kind == broker.ByProcess
	err := b.commit(ctx, c)
	if err != nil {
		o = broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByBroker}, Reason: "the decision could not be recorded", At: o.At}
		b.log.ErrorContext(ctx, "decision not recorded", "count", len(claimed), "err", err)
		err = fmt.Errorf("%w: %w", broker.ErrNotRecorded, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	ended := make([]broker.Request, 0, len(claimed))
	for _, e := range claimed {
		if err != nil {
			b.unsaved[e.req.ID] = o
		}
		switch {
		case err != nil && e.taken != nil:
			b.strays[e.req.ID] = e.req.SessionID
		case err == nil && broker.GivesUp(o):
			b.unshelve(b.session(e.req.SessionID), e)
		}
		b.finish(e, o)
		ended = append(ended, e.req)
	}
	return ended, err
}

// asClaimed copies the requests of claimed entries, for whoever asks again about one meanwhile
// changes what is known of its asker. gone are those whose checkpoint ends with o.
func (b *Broker) asClaimed(claimed []*entry, o broker.Outcome) (list []broker.Request, gone []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range claimed {
		list = append(list, e.req)
		if e.taken != nil || e.req.Checkpoint != nil && broker.GivesUp(o) {
			gone = append(gone, e.req.ID)
		}
	}
	return list, gone
}

// claim marks those of ids that are open as being ended by the caller: exactly one
// caller wins each. It waits for those that are just being put off or taken up. Nobody wins one to allow it in a session under a stop: the stop is
// about to end it. Nor does anybody while a freeze holds it, unless it ends in spite of one.
func (b *Broker) claim(ids []string, o broker.Outcome) []*entry {
	b.lockIdle(ids...)
	defer b.mu.Unlock()
	won := make([]*entry, 0, len(ids))
	for _, id := range ids {
		if e, ok := b.requests[id]; ok && e.saved && !e.claimed && e.req.State == broker.Pending {
			if e.req.Checkpoint != nil && o.State != broker.Allowed && o.State != broker.Denied {
				continue // nothing that happens to its agent ends a call that is put off
			}
			if o.State == broker.Allowed && b.session(e.req.SessionID).s.State.UnderStop() {
				continue
			}
			if broker.FrozenOut(o) && b.held(e.req.SessionID) != "" {
				continue
			}
			e.claimed, e.passing = true, broker.FrozenOut(o)
			won = append(won, e)
		}
	}
	return won
}

// finish makes o e's end for everybody: waiters, watchers, counts. Caller holds mu.
func (b *Broker) finish(e *entry, o broker.Outcome) {
	if e.req.State.Terminal() {
		return
	}
	e.claimed = true
	e.req.State, e.req.Held = o.State, ""
	e.req.Outcome = &o
	if e.timer != nil {
		e.timer.Stop()
	}
	if o.State == broker.Expired || o.State == broker.Cancelled && !o.Withdrawn() {
		e.lateUntil = time.Now().Add(b.opts.LateFor)
	}
	se := b.session(e.req.SessionID)
	if _, waited := se.pending[e.req.ID]; waited {
		delete(se.pending, e.req.ID)
		b.pending--
	}
	e.taken = nil
	b.noteUnheard(e)
	close(e.done)
	for _, p := range e.parked {
		p.wake()
	}
	if e.req.Checkpoint == nil { // else its answer is still to be given
		b.forget(e)
	}
	if e.saved {
		b.publish(broker.Update{Request: new(e.req)})
		b.publishSession(se)
	}
}

// forget keeps e for a while and drops the oldest decided entries beyond
// keepDecided; the store answers for those. Caller holds mu.
func (b *Broker) forget(e *entry) {
	b.recent = append(b.recent, e.req.ID)
	for len(b.recent) > keepDecided {
		id := b.recent[0]
		b.recent = b.recent[1:]
		if old, ok := b.requests[id]; ok {
			delete(b.requests, id)
			if b.byKey[old.req.Key] == old {
				delete(b.byKey, old.req.Key)
			}
		}
	}
}

// settled waits until request id, claimed by somebody else, has its end.
func (b *Broker) settled(ctx context.Context, id string) (broker.Request, error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	return b.Wait(ctx, id)
}

// expire ends id because its time is over.
func (b *Broker) expire(id string) {
	if b.atDeadline(id) {
		return
	}
	o := b.expiry(id)
	if b.waitsBeside(id) {
		o = broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByBroker, ID: broker.BesideID}, Reason: broker.BesideReason}
	}
	_, _ = b.end(context.Background(), id, o)
}

// decideLate answers a decision about a request that has ended already.
func (b *Broker) decideLate(ctx context.Context, req broker.Request, d broker.Decision) (broker.Request, error) {
	if d.Verdict != broker.Allow || !b.Late(req) || len(d.UpdatedInput) > 0 { // a grant lets the call pass as it was asked
		return req, fmt.Errorf("decide %s: %w", req.ID, broker.ErrAlreadyDecided)
	}
	if err := b.unchanged(ctx, req.ID); err != nil {
		return b.now(ctx, req), fmt.Errorf("decide %s: %w", req.ID, err)
	}
	now := broker.Instant(time.Now())
	g := broker.Grant{
		ID: uuid.NewString(), SessionID: req.SessionID, SubagentID: req.SubagentID, Digest: req.Digest,
		RequestID: req.ID, By: d.By, CreatedAt: now, ExpiresAt: now.Add(b.opts.ApprovalTimeout),
	}
	c := &broker.Change{Grant: &g, Sync: true, Events: []*broker.Event{
		broker.NewEvent(now, broker.EventGrantCreated, req, map[string]any{"grant": g.ID, "digest": g.Digest, "by": g.By, "expires_at": g.ExpiresAt}),
	}}
	if err := b.commit(ctx, c); err != nil {
		return req, fmt.Errorf("decide %s: %w: %w", req.ID, broker.ErrNotRecorded, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.requests[req.ID]
	if ok {
		b.grantStamps[g.ID] = e.stamp
	}
	b.grants[grantKey{g.SessionID, g.SubagentID, g.Digest}] = g
	if ok {
		e.lateUntil = time.Time{}
		b.publish(broker.Update{Request: new(e.req)})
	}
	return req, nil
}

// decidedEvent is the event of r ending with o, for which these rules spoke.
func (b *Broker) decidedEvent(r broker.Request, o broker.Outcome, rules ...string) *broker.Event {
	d := broker.DecidedData{
		Status: o.State, By: o.By, Reason: o.Reason, UpdatedInput: o.UpdatedInput,
		ToolName: r.ToolName, Digest: r.Digest, WaitedMS: o.At.Sub(r.CreatedAt).Milliseconds(),
		Rules: rules,
	}
	if len(o.UpdatedInput) > 0 {
		d.UpdatedDigest, d.AskedInput = broker.Digest(r.ToolName, o.UpdatedInput, r.CWD), r.ToolInput
		if b.opts.Difference != nil {
			d.Difference = broker.Cut(b.opts.Difference(r.ToolInput, o.UpdatedInput), broker.MaxDifference)
		}
	}
	return broker.NewEvent(o.At, broker.EventRequestDecided, r, d)
}

// RevokeGrant takes back a grant before it is used. Errors: ErrNotFound, ErrGrantUsed,
// ErrNotRecorded.
func (b *Broker) RevokeGrant(ctx context.Context, id string, by broker.Actor) error {
	b.mu.Lock()
	var found *broker.Grant
	for key, g := range b.grants {
		if g.ID == id {
			found = &g
			delete(b.grants, key) // first of all it must no longer pass
		}
	}
	b.mu.Unlock()
	if found == nil {
		return fmt.Errorf("revoke grant %s: %w", broker.Clip(id), broker.ErrNotFound)
	}
	req := broker.Request{ID: found.RequestID, SessionID: found.SessionID}
	c := &broker.Change{Sync: true, UseGrant: &broker.GrantUse{ID: id, By: broker.GrantRevoked}, Events: []*broker.Event{
		broker.NewEvent(now(), broker.EventGrantUsed, req, map[string]any{"grant": id, "revoked": true, "by": by}),
	}}
	if err := b.commit(ctx, c); err != nil && !errors.Is(err, broker.ErrGrantUsed) {
		return fmt.Errorf("revoke grant %s: %w: %w", id, broker.ErrNotRecorded, err)
	} else if err != nil {
		return fmt.Errorf("revoke grant %s: %w", id, err)
	}
	return nil
}
