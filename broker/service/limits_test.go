package service_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// refusals are the events about refused calls in the log, oldest first.
func refusals(t *testing.T, st broker.Store) []broker.CallsRefusedData {
	t.Helper()
	events, err := st.Events(t.Context(), broker.EventFilter{After: -1, Limit: 10000})
	if err != nil {
		t.Fatal(err)
	}
	var list []broker.CallsRefusedData
	for _, e := range events {
		if e.Type == broker.EventCallsRefused {
			var d broker.CallsRefusedData
			if err := json.Unmarshal(e.Data, &d); err != nil {
				t.Fatal(err)
			}
			list = append(list, d)
		}
	}
	return list
}

func health(t *testing.T, b *service.Broker) broker.Health {
	t.Helper()
	snap, _ := b.Watch(t.Context())
	return snap.Health
}

func TestASessionThatAsksTooFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{MaxPerSession: 1000})
		for i := range 100 { // what a reply that fans out may hold
			submit(t, b, bash("s", fmt.Sprint(i), "make"))
		}
		const flood = 5000
		for i := range flood {
			q := bash("s", fmt.Sprint("more", i), "make")
			q.SubagentID = fmt.Sprint(i) // sub-agents are no way around it
			if _, err := b.Submit(t.Context(), q); !errors.Is(err, broker.ErrTooFast) {
				t.Fatalf("call %d at once: %v, want ErrTooFast", 101+i, err)
			}
		}
		submit(t, b, bash("s", "7", "make"))     // asked again: not a new call
		submit(t, b, bash("other", "1", "make")) // nobody else suffers
		time.Sleep(time.Second)
		if h := health(t, b); len(h.Floods) != 1 || h.Floods[0].SessionID != "s" || h.Floods[0].Refused != flood {
			t.Errorf("while it lasts the console is told of %+v", h.Floods)
		}
		for i := range 20 {
			submit(t, b, bash("s", fmt.Sprint("later", i), "make"))
		}
		if _, err := b.Submit(t.Context(), bash("s", "later20", "make")); !errors.Is(err, broker.ErrTooFast) {
			t.Errorf("21 calls in a second: %v, want ErrTooFast", err)
		}
		time.Sleep(10 * time.Second)
		if h := health(t, b); len(h.Floods) != 0 {
			t.Errorf("long after it, the console is told of %+v", h.Floods)
		}
		list := refusals(t, st)
		count := 0
		for _, d := range list {
			count += d.Count
		}
		if len(list) != 2 || count != flood+1 || list[1].Total != flood+1 {
			t.Errorf("the log has %+v, want %d calls in two events", list, flood+1)
		}
	})
}

func TestALongFloodIsNotedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{Rate: 1})
		for i := range 600 * 10 { // ten minutes of ten calls a second
			_, _ = b.Submit(t.Context(), bash("s", fmt.Sprint(i), "make"))
			time.Sleep(100 * time.Millisecond)
		}
		if n := len(refusals(t, st)); n < 9 || n > 12 {
			t.Errorf("%d events in ten minutes", n)
		}
	})
}

func TestABusySessionMeetsNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		save(t, b, allowing("make"))
		for second := range 120 { // fifteen sub-agents, a call a second each, and replies that fan out
			for i := range 15 {
				q := bash("s", fmt.Sprint(second, "-", i), "make")
				q.SubagentID = fmt.Sprint(i)
				if r := submit(t, b, q); r.State != broker.Allowed {
					t.Fatal(r.State)
				}
			}
			if second%30 == 0 {
				for i := range 80 {
					submit(t, b, bash("s", fmt.Sprint(second, "fan", i), "make"))
				}
			}
			time.Sleep(time.Second)
		}
	})
}

func TestFullSessionSaysSo(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	for i := range 64 {
		q := bash("s", fmt.Sprint(i), "make")
		q.SubagentID, q.Session.Name = fmt.Sprint(i%2), "api-server"
		submit(t, b, q)
	}
	_, err := b.Submit(t.Context(), bash("s", "64", "make"))
	if !errors.Is(err, broker.ErrTooMany) || !strings.Contains(err.Error(), "64 of session api-server (s)") {
		t.Errorf("the 65th: %v", err)
	}
}

func TestTheLastRoomIsForThoseWithFew(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{MaxPending: 80})
	waiting := func() int { return len(b.Pending("")) }
	for i := range 2 * 64 { // two sessions take what they can
		_, _ = b.Submit(t.Context(), bash(fmt.Sprint("hog", i%2), fmt.Sprint(i), "make"))
	}
	if got := waiting(); got != 70 {
		t.Errorf("two sessions have %d calls waiting, want 70 of 80", got)
	}
	for i := range 10 {
		submit(t, b, bash(fmt.Sprint("small", i), "1", "make"))
	}
	if _, err := b.Submit(t.Context(), bash("late", "1", "make")); !errors.Is(err, broker.ErrTooMany) || !strings.Contains(err.Error(), "80 in all") {
		t.Errorf("beyond the cap: %v", err)
	}
}

func TestNewSessionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		submit(t, b, bash("known", "1", "make"))
		refused := 0
		for i := range 2000 {
			_, err := b.Hear(t.Context(), agents.Hook{Agent: "claude", SessionID: fmt.Sprint("new", i), Kind: agents.SessionStart, CWD: "/src"})
			if errors.Is(err, broker.ErrTooManySessions) {
				refused++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if refused != 2001-512 {
			t.Errorf("%d of 2,000 new sessions were refused", refused)
		}
		if _, err := b.Submit(t.Context(), bash("another", "1", "make")); !errors.Is(err, broker.ErrTooManySessions) {
			t.Errorf("a call of yet another session: %v", err)
		}
		submit(t, b, bash("known", "2", "make"))
		time.Sleep(time.Second)
		submit(t, b, bash("another", "1", "make"))
		if list := refusals(t, st); len(list) != 1 || list[0].Count != refused+1 {
			t.Errorf("the log has %+v", list)
		}
	})
}

func TestSessionsInMemoryAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newSweeping(t, brokertest.NewMemory(), service.Options{MaxSessions: 16, ApprovalTimeout: time.Hour}, 7*time.Second)
		start := func(id string, p broker.Process) error {
			q := bash(id, "1", "make")
			q.Session.Process = p
			r, err := b.Submit(t.Context(), q)
			if err == nil && id != "waits" {
				_, err = b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Deny, By: operator})
			}
			return err
		}
		for _, id := range []string{"waits", "stopped", "lives"} {
			if err := start(id, broker.Process{PID: 100}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Stop(t.Context(), "stopped", operator); err != nil {
			t.Fatal(err)
		}
		for i := range 13 {
			if err := start(fmt.Sprint("s", i), broker.Process{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := start("one more", broker.Process{}); !errors.Is(err, broker.ErrTooManySessions) {
			t.Errorf("beyond the cap, with all the others fresh: %v", err)
		}
		time.Sleep(2 * time.Minute)
		for i := range 200 {
			if err := start(fmt.Sprint("t", i), broker.Process{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		snap, _ := b.Watch(t.Context())
		known := map[string]bool{}
		for _, s := range snap.Sessions {
			known[s.ID] = true
		}
		if len(known) > 16 || !known["lives"] || !known["stopped"] {
			t.Errorf("in memory are %v", known)
		}
		if r := submit(t, b, bash("stopped", "9", "make")); r.State != broker.Denied {
			t.Errorf("a call of the stopped session is %s", r.State)
		}
	})
}

func TestEventsOfASessionAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		done := agents.Hook{Agent: "claude", SessionID: "s", Kind: agents.ToolDone, ToolName: "Bash", ToolInput: []byte(`{}`)}
		for range 5000 {
			if _, err := b.Hear(t.Context(), done); err != nil {
				t.Fatalf("told too often: %v, want it left out in silence", err)
			}
		}
		if _, err := b.Stop(t.Context(), "s", operator); err != nil {
			t.Fatal(err)
		}
		if a, err := b.Hear(t.Context(), done); err != nil || !a.StopTurn {
			t.Errorf("a stop did not reach a session that tells too much: %+v %v", a, err)
		}
		if _, err := b.Hear(t.Context(), agents.Hook{Agent: "claude", SessionID: "s", Kind: agents.Prompt}); !errors.Is(err, broker.ErrTooFast) {
			t.Errorf("a prompt: %v, want ErrTooFast", err)
		}
		time.Sleep(time.Second)
		events, err := st.Events(t.Context(), broker.EventFilter{After: -1, Limit: 10000})
		if err != nil || len(events) > 210 {
			t.Errorf("%d events are in the log (%v)", len(events), err)
		}
	})
}

func TestTooManyOverTheSocket(t *testing.T) {
	c := serve(t, service.Options{MaxPerSession: 1})
	c.do("POST", "/create-approval-request", makeCall)
	status, m := c.do("POST", "/create-approval-request", strings.Replace(makeCall, "r-1", "r-2", 1))
	if text := fmt.Sprint(m); status != 429 || code(m) != "too_many" || !strings.Contains(text, "1 of session s") || !strings.Contains(text, "in the console") {
		t.Errorf("%d %v", status, m)
	}
	c = serve(t, service.Options{Rate: 1})
	var last map[string]any
	for i := range 6 {
		status, last = c.do("POST", "/create-approval-request", strings.Replace(makeCall, "r-1", fmt.Sprint("r-", i), 1))
	}
	if status != 429 || code(last) != "too_fast" || !strings.Contains(fmt.Sprint(last), "slow down") {
		t.Errorf("%d %v", status, last)
	}
}
