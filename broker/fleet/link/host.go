// Package link is a machine's part in a fleet: it carries out what the machine's broker has on record
// and what there is now, and carries orders in.
//
// A Host is there as long as the broker; while the log says that the machine is in a fleet, a run is at
// work. outbox carries the log into the stream of events, once and in order, from where that ends;
// states tells what there is; inbox takes orders, puts each on record before anything comes of it, and
// answers; package queue shares calls under ids of their callers' own. Everything that goes out is sealed for the people of the fleet and signed by the machine.
//
// The broker alone decides. An order comes to it as a console's does (consoles.Server.Carry), and what
// the fleet is and who is in it stands in its log: no file beside that can change it, and a roster holds
// when it is on record. The package knows neither NATS nor the engine; Line and Home are what it needs
// of them.
package link

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/queue"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// Line is the way to a fleet's servers; see package jet. It connects by itself, and anew whenever it
// must. What it is asked while it is down fails, but for what runs until ctx ends.
type Line interface {
	Events(machine string) Events
	States(machine string) States
	Queue() queue.Line
	// Beat tells that the machine is there. Nobody waits for it, and one that is lost is lost.
	Beat(machine string, body []byte) error
	// TakeHello and TakeOrders answer those who ask, until ctx ends.
	TakeHello(ctx context.Context, machine string, answer func(asked []byte) []byte) error
	TakeOrders(ctx context.Context, machine string, take func(ctx context.Context, raw []byte, waited bool) []byte) error
	// Rosters and Enrolments tell what there is, and then what comes, until ctx ends. begun is called
	// when all rosters that there were have been taken.
	Rosters(ctx context.Context, after uint64, begun func(), take func(keys.Signed)) error
	Enrolments(ctx context.Context, take func(keys.Signed)) error
	// Enrol puts into the members' stream what the machine says of its own enrolment.
	Enrol(ctx context.Context, id string, s keys.Signed) error
	// Up reports whether a server is connected, since when that is so or not, and why not.
	Up() (up bool, since time.Time, why string)
	Close()
}

// Home is the broker of the machine. All of it must be there.
type Home struct {
	Record
	Callers
	Screens
	Log
}

// Record is what the broker knows, and what it writes down.
type Record interface {
	Notes
	Requests
	// FleetToken, KeepFleet and RevokeToken are where it is on record which fleet the broker is in.
	FleetToken() (broker.TokenData, bool)
	KeepFleet(d broker.TokenData) error
	RevokeToken(ctx context.Context, id string, by broker.Actor) error
	// Watch is everything that there is, and what changes.
	Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update)
	// Proposals are what processes of the machine ask to be granted.
	Proposals() []broker.Proposal
	// LogDoubt is why the log cannot be trusted to say who may give orders, "" when it can.
	LogDoubt() string
}

// Callers is for callers at other machines: see queue.Home.
type Callers interface {
	AwaitCall(ctx context.Context, id string, hold, again time.Duration) (broker.Request, error)
	CallHeard(id string)
}

// Options are what a Host needs. All of them must be there.
type Options struct {
	Home    Home
	Key     keys.Key                                                                     // the machine's
	Version string                                                                       // of aoctl
	Dial    func(ctx context.Context, m consoles.Membership, fleet string) (Line, error) // waits no longer than ctx
	Log     *slog.Logger
	// Listed is told each list of who is in the fleet, and whose signature it has, once it is on record.
	Listed func(r *members.Roster, signer []byte)
}

// Host is a machine's part in a fleet: it carries the log and what there is out to the servers, and
// orders in, as long as the machine is in a fleet. It is a consoles.Fleet. Several goroutines may use it.
type Host struct {
	o       Options
	changed chan struct{} // the membership is another one
	clock   func() time.Time
	pause   func(ctx context.Context, d time.Duration, wake <-chan struct{})
	asked   atomic.Int64 // when a console of the fleet asked last how the machine is, in nanoseconds of clock

	mu  sync.Mutex
	now *run   // nil when the machine is in no fleet, or cannot be
	why string // why it cannot
}

// NewHost makes one. Run has it work.
func NewHost(o Options) *Host {
	return &Host{o: o, changed: make(chan struct{}, 1), clock: time.Now, pause: pause}
}

