package service

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

const (
	floodOver  = 5 * time.Second // without a refusal: then a flood has ended
	floodNoted = time.Minute     // between two events about one flood
	floodsTold = 8               // floods in Health, the largest
)

// flood is a Flood that goes on, with what of it is in the log.
type flood struct {
	broker.Flood
	noted   int
	notedAt time.Time
}

type floodKey struct {
	session string
	kind    error
}

// refuse counts a call that is refused with err. Caller holds mu.
func (b *Broker) refuse(sessionID, why string, err *broker.LimitError) error {
	now := broker.Instant(time.Now())
	key := floodKey{sessionID, err.Kind}
	f, ok := b.floods[key]
	if !ok {
		f = &flood{Flood: broker.Flood{SessionID: sessionID, Since: now}}
		b.floods[key] = f
	}
	f.Why, f.Until = why, now
	f.Refused++
	return err
}

// noteFloods writes down what was refused: one event for each flood when it begins, once
// a minute while it lasts, and at its end. It also tells the console.
func (b *Broker) noteFloods(ctx context.Context, last bool) {
	now := time.Now()
	b.mu.Lock()
	c := &broker.Change{}
	counts := map[*flood]int{}
	for key, f := range b.floods {
		over := last || now.Sub(f.Until) > floodOver
		if n := f.Refused - f.noted; n > 0 && (over || now.Sub(f.notedAt) >= floodNoted) {
			counts[f] = f.Refused
			c.Events = append(c.Events, broker.NewEvent(now, broker.EventCallsRefused, broker.Request{SessionID: f.SessionID}, broker.CallsRefusedData{
				Why: f.Why, Count: n, Total: f.Refused, Since: f.Since, Until: f.Until,
			}))
		} else if over {
			delete(b.floods, key)
		}
	}
	b.tellFloods()
	b.mu.Unlock()
	if len(c.Events) == 0 || b.commit(ctx, c) != nil {
		return // what could not be written is tried again with the next look
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for f, n := range counts {
		f.noted, f.notedAt = n, now
	}
}

// tellFloods brings Health up to date. Caller holds mu.
func (b *Broker) tellFloods() {
	var list []broker.Flood
	for _, f := range b.floods {
		if time.Since(f.Until) <= floodOver {
			list = append(list, f.Flood)
		}
	}
	slices.SortFunc(list, func(x, y broker.Flood) int {
		return cmp.Or(cmp.Compare(y.Refused, x.Refused), cmp.Compare(x.SessionID, y.SessionID), cmp.Compare(x.Why, y.Why))
	})
	more := max(0, len(list)-floodsTold)
	list = list[:len(list)-more]
	if !slices.Equal(list, b.health.Floods) || more != b.health.MoreFloods {
		b.health.Floods, b.health.MoreFloods = list, more
		b.publish(broker.Update{Health: new(b.health)})
	}
}
