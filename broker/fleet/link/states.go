package link

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// States is the stream that keeps the last message of each subject.
type States interface {
	// Places are the places of this machine that have a message now.
	Places(ctx context.Context) ([]string, error)
	// Put stores messages, in order. After an error some may be stored.
	Put(ctx context.Context, list []Message) error
}

// states tells what there is, each thing by itself. What changes twice before it was told is told
// once, as it is then. One goroutine uses it.
type states struct {
	stream  States
	speaker *told.Speaker
	epoch   func() *seals.Epoch
	now     func() time.Time

	all    map[string]told.State // by place: all that there is, and what is no more until that was told
	dirty  map[string]bool       // places that are to be told
	number uint64                // of the last state that was told
	shown  map[string]uint64     // by place: the number under which it was told last, or tried to, without what leaves
	sum    atomic.Pointer[sum]   // of shown; all may read it
	begun  bool                  // what an earlier broker left there was taken away
}

func newStates(stream States, speaker *told.Speaker, epoch func() *seals.Epoch, now func() time.Time) *states {
	s := &states{stream: stream, speaker: speaker, epoch: epoch, now: now, all: map[string]told.State{}, dirty: map[string]bool{}, shown: map[string]uint64{}}
	s.sum.Store(&sum{}) // nobody has all before the first was told
	return s
}

// begin takes in all that there is. What was there before and is no more is told to be gone.
func (s *states) begin(snap broker.Snapshot) {
	before := s.all
	s.all = map[string]told.State{}
	for i := range snap.Sessions {
		s.apply(broker.Update{Session: &snap.Sessions[i]})
	}
	for i := range snap.Requests {
		s.apply(broker.Update{Request: &snap.Requests[i]})
	}
	s.apply(broker.Update{Health: &snap.Health})
	s.apply(broker.Update{Rules: &snap.Rules})
	for place, was := range before {
		if _, ok := s.all[place]; !ok {
			was.Gone = true
			s.set(place, was)
		}
	}
}

// apply takes in one change.
func (s *states) apply(u broker.Update) {
	if place := told.PlaceOfState(&u); place != "" {
		s.set(place, told.State{Update: u, Gone: ended(&u)})
	}
}

func (s *states) set(place string, st told.State) { s.all[place], s.dirty[place] = st, true }

// ended reports whether an update is the last one of its thing.
func ended(u *broker.Update) bool { return u.Session != nil && u.Session.Removed() }

// sum is what a beat says of the states.
type sum struct {
	upTo uint64
	sum  []byte
}

// beat fills that in. Several goroutines may call it.
func (s *states) beat(b *told.Beat) {
	now := s.sum.Load()
	b.States, b.Sum = now.upTo, now.sum
}

// again has everything told anew: those who may read it are others, or the key is.
func (s *states) again() {
	for place := range s.all {
		s.dirty[place] = true
	}
}

// step tells what is to be told. After an error the same is told again.
func (s *states) step(ctx context.Context) error {
	if !s.begun {
		if err := s.clear(ctx); err != nil {
			return err
		}
		s.begun = true
	}
	places := slices.Sorted(maps.Keys(s.dirty))
	for some := range slices.Chunk(places, putMost) {
		if err := s.put(ctx, some); err != nil {
			return err
		}
	}
	if s.sum.Load().sum == nil { // see doubt
		s.sum.Store(&sum{s.number, told.Sum(s.shown)})
	}
	return nil
}

// doubt has beats say that nobody has all, until the next step: nothing is told before the key is.
func (s *states) doubt() { s.sum.Store(&sum{upTo: s.number}) }

// putMost is how many states are told at a time. What was told stays told when the next ones fail, so
// a slow line gets to the end some time.
const putMost = 128

func (s *states) put(ctx context.Context, places []string) error {
	list := make([]Message, 0, len(places))
	number := s.number
	for _, place := range places {
		number++
		st := s.all[place]
		m, err := s.message(place, number, &st)
		if err != nil {
			return err
		}
		list = append(list, m)
	}
	for i, place := range places {
		s.shown[place] = number - uint64(len(places)-1-i) //nolint:gosec // it is not negative
		if st := s.all[place]; st.Leaves() {
			delete(s.shown, place)
		}
	}
	// Also when it fails: a number is never used twice, and beats must not say that who has only what
	// came before has all there is.
	s.number = number
	s.sum.Store(&sum{number, told.Sum(s.shown)})
	if err := s.stream.Put(ctx, list); err != nil {
		return fmt.Errorf("tell what there is: %w", err)
	}
	for _, place := range places {
		if st := s.all[place]; st.Leaves() {
			delete(s.all, place)
		}
		delete(s.dirty, place)
	}
	return nil
}

// clear has the places of an earlier broker that this one has not told to be gone.
func (s *states) clear(ctx context.Context) error {
	places, err := s.stream.Places(ctx)
	if err != nil {
		return fmt.Errorf("look what an earlier broker told: %w", err)
	}
	for _, place := range places {
		if _, ok := s.all[place]; !ok {
			s.set(place, told.State{Gone: true})
		}
	}
	return nil
}

func (s *states) message(place string, number uint64, st *told.State) (Message, error) {
	signed, err := s.speaker.Tell(s.epoch(), place, number, s.now(), st)
	if err != nil {
		return Message{}, fmt.Errorf("sign a state: %w", err)
	}
	body, err := keys.Encode(signed)
	names := told.Names{Fleet: s.speaker.Fleet}
	return Message{Subject: names.At(s.speaker.Machine(), place), Body: body, Leaves: st.Leaves()}, err
}
