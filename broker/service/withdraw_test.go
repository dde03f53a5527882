package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/wire"
)

func TestWithdraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		r := submit(t, b, bash("s", "1", "make"))
		by := broker.Actor{Kind: broker.ByProcess, PID: 7, Exe: "/bin/loop"}
		waited := make(chan broker.Request)
		go func() { got, _ := b.Wait(t.Context(), r.ID); waited <- got }()
		synctest.Wait()

		got, err := b.Withdraw(t.Context(), r.ID, "the user pressed escape", by)
		want := broker.Actor{Kind: broker.ByAgent, ID: broker.WithdrawnID, PID: 7, Exe: "/bin/loop"}
		if err != nil || got.State != broker.Cancelled || got.Outcome.By != want || got.Outcome.Reason != "the user pressed escape" {
			t.Fatalf("withdrawn as %s by %+v, %v", got.State, got.Outcome, err)
		}
		if got := <-waited; got.State != broker.Cancelled {
			t.Errorf("who waits hears %s, want cancelled", got.State)
		}
		again, err := b.Withdraw(t.Context(), r.ID, "another reason", broker.Actor{})
		if err != nil || again.Outcome.Reason != "the user pressed escape" {
			t.Errorf("withdrawn again: %+v, %v; want the first end", again.Outcome, err)
		}
		if n := len(eventsOf(t, st, broker.EventRequestDecided)); n != 1 {
			t.Errorf("the log has %d ends, want 1", n)
		}
	})
}

// A call that is taken back because somebody had its turn ended says so and by whom, in the words of
// the broker; one that was asked after that is its agent's own doing.
func TestInterruptedCallsSayWhy(t *testing.T) {
	for who, by := range map[string]broker.Actor{"you interrupted its turn": operator, "its turn was interrupted": byShell} {
		synctest.Test(t, func(t *testing.T) {
			b := newBroker(t, brokertest.NewMemory(), service.Options{})
			startRun(t, b, runner1, "s")
			report(t, b, runner1, "s", works)
			before, left := submit(t, b, bash("s", "1", "make")), submit(t, b, bash("s", "3", "make all"))
			must(t, b.Interrupt(t.Context(), "s", by))
			check := func(id string, want [2]string) {
				t.Helper()
				got, err := b.Withdraw(t.Context(), id, "it went away", broker.Actor{Kind: broker.ByProcess, PID: 7})
				if o := got.Outcome; err != nil || o == nil || !o.Withdrawn() || o.By.ID != want[0] || o.Reason != want[1] {
					t.Errorf("%+v, %v; want %v", o, err, want)
				}
			}
			check(before.ID, [2]string{broker.InterruptedID, who})
			report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportIdle, Result: "aborted_tools"})
			time.Sleep(time.Second)                              // the bubble's clock
			check(left.ID, [2]string{broker.InterruptedID, who}) // the turn's end was heard of first
			after := submit(t, b, bash("s", "2", "make"))
			check(after.ID, [2]string{broker.WithdrawnID, "it went away"})
		})
	}
}

// What is taken back long after an interrupt, as by a sub-agent that went on, was not ended by it.
func TestTakenBackLongAfterAnInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		startRun(t, b, runner1, "s")
		report(t, b, runner1, "s", works)
		q := bash("s", "1", "make")
		q.SubagentID = "sub"
		r := submit(t, b, q)
		go func() { _, _ = b.Wait(t.Context(), r.ID) }()
		must(t, b.Interrupt(t.Context(), "s", operator))
		report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportIdle, Result: "aborted_tools"})
		time.Sleep(time.Minute)
		got, err := b.Withdraw(t.Context(), r.ID, "it went away", broker.Actor{Kind: broker.ByProcess, PID: 7})
		if o := got.Outcome; err != nil || o == nil || o.Interrupted() || o.Reason != "it went away" {
			t.Errorf("%+v, %v; want that it went away", o, err)
		}
	})
}

