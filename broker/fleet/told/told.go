// Package told is what the machine of a fleet tells, and where it stands.
//
// Everything is a Told: what it is about stands in its Place, which is the end of its subject, and
// what it says is sealed for the people of the fleet. The machine signs it. Who reads it looks
// whether the machine is one of the fleet, whether it signed this, and for this very place (Open):
// so neither a server nor another member can put words into a machine's mouth, or show an old card
// in the place of another one.
//
// Three kinds of things are told. Events are the machine's log, one message each, numbered as they
// are there. States are what there is now, one place for each session and call, numbered within one
// run of the broker; a later one replaces an earlier one. Beats say that the machine is there, what
// its clock says, and how many states it has told: who has fewer knows that something is missing.
//
// Subjects are made here and nowhere else (Names).
package told

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/seals"
)

// ErrPlace means that something was told for another place than the one where it stands.
var ErrPlace = errors.New("this was told in another place")

// Told is something that a machine says.
type Told struct {
	Fleet   string       `json:"fleet"`
	Machine string       `json:"machine"`        // its id
	Boot    string       `json:"boot"`           // the run of its broker
	Place   string       `json:"place"`          // the subject behind the machine's id
	Number  uint64       `json:"number"`         // of an event that of the log; of states and beats it rises within a boot
	At      time.Time    `json:"at"`             // by the machine's clock
	Hash    string       `json:"hash,omitempty"` // of an event, as the log's chain has it: two logs of one machine are told apart
	Sealed  seals.Sealed `json:"sealed,omitzero"`
	Plain   []byte       `json:"plain,omitempty"` // a letter of keys, which is sealed in itself
}

// about is what the sealed part of t is bound to.
func (t *Told) about() string {
	return strings.Join([]string{t.Fleet, t.Machine, t.Boot, t.Place, t.Hash, strconv.FormatUint(t.Number, 10)}, "\x00")
}

// Speaker is a machine that tells. Its zero value is none.
type Speaker struct {
	Key   keys.Key
	Fleet string
	Boot  string
}

// Machine is the id of the machine that speaks.
func (s *Speaker) Machine() string { return s.Key.Public().ID() }

// Tell signs what, sealed with e, as number n of a place.
func (s *Speaker) Tell(e *seals.Epoch, place string, n uint64, at time.Time, what any) (keys.Signed, error) {
	return s.tell(e, Told{Place: place, Number: n, At: at}, what)
}

// TellEvent signs an event of the log.
func (s *Speaker) TellEvent(e *seals.Epoch, what Event) (keys.Signed, error) {
	ev := &what.Event
	return s.tell(e, Told{Place: PlaceOfEvent(ev), Number: uint64(ev.Seq), At: ev.At, Hash: ev.Hash}, what) //nolint:gosec // from 1
}

func (s *Speaker) tell(e *seals.Epoch, t Told, what any) (keys.Signed, error) {
	plain, err := keys.Encode(what)
	if err != nil {
		return keys.Signed{}, err
	}
	t.Fleet, t.Machine, t.Boot = s.Fleet, s.Machine(), s.Boot
	t.Sealed = e.Seal(t.about(), plain)
	return s.Key.Sign(keys.KindTold, t)
}

// TellKeys signs the letter of an epoch.
func (s *Speaker) TellKeys(l seals.Letter, at time.Time) (keys.Signed, error) {
	plain, err := keys.Encode(l)
	if err != nil {
		return keys.Signed{}, err
	}
	return s.Key.Sign(keys.KindTold, Told{Fleet: s.Fleet, Machine: s.Machine(), Boot: s.Boot, Place: PlaceOfKeys(l.Epoch), At: at, Plain: plain})
}

