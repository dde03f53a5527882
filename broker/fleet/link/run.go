package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/fleet/queue"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// run is one run of a link, from when the machine's broker starts, or joins, until it ends or leaves.
type run struct {
	host    *Host
	line    Line
	speaker told.Speaker
	machine string

	inbox  *inbox
	outbox *outbox
	states *states
	queue  *queue.Desk
	beats  atomic.Uint64

	letters []Message // of the keys that were told, the newest last; tell alone uses them

	mu       sync.Mutex
	member   consoles.Membership
	book     *members.Book
	epoch    *seals.Epoch
	seeing   []string // who the epoch's key was sealed for: members' ids, sorted
	letter   bool     // the letter of the epoch is to be told
	again    bool     // what there is must be told again, under the new key
	problems map[string]string

	kick  chan struct{} // there may be something to carry out
	heard chan struct{} // closed when the servers have said who is in the fleet
}

// ordersKept is how far back orders are looked for that were taken: none that is older is good.
const ordersKept = orders.MostWait + time.Hour

func (h *Host) newRun(ctx context.Context, m consoles.Membership, book *members.Book, line Line, boot string) (*run, error) {
	roster := book.At(h.clock())
	r := &run{
		host: h, line: line, speaker: told.Speaker{Key: h.o.Key, Fleet: roster.Fleet, Boot: boot},
		member: m, book: book, problems: map[string]string{}, kick: make(chan struct{}, 1), heard: make(chan struct{}),
	}
	r.machine = r.speaker.Machine()
	took, unsolved, err := h.taken(ctx)
	if err != nil {
		return nil, err
	}
	r.inbox = &inbox{
		broker: h.o.Home, requests: h.o.Home, key: h.o.Key, now: h.clock, pause: h.pause, fleet: roster.Fleet, doubt: h.o.Home.LogDoubt,
		desk: orders.NewDesk(r.machine, r.speaker.Boot, roster, took), under: map[string]chan struct{}{}, answers: map[string]orders.Answer{}, unsolved: unsolved,
	}
	r.outbox = &outbox{events: line.Events(r.machine), log: h.o.Home, requests: h.o.Home, speaker: &r.speaker, epoch: r.sealing}
	r.states = newStates(line.States(r.machine), &r.speaker, r.sealing, h.clock)
	r.queue = queue.NewDesk(queue.Options{Key: h.o.Key, Roster: r.roster, Line: line.Queue(), Home: queueHome{h.o.Home}, Now: h.clock})
	r.turn(&roster)
	return r, nil
}

// taken are the orders that this machine has on record: all that were taken, and by their marks those
// that were not answered.
func (h *Host) taken(ctx context.Context) (took []orders.Taken, unsolved map[string]orders.Taken, err error) {
	unsolved = map[string]orders.Taken{}
	f := broker.EventFilter{Types: []string{broker.EventFleetOrder, broker.EventFleetAnswered}, Since: h.clock().Add(-ordersKept), After: -1}
	for {
		list, err := h.o.Home.Events(ctx, f)
		if err != nil {
			return nil, nil, fmt.Errorf("look which orders were taken: %w", err)
		}
		if len(list) == 0 {
			return took, unsolved, nil
		}
		for i := range list {
			e := &list[i]
			f.After = e.Seq
			var t orders.Taken
			var a AnsweredData
			switch {
			case e.Type == broker.EventFleetAnswered && json.Unmarshal(e.Data, &a) == nil:
				delete(unsolved, a.Mark)
			case e.Type == broker.EventFleetOrder && json.Unmarshal(e.Data, &t) == nil:
				took, unsolved[t.Mark] = append(took, t), t
			default:
				return nil, nil, fmt.Errorf("event %d of the log tells of an order, and cannot be read", e.Seq)
			}
		}
	}
}

// sealing is the key that is sealed with now.
func (r *run) sealing() *seals.Epoch {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.epoch.Worn() {
		r.newEpoch()
	}
	return r.epoch
}

