package far

import (
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

// The size that a console has to bear.
const (
	manyMachines = 200
	manySessions = 2_000
	manyCalls    = 50_000 // of which a test takes a part
)

// BenchmarkHear has a mirror take in one state: signature, key, CBOR, and the update for the screen.
func BenchmarkHear(b *testing.B) {
	me := key(b, 100)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	x := newBox(b, 1, "dev-box", see, func() time.Time { return noon })
	m := NewMirror(me, names, x.me)
	m.Hear(x.letter.subject, x.letter.body, noon)
	for i := range manySessions / manyMachines {
		s := x.session(fmt.Sprint("s", i))
		m.Hear(s.subject, s.body, noon)
	}
	list := make([]message, b.N)
	for i := range list {
		list[i] = x.call("x", broker.Pending)
	}
	b.ResetTimer()
	for _, s := range list {
		if len(m.Hear(s.subject, s.body, noon)) != 1 {
			b.Fatal("nothing is otherwise")
		}
	}
}

// crowd is a large fleet, of which nothing has been told yet.
func crowd(tb testing.TB) (*Broker, []*box) {
	tb.Helper()
	me := key(tb, 250)
	see := members.Roster{Fleet: fleetID, Members: []members.Member{member(me, "ada", members.Operator)}}
	boxes, roster := make([]*box, 0, manyMachines), see
	for i := range manyMachines {
		boxes = append(boxes, newBox(tb, byte(i), fmt.Sprint("box-", i), see, time.Now))
		roster.Members = append(roster.Members, boxes[i].me)
	}
	f := New(Options{Key: me, Roster: roster, Line: newServers(), Log: slog.New(slog.DiscardHandler)})
	f.up()
	for _, x := range boxes {
		f.hear(x.letter.subject, x.letter.body)
	}
	return f, boxes
}

func fill(f *Broker, boxes []*box) {
	for i := range manySessions {
		s := boxes[i%manyMachines].session(fmt.Sprint("session ", i))
		f.hear(s.subject, s.body)
	}
}

// BenchmarkSnapshot makes what a screen begins with, of the whole large fleet.
func BenchmarkSnapshot(b *testing.B) {
	f, boxes := crowd(b)
	fill(f, boxes)
	for i, x := range boxes {
		s := x.call(fmt.Sprint("call ", i), broker.Pending)
		f.hear(s.subject, s.body)
	}
	b.ResetTimer()
	for b.Loop() {
		f.mu.Lock()
		s := f.snapshot()
		f.mu.Unlock()
		if len(s.Sessions) != manySessions || len(s.Requests) != manyMachines {
			b.Fatalf("%d sessions, %d calls", len(s.Sessions), len(s.Requests))
		}
	}
}

// A large fleet and all that happens in it for hours must not fill the memory: calls that ended are
// forgotten.
func TestMemory(t *testing.T) {
	heap := func() int {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return int(s.HeapAlloc >> 20) //nolint:gosec // MiB
	}
	before := heap()
	f, boxes := crowd(t)
	fill(f, boxes)
	for i := range manyCalls / 20 {
		x := boxes[i%manyMachines]
		for _, state := range []broker.State{broker.Pending, broker.Allowed} {
			s := x.call(fmt.Sprint("call ", i), state)
			f.hear(s.subject, s.body)
		}
		clear(x.history[x.boot])
	}
	f.mu.Lock()
	s := f.snapshot()
	f.mu.Unlock()
	after := heap()
	t.Logf("%d MiB", after-before)
	if after-before > 60 || len(s.Requests) != 0 || len(s.Sessions) != manySessions {
		t.Errorf("%d MiB, %d calls, %d sessions", after-before, len(s.Requests), len(s.Sessions))
	}
	runtime.KeepAlive(boxes)
	runtime.KeepAlive(f)
}
