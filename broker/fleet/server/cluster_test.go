package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aoctl/aoctl/broker/fleet/fleettest"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/server"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// writer carries events out as a machine does: after any error it looks where the stream ends.
type writer struct {
	events  link.Events
	machine string
	batch   int
	known   bool
	after   uint64
	next    int
}

// until writes until the stream has the first n events, a few at a time.
func (w *writer) until(ctx context.Context, n int) error {
	for w.next <= n {
		if !w.known {
			last, err := w.events.Newest(ctx)
			if err != nil {
				if ctx.Err() != nil {
					return err
				}
				continue
			}
			w.known, w.after, w.next = true, last.Seq, 1
			if last.Seq > 0 {
				if _, err := fmt.Sscanf(string(last.Body), "event %d", &w.next); err != nil {
					return err
				}
				w.next++
			}
			continue
		}
		var list []link.Message
		for i := w.next; i <= min(n, w.next+w.batch-1); i++ {
			list = append(list, link.Message{Subject: names.At(w.machine, fmt.Sprintf("events.s%d", i%3)), ID: fmt.Sprintf("%s/%d", w.machine, i), Body: fmt.Appendf(nil, "event %d %01000d", i, 0)})
		}
		after, err := w.events.Append(ctx, w.after, list)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			w.known = false
			continue
		}
		w.after, w.next = after, w.next+len(list)
	}
	return nil
}

// wantAll looks whether the stream has the first n events of a machine, each once and in order.
func wantAll(t *testing.T, l *jet.Line, machine string, n int) {
	t.Helper()
	var got []int
	if err := l.Past(within(t), machine, 0, func(_ uint64, body []byte) bool {
		var i int
		if _, err := fmt.Sscanf(string(body), "event %d", &i); err != nil {
			t.Fatal(err)
		}
		got = append(got, i)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	want := make([]int, n)
	for i := range want {
		want[i] = i + 1
	}
	if !slices.Equal(got, want) {
		t.Errorf("the stream has %v, want 1 to %d", got, n)
	}
}

// leader is the server that leads a stream.
func leader(t *testing.T, f *fleettest.Fleet, stream string) int {
	t.Helper()
	for ctx := within(t); ctx.Err() == nil; {
		if i := slices.IndexFunc(f.Servers, func(s *server.Server) bool { return s != nil && s.Leads(stream) }); i >= 0 {
			return i
		}
	}
	t.Fatalf("nobody leads %s", stream)
	return -1
}

// Of three servers any may end, the one that leads too: nothing that was acknowledged is lost, nothing
// is there twice, who watches hears what comes after, and who is put out is out everywhere.
func TestClusterLosesItsLeader(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 3, nil)
	ctx := within(t)
	m := id(t, fleettest.Machine)
	machine, watcher, guard, owner := f.As(t, fleettest.Machine), f.As(t, fleettest.Watcher), f.As(t, fleettest.Guard), f.As(t, fleettest.Owner)
	heard, begun := make(chan string, 1024), make(chan struct{})
	go func() {
		_ = watcher.Watch(t.Context(), func(_ string, body []byte) { heard <- string(body) }, func() { close(begun) })
	}()
	<-begun
	if err := guard.LeaveOrder(ctx, m, "one", []byte("stop")); err != nil {
		t.Fatal(err)
	}
	w := &writer{events: machine.Events(m), machine: m, batch: 10}
	if err := w.until(ctx, 40); err != nil {
		t.Fatal(err)
	}
	gone := leader(t, f, told.StreamEvents)
	written := make(chan error, 1)
	go func() { written <- w.until(ctx, 120) }()
	f.Servers[gone].Close()
	f.Servers[gone] = nil
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	const state = "all is well"
	for put := func() error {
		return machine.States(m).Put(ctx, []link.Message{{Subject: names.At(m, "state.health"), Body: []byte(state)}})
	}; put() != nil; {
		if ctx.Err() != nil {
			t.Fatal("no state is taken")
		}
	}
	for got := ""; got != state; {
		select {
		case got = <-heard:
		case <-ctx.Done():
			t.Fatalf("the watcher heard nothing of %s", state)
		}
	}
	wantAll(t, watcher, m, 120)
	if n, err := guard.OrdersLeft(ctx, m); err != nil || n != 1 {
		t.Errorf("%d orders are left, %v", n, err)
	}

	next := f.Roster
	next.Number = 2
	next.Members = slices.DeleteFunc(slices.Clone(next.Members), func(m members.Member) bool { return m.Role == members.Machine })
	for err := errors.New("not yet"); err != nil; {
		if err = owner.PutRoster(ctx, 2, fleettest.Sign(t, next)); ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	fleettest.Until(t, machine, func(s jet.State) bool { return s.Err == jet.ErrUnknown.Error() })
	// The one that was away lets nobody in that was put out meanwhile.
	s, err := server.Start(ctx, f.Options[gone])
	if err != nil {
		t.Fatal(err)
	}
	f.Servers[gone] = s
	for i := range f.Servers {
		o := f.LineOptions(fleettest.Key(t, fleettest.Machine2))
		o.Servers = o.Servers[i : i+1]
		out := fleettest.Dial(t, o)
		fleettest.Until(t, out, func(s jet.State) bool {
			if s.Up {
				t.Errorf("server %d lets in who was put out", i)
			}
			return s.Err == jet.ErrUnknown.Error()
		})
	}
	wantAll(t, watcher, m, 120)
}

// A server that ran alone becomes one of three: who is in the fleet it has kept, what machines tell comes
// from them, and what it stored alone stays where it is.
func TestOneServerBecomesThree(t *testing.T) {
	t.Parallel()
	m, folder := id(t, fleettest.Machine), t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "key"), bytes.Repeat([]byte{9}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	in := func(o *server.Options, _ *members.Roster) {
		if folder != "" {
			o.Folder, folder = folder, ""
		}
	}
	kept := folder
	alone := fleettest.Start(t, 1, in)
	w := &writer{events: alone.As(t, fleettest.Machine).Events(m), machine: m, batch: 10}
	if err := w.until(within(t), 20); err != nil {
		t.Fatal(err)
	}
	alone.Servers[0].Close()
	alone.Servers[0] = nil

	folder = kept
	f := fleettest.Start(t, 3, in)
	w.events, w.known = f.As(t, fleettest.Machine).Events(m), false
	if last, err := w.events.Newest(within(t)); err != nil || last.Seq != 0 {
		t.Fatalf("the cluster's stream ends at %d, %v", last.Seq, err)
	}
	if err := w.until(within(t), 40); err != nil {
		t.Fatal(err)
	}
	wantAll(t, f.As(t, fleettest.Watcher), m, 40)
	if err := f.As(t, fleettest.Machine).States(m).Put(within(t), []link.Message{{Subject: names.At(m, "state.health"), Body: []byte("well")}}); err != nil {
		t.Fatal(err)
	}
	for i, s := range f.Servers {
		s.Close()
		f.Servers[i] = nil
	}
	folder = kept
	wantAll(t, fleettest.Start(t, 1, in).As(t, fleettest.Watcher), m, 20)
}