// newEpoch draws a key. r.mu is held.
func (r *run) newEpoch() {
	r.epoch, r.letter, r.again = seals.NewEpoch(), true, true
}

// turn has the link go by a roster. Who left must not read on, so there is a new key; who came needs
// the one there is.
func (r *run) turn(roster *members.Roster) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var see []string
	for i := range roster.Members {
		if m := &roster.Members[i]; m.Role.Includes(members.Watcher) {
			see = append(see, m.ID())
		}
	}
	slices.Sort(see)
	gone := slices.ContainsFunc(r.seeing, func(id string) bool { return !slices.Contains(see, id) })
	switch {
	case r.epoch == nil || gone:
		r.newEpoch()
	case !slices.Equal(see, r.seeing):
		r.letter = true
	}
	r.seeing = see
	r.inbox.setRoster(*roster)
}

// errLeft ends a link whose machine is in the fleet no longer.
var errLeft = errors.New("this machine left the fleet, or was put out of it")

// serve works until ctx ends or the machine leaves. Nothing is told and no order taken before the
// servers have handed over all rosters that they have: a broker that was away, or whose database is a
// backup, may not know yet who was put out.
func (r *run) serve(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer end()
	begun := sync.OnceFunc(func() { close(r.heard) })
	for name, do := range map[string]func(context.Context) error{
		"rosters": func(ctx context.Context) error {
			return r.line.Rosters(ctx, r.number(), begun, func(s keys.Signed) { r.follow(ctx, s) })
		},
		"joins":       func(ctx context.Context) error { return r.line.Enrolments(ctx, r.join) },
		"hello":       func(ctx context.Context) error { return r.line.TakeHello(ctx, r.machine, r.hello) },
		"orders":      func(ctx context.Context) error { return r.line.TakeOrders(ctx, r.machine, r.inbox.answer) },
		"queue":       func(ctx context.Context) error { return r.line.Queue().Take(ctx, r.machine, r.queue.Answer) },
		"events":      r.carryOut,
		"what is now": r.tell,
	} {
		work.Go(func() {
			if name != "rosters" {
				r.waitHeard(ctx)
			}
			for failures := 0; ctx.Err() == nil; failures++ {
				if err := do(ctx); err != nil && ctx.Err() == nil {
					r.problem(name, err)
				}
				pause(ctx, backoff(failures), nil)
			}
		})
	}
	work.Go(func() {
		r.waitHeard(ctx)
		r.beat(ctx)
	})
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.host.changed:
		case <-time.After(lookEvery):
		}
		if d, ok := r.host.o.Home.FleetToken(); !ok || d.ID != r.speaker.Fleet {
			return errLeft
		}
		if !r.in() { // the invite that it joined with is over
			r.leave()
		}
	}
}

func (r *run) waitHeard(ctx context.Context) {
	select {
	case <-r.heard:
	case <-ctx.Done():
	}
}

// problem notes what is wrong with a part of the link, or that nothing is any more.
func (r *run) problem(part string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch was := r.problems[part]; {
	case err == nil:
		delete(r.problems, part)
	case was != err.Error():
		r.problems[part] = err.Error()
		r.host.o.Log.Warn("the link with the fleet has a problem", "part", part, "err", err)
	}
}

func (r *run) number() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.book.Roster().Number
}

// roster is who is in the fleet now.
func (r *run) roster() members.Roster {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.book.At(r.host.clock())
}