// Attack: a process withdraws a card under the operator's finger, so that the key that was
// meant for it leaves a permission for the next call like it.
func TestWithdrawnIsNeverAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{LateFor: time.Hour})
		r := submit(t, b, bash("s", "1", "make"))
		if _, err := b.Withdraw(t.Context(), r.ID, "", broker.Actor{}); err != nil {
			t.Fatal(err)
		}
		late := func(b *service.Broker) {
			t.Helper()
			if got, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); !errors.Is(err, broker.ErrAlreadyDecided) || b.Late(got) {
				t.Errorf("allowing a withdrawn call: %v, late %v; want ErrAlreadyDecided", err, b.Late(got))
			}
		}
		late(b)
		if got := submit(t, b, bash("s", "1", "make")); got.State != broker.Cancelled {
			t.Errorf("asked again under its own id it is %s, want cancelled", got.State)
		}
		if got := submit(t, b, bash("s", "2", "make")); got.State != broker.Pending {
			t.Errorf("the next call like it is %s, want pending", got.State)
		}
		must(t, b.Close())
		late(newBroker(t, st, service.Options{LateFor: time.Hour}))
	})
}

func TestWithdrawAfterTheDecision(t *testing.T) {
	for _, v := range []broker.Verdict{broker.Allow, broker.Deny} {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		r := submit(t, b, bash("s", "1", "make"))
		ended, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: v, By: operator})
		must(t, err)
		got, err := b.Withdraw(t.Context(), r.ID, "", broker.Actor{})
		if !errors.Is(err, broker.ErrAlreadyDecided) || got.State != ended.State {
			t.Errorf("after %s: %s, %v; want %s and ErrAlreadyDecided", v, got.State, err, ended.State)
		}
	}
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	if _, err := b.Withdraw(t.Context(), "nobody", "", broker.Actor{}); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("an unknown call: %v, want ErrNotFound", err)
	}
}

// A question may be withdrawn while its record is still on its way to the disk.
func TestWithdrawWhileItIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		slow := make(chan struct{})
		var once sync.Once
		st.BeforeCommit(func(context.Context, *broker.Change) error { once.Do(func() { <-slow }); return nil })
		q := bash("s", "1", "make")
		q.ID = "r1"
		go func() { _, _ = b.Submit(t.Context(), q) }()
		synctest.Wait()
		ended := make(chan error)
		go func() { _, err := b.Withdraw(t.Context(), "r1", "", broker.Actor{}); ended <- err }()
		synctest.Wait()
		close(slow)
		must(t, <-ended)
		if got, err := b.Request(t.Context(), "r1"); err != nil || got.State != broker.Cancelled {
			t.Errorf("it is %s, %v; want cancelled", got.State, err)
		}
	})
}

// Nobody waits for the answer of a call that is put off, and it is for a person to end it:
// who wants to take it back is told so, and at once.
func TestWithdrawOfWhatIsPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		r := submit(t, b, headless("toolu_1", "make", "talk 1"))
		putOff(t, b, r.ID)
		begun := time.Now()
		got, err := b.Withdraw(t.Context(), r.ID, "", broker.Actor{})
		if err == nil || !strings.Contains(err.Error(), "deferred") || errors.Is(err, broker.ErrAlreadyDecided) || got.State != broker.Pending {
			t.Errorf("%s, %v; want it deferred still", got.State, err)
		}
		if d := time.Since(begun); d > 0 {
			t.Errorf("it took %v to say so", d)
		}
	})
}

func TestWithdrawThatCannotBeRecorded(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	r := submit(t, b, bash("s", "1", "make"))
	failCommits(st, errors.New("disk full"))
	got, err := b.Withdraw(t.Context(), r.ID, "", broker.Actor{})
	if !errors.Is(err, broker.ErrNotRecorded) || got.State != broker.Cancelled {
		t.Errorf("%s, %v; want cancelled and ErrNotRecorded", got.State, err)
	}
}

