package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// board is a stream of states: what was put last at each place.
type board struct {
	last map[string]told.Told
	fail func() (stored int, failed bool)
}

func (b *board) Places(context.Context) (list []string, _ error) {
	for place := range b.last {
		list = append(list, place)
	}
	slices.Sort(list)
	return list, nil
}

func (b *board) Put(_ context.Context, list []Message) error {
	n, failed := b.fail()
	if failed {
		list = list[:min(n, len(list))]
	}
	for _, m := range list {
		var s keys.Signed
		var t told.Told
		if err := errors.Join(keys.Decode(m.Body, &s), s.Open(keys.KindTold, &t)); err != nil {
			return err
		}
		if _, place, _ := strings.Cut(m.Subject, t.Machine+"."); place != t.Place {
			return fmt.Errorf("%s at %s", t.Place, m.Subject)
		}
		b.last[t.Place] = t
		if m.Leaves {
			delete(b.last, t.Place)
		}
	}
	if failed {
		return errors.New("the line broke")
	}
	return nil
}

// What a beat says fits what the stream has whenever the last message of the stream is the one that
// the beat counts up to, whatever was put in part before that.
func TestBeatSumsUpWhatTheStreamHas(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := &board{last: map[string]told.Told{}, fail: func() (int, bool) { return 0, false }}
		epoch := seals.NewEpoch()
		start := func(boot string) *states {
			s := newStates(b, &told.Speaker{Key: key(t, 1), Fleet: "team-abc123", Boot: boot}, func() *seals.Epoch { return epoch }, func() time.Time { return time.Unix(1, 0) })
			s.begin(broker.Snapshot{})
			return s
		}
		s := start("b1")
		boots := 1
		rt.Repeat(map[string]func(*rapid.T){
			"a call": func(rt *rapid.T) {
				r := broker.Request{ID: rapid.SampledFrom([]string{"r1", "r2", "r3"}).Draw(rt, "id"), State: rapid.SampledFrom([]broker.State{broker.Pending, broker.Denied}).Draw(rt, "state")}
				s.apply(broker.Update{Request: &r})
			},
			"a session": func(rt *rapid.T) {
				se := broker.Session{ID: rapid.SampledFrom([]string{"s1", "s2"}).Draw(rt, "id"), State: broker.SessionGone}
				se.Archived = rapid.Bool().Draw(rt, "removed")
				s.apply(broker.Update{Session: &se})
			},
			"keys":  func(*rapid.T) { s.again() },
			"start": func(*rapid.T) { boots++; s = start(fmt.Sprint("b", boots)) },
			"step": func(rt *rapid.T) {
				n, fails := rapid.IntRange(0, 4).Draw(rt, "stored"), rapid.IntRange(0, 3).Draw(rt, "fails") == 0
				b.fail = func() (int, bool) { return n, fails }
				if s.step(rt.Context()) != nil {
					return
				}
				var beat told.Beat
				s.beat(&beat)
				has, most := map[string]uint64{}, uint64(0)
				for place, m := range b.last {
					if m.Boot != s.speaker.Boot {
						rt.Fatalf("%s is still that of an earlier broker", place)
					}
					has[place], most = m.Number, max(most, m.Number)
				}
				if most > beat.States || !bytes.Equal(beat.Sum, told.Sum(has)) {
					rt.Fatalf("the beat counts up to %d; the stream has %v", beat.States, has)
				}
			},
		})
	})
}

// A line that breaks after so many states, each time: what was told before is not told again, so all
// of it is told in the end.
func TestManyStatesOverABadLine(t *testing.T) {
	b := &board{last: map[string]told.Told{}}
	room := 0
	b.fail = func() (int, bool) { room--; return 0, room < 0 }
	epoch := seals.NewEpoch()
	s := newStates(b, &told.Speaker{Key: key(t, 1), Fleet: "team-abc123", Boot: "b1"}, func() *seals.Epoch { return epoch }, func() time.Time { return time.Unix(1, 0) })
	const many = 1000
	var snap broker.Snapshot
	for i := range many {
		snap.Requests = append(snap.Requests, broker.Request{ID: fmt.Sprint("r", i), State: broker.Pending})
	}
	s.begin(snap)
	tries := 0
	for room = 2; s.step(t.Context()) != nil; room = 2 {
		if tries++; tries > many {
			t.Fatalf("after %d tries %d places are told", tries, len(b.last))
		}
	}
	if len(b.last) != many+2 { // health and rules
		t.Errorf("%d places are told", len(b.last))
	}
}

// Servers that take beats and no states would have consoles draw old cards as if they were new.
func TestBeatDoesNotVouchForWhatDidNotGetOut(t *testing.T) {
	b := &board{last: map[string]told.Told{}, fail: func() (int, bool) { return 0, false }}
	epoch := seals.NewEpoch()
	s := newStates(b, &told.Speaker{Key: key(t, 1), Fleet: "team-abc123", Boot: "b1"}, func() *seals.Epoch { return epoch }, func() time.Time { return time.Unix(1, 0) })
	whole := func() bool {
		var beat told.Beat
		s.beat(&beat)
		has := map[string]uint64{}
		for place, m := range b.last {
			has[place] = m.Number
		}
		return bytes.Equal(beat.Sum, told.Sum(has))
	}
	if whole() {
		t.Error("before anything was told, nothing is all there is")
	}
	s.begin(broker.Snapshot{})
	if err := s.step(t.Context()); err != nil || !whole() {
		t.Fatalf("all is told, %v, and the beat does not say so", err)
	}
	s.apply(broker.Update{Request: &broker.Request{ID: "r1", State: broker.Pending}})
	b.fail = func() (int, bool) { return 0, true }
	if err := s.step(t.Context()); err == nil || whole() {
		t.Errorf("a card did not get out, %v, and the beat says that all is there", err)
	}
	b.fail = func() (int, bool) { return 0, false }
	if err := s.step(t.Context()); err != nil || !whole() {
		t.Errorf("it got out, %v, and the beat does not say so", err)
	}
	if s.doubt(); whole() {
		t.Error("the key did not get out, and the beat says that all is there")
	}
	if err := s.step(t.Context()); err != nil || !whole() {
		t.Errorf("the key got out, %v, and the beat does not say so", err)
	}
}
