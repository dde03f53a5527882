package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/keys/keystest"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

var key = keystest.Key

// paper is a log of events, chained by name alone.
type paper struct {
	list []broker.Event
	line string // which of several pasts this is
	gone int64  // up to this one they were archived
}

func (p *paper) add(typ, session, request string) {
	n := int64(len(p.list) + 1)
	p.list = append(p.list, broker.Event{Seq: n, At: time.Unix(n, 0).UTC(), Type: typ, SessionID: session, RequestID: request, Hash: fmt.Sprintf("%032x", fmt.Sprint(p.line, n))})
}

func (p *paper) Head() (int64, string) { return int64(len(p.list)), "" }

func (p *paper) Events(_ context.Context, f broker.EventFilter) (list []broker.Event, err error) {
	for _, e := range p.list {
		if e.Seq > f.After && e.Seq > p.gone && len(list) < f.Limit {
			list = append(list, e)
		}
	}
	return list, nil
}

func (p *paper) Request(_ context.Context, id string) (broker.Request, error) {
	return broker.Request{ID: id}, nil
}

// pond is a stream that fails as servers do.
type pond struct {
	kept []Message
	seqs []uint64
	seq  uint64
	ids  map[string]bool

	fails func() fault
}

type fault int

const (
	fine      fault = iota
	lost            // nothing is stored
	unheard         // stored, and nobody hears of it
	full            // nothing is stored, and it says why
	elsewhere       // another machine's messages come in between
)

var errLine = errors.New("the line is cut")

func (p *pond) Newest(context.Context) (Last, error) {
	if p.fails() == lost {
		return Last{}, errLine
	}
	if len(p.kept) == 0 {
		return Last{}, nil
	}
	return Last{Seq: p.seqs[len(p.seqs)-1], Body: p.kept[len(p.kept)-1].Body}, nil
}

func (p *pond) Find(_ context.Context, same func([]byte) (int64, bool)) (most int64, err error) {
	for _, m := range p.kept {
		if n, ok := same(m.Body); ok {
			most = max(most, n)
		}
	}
	return most, nil
}

func (p *pond) Append(_ context.Context, after uint64, list []Message) (uint64, error) {
	how := p.fails()
	switch how {
	case lost:
		return 0, errLine
	case full:
		return 0, ErrFull
	case elsewhere:
		p.seq += 3
	case fine, unheard:
	}
	newest := uint64(0)
	if len(p.seqs) > 0 {
		newest = p.seqs[len(p.seqs)-1]
	}
	if newest != after {
		return 0, ErrMoved
	}
	for _, m := range list {
		p.seq++
		p.kept, p.seqs = append(p.kept, m), append(p.seqs, p.seq)
	}
	if how == unheard {
		return 0, errLine
	}
	return p.seq, nil
}