// Why a machine does not join, or is not gone.
var (
	ErrOneFleet = errors.New("this broker is in a fleet already: leave that one first")
	ErrNotInIt  = errors.New("this machine is not in that fleet")
	ErrUntold   = errors.New("there was no time to tell the fleet all that is on record")
)

// Join has the machine be in a fleet from now on. Errors: ErrOneFleet, also where the machine is in that
// fleet and the roster does not follow the one on record; ErrNotInIt, those of members.Read,
// broker.ErrNotRecorded.
func (h *Host) Join(_ context.Context, m consoles.Membership, by broker.Actor) error {
	book, err := h.read(m)
	if err != nil {
		return err
	}
	r := book.At(h.clock())
	if _, ok := r.Of(h.o.Key.Public().Sign); !ok {
		return ErrNotInIt
	}
	if d, ok := h.o.Home.FleetToken(); ok && !h.continues(d, m) {
		return ErrOneFleet
	}
	if err := h.keep(m, &r, by); err != nil {
		return err
	}
	h.wake()
	return nil
}

// continues reports whether m is of the fleet on record: its roster is the same, or a later one that an
// owner in that signed. Anybody can make a roster with the id of the fleet.
func (h *Host) continues(d broker.TokenData, m consoles.Membership) bool {
	was, book, err := h.recorded(d)
	if err != nil {
		return false
	}
	var s keys.Signed
	if bytes.Equal(was.Roster, m.Roster) {
		return true
	}
	return keys.Decode(m.Roster, &s) == nil && book.Follow(s) == nil
}

// Leave ends that. Errors: broker.ErrNotFound where the machine is in no fleet, broker.ErrNotRecorded.
func (h *Host) Leave(ctx context.Context, by broker.Actor) error {
	d, ok := h.o.Home.FleetToken()
	if !ok {
		return broker.ErrNotFound
	}
	err := h.o.Home.RevokeToken(ctx, d.ID, by)
	h.wake()
	return err
}

// Withdraw tells all that is on record, and then has the machine be gone for everybody in the fleet, where it
// joined with an invite. Where not all can be told before ctx ends, all is false, and the machine stays in the
// fleet to tell the rest another time. Errors: ErrNotInIt, broker.ErrFleetOut, ErrUntold, those of the line.
func (h *Host) Withdraw(ctx context.Context) (all bool, err error) {
	d, ok := h.o.Home.FleetToken()
	if !ok {
		return false, ErrNotInIt
	}
	m, _, err := h.recorded(d)
	if err != nil {
		return false, err
	}
	var joined keys.Signed
	if err := keys.Decode(m.Joined, &joined); err != nil {
		return false, ErrNotInIt
	}
	r, err := h.drained(ctx)
	if err != nil {
		return false, err
	}
	s, err := members.Withdraw(h.o.Key, d.ID, joined.By)
	if err != nil {
		return true, err
	}
	return true, r.line.Enrol(ctx, told.Gone(r.machine), s)
}

// drained waits until a run has told all that is on record. Errors: broker.ErrFleetOut, ErrUntold when ctx ends.
func (h *Host) drained(ctx context.Context) (*run, error) {
	h.wake() // a link that pauses after an error tries at once
	for {
		h.mu.Lock()
		r := h.now // the link may be made anew meanwhile
		h.mu.Unlock()
		if r != nil {
			if head, _ := h.o.Home.Head(); r.outbox.sent.Load() >= head {
				return r, nil
			}
		}
		if h.pause(ctx, drainEvery, nil); ctx.Err() == nil {
			continue
		}
		if r == nil {
			return nil, broker.ErrFleetOut
		}
		if up, _, _ := r.line.Up(); !up {
			return nil, broker.ErrFleetOut
		}
		return nil, ErrUntold
	}
}

// drainEvery is how often Withdraw looks whether all was told.
const drainEvery = 20 * time.Millisecond

// Status says how the link is.
func (h *Host) Status() consoles.FleetStatus {
	h.mu.Lock()
	r, why := h.now, h.why
	h.mu.Unlock()
	if r != nil {
		return r.status()
	}
	d, ok := h.o.Home.FleetToken()
	if !ok {
		return consoles.FleetStatus{}
	}
	return consoles.FleetStatus{ID: d.ID, Name: d.Label, Machine: h.o.Key.Public().ID(), Problem: why}
}

