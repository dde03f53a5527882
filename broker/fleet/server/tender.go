package server

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/fleet/queue"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// How long things are kept.
const (
	eventsKept = 90 * 24 * time.Hour
	ordersKept = orders.MostWait + time.Hour

	streamMost  = 1500 * time.Millisecond // for one try to make a stream
	streamAgain = 250 * time.Millisecond

	doubles = 10 * time.Minute // the same message again within that is known to be the same

	// readerIdle is how long a reader stays that nobody uses. Whoever connects names their line
	// anew, so without it one member could leave readers behind until the server is full of them.
	readerIdle = 5 * time.Minute
)

// streams are those of a fleet. Each has a bound, and what stands in the way of a new message is never
// thrown out for it: the new one is refused.
func streams(o *Options) []jetstream.StreamConfig {
	events := o.MaxEvents
	if events == 0 {
		events = defaultEvents
	}
	all := []jetstream.StreamConfig{
		{Name: told.StreamEvents, Subjects: []string{"aoctl.*.*.events.>"}, MaxBytes: events, MaxAge: cmp.Or(o.Keep, eventsKept), AllowAtomicPublish: true, AllowDirect: true},
		{Name: told.StreamStates, Subjects: []string{"aoctl.*.*.state.>", "aoctl.*.*.keys.>"}, MaxBytes: 1 << 30, MaxMsgsPerSubject: 1, AllowMsgTTL: true},
		{Name: told.StreamOrders, Subjects: []string{"aoctl.*.*.orders.wait"}, MaxBytes: 256 << 20, MaxAge: ordersKept, MaxMsgSize: 1 << 20, MaxMsgsPerSubject: 256, DiscardNewPerSubject: true, Retention: jetstream.WorkQueuePolicy},
		{Name: told.StreamClaims, Subjects: []string{"aoctl.*.claims.*"}, MaxBytes: 256 << 20, MaxAge: queue.Kept, MaxMsgSize: 2 << 10, MaxMsgsPerSubject: 1, DiscardNewPerSubject: true, AllowDirect: true},
		// A roster, a letter or an enrolment that stands is replaced by nobody.
		{Name: told.StreamMembers, Subjects: []string{"aoctl.*.roster.*", "aoctl.*.invite.*", "aoctl.*.enrol.*"}, MaxBytes: 256 << 20, MaxMsgSize: 4 << 20, MaxMsgsPerSubject: 1, DiscardNewPerSubject: true, AllowDirect: true},
	}
	for i := range all {
		if all[i].Name == told.StreamStates && o.Replicas == 1 {
			// Every call's state synced by itself is what one disk cannot do. Machines tell their states anew
			// when they lost their line.
			all[i].PersistMode = jetstream.AsyncPersistMode
		}
		all[i].Storage, all[i].Discard, all[i].Duplicates, all[i].Replicas = jetstream.FileStorage, jetstream.DiscardNew, doubles, o.Replicas
		if all[i].Name != told.StreamOrders { // a machine has one reader there, under its own id
			all[i].ConsumerLimits.InactiveThreshold = readerIdle
		}
	}
	return all
}

// tender keeps the streams: it makes them, follows who is in the fleet, and takes out of the members'
// stream what is no roster and no enrolment of anybody. It has a connection inside the process.
type tender struct {
	gate    *gate
	log     *slog.Logger
	nc      *client.Conn
	js      jetstream.JetStream
	states  jetstream.Stream
	orders  jetstream.Stream
	members jetstream.Stream
	look    chan struct{} // an invite ended
	kept    time.Duration // how long events are
	taken   atomic.Uint64 // number of the last message of the members' stream that was taken
}