// follow takes a roster, and puts it on record. One that is not on record is not gone by; it is tried
// until it is, since it may say who is out, and the servers hand it over once.
func (r *run) follow(ctx context.Context, s keys.Signed) {
	r.mu.Lock()
	was, m := r.book.Roster(), r.member
	r.mu.Unlock()
	next, err := was.Follow(s)
	if errors.Is(err, members.ErrOld) {
		return
	}
	if err == nil {
		m.Roster, err = keys.Encode(s)
	}
	r.problem("rosters", err)
	if err != nil {
		return
	}
	for failures := 0; ; failures++ {
		err = r.host.keep(m, &next, broker.Actor{Kind: broker.ByBroker})
		r.problem("rosters", err)
		if err == nil {
			break
		}
		if r.host.pause(ctx, backoff(failures), nil); ctx.Err() != nil {
			return
		}
	}
	r.mu.Lock()
	err = r.book.Follow(s)
	r.member = m
	at := r.book.At(r.host.clock())
	r.mu.Unlock()
	r.problem("rosters", err)
	if !r.in() {
		r.leave()
		return
	}
	r.turn(&at)
	r.wake()
}

// in reports whether the machine is in the fleet still.
func (r *run) in() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.book.At(r.host.clock())
	_, ok := at.Of(r.host.o.Key.Public().Sign)
	return ok
}

// leave takes the machine out of the fleet, as an owner wants.
func (r *run) leave() {
	err := r.host.Leave(context.Background(), broker.Actor{Kind: broker.ByBroker})
	r.problem("leave", err)
}

// join takes in that another machine joined. It changes nothing here but who is listed.
func (r *run) join(s keys.Signed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = r.book.Join(s, r.host.clock()) // one that is not good is none
}

// hello answers somebody who asks whether the machine is there.
func (r *run) hello(asked []byte) []byte {
	if len(asked) > 32 {
		return nil
	}
	r.host.asked.Store(r.host.clock().UnixNano())
	return r.told(told.PlaceHello, told.Hello{Asked: asked, Beat: r.pulse()})
}

// told is something that is told without being kept, nil when it cannot be.
func (r *run) told(place string, what any) []byte {
	s, err := r.speaker.Tell(r.sealing(), place, r.beats.Add(1), r.host.clock(), what)
	if err != nil {
		r.problem("beats", err)
		return nil
	}
	raw, err := keys.Encode(s)
	r.problem("beats", err)
	return raw
}

// pulse is how the machine is.
func (r *run) pulse() told.Beat {
	head, _ := r.host.o.Home.Head()
	b := told.Beat{Now: r.host.clock(), Head: head, Sent: r.outbox.sent.Load(), Roster: r.number(), Version: r.host.o.Version, Proposals: len(r.host.o.Home.Proposals())}
	r.states.beat(&b)
	return b
}

// beatEvery is how often a machine says that it is there.
const beatEvery = 2 * time.Second

func (r *run) beat(ctx context.Context) {
	r.beatOnce()
	// Machines that came at the same time, as after a server was away, do not go on beating at the same time.
	pause(ctx, rand.N(beatEvery), nil) //nolint:gosec // G404: no secret
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		r.beatOnce()
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

func (r *run) beatOnce() {
	if up, _, _ := r.line.Up(); up {
		if raw := r.told(told.PlaceBeat, r.pulse()); raw != nil {
			r.problem("beats", r.line.Beat(r.machine, raw))
		}
	}
}

// wake has the outbox look.
func (r *run) wake() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

// carryOut carries the log out until ctx ends.
func (r *run) carryOut(ctx context.Context) error {
	failures := 0
	for ctx.Err() == nil {
		more, err := r.carry(ctx)
		switch {
		case err != nil:
			pause(ctx, backoff(failures), nil)
			failures++
		case more:
			failures = 0
		default:
			failures = 0
			pause(ctx, lookEvery, r.kick)
		}
	}
	return nil
}

// carry carries the next events out, and reports whether there were any.
func (r *run) carry(ctx context.Context) (any bool, err error) {
	if !r.opens() {
		return false, nil
	}
	any, err = r.outbox.step(ctx)
	r.problem("events", err)
	return any, err
}

// opens reports whether the key that is sealed with was told. The log is not carried out before: where
// this broker ended without telling it, nobody could ever open what lies in the stream.
func (r *run) opens() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.letter
}