// watchedFor is how long a console of the fleet counts as open after it asked how the machine is: it does so every
// 20 seconds.
const watchedFor = time.Minute

// Watched reports whether somebody in the fleet has a console open that reaches this machine.
func (h *Host) Watched() bool { return h.clock().Sub(time.Unix(0, h.asked.Load())) < watchedFor }

func (h *Host) wake() {
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// read opens what is on record of the fleet.
func (h *Host) read(m consoles.Membership) (*members.Book, error) {
	var roster keys.Signed
	if err := keys.Decode(m.Roster, &roster); err != nil {
		return nil, err
	}
	book, err := members.NewBook(roster)
	if err != nil || len(m.Joined) == 0 {
		return book, err
	}
	var joined keys.Signed
	if err := keys.Decode(m.Joined, &joined); err != nil {
		return nil, err
	}
	// An invite that is over, or was taken back, lets nobody in; the roster may have it by now.
	_, _ = book.Join(joined, h.clock())
	return book, nil
}

// recorded is what is on record of the fleet.
func (h *Host) recorded(d broker.TokenData) (m consoles.Membership, book *members.Book, err error) {
	if err = keys.Decode(d.Fleet, &m); err == nil {
		book, err = h.read(m)
	}
	if err != nil {
		err = fmt.Errorf("read the record of the fleet: %w", err)
	}
	return m, book, err
}

// keep records what the machine knows of its fleet.
func (h *Host) keep(m consoles.Membership, r *members.Roster, by broker.Actor) error {
	raw, err := keys.Encode(m)
	if err != nil {
		return err
	}
	if err := h.o.Home.KeepFleet(broker.TokenData{ID: r.Fleet, Kind: broker.FleetToken, Label: r.Name, By: by, Fleet: raw}); err != nil {
		return err
	}
	return h.listed(m, r)
}

// listed tells Listed who is in the fleet.
func (h *Host) listed(m consoles.Membership, r *members.Roster) error {
	var s keys.Signed
	if err := keys.Decode(m.Roster, &s); err != nil {
		return err
	}
	h.o.Listed(r, s.By)
	return nil
}

// Begin tells Listed what is on record when the broker begins, before it serves anybody. Errors: there is
// something that cannot be read.
func (h *Host) Begin() error {
	d, ok := h.o.Home.FleetToken()
	if !ok {
		return nil
	}
	m, book, err := h.recorded(d)
	if err != nil {
		return err
	}
	r := book.Roster()
	return h.listed(m, &r)
}

// lookEvery is how often the record is looked at: a person may revoke the fleet among the tokens.
const lookEvery = time.Second

// Run keeps the link up until ctx ends.
func (h *Host) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if d, ok := h.o.Home.FleetToken(); ok {
			if err := h.serve(ctx, d); err != nil && !errors.Is(err, errLeft) && ctx.Err() == nil {
				h.o.Log.WarnContext(ctx, "the link with the fleet ended", "fleet", d.ID, "err", err)
				h.set(nil, err.Error())
				pause(ctx, 5*time.Second, h.changed)
			}
			continue
		}
		pause(ctx, time.Hour, h.changed)
	}
}

// pause waits for d, or until wake or ctx ends it; wake may be nil.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-wake:
	case <-ctx.Done():
	}
}

// serve has the machine be in one fleet until ctx ends or the record says otherwise.
func (h *Host) serve(ctx context.Context, d broker.TokenData) error {
	m, book, err := h.recorded(d)
	if err != nil {
		return err
	}
	line, err := h.o.Dial(ctx, m, d.ID)
	if err != nil {
		return err
	}
	defer line.Close()
	r, err := h.newRun(ctx, m, book, line, newBoot())
	if err != nil {
		return err
	}
	h.set(r, "")
	defer h.set(nil, "")
	return r.serve(ctx)
}

func (h *Host) set(r *run, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now, h.why = r, why
}

// newBoot names a run of a link: 128 bits, hex.
func newBoot() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}
