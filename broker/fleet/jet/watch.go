package jet

import (
	"context"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/aoctl/aoctl/broker/fleet/told"
)

// Watch has hear called with what all machines tell, one after the other, until the context ends:
// every state and every letter of keys that there is, then begun, then what comes, and beats. After
// the line was out it hears all that it missed; what ended meanwhile may be told only by its absence
// from the machine's next beat.
func (l *Line) Watch(ctx context.Context, hear func(subject string, body []byte), begun func()) error {
	var mu sync.Mutex
	one := func(subject string, body []byte) {
		mu.Lock()
		defer mu.Unlock()
		hear(subject, body)
	}
	ctx, cancel := context.WithCancel(ctx)
	var under sync.WaitGroup
	defer under.Wait()
	defer cancel()
	under.Go(func() {
		_ = l.serve(ctx, l.names.At("*", told.PlaceBeat), func(m *nats.Msg) { one(m.Subject, m.Data) })
	})
	return l.follow(ctx, reading{stream: told.StreamStates, kind: ReadsStates}, begun, func(m jetstream.Msg) { one(m.Subject(), m.Data()) })
}

// Past hands over the events of a machine that are stored, the oldest first, from a sequence number
// of the stream on, until take returns false or there are no more. take gets the number of each.
func (l *Line) Past(ctx context.Context, machine string, from uint64, take func(seq uint64, body []byte) bool) error {
	end, _, err := Last(ctx, l.nc, told.StreamEvents, l.names.EventsOf(machine))
	if err != nil {
		return l.failed(err)
	}
	r := reading{stream: told.StreamEvents, kind: ReadsEvents, filter: l.names.EventsOf(machine), from: from, to: end}
	return l.all(ctx, r, func(m jetstream.Msg, seq uint64) bool { return take(seq, m.Data()) })
}