// gatherFor is how long changes gather before they are told.
const gatherFor = 5 * time.Millisecond

// tell tells what there is until ctx ends, or the broker's watch has to begin anew.
func (r *run) tell(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	snap, updates := r.host.o.Home.Watch(ctx)
	r.states.begin(snap)
	flush, failures := time.NewTimer(0), 0
	var line time.Time // since when it has been up
	defer flush.Stop()
	for {
		select {
		case u, ok := <-updates:
			if !ok {
				return nil
			}
			r.states.apply(u)
			r.wake()
			if failures == 0 {
				flush.Reset(gatherFor)
			}
		case <-flush.C:
			if err := r.flushOver(ctx, &line); err != nil {
				flush.Reset(backoff(failures))
				failures++
				continue
			}
			failures = 0
			flush.Reset(lookEvery)
		case <-ctx.Done():
			return nil
		}
	}
}

// flushOver is flush, by a line that has been up since when line says. A server that was killed may have
// lost the last that it stored.
func (r *run) flushOver(ctx context.Context, line *time.Time) error {
	err := r.retell(ctx, line)
	if err == nil {
		err = r.flush(ctx)
	}
	r.problem("what is now", err)
	return err
}

// retell tells the keys again where the line is another one, and has all states be told again.
func (r *run) retell(ctx context.Context, line *time.Time) error {
	up, since, _ := r.line.Up()
	if !up || since.Equal(*line) {
		return nil
	}
	if r.states.begun {
		r.states.again()
	}
	if len(r.letters) > 0 {
		if err := r.states.stream.Put(ctx, r.letters); err != nil {
			return fmt.Errorf("tell the keys again: %w", err)
		}
	}
	*line = since
	return nil
}

// lettersKept is how many keys are told again.
const lettersKept = 64

// flush tells the key first, where that is to be told, and then what is sealed with it.
func (r *run) flush(ctx context.Context) error {
	r.mu.Lock()
	letter, again, epoch := r.letter, r.again, r.epoch
	roster := r.book.At(r.host.clock())
	r.mu.Unlock()
	if letter {
		l, err := epoch.Letter(r.machine, &roster)
		if err != nil {
			return err
		}
		s, err := r.speaker.TellKeys(l, r.host.clock())
		if err != nil {
			return err
		}
		raw, err := keys.Encode(s)
		if err != nil {
			return err
		}
		m := Message{Subject: told.Names{Fleet: r.speaker.Fleet}.At(r.machine, told.PlaceOfKeys(l.Epoch)), Body: raw}
		r.letters = slices.DeleteFunc(r.letters, func(old Message) bool { return old.Subject == m.Subject })
		r.letters = append(r.letters[max(0, len(r.letters)+1-lettersKept):], m)
		if err := r.states.stream.Put(ctx, []Message{m}); err != nil {
			r.states.doubt()
			return fmt.Errorf("tell the key: %w", err)
		}
		r.mu.Lock()
		r.letter = r.letter && (r.epoch != epoch || !slices.Equal(r.seeing, slices.Sorted(maps.Keys(l.For))))
		r.mu.Unlock()
		r.wake()
	}
	if again {
		r.states.again()
		r.mu.Lock()
		r.again = r.again && r.epoch != epoch
		r.mu.Unlock()
	}
	return r.states.step(ctx)
}

// status says how the link is.
func (r *run) status() consoles.FleetStatus {
	head, _ := r.host.o.Home.Head()
	up, since, why := r.line.Up()
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.book.Roster()
	s := consoles.FleetStatus{ID: now.Fleet, Name: now.Name, Machine: r.machine, Up: up, Since: since, Problem: why, Head: head, Sent: r.outbox.sent.Load()}
	for _, part := range slices.Sorted(maps.Keys(r.problems)) {
		if s.Problem == "" {
			s.Problem = r.problems[part]
		}
	}
	return s
}