func TestCancelRoute(t *testing.T) {
	c := serve(t, service.Options{})
	_, _ = c.do("POST", "/create-approval-request", makeCall)
	for _, body := range []string{`{"reason":"x","decision":"allow"}`, `{"updated_input":{}}`, `{"reason":"` + strings.Repeat("x", 5000) + `"}`} {
		if status, m := c.do("POST", "/approval-requests/r-1/cancel", body); status != 400 {
			t.Errorf("%.40s: %d %v, want 400", body, status, m)
		}
	}
	for range 2 {
		status, m := c.do("POST", "/approval-requests/r-1/cancel", `{"reason":"changed my mind"}`)
		if status != 200 || m["status"] != "cancelled" || m["decision"] != "deny" || m["reason"] != "aoctl closed this call: changed my mind." {
			t.Errorf("cancelled: %d %v", status, m)
		}
	}
	if status, m := c.do("POST", "/approval-requests/r-1/decide", `{"decision":"deny"}`); status != 409 || code(m) != "already_decided" {
		t.Errorf("denied afterwards: %d %v, want 409", status, m)
	}
	_, _ = c.do("POST", "/create-approval-request", strings.ReplaceAll(makeCall, "r-1", "r-2"))
	_, _ = c.do("POST", "/approval-requests/r-2/decide", `{"decision":"deny"}`)
	status, m := c.do("POST", "/approval-requests/r-2/cancel", ``)
	if o, _ := m["outcome"].(map[string]any); status != 409 || code(m) != "already_decided" || o["status"] != "denied" {
		t.Errorf("cancelled after a denial: %d %v, want 409 with the outcome", status, m)
	}
	if status, m := c.do("POST", "/approval-requests/none/cancel", ``); status != 404 {
		t.Errorf("an unknown id: %d %v, want 404", status, m)
	}
}

// A hook names its question by the question itself: until it is told to wait it has no id.
func TestCancelHookRoute(t *testing.T) {
	c := serve(t, service.Options{})
	for name, payload := range map[string]string{
		"with an id of its own": `{"session_id":"s1","cwd":"/x","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"make"}}`,
		"by its correlation":    `{"session_id":"s2","cwd":"/x","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"make"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			mine, other := []string{"Aoctl-Correlation", "mine"}, []string{"Aoctl-Correlation", "other"}
			if status, _ := c.do("POST", "/hooks/claude/cancel", payload, mine...); status != 404 {
				t.Errorf("before it is asked: %d, want 404", status)
			}
			answer := make(chan map[string]any)
			go func() {
				_, m := c.do("POST", "/hooks/claude", payload, mine...)
				answer <- m
			}()
			id := waiting(t, c.b, 1)[0].ID
			if status, m := c.do("POST", "/hooks/claude/cancel", strings.ReplaceAll(payload, "make", "ls"), mine...); status != 409 || code(m) != "conflict" {
				t.Errorf("another call of that name: %d %v, want 409 conflict", status, m)
			}
			if strings.Contains(name, "correlation") {
				if status, _ := c.do("POST", "/hooks/claude/cancel", payload, other...); status != 404 {
					t.Errorf("another hook's question: %d, want 404", status)
				}
			}
			status, m := c.do("POST", "/hooks/claude/cancel?reason=interrupted", payload, mine...)
			if status != 200 || m["status"] != "cancelled" || m["request_id"] != id {
				t.Errorf("cancelled: %d %v", status, m)
			}
			if m := <-answer; m["hookSpecificOutput"] == nil || strings.Contains(toJSON(m), `"allow"`) || !strings.Contains(toJSON(m), "interrupted") {
				t.Errorf("the hook is told %v, want a refusal", m)
			}
		})
	}
	if status, _ := c.do("POST", "/hooks/claude/cancel", `{"session_id":"s1","cwd":"/x","hook_event_name":"Stop"}`); status != 400 {
		t.Errorf("an event that asks nothing: %d, want 400", status)
	}
}

// waiting returns what waits, once that is n calls.
func waiting(t *testing.T, b *service.Broker, n int) []broker.Request {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, updates := b.Watch(ctx) // whose snapshot has calls, too, that have just ended
	list := b.Pending("")
	for len(list) != n {
		if _, ok := <-updates; !ok {
			t.Fatalf("%d calls wait, want %d", len(list), n)
		}
		list = b.Pending("")
	}
	return list
}

func toJSON(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}
