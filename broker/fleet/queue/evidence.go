package queue

import (
	"bytes"
	"context"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
)

// decide is the method of an order that allows one call.
const decide = "Calls.Decide"

// mostEvidence bounds an order that is kept whole: an edited input may be large, and the log is for ever.
const mostEvidence = 64 << 10

// Evidence is an order as it is to be kept on record with what it allows, and the id of the call; nil
// for an order that allows no call by itself, or is too large.
func Evidence(s keys.Signed, o *orders.Order) (raw []byte, id string) {
	var in consoles.Decided
	if o.Method != decide || len(o.Body) > mostEvidence || keys.Decode(o.Body, &in) != nil || in.Decision.Verdict != broker.Allow {
		return nil, ""
	}
	raw, err := keys.Encode(s)
	if err != nil {
		return nil, ""
	}
	return raw, in.ID
}

// order is the order on record that allowed a call, nil when none did.
func (d *Desk) order(ctx context.Context, r *broker.Request) ([]byte, error) {
	list, err := d.o.Home.Orders(ctx, r.Outcome.At)
	if err != nil {
		return nil, err
	}
	for i := range list {
		t := &list[i]
		if len(t.Signed) == 0 || r.Outcome.By.Kind != broker.ByOperator || r.Outcome.By.ID != broker.FleetID(t.Operator, t.Name) {
			continue
		}
		_, _, in, err := open(t.Signed)
		if err == nil && in.ID == r.ID && in.Decision.Verdict == broker.Allow && bytes.Equal(in.Decision.UpdatedInput, r.Outcome.UpdatedInput) {
			return t.Signed, nil
		}
	}
	return nil, nil
}

// open reads an order to decide a call. Who signed it is not judged here.
func open(raw []byte) (s keys.Signed, o orders.Order, in consoles.Decided, err error) {
	if err = keys.Decode(raw, &s); err == nil {
		err = s.Open(keys.KindOrder, &o)
	}
	if err == nil {
		err = keys.Decode(o.Body, &in)
	}
	return s, o, in, err
}

// allowed is the end of a call that another machine says was allowed. All but the time follows from the
// order, which must be to allow this very call there, of somebody who may. Errors: broker.ErrElsewhere,
// broker.ErrFleetOut while nobody's allow counts here.
func (d *Desk) allowed(f *followed, owner *members.Member, t *told) (*broker.Outcome, error) {
	r, now := d.o.Roster(), d.o.Now()
	if why := d.o.Home.LogDoubt(); why != "" {
		return nil, out("only refusals count while the log is in doubt: %s", why)
	}
	if !r.Fresh(now) {
		return nil, out("%v", orders.ErrRoster)
	}
	s, o, in, err := open(t.Order)
	who, member := r.Of(s.By)
	switch {
	case len(t.Order) == 0:
		return nil, elsewhere("machine %s let the call run, and has no order of a person of the fleet that says so", owner.Name)
	case err != nil, o.Fleet != r.Fleet, o.Machine != owner.ID(), o.Method != decide,
		in.ID != f.call.ID, in.Decision.Digest != f.call.Digest, in.Decision.Verdict != broker.Allow:
		return nil, elsewhere("what machine %s shows is no order to allow this call", owner.Name)
	case !member || !who.Role.Includes(members.Operator):
		return nil, elsewhere("whoever signed the order that machine %s shows may not allow calls", owner.Name)
	case now.Sub(o.Expires) > Kept+time.Hour: // of the same call in an earlier life of its id
		return nil, elsewhere("the order that machine %s shows is too old", owner.Name)
	}
	by := broker.Actor{Kind: broker.ByOperator, ID: broker.FleetID(who.ID(), who.Name)}
	return &broker.Outcome{State: broker.Allowed, By: by, Reason: in.Decision.Reason, UpdatedInput: in.Decision.UpdatedInput, At: t.Outcome.At}, nil
}