func newTender(ctx context.Context, inner *nats.Server, g *gate, o *Options) (*tender, error) {
	nc, err := client.Connect("", client.InProcessServer(inner), client.Name("server"), client.MaxReconnects(-1), client.IgnoreAuthErrorAbort(),
		client.Nkey(g.ownNkey(), func(nonce []byte) ([]byte, error) { return ed25519.Sign(g.own, nonce), nil }))
	if err != nil {
		return nil, fmt.Errorf("connect inside the server: %w", err)
	}
	t := &tender{gate: g, log: o.Log, nc: nc, kept: cmp.Or(o.Keep, eventsKept), look: make(chan struct{}, 1)}
	if t.js, err = jetstream.New(nc); err == nil {
		err = t.prepare(ctx, o)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return t, nil
}

// prepare makes the streams. In a cluster that has to wait for the other servers.
func (t *tender) prepare(ctx context.Context, o *Options) error {
	list := streams(o)
	errs := make([]error, len(list))
	made := make([]jetstream.Stream, len(list))
	var all sync.WaitGroup
	for i := range list {
		all.Go(func() { made[i], errs[i] = t.stream(ctx, list[i]) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, s := range made {
		switch list[i].Name {
		case told.StreamStates:
			t.states = s
		case told.StreamOrders:
			t.orders = s
		case told.StreamMembers:
			t.members = s
		}
	}
	// Who joins finds the roster in the stream, also when it began in a file.
	r, signed := t.gate.newest()
	raw, err := keys.Encode(signed)
	if err != nil {
		return err
	}
	_, err = t.js.Publish(ctx, t.gate.names().Roster(r.Number), raw, jetstream.WithExpectLastSequencePerSubject(0))
	var api *jetstream.APIError
	if err != nil && !errors.As(err, &api) { // refused: it is there
		return fmt.Errorf("store the roster: %w", err)
	}
	if err := t.catchUp(ctx); err != nil {
		return err
	}
	_, err = t.nc.QueueSubscribe(t.gate.names().Dropped("*"), "servers", t.drop)
	return err
}

// catchUp takes the newest roster that the cluster has, and lets members in from then on: a server that
// was away knows only then who was put out meanwhile.
func (t *tender) catchUp(ctx context.Context) error {
	_, raw, err := jet.Last(ctx, t.nc, told.StreamMembers, t.gate.names().Rosters())
	if err != nil {
		return fmt.Errorf("read the newest roster: %w", err)
	}
	var s keys.Signed
	if keys.Decode(raw, &s) == nil {
		_ = t.gate.follow(s) // one that is not good is taken out when it is read
	}
	t.gate.begin()
	return nil
}

// invalidConfig is NATS's code for a stream that cannot be so, or cannot become so.
const invalidConfig = jetstream.ErrorCode(10052)

// stream makes a stream, or has it as it is to be. Where several servers make the same one at a time
// NATS answers none of them, so the answer is not waited for: the next try finds it.
func (t *tender) stream(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	for {
		during, cancel := context.WithTimeout(ctx, streamMost)
		s, err := t.js.CreateOrUpdateStream(during, cfg)
		cancel()
		if err == nil {
			return s, nil
		}
		if e, ok := errors.AsType[*jetstream.APIError](err); ok && e.ErrorCode == invalidConfig {
			return nil, fmt.Errorf("the stream %s in the folder cannot be had as it is to be: %s", cfg.Name, e.Description)
		}
		t.log.Info("a stream is not made yet", "stream", cfg.Name, "err", err)
		select {
		case <-time.After(streamAgain):
		case <-ctx.Done():
			return nil, fmt.Errorf("make the stream %s: %w", cfg.Name, errors.Join(err, ctx.Err()))
		}
	}
}

// follow takes rosters and enrolments as they come, until the context ends.
func (t *tender) follow(ctx context.Context) {
	n := t.gate.names()
	for ctx.Err() == nil {
		c, err := t.js.OrderedConsumer(ctx, told.StreamMembers, jetstream.OrderedConsumerConfig{FilterSubjects: []string{n.Rosters(), n.Enrolment("*")}})
		if err == nil {
			err = t.read(ctx, n, c)
		}
		if ctx.Err() != nil {
			return
		}
		t.log.Warn("the members' stream is read again", "err", err)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

func (t *tender) read(ctx context.Context, n told.Names, c jetstream.Consumer) error {
	messages := make(chan jetstream.Msg)
	run, err := c.Consume(func(m jetstream.Msg) {
		select {
		case messages <- m:
		case <-ctx.Done():
		}
	}, jetstream.PullHeartbeat(time.Second)) // it may be at another server, which ends
	if err != nil {
		return err
	}
	defer run.Stop()
	t.settle(ctx)
	for {
		select {
		case m := <-messages:
			if meta, err := m.Metadata(); err == nil {
				t.take(ctx, n, m, meta.Sequence.Stream)
				t.settle(ctx)
				t.taken.Store(meta.Sequence.Stream)
			}
		case <-t.look:
			t.settle(ctx)
		case <-run.Closed():
			return errors.New("the reader was closed")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// take takes a roster or an enrolment, number seq of the stream. What is neither, or of nobody, is taken out of
// that, so that it keeps nobody's place.
func (t *tender) take(ctx context.Context, n told.Names, m jetstream.Msg, seq uint64) {
	var s keys.Signed
	err := keys.Decode(m.Data(), &s)
	if err == nil {
		kind, id, _ := n.Split(m.Subject())
		if machine, ok := told.WhoIsGone(id); kind == "enrol" && ok {
			err = t.gate.leave(seq, machine, s)
		} else if kind == "enrol" {
			err = t.gate.join(seq, id, s)
		} else {
			err = t.gate.follow(s)
		}
	}
	if err != nil && !errors.Is(err, members.ErrOld) {
		t.log.Warn("something in the members' stream is not good", "subject", m.Subject(), "err", err)
		t.remove(ctx, seq)
	}
}

// settle has the gate look who is in the fleet, and takes out of the stream what is of nobody.
func (t *tender) settle(ctx context.Context) {
	over := t.gate.settle(func() {
		select {
		case t.look <- struct{}{}:
		default:
		}
	})
	for _, seq := range over {
		t.remove(ctx, seq)
	}
}

// remove takes a message out. Another server may have done so.
func (t *tender) remove(ctx context.Context, seq uint64) {
	if err := t.members.DeleteMsg(ctx, seq); err != nil {
		t.log.Debug("take something out of the members' stream", "err", err)
	}
}

// drop forgets the letter of an invite, for an owner.
func (t *tender) drop(m *client.Msg) {
	n := t.gate.names()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, id, _ := n.Split(m.Subject)
	answer := `{}`
	if err := t.members.Purge(ctx, jetstream.WithPurgeSubject(n.Invite(id))); err != nil {
		t.log.Warn("forget the letter of an invite", "err", err)
		answer = `{"error":{"code":500,"description":"the letter is not forgotten yet"}}`
	}
	_ = m.Respond([]byte(answer))
}

func (t *tender) close() { t.nc.Close() }
