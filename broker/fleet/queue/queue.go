// Package queue lets any machine of a fleet take a call under an id of its caller's own, so that
// callers may try the same id at several machines and all of them are told one answer.
//
// The machine that is asked first claims the id (Claim): a signed message under a subject of the id's
// own, which the servers store once. It then asks the call as it asks any other. Every other machine
// that is asked under that id opens no call, but follows the one that did (Follow): it asks there what
// became of the call (Response), and the other machine answers as it answers callers of its own
// (Answer). Where no claim can be made or read nothing is asked. What a machine does not hear it does
// not answer.
//
// A machine cannot speak for people. What another one says that refuses the call is passed on. What
// allows it counts with its evidence alone: the order to decide this very call, signed by somebody who
// may, which the machine that asked keeps with its log. An input that was edited is taken from there. So
// a machine that claims ids of others and lies can refuse calls or delay them, and no more.
//
// Servers and other machines see no id and no call: both stand in a claim as hashes. Who asks what became
// of a call says its digest, so a machine learns nothing of calls that it does not know.
//
// The package knows neither NATS nor files. Line and Home are what it needs of them.
package queue

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
)

// Kept is how long the servers keep a claim.
const Kept = 7 * 24 * time.Hour

// Line is the way to the claims, and to other machines; see package jet. All of it ends with its context.
type Line interface {
	// Put stores a claim under the mark of an id, unless there is one already (taken). The same claim
	// again is stored once. After an error nobody knows whether it is stored.
	Put(ctx context.Context, mark string, claim []byte) (taken bool, err error)
	// Claim is the claim of an id that is taken.
	Claim(ctx context.Context, mark string) ([]byte, error)
	// Ask asks a machine, and returns its answer.
	Ask(ctx context.Context, machine string, raw []byte) ([]byte, error)
	// Take has answer called for what others ask this machine, several at a time, until ctx ends. nil
	// is no answer.
	Take(ctx context.Context, machine string, answer func(ctx context.Context, raw []byte) []byte) error
}

// Home is the broker of the machine.
type Home interface {
	// Request is a call as it is now. Errors: broker.ErrNotFound, and the store's.
	Request(ctx context.Context, id string) (broker.Request, error)
	// AwaitCall waits as a caller does that polls and comes again within a time: until the call may be
	// told to have ended, or hold or ctx is over. Errors: those of Request, broker.ErrClosed.
	AwaitCall(ctx context.Context, id string, hold, again time.Duration) (broker.Request, error)
	// CallHeard notes that the call's caller was told its end.
	CallHeard(id string)
	// Orders are the orders on record that were taken around a time.
	Orders(ctx context.Context, at time.Time) ([]orders.Taken, error)
	// LogDoubt is why the log cannot be trusted to say who is in the fleet, "" when it can.
	LogDoubt() string
}

// Options are what a Desk needs. All of them must be there.
type Options struct {
	Key    keys.Key              // the machine's
	Roster func() members.Roster // who is in the fleet now
	Line   Line
	Home   Home
	Now    func() time.Time
}

// Desk is a machine's part in the queue of its fleet. Several goroutines may use it. It holds no lock
// while it waits for the line or the broker.
type Desk struct {
	o  Options
	id string // the machine's

	mu       sync.Mutex
	followed map[string]*followed // by the call's id
	row      []string             // their ids, the oldest first
	waiting  map[string]int       // by machine: its questions that wait here
}

// followed is a call that another machine asks.
type followed struct {
	call  broker.Request // as our own caller sent it, without its input
	owner string         // the id of that machine
	since time.Time
	heard time.Time // when that machine last said something of it
}

// is reports whether r is the call that is followed.
func (f *followed) is(r *broker.Request) bool {
	return f.call.Digest == r.Digest && f.call.SessionID == r.SessionID && f.call.Agent == r.Agent
}

// mostFollowed bounds what is remembered. Who polls for a call that was forgotten is told that it is not
// known, and asks it again.
const mostFollowed = 1 << 14

// NewDesk makes one.
func NewDesk(o Options) *Desk {
	return &Desk{o: o, id: o.Key.Public().ID(), followed: map[string]*followed{}, waiting: map[string]int{}}
}

// Follow has Response ask owner what becomes of r.
func (d *Desk) Follow(owner string, r broker.Request) {
	r.ToolInput = nil
	d.mu.Lock()
	defer d.mu.Unlock()
	switch was := d.followed[r.ID]; {
	case was == nil:
		d.row = append(d.row, r.ID)
	case was.owner == owner && was.is(&r):
		return
	}
	d.followed[r.ID] = &followed{call: r, owner: owner, since: d.o.Now()}
	if len(d.row) > mostFollowed {
		delete(d.followed, d.row[0])
		d.row = d.row[1:]
	}
}

// of is what is known of a call that another machine asks.
func (d *Desk) of(id string) (f followed, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.followed[id]
	if !ok {
		return f, false
	}
	return *p, true
}

// machine is a machine of the fleet.
func (d *Desk) machine(id string) (m members.Member, ok bool) {
	r := d.o.Roster()
	for i := range r.Members {
		if m := &r.Members[i]; m.Role == members.Machine && m.ID() == id {
			return *m, true
		}
	}
	return m, false
}

// elsewhere is why an answer is to be looked for at another machine.
func elsewhere(format string, args ...any) error {
	return fmt.Errorf("%w: %s", broker.ErrElsewhere, fmt.Sprintf(format, args...))
}