// Hear is what a machine of the fleet told at a subject. It says nothing yet of what is sealed in
// it. Errors: keys.ErrForged, members.ErrOther where the signer is not that machine, ErrPlace.
func (n Names) Hear(subject string, s keys.Signed, machine members.Member) (Told, error) {
	var t Told
	if err := s.Open(keys.KindTold, &t); err != nil {
		return Told{}, err
	}
	switch {
	case !slices.Equal(s.By, machine.Sign), t.Fleet != n.Fleet, t.Machine != machine.ID():
		return Told{}, members.ErrOther
	case n.At(t.Machine, t.Place) != subject:
		return Told{}, ErrPlace
	}
	return t, nil
}

// Read opens what is sealed in t with e into v, which is a pointer. Errors: seals.ErrSealed, and what
// is wrong with it.
func (t *Told) Read(e *seals.Epoch, v any) error {
	plain, err := t.Unseal(e)
	if err != nil {
		return err
	}
	return keys.DecodeKnown(plain, v)
}

// Unseal opens what is sealed in t. Errors: seals.ErrSealed.
func (t *Told) Unseal(e *seals.Epoch) ([]byte, error) { return e.Open(t.about(), t.Sealed) }

// Letter is the letter that t is. Errors: ErrPlace where it is none.
func (t *Told) Letter() (seals.Letter, error) {
	var l seals.Letter
	if err := keys.Decode(t.Plain, &l); err != nil {
		return l, err
	}
	if t.Place != PlaceOfKeys(l.Epoch) || l.Machine != t.Machine {
		return l, ErrPlace
	}
	return l, nil
}

// Event is one event of a machine's log.
type Event struct {
	Event   broker.Event    `json:"event"`
	Request *broker.Request `json:"request,omitempty"` // the call that began to wait: the event has its digest alone
	Missed  int64           `json:"missed,omitempty"`  // so many before this one were archived before they could be told
}

// State is one thing as it is now.
type State struct {
	Update broker.Update `json:"update"`
	Gone   bool          `json:"gone,omitempty"` // it is no more
}

// Leaves reports whether s goes away by itself: a call that ended is shown for a while, and what is
// no more is told once.
func (s *State) Leaves() bool {
	return s.Gone || s.Update.Request != nil && s.Update.Request.State.Terminal()
}

// Sum is a hash over all that a machine tells: its places, each with the number of what was told
// last there. What Leaves is in none. Who has the same sum has all of it, and nothing that is old.
func Sum(last map[string]uint64) []byte {
	h := sha256.New()
	var line []byte
	for _, place := range slices.Sorted(maps.Keys(last)) {
		line = append(strconv.AppendUint(append(append(line[:0], place...), ' '), last[place], 10), '\n')
		_, _ = h.Write(line) // it never fails
	}
	return h.Sum(nil)
}

// Beat says that a machine is there.
type Beat struct {
	Now     time.Time `json:"now"`
	States  uint64    `json:"states"`  // the number of the last state told in this boot
	Sum     []byte    `json:"sum"`     // Sum of all states up to that number
	Head    int64     `json:"head"`    // the newest event of its log
	Sent    int64     `json:"sent"`    // the newest that the fleet has
	Roster  uint64    `json:"roster"`  // the number of the roster that it goes by
	Version string    `json:"version"` // of its aoctl
	// Proposals is how many processes there ask to be granted something.
	Proposals int `json:"proposals,omitempty"`
}

// Hello answers somebody who asked with a number of their own: so they know that nobody kept this
// from them, or told it before.
type Hello struct {
	Asked []byte `json:"asked"` // what they asked with, at most 32 bytes
	Beat
}

// Names are the subjects of a fleet.
type Names struct{ Fleet string }

// The streams.
const (
	StreamEvents = "AOCTL_EVENTS" // every event, in order, kept as long as the fleet says
	StreamStates = "AOCTL_STATES" // the last of each place
	StreamOrders = "AOCTL_ORDERS" // orders that wait for their machine
	StreamClaims = "AOCTL_CLAIMS" // which machine asks the call that has an id

	StreamMembers = "AOCTL_MEMBERS" // the rosters, what invites open, and who joined
)

const root = "aoctl"

// At is the subject of a place of a machine.
func (n Names) At(machine, place string) string {
	return strings.Join([]string{root, n.Fleet, machine, place}, ".")
}

