package server

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// sweepEvery is how often the streams are swept. What is of nobody twice is taken out, so a server whose clock
// is ahead, and whose invites end early, takes nothing from machines that run still.
const sweepEvery = 15 * time.Minute

// errBehind means that there is something in the members' stream that this server has not taken.
var errBehind = errors.New("this server has not read yet who is in the fleet")

// keepClean sweeps until the context ends.
func (t *tender) keepClean(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	var was map[string]bool
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now, err := t.sweep(ctx, was)
		if err != nil {
			t.log.Warn("the streams are not swept", "err", err)
			continue
		}
		was = now
	}
}

// sweep takes out what there is of machines that are out, and were so when was was found. It returns those that are
// out now. What they told of the present would stay without end: jobs that are killed would fill the stream. The
// letters of their keys stay, as nobody could read their events without them.
func (t *tender) sweep(ctx context.Context, was map[string]bool) (out map[string]bool, err error) {
	out, err = t.strangers(ctx)
	if err != nil {
		return nil, err
	}
	for id := range out {
		if !was[id] {
			continue
		}
		if err := t.forget(ctx, id); err != nil {
			return nil, err
		}
		delete(out, id)
	}
	return out, nil
}

// strangers are the machines of which there is something, and which are not in the fleet.
func (t *tender) strangers(ctx context.Context) (map[string]bool, error) {
	n := t.gate.names()
	found := map[string]bool{}
	info, err := t.states.Info(ctx, jetstream.WithSubjectFilter(n.StatesOf("*")))
	if err != nil {
		return nil, err
	}
	for subject := range info.State.Subjects {
		if id, _, ok := n.Split(subject); ok {
			found[id] = true
		}
	}
	readers := t.orders.ConsumerNames(ctx)
	for id := range readers.Name() {
		found[id] = true
	}
	if err := readers.Err(); err != nil {
		return nil, err
	}
	// Whoever was in when they told something was so in what stands there by now.
	for _, subject := range []string{n.Rosters(), n.Enrolment("*")} {
		last, _, err := jet.Last(ctx, t.nc, told.StreamMembers, subject)
		if err != nil {
			return nil, err
		}
		if last > t.taken.Load() {
			return nil, errBehind
		}
	}
	for id := range t.gate.ids() {
		delete(found, id)
	}
	return found, nil
}

// forget takes out what there is of a machine: its states, and where it stands among its orders.
func (t *tender) forget(ctx context.Context, id string) error {
	if err := t.states.Purge(ctx, jetstream.WithPurgeSubject(t.gate.names().StatesOf(id))); err != nil {
		return err
	}
	if err := t.orders.DeleteConsumer(ctx, id); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	t.log.Info("what a machine told that is out is forgotten", "machine", id)
	return nil
}
