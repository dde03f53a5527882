package queue

import (
	"context"
	"errors"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
)

// ask is what one machine asks another: what became of a call. It goes as an order goes (orders.Seal),
// and is answered as one (orders.Answer).
type ask struct {
	Fleet   string        `json:"fleet"`
	Machine string        `json:"machine"` // that is asked
	ID      string        `json:"id"`
	Digest  string        `json:"digest"`
	Hold    time.Duration `json:"hold"`  // how long the answer may take
	Again   time.Duration `json:"again"` // within that somebody asks once more; 0 when nobody said
	Nonce   []byte        `json:"nonce"`
}

// told is the reply: what became of a call. All of it empty says that the call waits.
type told struct {
	Unknown bool            `json:"unknown,omitempty"` // there is no such call
	Untold  string          `json:"untold,omitempty"`  // why its answer is told to nobody any more
	Outcome *broker.Outcome `json:"outcome,omitempty"`
	Order   []byte          `json:"order,omitempty"` // that allowed it: a keys.Signed
}

// mostHeld is how many questions of one machine wait here at a time. Further ones are answered at once.
const mostHeld = 64

// Answer answers another machine. nil where there is nobody to answer.
func (d *Desk) Answer(ctx context.Context, raw []byte) []byte {
	r := d.o.Roster()
	s, err := orders.Open(raw, r.Fleet, d.o.Key)
	if err != nil {
		return nil
	}
	var a ask
	if err := s.Open(keys.KindAsk, &a); err != nil {
		return nil
	}
	from, ok := r.Of(s.By)
	if !ok || from.Role != members.Machine || a.Fleet != r.Fleet || a.Machine != d.id {
		return nil
	}
	t, err := d.tell(ctx, from.ID(), &a)
	if err != nil || ctx.Err() != nil {
		return nil // it asks again
	}
	reply, err := keys.Encode(t)
	if err != nil {
		return nil
	}
	answer := orders.Answer{Mark: orders.Mark(s), Reply: reply}
	sealed, err := answer.Seal(d.o.Key, r.Fleet, from.Public)
	if err != nil {
		return nil
	}
	return sealed
}

// tell is what became of a call. Who asks must know the call.
func (d *Desk) tell(ctx context.Context, from string, a *ask) (t told, err error) {
	r, err := d.o.Home.Request(ctx, a.ID)
	if errors.Is(err, broker.ErrNotFound) || err == nil && r.Digest != a.Digest {
		return told{Unknown: true}, nil
	}
	if err != nil {
		return t, err
	}
	hold, done := d.hold(from, a.Hold)
	defer done()
	r, err = d.o.Home.AwaitCall(ctx, a.ID, hold, a.Again)
	switch {
	case errors.Is(err, broker.ErrAnsweredBefore):
		return told{Untold: err.Error()}, nil
	case err != nil || !r.State.Terminal() || r.Outcome == nil:
		return t, err
	}
	t.Outcome = r.Outcome
	if r.State == broker.Allowed {
		if t.Order, err = d.order(ctx, &r); err != nil {
			return told{}, err
		}
	}
	if r.State != broker.Allowed || t.Order != nil {
		d.o.Home.CallHeard(r.ID)
	}
	return t, nil
}

// hold is how long a question of a machine may wait here.
func (d *Desk) hold(from string, most time.Duration) (hold time.Duration, done func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting[from]++
	if d.waiting[from] <= mostHeld {
		hold = most
	}
	return hold, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.waiting[from]--; d.waiting[from] == 0 {
			delete(d.waiting, from)
		}
	}
}
