// Package orders is how a person at one machine has another machine's broker do something.
//
// An Order names a method of the consoles ("Calls.Decide") and what it takes, the machine that it is
// for, and until when it is good. An operator signs it; the machine's Desk looks whether it may be
// taken (Take): is it for this machine, signed by somebody whose role in the roster suffices, still
// good, and not one that was taken before. What comes of it is up to the broker, as with a key that
// is pressed at its own screen.
//
// There are two kinds of orders. One that may let something run, or that needs an answer at once, is
// for one run of the broker alone (Boot): a broker that was started anew, perhaps over a backup,
// takes none that was signed before. One that only refuses may wait for a machine that is out of
// reach (MayWait), and has no Boot.
//
// Each operator numbers their orders, each kind by itself, and a number is taken once: it is kept until
// the order expires, and after that nothing below it is taken. So orders that overtake each other on
// their way are all taken. Times are those of the machine's clock, which the operator knows from what
// the machine told last: so clocks may differ, and a server that keeps that back makes orders expire
// early and not late.
//
// The package has no clock, store or network.
package orders

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

// Why an order is not taken.
var (
	ErrStranger = errors.New("whoever signed this order is not in the fleet, or no longer")
	ErrRole     = errors.New("this order needs another role in the fleet")
	ErrElse     = errors.New("this order is for another machine, or another fleet")
	ErrBoot     = errors.New("this order is for an earlier run of the broker")
	ErrLate     = errors.New("this order has expired")
	ErrFar      = errors.New("this order would be good for too long")
	ErrRepeated = errors.New("this order was taken before, or may have been")
	ErrMany     = errors.New("too many orders of one member: wait until they have expired")
	ErrNoOrder  = errors.New("there is no such order")
	ErrNoDigest = errors.New("this order does not say which call was shown")
	ErrRoster   = errors.New("no owner of the fleet was heard of for too long: only refusals count until then")
)

// How long an order may be good, from when it is taken.
const (
	MostLive = 2 * time.Minute // one that needs the machine now
	MostWait = 7 * 24 * time.Hour
)

// Order is what an operator wants of a machine.
type Order struct {
	Fleet   string    `json:"fleet"`
	Machine string    `json:"machine"`        // its id
	Boot    string    `json:"boot,omitempty"` // the run of its broker; "": it may wait for the next one
	Number  uint64    `json:"number"`
	Expires time.Time `json:"expires"` // by the machine's clock
	Method  string    `json:"method"`  // of the consoles, such as "Calls.Decide"
	Body    []byte    `json:"body"`    // what that takes, in CBOR
}

// Sign signs o as k.
func (o Order) Sign(k keys.Key) (keys.Signed, error) { return k.Sign(keys.KindOrder, o) }

// Waits reports whether o may wait for a machine that is out of reach.
func (o *Order) Waits() bool { return o.Boot == "" }

// Mark tells orders apart: the same order sent twice has one mark. Hex SHA-256.
func Mark(s keys.Signed) string {
	sum := sha256.Sum256(append(append([]byte(nil), s.Sig...), s.Body...))
	return hex.EncodeToString(sum[:])
}

// Taken is an order that was taken, as it is on record.
type Taken struct {
	Operator string    `json:"operator"` // the member's id
	Name     string    `json:"name"`     // what the roster calls them
	Role     string    `json:"role"`
	Waits    bool      `json:"waits,omitempty"`
	Number   uint64    `json:"number"`
	Expires  time.Time `json:"expires"`
	Method   string    `json:"method"`
	Mark     string    `json:"mark"`
	Roster   uint64    `json:"roster"`           // its number
	Signed   []byte    `json:"signed,omitempty"` // the order itself, where other machines need it: see package queue
}

// lane is what numbers are told apart in.
type lane struct {
	operator string
	waits    bool
}

// window is which numbers of a lane were taken.
type window struct {
	taken map[uint64]time.Time // and until when the order was good
	below uint64               // all up to this one count as taken
}

// mostTaken bounds a window: an operator who gives more orders at a time has to wait.
const mostTaken = 1 << 14

// prune forgets the orders that have expired. The clock may go back after that, so they stay taken.
func (w *window) prune(now time.Time) {
	for n, until := range w.taken {
		if !now.Before(until) {
			w.below = max(w.below, n)
			delete(w.taken, n)
		}
	}
}

func (w *window) has(n uint64) bool {
	_, ok := w.taken[n]
	return ok || n <= w.below
}

// Desk looks whether a machine may take an order. It is for one goroutine at a time.
type Desk struct {
	fleet, machine, boot string

	roster members.Roster
	took   map[lane]*window
}

// NewDesk makes the desk of a machine whose broker runs as boot. took are the orders that were
// taken before, in any order; those that have expired need not be there.
func NewDesk(machine, boot string, r members.Roster, took []Taken) *Desk {
	d := &Desk{fleet: r.Fleet, machine: machine, boot: boot, roster: r, took: map[lane]*window{}}
	for i := range took {
		d.note(&took[i])
	}
	return d
}

func (d *Desk) note(t *Taken) {
	d.window(lane{t.Operator, t.Waits}).taken[t.Number] = t.Expires
}

func (d *Desk) window(l lane) *window {
	w := d.took[l]
	if w == nil {
		w = &window{taken: map[uint64]time.Time{}}
		d.took[l] = w
	}
	return w
}

// SetRoster has the desk go by another roster from now on.
func (d *Desk) SetRoster(r members.Roster) { d.roster = r }

// Roster is who the desk goes by.
func (d *Desk) Roster() *members.Roster { return &d.roster }

// Take takes an order at now, or says why not. What is taken must be on record before anything comes
// of it: the same order is not taken again. Errors: those above, and keys.ErrForged.
func (d *Desk) Take(s keys.Signed, now time.Time) (Order, Taken, error) {
	var o Order
	if err := s.Open(keys.KindOrder, &o); err != nil {
		return o, Taken{}, err
	}
	m, ok := d.roster.Of(s.By)
	if !ok {
		return o, Taken{}, ErrStranger
	}
	t := Taken{
		Operator: m.ID(), Name: m.Name, Role: string(m.Role), Waits: o.Waits(), Number: o.Number, Expires: o.Expires,
		Method: o.Method, Mark: Mark(s), Roster: d.roster.Number,
	}
	if err := d.judge(&o, m.Role, now); err != nil {
		return o, t, err
	}
	w := d.window(lane{t.Operator, t.Waits})
	if w.prune(now); w.has(o.Number) {
		return o, t, ErrRepeated
	}
	if len(w.taken) >= mostTaken {
		return o, t, ErrMany
	}
	d.note(&t)
	return o, t, nil
}

// judge says why an order of somebody with a role may not be taken, whatever its number.
func (d *Desk) judge(o *Order, has members.Role, now time.Time) error {
	most := MostLive
	if o.Waits() {
		most = MostWait
	}
	switch {
	case o.Fleet != d.fleet || o.Machine != d.machine:
		return ErrElse
	case !o.Waits() && o.Boot != d.boot:
		return ErrBoot
	case !now.Before(o.Expires):
		return ErrLate
	case o.Expires.Sub(now) > most:
		return ErrFar
	}
	need, err := NeedOf(o.Method, o.Body)
	switch {
	case err != nil:
		return err
	case o.Waits() && !need.MayWait:
		return fmt.Errorf("%w: it cannot wait", ErrBoot)
	case !has.Includes(need.Role):
		return fmt.Errorf("%w: %s may not, %s may", ErrRole, has.One(), need.Role.One())
	case !need.Refuses && !d.roster.Fresh(now):
		return ErrRoster
	}
	return nil
}
