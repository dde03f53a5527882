package service_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// Over TCP no process is seen to end: that the connection did is all there is.
func TestHangingUpOverTCPClosesTheCard(t *testing.T) {
	t.Parallel()
	b := serveTCP(t, service.Options{AskerGrace: 24 * time.Hour})
	host := "Host: localhost" + b.addr[strings.LastIndexByte(b.addr, ':'):]
	for route, body := range map[string]string{
		"POST /request-approval": makeCall,
		"POST /hooks/claude":     `{"session_id":"s1","cwd":"/x","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"make"}}`,
	} {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", b.addr)
		must(t, err)
		_, err = io.WriteString(c, message(route, body, host, "Authorization: Bearer "+b.ask, "Content-Type: application/json"))
		must(t, err)
		id := waiting(t, b.Broker, 1)[0].ID
		must(t, c.Close())
		waiting(t, b.Broker, 0)
		if got := state(t, b.Broker, broker.Request{ID: id}); got.State != broker.Cancelled || got.Outcome.By.Kind != broker.ByAgent {
			t.Errorf("%s: the call of an asker that left is %s", route, got.State)
		}
	}
}

// Who hangs up and comes back at once, as a hook client over a shaky line does, finds its call.
func TestHangingUpForAMoment(t *testing.T) {
	for name, tt := range map[string]struct {
		looks bool                                      // it polls, and is no hook
		leave func(conn net.Conn)                       // after a second
		then  func(b *service.Broker, r broker.Request) // half a second later
		after time.Duration                             // how long after it left
		want  broker.State
	}{
		"hangs up":              {false, hangUp, nil, 2 * time.Second, broker.Cancelled},
		"just hung up":          {false, hangUp, nil, time.Second, broker.Pending},
		"asks again":            {false, hangUp, holdAgain, 20 * time.Second, broker.Pending},
		"speaks out of turn":    {false, func(c net.Conn) { _, _ = c.Write([]byte("x")) }, nil, 2 * time.Second, broker.Cancelled},
		"was told to ask again": {false, nil, nil, 25 * time.Second, broker.Pending},
		"never asks again":      {false, nil, nil, 32 * time.Second, broker.Cancelled},
		"a look that is cut":    {true, hangUp, nil, 25 * time.Second, broker.Pending},
		"the last look is cut":  {true, hangUp, nil, 32 * time.Second, broker.Cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Hour})
				q := bash("s", "1", "make")
				if tt.looks {
					q.Event, q.Bound = "", false
				}
				r := submit(t, b, q)
				if tt.looks {
					b.NoteLook(r.ID, 0)
				}
				ours, theirs := net.Pipe()
				go b.HoldAsker(ours, r.ID, time.Second, tt.looks)
				time.Sleep(time.Second - 1)
				if tt.leave != nil {
					tt.leave(theirs)
				}
				time.Sleep(500 * time.Millisecond)
				if tt.then != nil {
					tt.then(b, r)
				}
				time.Sleep(tt.after - 500*time.Millisecond)
				if got := state(t, b, r); got.State != tt.want {
					t.Errorf("the call is %s, want %s", got.State, tt.want)
				}
				_ = theirs.Close()
				b.Drain() // who still waits
			})
		})
	}
}

func hangUp(c net.Conn) { _ = c.Close() }

func holdAgain(b *service.Broker, r broker.Request) {
	ours, _ := net.Pipe()
	go b.HoldAsker(ours, r.ID, 25*time.Second, false)
}

// A program that looks now and again is gone when it does not look any more. One that never
// looked has its whole time.
func TestPollersThatLeave(t *testing.T) {
	for name, tt := range map[string]struct {
		event string          // of the call; "" for the plain API
		looks []time.Duration // after the call was made
		again time.Duration   // how soon each says that it comes back
		at    time.Duration
		want  broker.State
	}{
		"never looks":             {"", nil, 0, 9 * time.Minute, broker.Pending},
		"just looked":             {"", []time.Duration{time.Second}, 0, 30 * time.Second, broker.Pending},
		"looked and left":         {"", []time.Duration{time.Second}, 0, 33 * time.Second, broker.Cancelled},
		"looks every 29 s":        {"", []time.Duration{29 * time.Second, 58 * time.Second, 87 * time.Second}, 0, 115 * time.Second, broker.Pending},
		"looks every two minutes": {"", []time.Duration{time.Second, 121 * time.Second}, 125 * time.Second, 240 * time.Second, broker.Pending},
		"looked twice and left":   {"", []time.Duration{time.Second, 121 * time.Second}, 125 * time.Second, 250 * time.Second, broker.Cancelled},
		"looks every 5 s, left":   {"", []time.Duration{time.Second, 6 * time.Second, 11 * time.Second}, 0, 27 * time.Second, broker.Cancelled},
		"missed two of its looks": {"", []time.Duration{time.Second, 6 * time.Second, 11 * time.Second}, 0, 25 * time.Second, broker.Pending},
		"looks all the time":      {"", []time.Duration{time.Second, 1100 * time.Millisecond, 1200 * time.Millisecond}, 0, 10 * time.Second, broker.Pending},
		"looked all the time":     {"", []time.Duration{time.Second, 1100 * time.Millisecond, 1200 * time.Millisecond}, 0, 13 * time.Second, broker.Cancelled},
		"two that take turns":     {"", []time.Duration{time.Second, 2 * time.Second, 21 * time.Second, 22 * time.Second}, 0, 40 * time.Second, broker.Pending},
		"said 5 s, and left":      {"", []time.Duration{time.Second}, 5 * time.Second, 17 * time.Second, broker.Cancelled},
		"somebody else looks":     {"PreToolUse", []time.Duration{29 * time.Second}, time.Hour, 33 * time.Second, broker.Cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBroker(t, brokertest.NewMemory(), service.Options{})
				q := bash("s", "1", "make")
				q.Event, q.Bound = tt.event, tt.event != ""
				r := submit(t, b, q)
				began := time.Now()
				for _, at := range tt.looks {
					time.Sleep(at - time.Since(began))
					b.NoteLook(r.ID, tt.again)
				}
				time.Sleep(tt.at - time.Since(began))
				if got := state(t, b, r); got.State != tt.want {
					t.Errorf("the call is %s, want %s", got.State, tt.want)
				}
			})
		})
	}
}

// A hook over TCP has no process that a later console could look for, and must come back all
// the same.
func TestAHookOverTCPThatLeftWhileTheConsoleWasAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		hook, plain := bash("s", "1", "make"), bash("s", "2", "make")
		hook.Event, plain.Event, plain.Bound = "PreToolUse", "", false
		h, p := submit(t, b, hook), submit(t, b, plain)
		must(t, b.Close())
		b = newBroker(t, st, service.Options{})
		time.Sleep(29 * time.Second)
		if got := state(t, b, h); got.State != broker.Pending {
			t.Errorf("before its hook could come back the call is %s", got.State)
		}
		time.Sleep(3 * time.Second)
		if got := state(t, b, h); got.State != broker.Cancelled {
			t.Errorf("the call of a hook that did not come back is %s, want cancelled", got.State)
		}
		if got := state(t, b, p); got.State != broker.Pending {
			t.Errorf("a call whose answer nobody looked for yet is %s, want pending", got.State)
		}
	})
}
