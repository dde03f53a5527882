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
			t.log.Warn("the streams are not swept to the end", "err", err)
		}
		was = now
	}
}

// sweep takes out what there is of machines that are out, and were so when was was found. It returns those that are
// out now. It would stay without end otherwise: jobs that are killed would fill the streams.
func (t *tender) sweep(ctx context.Context, was map[string]bool) (out map[string]bool, err error) {
	out, err = t.strangers(ctx)
	if err != nil {
		return nil, err
	}
	for id := range out {
		if !was[id] {
			continue
		}
		if bad := t.forget(ctx, id); bad != nil {
			err = errors.Join(err, bad)
			continue // the next sweep tries again
		}
		delete(out, id)
	}
	return out, err
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

// forget takes out what there is of a machine: its states and, at last, where it stands among its orders. Nobody could
// read its events without the letters of its keys, which end when the last of those does.
func (t *tender) forget(ctx context.Context, id string) error {
	n := t.gate.names()
	if err := t.states.Purge(ctx, jetstream.WithPurgeSubject(n.StatesOf(id))); err != nil {
		return err
	}
	letters, err := t.states.Info(ctx, jetstream.WithSubjectFilter(n.KeysOf(id)))
	if err != nil {
		return err
	}
	for subject := range letters.State.Subjects {
		m, err := t.states.GetLastMsgForSubject(ctx, subject)
		if err != nil {
			return err
		}
		if _, err := t.js.Publish(ctx, subject, m.Data, jetstream.WithMsgTTL(t.kept)); err != nil {
			return err
		}
	}
	if err := t.orders.DeleteConsumer(ctx, id); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	t.log.Info("what a machine told that is out is forgotten", "machine", id)
	return nil
}