// Whatever fails, and whenever the broker starts anew: when it is over the stream has each event of
// the log once, in order, and of a log that was put back from a copy what the copy had not.
func TestOutboxCarriesTheWholeLogOnce(t *testing.T) {
	k := key(t, 1)
	reader := key(t, 2)
	rapid.Check(t, func(rt *rapid.T) {
		rand := rapid.SampledFrom([]fault{fine, fine, fine, lost, unheard, full, elsewhere})
		calm := false
		p := &pond{fails: func() fault {
			if calm {
				return fine
			}
			return rand.Draw(rt, "fault")
		}}
		log := &paper{line: "a"}
		epoch := seals.NewEpoch()
		start := func() *outbox {
			return &outbox{events: p, log: log, requests: log, speaker: &told.Speaker{Key: k, Fleet: "team-abc123", Boot: "b"}, epoch: func() *seals.Epoch { return epoch }}
		}
		o := start()
		restored := []int{} // lengths of the log at which another past began
		rt.Repeat(map[string]func(*rapid.T){
			"log": func(rt *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(rt, "events") {
					log.add(broker.EventRequestCreated, "s"+fmt.Sprint(len(log.list)%3), "r")
				}
			},
			"step":  func(*rapid.T) { _, _ = o.step(t.Context()) },
			"start": func(*rapid.T) { o = start() },
			"put back from a copy": func(rt *rapid.T) {
				n := rapid.IntRange(0, len(log.list)).Draw(rt, "kept")
				log = &paper{list: slices.Clone(log.list[:n]), line: log.line + "'"}
				restored = append(restored, n)
				o = start()
			},
		})
		calm = true
		log.add(broker.EventAlarm, "", "")
		for steps := 0; ; steps++ {
			if any, err := o.step(t.Context()); err == nil && !any {
				break
			}
			if steps > 1000 {
				rt.Fatal("it never comes to an end")
			}
		}
		if o.sent.Load() != int64(len(log.list)) {
			rt.Fatalf("sent %d of %d", o.sent.Load(), len(log.list))
		}
		r := members.Roster{Members: []members.Member{{Public: reader.Public(), Role: members.Watcher}}}
		letter, err := epoch.Letter(k.Public().ID(), &r)
		if err != nil {
			rt.Fatal(err)
		}
		mine, err := letter.Open(reader)
		if err != nil {
			rt.Fatal(err)
		}
		names := told.Names{Fleet: "team-abc123"}
		seen := map[string]int{}
		got := []string{} // the present log, as the stream has it
		for i, m := range p.kept {
			var s keys.Signed
			if err := keys.Decode(m.Body, &s); err != nil {
				rt.Fatal(err)
			}
			td, err := names.Hear(m.Subject, s, members.Member{Public: k.Public()})
			var e told.Event
			if err == nil {
				err = td.Read(mine, &e)
			}
			if err != nil {
				rt.Fatalf("message %d: %v", i, err)
			}
			if seen[e.Event.Hash]++; seen[e.Event.Hash] > 1 {
				rt.Fatalf("event %d is there twice", e.Event.Seq)
			}
			if e.Event.Type == broker.EventRequestCreated && e.Request == nil {
				rt.Fatal("a call without what it asks")
			}
			if n := int(e.Event.Seq); n <= len(log.list) && log.list[n-1].Hash == e.Event.Hash {
				got = append(got, e.Event.Hash)
			}
		}
		want := []string{}
		for _, e := range log.list {
			want = append(want, e.Hash)
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("the stream has %d of %d events, restored at %v", len(got), len(want), restored)
		}
	})
}

// What was archived before it could be told is missed, and said to be.
func TestOutboxSaysWhatWasArchived(t *testing.T) {
	log := &paper{line: "a", gone: 7}
	for range 10 {
		log.add(broker.EventAlarm, "", "")
	}
	p := &pond{fails: func() fault { return fine }}
	epoch := seals.NewEpoch()
	o := &outbox{events: p, log: log, requests: log, speaker: &told.Speaker{Key: key(t, 1), Fleet: "team-abc123", Boot: "b"}, epoch: func() *seals.Epoch { return epoch }}
	if _, err := o.step(t.Context()); err != nil || len(p.kept) != 3 {
		t.Fatalf("%d events, %v", len(p.kept), err)
	}
	var missed []int64
	for _, m := range p.kept {
		var s keys.Signed
		var td told.Told
		var e told.Event
		if err := errors.Join(keys.Decode(m.Body, &s), s.Open(keys.KindTold, &td), td.Read(epoch, &e)); err != nil {
			t.Fatal(err)
		}
		missed = append(missed, e.Missed)
	}
	if !slices.Equal(missed, []int64{7, 0, 0}) {
		t.Errorf("missed %v", missed)
	}
}

// A server that puts an event of the log into the stream, as if we had told it, has nothing left out.
func TestOutboxSignsItself(t *testing.T) {
	p, w := &paper{}, &pond{ids: map[string]bool{}, fails: func() fault { return fine }}
	for range 3 {
		p.add("message", "s", "")
	}
	sp := &told.Speaker{Key: key(t, 1), Fleet: "team-abc123", Boot: "b"}
	e := seals.NewEpoch()
	forged := told.Told{Fleet: sp.Fleet, Machine: sp.Machine(), Boot: "b", Place: told.PlaceOfEvent(&p.list[2]), Number: 3, Hash: p.list[2].Hash}
	s, err := key(t, 2).Sign(keys.KindTold, forged)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := keys.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	w.kept, w.seqs, w.seq = []Message{{Body: raw}}, []uint64{1}, 1
	o := &outbox{events: w, log: p, requests: p, speaker: sp, epoch: func() *seals.Epoch { return e }}
	if _, err := o.step(t.Context()); err != nil || len(w.kept) != 4 {
		t.Errorf("%d messages are in the stream, %v", len(w.kept), err)
	}
}
