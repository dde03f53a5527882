package link

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/fleet/queue"
)

// Claim claims the id of a call for this machine, or says which machine of the fleet asks the call: see
// queue.Desk.Claim. In no fleet every id is this machine's.
func (h *Host) Claim(ctx context.Context, r broker.Request) (owner string, err error) {
	if _, ok := h.o.Home.FleetToken(); !ok {
		return "", nil
	}
	q := h.queue()
	if q == nil {
		return "", fmt.Errorf("%w: the link with it is not at work", broker.ErrFleetOut)
	}
	return q.Claim(ctx, r)
}

// Follow has Response ask owner what becomes of r.
func (h *Host) Follow(owner string, r broker.Request) {
	if q := h.queue(); q != nil {
		q.Follow(owner, r)
	}
}

// Response is what became of a call that another machine asks: see queue.Desk.Response.
func (h *Host) Response(ctx context.Context, id string, wait, again time.Duration) (r broker.Request, known bool, err error) {
	q := h.queue()
	if q == nil {
		return r, false, nil
	}
	return q.Response(ctx, id, wait, again)
}

// queue is the machine's part in the queue of its fleet, nil where none is at work. None is before the
// servers have said who is in the fleet: an allow of somebody who was put out must not count.
func (h *Host) queue() *queue.Desk {
	h.mu.Lock()
	r := h.now
	h.mu.Unlock()
	if r == nil {
		return nil
	}
	select {
	case <-r.heard:
		return r.queue
	default:
		return nil
	}
}

// queueHome is the broker as a queue wants it.
type queueHome struct{ Home }

// around is how long before or after the end of a call the order is on record that brought it: clocks
// are set now and then.
const around = 10 * time.Minute

// Orders are the orders on record that were taken around a time.
func (h queueHome) Orders(ctx context.Context, at time.Time) (took []orders.Taken, err error) {
	f := broker.EventFilter{Types: []string{broker.EventFleetOrder}, Since: at.Add(-around), Until: at.Add(around), After: -1}
	for {
		list, err := h.Events(ctx, f)
		if err != nil || len(list) == 0 {
			return took, err
		}
		for i := range list {
			f.After = list[i].Seq
			var t orders.Taken
			if err := json.Unmarshal(list[i].Data, &t); err != nil {
				return nil, fmt.Errorf("read event %d: %w", list[i].Seq, err)
			}
			took = append(took, t)
		}
	}
}
