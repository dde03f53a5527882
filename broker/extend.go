package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// More time is given to a call by moving its deadline. Nothing is decided by it. The
// deadline in the request's row stays the one that it was asked with: the row is sealed,
// and the log says what holds in its place.
//
// A deadline is worth nothing once whoever asks has left, so none is later than that.

const (
	// extendMargin is how long before its asker would leave a call must have its end.
	extendMargin = time.Second
	// leastMore is the least by which it is worth moving a deadline.
	leastMore = time.Second
	// knowsLate is by how much a deadline may be later than its asker knows.
	knowsLate = 300 * time.Millisecond
)

// ErrNoMoreTime means that a call cannot be given more time; the text says why.
var ErrNoMoreTime = errors.New("no more time can be given")

const isPutOff = "it is put off, and waits without a deadline"

// ExtendedData is the data of an EventExtended.
type ExtendedData struct {
	From      time.Time `json:"from"`       // the deadline until then
	ExpiresAt time.Time `json:"expires_at"` // the deadline from then on
	By        Actor     `json:"by"`
}

// Extension is the newest EventExtended of a request that is pending.
type Extension struct {
	RequestID string
	At        time.Time
	ExtendedData
}

// Extend gives request id the standard time anew; see Console.
func (b *Broker) Extend(ctx context.Context, id string, by Actor) (Request, error) {
	req, err := b.extend(ctx, id, by)
	if errors.Is(err, ErrAlreadyDecided) && !req.State.Terminal() {
		req, err = b.endOf(ctx, req)
	}
	if err != nil {
		err = fmt.Errorf("more time for %s: %w", clip(id), err)
	}
	return req, err
}

func (b *Broker) extend(ctx context.Context, id string, by Actor) (Request, error) {
	if by.Kind != ByOperator {
		return Request{}, ErrForbidden
	}
	e, x, err := b.startExtending(id, by)
	if e == nil {
		req, gone := b.store.Request(ctx, id) // ended long ago, or never asked
		return req, cmp.Or(gone, ErrAlreadyDecided)
	}
	if err != nil {
		return b.now(ctx, Request{ID: id}), err
	}
	b.mu.Lock()
	asked := e.req
	b.mu.Unlock()
	err = b.commit(ctx, &Change{Sync: true, Events: []*Event{newEventAt(x.at, EventExtended, asked, x.data)}})
	b.mu.Lock()
	defer b.mu.Unlock()
	close(e.extending)
	e.extending = nil
	switch {
	case err != nil:
		return e.req, fmt.Errorf("%w: %w", ErrNotRecorded, err)
	case b.closed:
		return e.req, ErrClosed // the next console has it
	case e.claimed || e.req.State.Terminal():
		return e.req, ErrAlreadyDecided
	case e.req.Checkpoint != nil:
		return e.req, fmt.Errorf("%w: %s", ErrNoMoreTime, isPutOff)
	case !e.deadline.Equal(x.before): // put off and taken up: whoever asks now may wait for less
		return e.req, fmt.Errorf("%w: its agent asked for it anew meanwhile", ErrNoMoreTime)
	}
	b.moveDeadline(e, x)
	return e.req, nil
}

// endOf waits for the end of req, which is being recorded: ErrAlreadyDecided, or
// ErrNotRecorded when it was not.
func (b *Broker) endOf(ctx context.Context, req Request) (Request, error) {
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
		return req, ErrNotRecorded
	}
	return req, ErrAlreadyDecided
}

// extending is more time that is about to be given.
type extending struct {
	at       time.Time
	before   time.Time // the deadline until then, monotonic
	deadline time.Time // monotonic
	data     ExtendedData
}

// startExtending works out the new deadline of request id, and holds up its end by the old
// one until that is recorded or was not. The entry is nil when there is none.
func (b *Broker) startExtending(id string, by Actor) (*entry, extending, error) {
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
		return nil, x, ErrNotFound
	case e.req.State.Terminal() || e.claimed:
		return e, x, ErrAlreadyDecided
	case e.req.Checkpoint != nil:
		return e, x, fmt.Errorf("%w: %s", ErrNoMoreTime, isPutOff)
	case !x.at.Before(e.deadline): // its timer is about to fire
		return e, x, ErrAlreadyDecided
	}
	x.before, x.deadline = e.deadline, x.at.Add(b.opts.ApprovalTimeout)
	if last := e.most.Add(-extendMargin); x.deadline.After(last) {
		x.deadline = last
	}
	if x.deadline.Sub(e.deadline) < leastMore {
		return e, x, fmt.Errorf("%w: %s", ErrNoMoreTime, whyNoMore(e))
	}
	e.extending = make(chan struct{})
	x.data = ExtendedData{From: e.req.ExpiresAt, By: by}
	x.data.ExpiresAt = x.at.UTC().Add(x.deadline.Sub(x.at)).Truncate(time.Millisecond)
	return e, x, nil
}

