package jet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

const (
	liveOrders = 64               // that a machine carries out at a time
	orderAgain = 20 * time.Second // a waiting order comes again when its taker was not heard of for so long
)

// TakeOrders has take called for the orders of a machine, until the context ends: those that were
// left for it, one at a time in their order, and those that come now, several at a time. What take
// returns is the answer to a live order. A waiting order leaves the server when take has returned,
// and comes again where the line was cut before.
func (l *Line) TakeOrders(ctx context.Context, machine string, take func(ctx context.Context, raw []byte, waited bool) []byte) error {
	var under sync.WaitGroup
	defer under.Wait()
	under.Go(func() { (&waits{l, machine, take}).take(ctx) })
	room := make(chan struct{}, liveOrders)
	return l.serve(ctx, l.names.At(machine, told.PlaceOrders), func(m *nats.Msg) {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return
		}
		under.Go(func() {
			defer func() { <-room }()
			l.reply(m, take(ctx, m.Data, false))
		})
	})
}

// reply answers who asked, and nobody else: an answer goes to a member's inbox, never to a place of
// the fleet that somebody named as theirs.
func (l *Line) reply(m *nats.Msg, body []byte) {
	if !strings.HasPrefix(m.Reply, inboxes) {
		return
	}
	if err := m.Respond(body); err != nil {
		l.log.Warn("answer over the fleet", "err", l.failed(err))
	}
}

// waits has the orders that were left for a machine taken.
type waits struct {
	line    *Line
	machine string
	order   func(ctx context.Context, raw []byte, waited bool) []byte
}

// take takes what is there and what comes, until the context ends.
func (q *waits) take(ctx context.Context) {
	for failures := 0; ; failures++ {
		if _, err := q.line.Ready(ctx); err != nil {
			return
		}
		err := q.read(ctx, func(m jetstream.Msg) error {
			failures = 0
			working := time.AfterFunc(orderAgain/4, func() { _ = m.InProgress() })
			q.order(ctx, m.Data(), true)
			working.Stop()
			if ctx.Err() != nil {
				return errors.Join(ctx.Err(), m.Nak()) // it comes again
			}
			return m.DoubleAck(ctx)
		})
		if ctx.Err() != nil {
			return
		}
		q.line.log.Debug("the fleet's waiting orders are looked for again", "err", err)
		if pause(ctx, failures+2) != nil {
			return
		}
	}
}

func (q *waits) read(ctx context.Context, take func(jetstream.Msg) error) error {
	c, err := q.line.js.CreateOrUpdateConsumer(ctx, told.StreamOrders, jetstream.ConsumerConfig{
		Name: q.machine, Durable: q.machine, FilterSubject: q.line.names.At(q.machine, told.PlaceWaits), DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: orderAgain, MaxAckPending: 1, InactiveThreshold: orders.MostWait + 24*time.Hour,
	})
	if err != nil {
		return fmt.Errorf("look for waiting orders: %w", err)
	}
	it, err := c.Messages(jetstream.PullMaxMessages(1), jetstream.PullHeartbeat(readerBeat), jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return fmt.Errorf("look for waiting orders: %w", err)
	}
	defer it.Stop()
	for {
		m, err := it.Next(jetstream.NextContext(ctx))
		if err != nil {
			return fmt.Errorf("look for waiting orders: %w", err)
		}
		if err := take(m); err != nil {
			return err
		}
	}
}

// Hello asks a machine what it is now. Errors: ErrNobody where it is out of reach.
func (l *Line) Hello(ctx context.Context, machine string, asked []byte) ([]byte, error) {
	m := nats.NewMsg(l.names.At(machine, told.PlaceHello))
	m.Data = asked
	a, err := l.request(ctx, m, requestWait)
	if err != nil {
		return nil, err
	}
	return a.Data, nil
}

// Order has a machine take an order now, and returns its answer. It waits as long as the context
// does, and no longer than an order is good. Errors: ErrNobody where the machine is out of reach;
// after any other nobody knows whether it was taken, and the same order may be sent again.
func (l *Line) Order(ctx context.Context, machine string, raw []byte) ([]byte, error) {
	m := nats.NewMsg(l.names.At(machine, told.PlaceOrders))
	m.Data = raw
	a, err := l.request(ctx, m, orders.MostLive)
	if err != nil {
		return nil, err
	}
	return a.Data, nil
}

// LeaveOrder leaves an order for a machine that is out of reach. One that is left again under the
// same id is there once. Errors: link.ErrFull where too many wait for it.
func (l *Line) LeaveOrder(ctx context.Context, machine, id string, raw []byte) error {
	m := nats.NewMsg(l.names.At(machine, told.PlaceWaits))
	m.Data = raw
	m.Header.Set(jetstream.MsgIDHeader, machine+"/"+id)
	a, err := l.request(ctx, m, requestWait)
	if err != nil {
		return err
	}
	return read(a).err
}

// OrdersLeft is how many orders wait for a machine.
func (l *Line) OrdersLeft(ctx context.Context, machine string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, requestWait)
	defer cancel()
	subject := l.names.At(machine, told.PlaceWaits)
	s, err := l.js.Stream(ctx, told.StreamOrders)
	if err != nil {
		return 0, l.failed(err)
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return 0, l.failed(err)
	}
	return int(info.State.Subjects[subject]), nil //nolint:gosec // bounded by the stream
}
