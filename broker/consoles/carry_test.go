package consoles

import (
	"context"
	"errors"
	"testing"

	"github.com/aoctl/aoctl/broker"
)

// An order that came otherwise than over a console's connection is the same order, of whoever gives it.
func TestCarry(t *testing.T) {
	r := newRoom(t)
	ana := broker.Actor{Kind: broker.ByOperator, ID: broker.FleetID("m1", "ana")}
	r.err = broker.ErrAlreadyDecided
	a := carrier{r.Server, ana}
	_, err := NewStubs(a).Decide(context.Background(), "call-1", broker.Decision{Verdict: broker.Allow, By: broker.Actor{ID: "somebody else"}})
	if !errors.Is(err, broker.ErrAlreadyDecided) {
		t.Errorf("the error is %v", err)
	}
	if len(r.by) != 1 || r.by[0] != ana || r.by[0].You() != "ana" {
		t.Errorf("decided by %+v", r.by)
	}
	if err := do(context.Background(), a, "Calls.Nothing", "x"); !errors.Is(err, ErrNoOrder) {
		t.Errorf("an order that is none: %v", err)
	}
	if _, err := r.Carry(context.Background(), ana, "Calls.Decide", []byte{0xff}); err == nil || len(r.by) != 1 {
		t.Errorf("junk was carried out: %v", err)
	}
}

// carrier is an Asker over Carry.
type carrier struct {
	*Server
	by broker.Actor
}

func (c carrier) Ask(ctx context.Context, method string, in, out any) error {
	body, err := Marshal(in)
	if err != nil {
		return err
	}
	raw, err := c.Carry(ctx, c.by, method, body)
	if err != nil {
		return err
	}
	return Unmarshal(raw, out)
}