// whyNoMore says what keeps e from more time. Caller holds the broker's mu.
func whyNoMore(e *entry) string {
	hook := e.req.Event != ""
	switch {
	case e.most.IsZero():
		return "nobody has asked for it since this console began"
	case e.deadline.Add(extendMargin + leastMore).Before(e.most):
		return "it has its full time already"
	case hardWait(e.req) > 0: // to install it again gives it next to nothing, if anything
		return HardWait(e.req) + ", and then runs the call; allow it late, and its next try passes"
	case e.most.Sub(e.req.CreatedAt) > maxTimeout-time.Minute: // whatever its asker says
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
	b.publish(Update{Request: ptr(e.req)})
	for _, p := range e.parked {
		if !e.knowsDeadline(p.patience) {
			p.wake() // they would leave by the old deadline
		}
	}
}

// restoreExtended takes up what an earlier broker's operator gave e; waitsSince is when its
// agent asked for it again after it was put off.
func (e *entry) restoreExtended(x Extension, waitsSince time.Time) {
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

// extensionsOf are those of saved by request id.
func extensionsOf(saved Saved) map[string]Extension {
	m := make(map[string]Extension, len(saved.Extensions))
	for _, x := range saved.Extensions {
		m[x.RequestID] = x
	}
	return m
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

// patience is up to when somebody who asks would wait. Both are monotonic.
type patience struct {
	until time.Time // as things are; zero: not known
	most  time.Time // with more time from the operator; zero: no longer
}

// patienceOf reads what a client tells of itself.
func patienceOf(r *http.Request) patience {
	var p patience
	now := time.Now()
	if left := headerMS(r, wire.HeaderTimeoutMS); left > 0 {
		p.until = now.Add(left)
	}
	if most := headerMS(r, wire.HeaderAtMostMS); most > 0 {
		p.most = now.Add(most)
	}
	return p
}

// patience is that of who asks q, counted from now.
func (b *Broker) patience(q *Question) patience {
	if !q.asker.until.IsZero() {
		return q.asker
	}
	now, timeout := time.Now(), max(min(q.Timeout, maxTimeout), b.timeout(q))
	p := patience{until: now.Add(timeout)}
	if q.AtMost > 0 {
		p.most = now.Add(min(max(q.AtMost, timeout), maxTimeout))
	}
	return p
}

// noteAsker notes of e how long the latest of its askers would wait. Caller holds mu.
func (b *Broker) noteAsker(e *entry, p patience) {
	most := p.until
	if p.most.After(most) {
		most = p.most
	}
	most = e.hardEnd(most)
	e.mayMore = !p.most.IsZero()
	if moved := most.Sub(e.most); !e.most.IsZero() && -time.Second < moved && moved < time.Second {
		return // the same one, as it says again and again
	}
	e.most = most
	now := time.Now()
	e.req.MayWaitUntil = now.UTC().Add(most.Add(-extendMargin).Sub(now)).Truncate(time.Millisecond)
}

// knowsDeadline reports whether who asks with patience p knows of all the time that e was
// given, as far as they would wait for it. Caller holds mu.
func (e *entry) knowsDeadline(p patience) bool {
	if p.most.IsZero() || p.until.IsZero() || e.req.ExtendedAt.IsZero() {
		return true // they take no other deadline than they know or tell of, or there is none
	}
	deadline := e.deadline
	if deadline.After(p.most) {
		deadline = p.most
	}
	return !deadline.After(p.until.Add(knowsLate))
}

// pendingReply tells who asks that req waits, and for how long it may.
func (b *Broker) pendingReply(req Request) reply {
	told := struct {
		RequestID string `json:"request_id"`
		Status    State  `json:"status"`
		WaitMS    int64  `json:"wait_ms,omitempty"`
	}{RequestID: req.ID, Status: Pending}
	b.mu.Lock()
	if e, ok := b.requests[req.ID]; ok && e.saved && e.req.State == Pending && e.req.Checkpoint == nil {
		told.WaitMS = max(min(time.Until(e.deadline), maxTimeout).Milliseconds(), 0) // a clock that was set back gives no client more
	}
	b.mu.Unlock()
	rep := jsonReply(http.StatusAccepted, told)
	rep.requestID = req.ID
	return rep
}
