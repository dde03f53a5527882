package jet

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// leaves is how long what is no more is still told.
const leaves = 5 * time.Minute

// states are a machine's places in the stream of states.
type states struct {
	line    *Line
	machine string
}

// States is the stream of states, for a machine.
func (l *Line) States(machine string) link.States { return states{l, machine} }

// Places are the places of the machine's states.
func (s states) Places(ctx context.Context) (places []string, err error) {
	r := reading{stream: told.StreamStates, kind: ReadsStates, filter: s.line.names.StatesOf(s.machine), bare: true}
	err = s.line.all(ctx, r, func(m jetstream.Msg, _ uint64) bool {
		if _, place, ok := s.line.names.Split(m.Subject()); ok {
			places = append(places, place)
		}
		return true
	})
	return places, err
}

// Put stores messages. All are on their way before the first answer is awaited.
func (s states) Put(ctx context.Context, list []link.Message) error {
	ctx, cancel := context.WithTimeout(ctx, 2*storeWait)
	defer cancel()
	ctx, end := s.line.while(ctx, s.line.Changed())
	defer end()
	waits := make([]jetstream.PubAckFuture, 0, len(list))
	for i := range list {
		var opts []jetstream.PublishOpt
		if list[i].Leaves {
			opts = append(opts, jetstream.WithMsgTTL(leaves))
		}
		f, err := s.line.js.PublishMsgAsync(message(&list[i]), opts...)
		if err != nil {
			return s.line.failed(err)
		}
		waits = append(waits, f)
	}
	for _, f := range waits {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			if e, ok := err.(*jetstream.APIError); ok { //nolint:errorlint // it comes as it is
				err = meaning(e)
			}
			return s.line.failed(err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Beat says that a machine is there. Nobody answers it.
func (l *Line) Beat(machine string, body []byte) error {
	return l.failed(l.nc.Publish(l.names.At(machine, told.PlaceBeat), body))
}

// TakeHello has answer called for everybody who asks what the machine is now, until the context ends.
func (l *Line) TakeHello(ctx context.Context, machine string, answer func(asked []byte) []byte) error {
	return l.serve(ctx, l.names.At(machine, told.PlaceHello), func(m *nats.Msg) { l.reply(m, answer(m.Data)) })
}

// serve has take called for what comes under a subject, one after the other, until the context ends.
func (l *Line) serve(ctx context.Context, subject string, take func(*nats.Msg)) error {
	sub, err := l.nc.Subscribe(subject, take)
	if err != nil {
		return fmt.Errorf("listen at %s: %w", subject, err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	<-ctx.Done()
	return ctx.Err()
}
