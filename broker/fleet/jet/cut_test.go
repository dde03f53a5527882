package jet_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aoctl/aoctl/broker/fleet/fleettest"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/link"
)

// cable is a line to a server that is cut after some bytes.
type cable struct {
	net.Listener
	to string

	up, down atomic.Int64 // what still passes to the server, and from it
}

const whole = 1 << 40

func layCable(t *testing.T, to string) *cable {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{Listener: l, to: to}
	c.mend()
	var all sync.WaitGroup
	all.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { c.carry(near) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return c
}

func (c *cable) mend() { c.up.Store(whole); c.down.Store(whole) }

// carry carries one connection until a side has had its bytes. The cable is whole again then.
func (c *cable) carry(near net.Conn) {
	defer func() { _ = near.Close() }()
	far, err := new(net.Dialer).DialContext(context.Background(), "tcp", c.to)
	if err != nil {
		return
	}
	defer func() { _ = far.Close() }()
	var both sync.WaitGroup
	pass := func(to, from net.Conn, left *atomic.Int64) {
		defer func() { _, _ = near.Close(), far.Close() }()
		buffer := make([]byte, 512)
		for {
			n, err := from.Read(buffer)
			if rest := left.Add(-int64(n)); rest < 0 {
				_, _ = to.Write(buffer[:max(0, int64(n)+rest)])
				c.mend()
				return
			}
			if _, werr := to.Write(buffer[:n]); err != nil || werr != nil {
				return
			}
		}
	}
	both.Go(func() { pass(far, near, &c.up) })
	both.Go(func() { pass(near, far, &c.down) })
	both.Wait()
}

// Wherever the line is cut while events go out, before the server has them or before it is heard that
// it has: in the end each is there once, in order. A batch is there whole or not at all.
func TestCutWhileEventsGoOut(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	ctx := within(t)
	c := layCable(t, strings.TrimPrefix(f.Servers[0].URL(), "tls://"))
	o := f.LineOptions(fleettest.Key(t, fleettest.Machine))
	o.Servers = []string{"tls://" + c.Addr().String()}
	l := fleettest.Dial(t, o)
	e := l.Events(id(t, fleettest.Machine))
	const batch, size = 12, 500
	list := func(from int) (list []link.Message) {
		for _, m := range eventsOf(t, fleettest.Machine, from, from+batch-1) {
			m.Body = append(m.Body, make([]byte, size)...)
			list = append(list, m)
		}
		return list
	}
	cuts, next, after := 0, 1, uint64(0)
	known := false
	for round := 0; round < 24; {
		fleettest.Until(t, l, func(s jet.State) bool { return s.Up })
		if !known {
			last, err := e.Newest(ctx)
			if err != nil {
				continue
			}
			n := 0
			if last.Seq > 0 {
				if _, err := fmt.Sscanf(string(last.Body), "event %d", &n); err != nil {
					t.Fatal(err)
				}
			}
			if n%batch != 0 {
				t.Fatalf("a part of a batch is there: up to event %d", n)
			}
			known, after, next = true, last.Seq, n+1
		}
		// One in two is cut on its way there, the others on the way back.
		switch round % 4 {
		case 0:
			c.up.Store(int64(100 + round*batch*size/20))
		case 2:
			c.down.Store(int64(20 + round*20))
		}
		round++
		seq, err := e.Append(ctx, after, list(next))
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		if err != nil {
			if errors.Is(err, link.ErrFull) {
				t.Fatal(err)
			}
			cuts++
			known = false
			continue
		}
		after, next = seq, next+batch
	}
	if cuts < 6 {
		t.Errorf("the line was cut %d times alone", cuts)
	}
	c.mend()
	got := stored(t, f, fleettest.Machine)
	for i, body := range got {
		if !strings.HasPrefix(body, fmt.Sprintf("event %d\x00", i+1)) {
			t.Fatalf("event %d is %.12q", i+1, body)
		}
	}
	if len(got)%batch != 0 || len(got) < 12*batch {
		t.Errorf("%d events are there", len(got))
	}
}
