package queue

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
)

const (
	// onTheWay is how long question and answer may take beside what they wait for.
	onTheWay = 5 * time.Second
	// askAgain is how long to wait before a machine is asked again that had no answer.
	askAgain = time.Second
	// patience is how long a machine may say nothing, or know nothing of a call that it has claimed, before
	// callers are told: it may be starting anew, or recording the call.
	patience = 30 * time.Second
)

// out is why nothing can be told of a call here. Its caller may ask again.
func out(format string, args ...any) error {
	return fmt.Errorf("%w: %s", broker.ErrFleetOut, fmt.Sprintf(format, args...))
}

// Response is what became of a call that another machine asks; it waits for that as long as wait. again
// is within which time the caller asks once more, 0 when they did not say. known is false for a call that
// no other machine asks. Errors: broker.ErrElsewhere where the answer counts at the other machine alone,
// broker.ErrFleetOut where that is out of reach.
func (d *Desk) Response(ctx context.Context, id string, wait, again time.Duration) (r broker.Request, known bool, err error) {
	f, ok := d.of(id)
	if !ok {
		return r, false, nil
	}
	for until := d.o.Now().Add(wait); ; {
		owner, ok := d.machine(f.owner)
		if !ok {
			return r, true, elsewhere("the machine that claimed this id is in the fleet no longer")
		}
		left := max(until.Sub(d.o.Now()), 0)
		t, err := d.ask(ctx, &owner, &f, left, again)
		switch {
		case err == nil && t.Untold != "":
			return r, true, elsewhere("machine %s says: %s", owner.Name, broker.Clip(t.Untold))
		case err == nil && t.Outcome != nil:
			r, err := d.judge(&f, &owner, &t)
			return r, true, err
		case err == nil:
			f.heard = d.hears(id)
		}
		if left = until.Sub(d.o.Now()); left <= 0 || ctx.Err() != nil {
			r, err := d.waits(&f, &owner, err == nil && t.Unknown)
			return r, true, err
		}
		pause(ctx, min(left, askAgain))
	}
}

// waits is the call as long as nobody says what became of it.
func (d *Desk) waits(f *followed, owner *members.Member, unknown bool) (broker.Request, error) {
	now := d.o.Now()
	switch {
	case unknown && now.Sub(f.since) > patience:
		return broker.Request{}, elsewhere("machine %s claimed this id, and asks no such call", owner.Name)
	case now.Sub(f.since) > patience && now.Sub(f.heard) > patience:
		return broker.Request{}, out("machine %s asks this call, and is out of reach", owner.Name)
	}
	r := f.call
	r.State = broker.Pending
	return r, nil
}

// hears notes that the other machine said something of a call.
func (d *Desk) hears(id string) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.o.Now()
	if f := d.followed[id]; f != nil {
		f.heard = now
	}
	return now
}

// ask asks a machine once.
func (d *Desk) ask(ctx context.Context, owner *members.Member, f *followed, hold, again time.Duration) (t told, err error) {
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // it never fails
	fleet := d.o.Roster().Fleet
	s, err := d.o.Key.Sign(keys.KindAsk, ask{Fleet: fleet, Machine: owner.ID(), ID: f.call.ID, Digest: f.call.Digest, Hold: hold, Again: again, Nonce: nonce})
	if err != nil {
		return t, err
	}
	raw, err := orders.Seal(s, fleet, owner.Public)
	if err != nil {
		return t, err
	}
	ctx, end := context.WithTimeout(ctx, hold+onTheWay)
	defer end()
	raw, err = d.o.Line.Ask(ctx, owner.ID(), raw)
	if err != nil {
		return t, err
	}
	a, err := orders.OpenAnswer(raw, d.o.Key, fleet, *owner, orders.Mark(s))
	if err != nil {
		return t, err
	}
	return t, keys.Decode(a.Reply, &t)
}

// judge is the end of a call as another machine tells it.
func (d *Desk) judge(f *followed, owner *members.Member, t *told) (r broker.Request, err error) {
	r = f.call
	o := &broker.Outcome{State: t.Outcome.State, By: t.Outcome.By, Reason: t.Outcome.Reason, At: t.Outcome.At}
	switch o.State {
	case broker.Denied, broker.Expired, broker.Cancelled:
		if len(o.Reason) > broker.MaxReason {
			o.Reason = ""
		}
	case broker.Allowed:
		if o, err = d.allowed(f, owner, t); err != nil {
			return broker.Request{}, err
		}
	case broker.Pending, broker.Answered:
		fallthrough
	default:
		return broker.Request{}, elsewhere("machine %s did not hold the call", owner.Name)
	}
	r.State, r.Outcome = o.State, o
	return r, nil
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
