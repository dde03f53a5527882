package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
)

// More time is given to a call by moving its deadline. Nothing is decided by it. The
// deadline in the request's row stays the one that it was asked with: the row is sealed,
// and the log says what holds in its place.
//
// A deadline is worth nothing once whoever asks has left, so none is later than that.

// Extend gives request id the standard time anew; see Console.
func (b *Broker) Extend(ctx context.Context, id string, by broker.Actor) (broker.Request, error) {
	req, err := b.extend(ctx, id, by)
	if errors.Is(err, broker.ErrAlreadyDecided) && !req.State.Terminal() {
		req, err = b.endOf(ctx, req)
	}
	if err != nil {
		err = fmt.Errorf("more time for %s: %w", broker.Clip(id), err)
	}
	return req, err
}

func (b *Broker) extend(ctx context.Context, id string, by broker.Actor) (broker.Request, error) {
	if by.Kind != broker.ByOperator {
		return broker.Request{}, broker.ErrForbidden
	}
	e, x, err := b.startExtending(id, by)
	if e == nil {
		req, gone := b.store.Request(ctx, id) // ended long ago, or never asked
		return req, cmp.Or(gone, broker.ErrAlreadyDecided)
	}
	if err != nil {
		return b.now(ctx, broker.Request{ID: id}), err
	}
	b.mu.Lock()
	asked := e.req
	b.mu.Unlock()
	err = b.commit(ctx, &broker.Change{Sync: true, Events: []*broker.Event{broker.NewEvent(x.at, broker.EventExtended, asked, x.data)}})
	b.mu.Lock()
	defer b.mu.Unlock()
	close(e.extending)
	e.extending = nil
	switch {
	case err != nil:
		return e.req, fmt.Errorf("%w: %w", broker.ErrNotRecorded, err)
	case b.closed:
		return e.req, broker.ErrClosed // the next console has it
	case e.claimed || e.req.State.Terminal():
		return e.req, broker.ErrAlreadyDecided
	case e.req.Checkpoint != nil:
		return e.req, fmt.Errorf("%w: %s", broker.ErrNoMoreTime, broker.ReasonPutOff)
	case !e.deadline.Equal(x.before): // put off and taken up: whoever asks now may wait for less
		return e.req, fmt.Errorf("%w: its agent asked for it anew meanwhile", broker.ErrNoMoreTime)
	}
	b.moveDeadline(e, x)
	return e.req, nil
}

// endOf waits for the end of req, which is being recorded: ErrAlreadyDecided, or
// ErrNotRecorded when it was not.
func (b *Broker) endOf(ctx context.Context, req broker.Request) (broker.Request, error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	b.mu.Lock()
	e, ok := b.requests[req.ID]
	b.mu.Unlock()
	if ok {
		select {
		case <-e.done:
		case <-ctx.Done():
		}
	}
	if req = b.now(ctx, req); !req.State.Terminal() {
		return req, broker.ErrNotRecorded
	}
	return req, broker.ErrAlreadyDecided
}

// extending is more time that is about to be given.
type extending struct {
	at       time.Time
	before   time.Time // the deadline until then, monotonic
	deadline time.Time // monotonic
	data     broker.ExtendedData
}

// startExtending works out the new deadline of request id, and holds up its end by the old
// one until that is recorded or was not. The entry is nil when there is none.
func (b *Broker) startExtending(id string, by broker.Actor) (*entry, extending, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for e := b.requests[id]; e != nil && e.extending != nil; e = b.requests[id] {
		wait := e.extending
		b.mu.Unlock()
		<-wait // at most as long as a record may take
		b.mu.Lock()
	}
	x := extending{at: time.Now()}
	e, ok := b.requests[id]
	switch {
	case !ok || !e.saved:
		return nil, x, broker.ErrNotFound
	case e.req.State.Terminal() || e.claimed:
		return e, x, broker.ErrAlreadyDecided
	case e.req.Checkpoint != nil:
		return e, x, fmt.Errorf("%w: %s", broker.ErrNoMoreTime, broker.ReasonPutOff)
	case !x.at.Before(e.deadline): // its timer is about to fire
		return e, x, broker.ErrAlreadyDecided
	}
	x.before, x.deadline = e.deadline, x.at.Add(b.opts.ApprovalTimeout)
	if last := e.most.Add(-broker.ExtendMargin); x.deadline.After(last) {
		x.deadline = last
	}
	if x.deadline.Sub(e.deadline) < broker.LeastMore {
		return e, x, fmt.Errorf("%w: %s", broker.ErrNoMoreTime, whyNoMore(e))
	}
	e.extending = make(chan struct{})
	x.data = broker.ExtendedData{From: e.req.ExpiresAt, By: by}
	x.data.ExpiresAt = x.at.UTC().Add(x.deadline.Sub(x.at)).Truncate(time.Millisecond)
	return e, x, nil
}

