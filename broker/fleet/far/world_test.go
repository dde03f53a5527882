package far

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/keys/keystest"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

const fleetID = "team-abc123"

var names = told.Names{Fleet: fleetID}

var key = keystest.Key

func member(k keys.Key, name string, role members.Role) members.Member {
	return members.Member{Public: k.Public(), Name: name, Role: role}
}

// message is something told, as the servers have it.
type message struct {
	subject string
	body    []byte
	boot    string
	number  uint64
	place   string
	leaves  bool
}

// box is a machine that tells.
type box struct {
	tb      testing.TB
	key     keys.Key
	me      members.Member
	see     members.Roster
	boot    string
	epoch   *seals.Epoch
	letter  message
	number  uint64
	beats   uint64
	set     map[string]uint64
	history map[string]map[uint64]map[string]uint64 // what there was, by boot and number
	clock   time.Duration                           // ahead of ours
	at      func() time.Time
}

func newBox(tb testing.TB, seed byte, name string, see members.Roster, at func() time.Time) *box {
	tb.Helper()
	b := &box{tb: tb, key: key(tb, seed), see: see, history: map[string]map[uint64]map[string]uint64{}, at: at}
	b.me = member(b.key, name, members.Machine)
	b.start("b1")
	return b
}

// start starts the broker anew.
func (b *box) start(boot string) {
	b.boot, b.number, b.beats, b.set = boot, 0, 0, map[string]uint64{}
	b.history[boot] = map[uint64]map[string]uint64{0: {}}
	b.turn()
}

// turn draws a new key.
func (b *box) turn() {
	b.epoch = seals.NewEpoch()
	l, err := b.epoch.Letter(b.id(), &b.see)
	if err != nil {
		b.tb.Fatal(err)
	}
	s, err := b.speaker().TellKeys(l, b.now())
	b.letter = b.message(s, err, told.PlaceOfKeys(l.Epoch), 0)
}

func (b *box) id() string             { return b.key.Public().ID() }
func (b *box) now() time.Time         { return b.at().Add(b.clock) }
func (b *box) speaker() *told.Speaker { return &told.Speaker{Key: b.key, Fleet: fleetID, Boot: b.boot} }

func (b *box) message(s keys.Signed, err error, place string, n uint64) message {
	b.tb.Helper()
	if err != nil {
		b.tb.Fatal(err)
	}
	body, err := keys.Encode(s)
	if err != nil {
		b.tb.Fatal(err)
	}
	return message{subject: names.At(b.id(), place), body: body, boot: b.boot, number: n, place: place}
}

// tell tells a state.
func (b *box) tell(st told.State) message {
	b.tb.Helper()
	b.number++
	place := told.PlaceOfState(&st.Update)
	s, err := b.speaker().Tell(b.epoch, place, b.number, b.now(), st)
	m := b.message(s, err, place, b.number)
	if m.leaves = st.Leaves(); m.leaves {
		delete(b.set, place)
	} else {
		b.set[place] = b.number
	}
	b.history[b.boot][b.number] = maps.Clone(b.set)
	return m
}

// call tells a call, whose description says what it was told as.
func (b *box) call(id string, state broker.State) message {
	r := broker.Request{ID: id, SessionID: "s-" + id, State: state, Description: fmt.Sprint(b.boot, " ", b.number+1), CreatedAt: b.now(), ExpiresAt: b.now().Add(time.Hour), Digest: "d-" + id}
	if state.Terminal() {
		r.Outcome = &broker.Outcome{State: state, At: b.now(), By: broker.Actor{Kind: broker.ByDeadline}}
	}
	return b.tell(told.State{Update: broker.Update{Request: &r}})
}

// session tells a session, whose mode says what it was told as.
func (b *box) session(id string) message {
	return b.tell(told.State{Update: broker.Update{Session: &broker.Session{ID: id, Name: id, State: broker.SessionActive, Mode: fmt.Sprint(b.boot, " ", b.number+1), StartedAt: b.now()}}})
}

func (b *box) pulse() told.Beat {
	return told.Beat{Now: b.now(), States: b.number, Sum: told.Sum(b.set)}
}

func (b *box) beat() message {
	b.tb.Helper()
	b.beats++
	s, err := b.speaker().Tell(b.epoch, told.PlaceBeat, b.beats, b.now(), b.pulse())
	return b.message(s, err, told.PlaceBeat, b.beats)
}

// hello answers who asked.
func (b *box) hello(asked []byte) message {
	b.tb.Helper()
	b.beats++
	s, err := b.speaker().Tell(b.epoch, told.PlaceHello, b.beats, b.now(), told.Hello{Asked: asked, Beat: b.pulse()})
	return b.message(s, err, told.PlaceHello, b.beats)
}