// Roster is where a roster of a number stands.
func (n Names) Roster(number uint64) string {
	return fmt.Sprintf("%s.%s.roster.%d", root, n.Fleet, number)
}

// Invite is where the letter of an invite lies: see members.Code.ID.
func (n Names) Invite(id string) string { return fmt.Sprintf("%s.%s.invite.%s", root, n.Fleet, id) }

// Enrolment is where somebody who joins says so, by their member's id.
func (n Names) Enrolment(id string) string {
	return fmt.Sprintf("%s.%s.enrol.%s", root, n.Fleet, id)
}

// gone ends the id under which a machine takes its enrolment back. It is read with the enrolments.
const gone = "-gone"

// Gone is the id under which a machine says, in an Enrolment, that it is gone.
func Gone(machine string) string { return machine + gone }

// WhoIsGone is the machine that says so under an id; ok is false where the id is that of an enrolment.
func WhoIsGone(id string) (machine string, ok bool) { return strings.CutSuffix(id, gone) }

// Claim is where the claim of an id lies, by what stands for the id: see package queue.
func (n Names) Claim(mark string) string { return fmt.Sprintf("%s.%s.claims.%s", root, n.Fleet, mark) }

// Rosters are all rosters.
func (n Names) Rosters() string { return fmt.Sprintf("%s.%s.roster.*", root, n.Fleet) }

// Dropped is where an owner has the server forget the letter of an invite.
func (n Names) Dropped(id string) string { return fmt.Sprintf("%s.%s.dropped.%s", root, n.Fleet, id) }

// EventsOf are the subjects of a machine's events.
func (n Names) EventsOf(machine string) string { return n.At(machine, placeEvents+".>") }

// StatesOf are the subjects of a machine's states.
func (n Names) StatesOf(machine string) string { return n.At(machine, placeStates+".>") }

// KeysOf are the subjects of a machine's letters of keys.
func (n Names) KeysOf(machine string) string { return n.At(machine, placeKeys+".>") }

// Split is the machine and the place that a subject of the fleet names.
func (n Names) Split(subject string) (machine, place string, ok bool) {
	rest, ok := strings.CutPrefix(subject, root+"."+n.Fleet+".")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ".")
}

// The places of a machine.
const (
	PlaceBeat   = "beat"
	PlaceHello  = "hello"       // who asks here what the machine is now gets a Hello
	PlaceOrders = "orders.now"  // for one run of the broker
	PlaceWaits  = "orders.wait" // those that may wait
	PlaceQueue  = "queue"       // where other machines ask what became of a call
	placeEvents = "events"
	placeStates = "state"
	placeKeys   = "keys"
)

// IsState reports whether a state stands at a place.
func IsState(place string) bool { return strings.HasPrefix(place, placeStates+".") }

// IsKeys reports whether a letter of keys stands at a place.
func IsKeys(place string) bool { return strings.HasPrefix(place, placeKeys+".") }

// PlaceOfKeys is where the letter of an epoch lies.
func PlaceOfKeys(epoch string) string { return placeKeys + "." + epoch }

// PlaceOfEvent is where an event stands: with the others of its session, whose name says nothing.
func PlaceOfEvent(e *broker.Event) string { return placeEvents + "." + hidden(e.SessionID) }

// PlaceOfState is where an update stands, "" for one that is no state.
func PlaceOfState(u *broker.Update) string {
	switch {
	case u.Request != nil:
		return placeStates + ".request." + hidden(u.Request.ID)
	case u.Session != nil:
		return placeStates + ".session." + hidden(u.Session.ID)
	case u.Health != nil:
		return placeStates + ".health"
	case u.Rules != nil:
		return placeStates + ".rules"
	}
	return ""
}

// hidden stands for an id in a subject, which servers read: some agents let their user name it.
func hidden(id string) string {
	if id == "" {
		return "none"
	}
	sum := sha256.Sum256([]byte("aoctl fleet id 1\x00" + id))
	return hex.EncodeToString(sum[:16])
}