// whyNoMore says what keeps e from more time. Caller holds the broker's mu.
func whyNoMore(e *entry) string {
	hook := e.req.Event != ""
	switch {
	case e.most.IsZero():
		return "nobody has asked for it since this console began"
	case e.deadline.Add(broker.ExtendMargin + broker.LeastMore).Before(e.most):
		return "it has its full time already"
	case broker.HardLimit(e.req) > 0: // to install it again gives it next to nothing, if anything
		return broker.HardWait(e.req) + ", and then runs the call; allow it late, and its next try passes"
	case e.most.Sub(e.req.CreatedAt) > broker.MaxTimeout-time.Minute: // whatever its asker says
		return "no call waits longer than a day"
	case hook && !e.mayMore:
		return fmt.Sprintf(`its hook waits no longer: run "aoctl install %s" again`, e.req.Agent)
	case hook:
		return "its hook waits no longer than that"
	case !e.mayMore:
		return "its program waits no longer: it named no at_most"
	}
	return "its program waits no longer than that"
}

// moveDeadline makes x true. Caller holds mu.
func (b *Broker) moveDeadline(e *entry, x extending) {
	if e.timer != nil {
		e.timer.Stop()
	}
	e.req.ExpiresAt, e.req.ExtendedAt = x.data.ExpiresAt, x.at.UTC().Truncate(time.Millisecond)
	b.arm(e, time.Until(x.deadline))
	b.publish(broker.Update{Request: new(e.req)})
	for _, p := range e.parked {
		if !e.knowsDeadline(p.patience) {
			p.wake() // they would leave by the old deadline
		}
	}
}

// restoreExtended takes up what an earlier broker's operator gave e; waitsSince is when its
// agent asked for it again after it was put off.
func (e *entry) restoreExtended(x broker.Extension, waitsSince time.Time) {
	if x.At.Before(waitsSince) || !x.ExpiresAt.After(e.req.ExpiresAt) {
		return
	}
	e.req.ExpiresAt, e.req.ExtendedAt = x.ExpiresAt, x.At
}

// waitsSince is when e began to wait again after it was put off, zero if it never was.
func (e *entry) waitsSince() time.Time {
	if e.taken == nil {
		return time.Time{}
	}
	return e.taken.TakenUpAt
}

// awaitExtended waits while request id is being given more time.
func (b *Broker) awaitExtended(id string) {
	b.mu.Lock()
	var wait chan struct{}
	if e, ok := b.requests[id]; ok {
		wait = e.extending
	}
	b.mu.Unlock()
	if wait != nil {
		<-wait // at most as long as a record may take
	}
}

// patienceOf reads what a client tells of itself.
func patienceOf(r *http.Request) broker.Patience {
	var p broker.Patience
	now := time.Now()
	if left := headerMS(r, wire.HeaderTimeoutMS); left > 0 {
		p.Until = now.Add(left)
	}
	if most := headerMS(r, wire.HeaderAtMostMS); most > 0 {
		p.Most = now.Add(most)
	}
	return p
}

// patience is that of who asks q, counted from now.
func (b *Broker) patience(q *broker.Question) broker.Patience {
	if !q.Waits.Until.IsZero() {
		return q.Waits
	}
	now, timeout := time.Now(), max(min(q.Timeout, broker.MaxTimeout), b.timeout(q))
	p := broker.Patience{Until: now.Add(timeout)}
	if q.AtMost > 0 {
		p.Most = now.Add(min(max(q.AtMost, timeout), broker.MaxTimeout))
	}
	return p
}

// noteAsker notes of e how long the latest of its askers would wait. Caller holds mu.
func (b *Broker) noteAsker(e *entry, p broker.Patience) {
	most := p.Until
	if p.Most.After(most) {
		most = p.Most
	}
	most = e.hardEnd(most)
	e.mayMore = !p.Most.IsZero()
	if moved := most.Sub(e.most); !e.most.IsZero() && -time.Second < moved && moved < time.Second {
		return // the same one, as it says again and again
	}
	e.most = most
	now := time.Now()
	e.req.MayWaitUntil = now.UTC().Add(most.Add(-broker.ExtendMargin).Sub(now)).Truncate(time.Millisecond)
}

// knowsDeadline reports whether who asks with patience p knows of all the time that e was
// given, as far as they would wait for it. Caller holds mu.
func (e *entry) knowsDeadline(p broker.Patience) bool {
	if p.Most.IsZero() || p.Until.IsZero() || e.req.ExtendedAt.IsZero() {
		return true // they take no other deadline than they know or tell of, or there is none
	}
	deadline := e.deadline
	if deadline.After(p.Most) {
		deadline = p.Most
	}
	return !deadline.After(p.Until.Add(broker.KnowsLate))
}

// pendingReply tells who asks that req waits, and for how long it may.
func (b *Broker) pendingReply(req broker.Request) reply {
	told := struct {
		RequestID string       `json:"request_id"`
		Status    broker.State `json:"status"`
		WaitMS    int64        `json:"wait_ms,omitempty"`
	}{RequestID: req.ID, Status: broker.Pending}
	b.mu.Lock()
	if e, ok := b.requests[req.ID]; ok && e.saved && e.req.State == broker.Pending && e.req.Checkpoint == nil {
		told.WaitMS = max(min(time.Until(e.deadline), broker.MaxTimeout).Milliseconds(), 0) // a clock that was set back gives no client more
	}
	b.mu.Unlock()
	rep := jsonReply(http.StatusAccepted, told)
	rep.requestID = req.ID
	return rep
}
