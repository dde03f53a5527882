package service_test

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// What was allowed after its asker had left runs nowhere: call, history and log say so, also
// at the next console.
func TestAnAllowThatNobodyHears(t *testing.T) {
	for name, tt := range map[string]struct {
		event string // of the call; "" for the plain API
		left  func(b *service.Broker, id string)
		since func(b *service.Broker, id string)
		after time.Duration // since it was allowed
		want  bool
	}{
		"its hook left":         {"PreToolUse", nil, nil, 32 * time.Second, true},
		"its hook may return":   {"PreToolUse", nil, nil, 29 * time.Second, false},
		"its hook hung up":      {"PreToolUse", hungUpOn, nil, 2 * time.Second, true},
		"its hook was told":     {"PreToolUse", nil, (*service.Broker).NoteHeard, time.Minute, false},
		"nobody looked yet":     {"", nil, nil, 9 * time.Minute, false},
		"nobody ever looked":    {"", nil, nil, 11 * time.Minute, true},
		"who looked is gone":    {"", lookedAt, nil, 32 * time.Second, true},
		"who looked comes back": {"", lookedAt, (*service.Broker).NoteHeard, time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := brokertest.NewMemory()
				b := newBroker(t, st, service.Options{})
				q := bash("s", "1", "make")
				q.Event, q.Bound = tt.event, tt.event != ""
				r := submit(t, b, q)
				if tt.left != nil {
					tt.left(b, r.ID)
				}
				allowAt(t, b, r)
				if tt.since != nil {
					tt.since(b, r.ID)
				}
				time.Sleep(tt.after)
				wantUnheard(t, b, r, tt.want)
				if n := len(eventsOf(t, st, broker.EventUnheard)); n != map[bool]int{true: 1}[tt.want] {
					t.Errorf("the log says %d times that nobody heard it", n)
				}
				if past := must2(newBroker(t, st, service.Options{}).History(t.Context(), 0)); past[0].Unheard != tt.want {
					t.Errorf("the next console's history has %v, want %v", past[0].Unheard, tt.want)
				}
			})
		})
	}
}

// Whoever comes after all, and is answered, takes it back.
func TestAnAllowThatIsHeardLate(t *testing.T) {
	for name, come := range map[string]func(t *testing.T, b *service.Broker, q broker.Question, id string){
		"asks again":        func(t *testing.T, b *service.Broker, q broker.Question, _ string) { t.Helper(); wantAgain(t, b, q, "") },
		"looks and is told": func(_ *testing.T, b *service.Broker, _ broker.Question, id string) { b.NoteHeard(id) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := brokertest.NewMemory()
				b := newBroker(t, st, service.Options{})
				q := bash("s", "1", "make")
				r := submit(t, b, q)
				allowAt(t, b, r)
				time.Sleep(35 * time.Second)
				wantUnheard(t, b, r, true)
				come(t, b, q, r.ID)
				b.NoteHeard(r.ID)
				wantUnheard(t, b, r, false)
				if n := len(eventsOf(t, st, broker.EventAnsweredAgain)); n != 1 {
					t.Errorf("the log says %d times that it was answered again, want once", n)
				}
			})
		})
	}
}

// A freeze keeps an answer back: its asker is not gone.
func TestAFrozenAnswerIsNotUnheard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		r := submit(t, b, bash("s", "1", "make"))
		allowAt(t, b, r)
		must(t, b.Freeze(t.Context(), "", true, operator))
		time.Sleep(time.Minute)
		wantUnheard(t, b, r, false)
	})
}

// Over the socket every way of asking counts as told once the answer is written.
func TestAnAnswerOverTheSocketIsHeard(t *testing.T) {
	for path, body := range map[string]string{
		"/request-approval": makeCall,
		"/hooks/claude":     `{"session_id":"s","cwd":"/x","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"make"}}`,
	} {
		c := serve(t, service.Options{})
		told := make(chan int)
		go func() { status, _ := c.do("POST", path, body); told <- status }()
		r := waiting(t, c.b, 1)[0]
		allowAt(t, c.b, r)
		if status := <-told; status != 200 {
			t.Errorf("%s: status %d", path, status)
		}
		for c.b.Undelivered() { // noted once the bytes are written: the asker may be quicker
			if t.Context().Err() != nil {
				t.Fatalf("%s: its answer does not count as told", path)
			}
		}
	}
}

func hungUpOn(b *service.Broker, id string) {
	ours, theirs := net.Pipe()
	time.AfterFunc(time.Millisecond, func() { _ = theirs.Close() })
	b.HoldAsker(ours, id, time.Second, false)
}

func lookedAt(b *service.Broker, id string) { b.NoteLook(id, 0) }

func allowAt(t *testing.T, b *service.Broker, r broker.Request) {
	t.Helper()
	if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); err != nil {
		t.Fatal(err)
	}
}

func wantUnheard(t *testing.T, b *service.Broker, r broker.Request, want bool) {
	t.Helper()
	if got := state(t, b, r); got.State != broker.Allowed || got.Unheard != want {
		t.Errorf("the call is %s, unheard %v; want %v", got.State, got.Unheard, want)
	}
	if past := must2(b.History(t.Context(), 0)); len(past) != 1 || past[0].Unheard != want {
		t.Errorf("the history has %+v, want unheard %v", past, want)
	}
}
