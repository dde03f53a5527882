package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

var operator = broker.Actor{Kind: broker.ByOperator}

func newBroker(t *testing.T, st broker.Store, opts service.Options) *service.Broker {
	t.Helper()
	return newSweeping(t, st, opts, 500*time.Millisecond)
}

// newSlow is newBroker for a test in which hours pass.
func newSlow(t *testing.T, st broker.Store, opts service.Options) *service.Broker {
	t.Helper()
	return newSweeping(t, st, opts, time.Minute)
}

func newSweeping(t *testing.T, st broker.Store, opts service.Options, every time.Duration) *service.Broker {
	t.Helper()
	if opts.Alive == nil {
		opts.Alive = func(broker.Process) bool { return true }
	}
	b, err := service.NewSweeping(t.Context(), st, opts, every)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// killBroker ends b as a killed process ends: it does nothing more, and nothing of its end is
// in the store.
func killBroker(t *testing.T, st *brokertest.Memory, b *service.Broker) {
	t.Helper()
	failCommits(st, errors.New("killed"))
	must(t, b.Close())
	failCommits(st, nil)
}

func bash(session, key, command string) broker.Question {
	input, _ := json.Marshal(map[string]string{"command": command})
	return broker.Question{Bound: true, Request: broker.Request{
		Key: session + key, SessionID: session, Agent: "claude", Event: "PreToolUse", ToolName: "Bash", ToolInput: input, CWD: "/src",
	}}
}

func submit(t *testing.T, b *service.Broker, q broker.Question) broker.Request {
	t.Helper()
	r, err := b.Submit(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// failCommits makes every later commit fail with err, or none for nil.
func failCommits(st *brokertest.Memory, err error) {
	st.BeforeCommit(func(context.Context, *broker.Change) error { return err })
}

// stopUnrecorded stops a session while the store takes nothing: the stop holds all the same.
func stopUnrecorded(t *testing.T, st *brokertest.Memory, b *service.Broker, session string) {
	t.Helper()
	failCommits(st, errors.New("the disk is full"))
	defer failCommits(st, nil)
	if _, err := b.Stop(t.Context(), session, operator); !errors.Is(err, broker.ErrNotRecorded) {
		t.Fatalf("stop: %v, want ErrNotRecorded", err)
	}
}

func TestManyDecidersOneEnd(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	r := submit(t, b, bash("s", "1", "make"))

	const n = 50
	ends := make(chan broker.Request, 2*n)
	var won sync.Map
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			v := broker.Deny
			if i%2 == 0 {
				v = broker.Allow
			}
			got, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: v, By: operator, Reason: fmt.Sprint(i)})
			if err == nil {
				won.Store(i, true)
			} else if !errors.Is(err, broker.ErrAlreadyDecided) {
				t.Errorf("decider %d: %v", i, err)
			}
			ends <- got
		})
		wg.Go(func() {
			got, err := b.Wait(t.Context(), r.ID)
			if err != nil {
				t.Error(err)
			}
			ends <- got
		})
	}
	wg.Wait()
	close(ends)
	winners := 0
	won.Range(func(any, any) bool { winners++; return true })
	if winners != 1 {
		t.Errorf("%d deciders won, want 1", winners)
	}
	first := <-ends
	for e := range ends {
		if e.State != first.State || e.Outcome.Reason != first.Outcome.Reason {
			t.Fatalf("two ends were seen: %s %q and %s %q", first.State, first.Outcome.Reason, e.State, e.Outcome.Reason)
		}
	}
	stored, err := st.Request(t.Context(), r.ID)
	if err != nil || stored.State != first.State {
		t.Errorf("stored %s, told %s (%v)", stored.State, first.State, err)
	}
}

func TestOnlyPeopleAndRulesAllow(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	r := submit(t, b, bash("s", "1", "make"))
	for _, kind := range []broker.ActorKind{broker.ByProcess, broker.ByAgent, broker.ByBroker, broker.ByStop, ""} {
		_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: broker.Actor{Kind: kind}})
		if !errors.Is(err, broker.ErrInvalid) {
			t.Errorf("allow by %q: %v, want ErrInvalid", kind, err)
		}
	}
	if got, _ := b.Request(t.Context(), r.ID); got.State != broker.Pending {
		t.Errorf("state is %s, want pending", got.State)
	}
}

func TestDecisionForAnotherCallIsStale(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	r := submit(t, b, bash("s", "1", "make"))
	_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator, Digest: "other"})
	if !errors.Is(err, broker.ErrStale) {
		t.Errorf("got %v, want ErrStale", err)
	}
}

func TestSameKeySameRequest(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	first := submit(t, b, bash("s", "1", "make"))
	if again := submit(t, b, bash("s", "1", "make")); again.ID != first.ID {
		t.Errorf("asked again got %s, want %s", again.ID, first.ID)
	}
	if _, err := b.Submit(t.Context(), bash("s", "1", "make install")); !errors.Is(err, broker.ErrConflict) {
		t.Errorf("another call under the same key: %v, want ErrConflict", err)
	}
	sub := bash("s", "1", "make")
	sub.SubagentID = "helper"
	if _, err := b.Submit(t.Context(), sub); !errors.Is(err, broker.ErrConflict) {
		t.Errorf("a sub-agent under its parent's key: %v, want ErrConflict", err)
	}
	if _, err := b.Decide(t.Context(), first.ID, broker.Decision{Verdict: broker.Allow, By: operator}); err != nil {
		t.Fatal(err)
	}
	if got := submit(t, b, bash("s", "1", "make")); got.State != broker.Allowed {
		t.Errorf("asked after the answer: %s, want allowed", got.State)
	}

	next := newBroker(t, st, service.Options{}) // the answer outlives the process
	if got := submit(t, next, bash("s", "1", "make")); got.State != broker.Allowed || got.ID != first.ID {
		t.Errorf("asked at the next broker: %s %s, want allowed %s", got.State, got.ID, first.ID)
	}
	if _, err := next.Submit(t.Context(), bash("s", "1", "rm -rf /")); !errors.Is(err, broker.ErrConflict) {
		t.Errorf("another call under a recorded key: %v, want ErrConflict", err)
	}
}

func TestRestartBringsPendingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{ApprovalTimeout: time.Minute})
		r := submit(t, b, bash("s", "1", "make"))
		time.Sleep(20 * time.Second)
		_ = b.Close()

		b = newBroker(t, st, service.Options{ApprovalTimeout: time.Minute})
		snap, _ := b.Watch(t.Context())
		if len(snap.Requests) != 1 || snap.Requests[0].ID != r.ID {
			t.Fatalf("after a restart %d requests wait, want the one", len(snap.Requests))
		}
		if again := submit(t, b, bash("s", "1", "make")); again.ID != r.ID {
			t.Fatalf("the hook found %s, want %s", again.ID, r.ID)
		}
		start := time.Now()
		got, err := b.Wait(t.Context(), r.ID)
		if err != nil || got.State != broker.Expired {
			t.Fatalf("got %s, %v, want expired", got.State, err)
		}
		if waited := time.Since(start); waited < 39*time.Second || waited > 41*time.Second {
			t.Errorf("expired after %s more, want the 40 s that were left", waited)
		}
	})
}

func TestNoRecordNoAllow(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	r := submit(t, b, bash("s", "1", "make"))
	failCommits(st, errors.New("disk full"))

	_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
	if !errors.Is(err, broker.ErrNotRecorded) {
		t.Errorf("got %v, want ErrNotRecorded", err)
	}
	if got, _ := b.Wait(t.Context(), r.ID); got.State != broker.Denied {
		t.Errorf("the waiter was told %s, want denied", got.State)
	}
	if _, err := b.Submit(t.Context(), bash("s", "2", "make")); !errors.Is(err, broker.ErrNotRecorded) {
		t.Errorf("a new call: %v, want ErrNotRecorded", err)
	}
	if snap, _ := b.Watch(t.Context()); snap.Health.StoreErr == "" {
		t.Error("the status line does not say that nothing can be recorded")
	}
}

func TestStoreRecoversWithoutRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		r := submit(t, b, bash("s", "1", "make"))
		failCommits(st, errors.New("disk full"))
		_, _ = b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
		failCommits(st, nil)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if snap, _ := b.Watch(t.Context()); snap.Health.StoreErr != "" {
			t.Errorf("still says %q", snap.Health.StoreErr)
		}
		stored, err := st.Request(t.Context(), r.ID)
		if err != nil || stored.State != broker.Denied {
			t.Errorf("stored %s, %v, want the denial that the agent was told", stored.State, err)
		}
	})
}

// A commit that reports an error may have been applied all the same. The agent was
// told no by then, and the log has to say so.
func TestRecordedAfterAllIsWithheld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		r := submit(t, b, bash("s", "1", "make"))
		st.AfterCommit(func(context.Context, *broker.Change) error { return errors.New("connection to the disk lost") })
		_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
		st.AfterCommit(nil)
		if got, _ := b.Wait(t.Context(), r.ID); !errors.Is(err, broker.ErrNotRecorded) || got.State != broker.Denied {
			t.Fatalf("told %s, %v, want denied and ErrNotRecorded", got.State, err)
		}
		if again := submit(t, b, bash("s", "1", "make")); again.State != broker.Denied {
			t.Errorf("asked again: %s, want the denial that was told", again.State)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := eventsOf(t, st, broker.EventAnswerWithheld); len(got) != 1 || got[0].RequestID != r.ID {
			t.Errorf("the log has %+v, want one answer_withheld", got)
		}
	})
}

func TestExpiredThenLateAllowLeavesOneGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Minute, AskerGrace: time.Hour})
		r := submit(t, b, bash("s", "1", "make"))
		if got, _ := b.Wait(t.Context(), r.ID); got.State != broker.Expired {
			t.Fatalf("got %s, want expired", got.State)
		}
		if got, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); err != nil || got.State != broker.Expired {
			t.Fatalf("late allow: %s, %v", got.State, err)
		}
		other := bash("s", "2", "make")
		other.SubagentID = "helper"
		if got := submit(t, b, other); got.State != broker.Pending {
			t.Errorf("another agent of the session used the grant: %s", got.State)
		}
		if got := submit(t, b, bash("s", "3", "make")); got.State != broker.Allowed || got.Outcome.By.Kind != broker.ByOperator {
			t.Errorf("the retry is %s, want allowed by the operator", got.State)
		}
		if got := submit(t, b, bash("s", "4", "make")); got.State != broker.Pending {
			t.Errorf("the second retry is %s, want pending: a grant is good for one call", got.State)
		}
	})
}

// A grant lets the call pass as it was asked, so it cannot stand for one with another input.
func TestLateAllowWithAnotherInputIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Minute, AskerGrace: time.Hour})
		r := submit(t, b, bash("s", "1", "make"))
		_, _ = b.Wait(t.Context(), r.ID)
		d := broker.Decision{Verdict: broker.Allow, By: operator, UpdatedInput: []byte(`{"command":"make -n"}`)}
		if _, err := b.Decide(t.Context(), r.ID, d); !errors.Is(err, broker.ErrAlreadyDecided) {
			t.Errorf("late allow with another input: %v, want ErrAlreadyDecided", err)
		}
		if got := submit(t, b, bash("s", "2", "make")); got.State != broker.Pending {
			t.Errorf("the call as it was asked is %s, want pending: nobody allowed it", got.State)
		}
	})
}

func TestLateEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Minute, LateFor: time.Minute})
		r := submit(t, b, bash("s", "1", "make"))
		time.Sleep(2*time.Minute + time.Second)
		if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); !errors.Is(err, broker.ErrAlreadyDecided) {
			t.Errorf("got %v, want ErrAlreadyDecided", err)
		}
	})
}

func TestAskerGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		dead := map[int]bool{}
		alive := func(p broker.Process) bool { mu.Lock(); defer mu.Unlock(); return !dead[p.PID] }
		b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: alive, AskerGrace: 30 * time.Second})
		killed, slow, kept := bash("s", "1", "a"), bash("s", "2", "b"), bash("s", "3", "c")
		killed.Asker.PID, slow.Asker.PID, kept.Asker.PID = 101, 102, 103
		k, s, h := submit(t, b, killed), submit(t, b, slow), submit(t, b, kept)
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		go func() { _, _ = b.Wait(ctx, h.ID) }()

		mu.Lock()
		dead[101] = true
		mu.Unlock()
		time.Sleep(2 * time.Second)
		state := func(r broker.Request) broker.State { got, _ := b.Request(t.Context(), r.ID); return got.State }
		if got := state(k); got != broker.Cancelled {
			t.Errorf("a killed asker's call is %s, want cancelled", got)
		}
		if got := state(s); got != broker.Pending {
			t.Errorf("a living asker's call is %s within its grace, want pending", got)
		}
		time.Sleep(35 * time.Second)
		if got := state(s); got != broker.Cancelled {
			t.Errorf("a call that nobody polls is %s after the grace, want cancelled", got)
		}
		if got := state(h); got != broker.Pending {
			t.Errorf("a call that is polled is %s, want pending", got)
		}
	})
}

// A broker that stood still hears those who asked meanwhile before it takes anybody for gone.
func TestAskerBehindAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const stands = 20 * time.Second
		var slept atomic.Bool
		alive := func(p broker.Process) bool {
			if p.PID == 900 && slept.CompareAndSwap(false, true) {
				time.Sleep(stands)
			}
			return true
		}
		b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: alive, AskerGrace: 2 * time.Second})
		q, left := bash("s", "1", "a"), bash("s", "2", "b")
		q.Session.Process = broker.Process{PID: 900}
		r, l := submit(t, b, q), submit(t, b, left)
		time.Sleep(stands + 600*time.Millisecond)
		go func() { _, _ = b.Wait(t.Context(), r.ID) }()
		time.Sleep(2 * time.Second)
		if got, _ := b.Request(t.Context(), r.ID); got.State != broker.Pending {
			t.Errorf("a call that was asked for while the broker stood still is %s", got.State)
		}
		if got, _ := b.Request(t.Context(), l.ID); got.State != broker.Cancelled {
			t.Errorf("a call for which nobody asked is %s", got.State)
		}
	})
}

func TestStopDeniesNowAndLater(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	one := submit(t, b, bash("s", "1", "make"))
	other := submit(t, b, bash("other", "1", "make"))
	s, err := b.Stop(t.Context(), "s", operator)
	if err != nil || s.State != broker.SessionStopping {
		t.Fatalf("stop: %s, %v", s.State, err)
	}
	if got, _ := b.Request(t.Context(), one.ID); got.State != broker.Denied || got.Outcome.By.Kind != broker.ByStop {
		t.Errorf("pending call is %s by %+v, want denied by stop", got.State, got.Outcome)
	}
	if got := submit(t, b, bash("s", "2", "make")); got.State != broker.Denied {
		t.Errorf("a later call is %s, want denied", got.State)
	}
	if got, _ := b.Request(t.Context(), other.ID); got.State != broker.Pending {
		t.Errorf("another session's call is %s, want pending", got.State)
	}
	if _, err := b.Stop(t.Context(), "s", operator); err != nil {
		t.Errorf("stopping twice: %v", err)
	}
	if _, err := b.Stop(t.Context(), "nobody", operator); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("stopping an unknown session: %v, want ErrNotFound", err)
	}
	next := newBroker(t, st, service.Options{})
	if got := submit(t, next, bash("s", "3", "make")); got.State != broker.Denied {
		t.Errorf("after a restart a call of the stopped session is %s, want denied", got.State)
	}
}

// A session that was silent for long and made room for others is stopped all the same, and what
// it asks after that is denied.
func TestStopOfAForgottenSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{MaxSessions: 1, ApprovalTimeout: time.Second})
		r := submit(t, b, bash("s", "1", "make"))
		_, _ = b.Wait(t.Context(), r.ID)
		time.Sleep(2 * time.Minute)
		submit(t, b, bash("other", "1", "make"))
		s, err := b.Stop(t.Context(), "s", operator)
		if err != nil || s.State != broker.SessionStopping && s.State != broker.SessionStopped {
			t.Errorf("stop: %s, %v", s.State, err)
		}
		if got := submit(t, b, bash("s", "2", "make")); got.State != broker.Denied {
			t.Errorf("a call after the stop is %s, want denied", got.State)
		}
	})
}

func TestStopAllIsOneCommit(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	const sessions, calls = 200, 5
	for s := range sessions {
		for c := range calls {
			submit(t, b, bash(fmt.Sprint("s", s), fmt.Sprint(c), "make"))
		}
	}
	n, denied, err := b.StopAll(t.Context(), operator)
	if err != nil || n != sessions || denied != sessions*calls {
		t.Errorf("stopped %d sessions and %d calls (%v), want %d and %d", n, denied, err, sessions, sessions*calls)
	}
	if left := b.Pending(""); len(left) != 0 {
		t.Errorf("%d calls still wait", len(left))
	}
}

func TestCaps(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{MaxPerSession: 2, MaxPending: 3})
	submit(t, b, bash("s", "1", "a"))
	submit(t, b, bash("s", "2", "b"))
	if _, err := b.Submit(t.Context(), bash("s", "3", "c")); !errors.Is(err, broker.ErrTooMany) {
		t.Errorf("third call of a session: %v, want ErrTooMany", err)
	}
	submit(t, b, bash("other", "1", "a"))
	if _, err := b.Submit(t.Context(), bash("third", "1", "a")); !errors.Is(err, broker.ErrTooMany) {
		t.Errorf("fourth call in all: %v, want ErrTooMany", err)
	}
}

func TestWatchMissesNothing(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	const n = 200
	go func() {
		for i := range n {
			_, _ = b.Submit(context.Background(), bash(fmt.Sprint("s", i%20), fmt.Sprint(i), "make"))
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	snap, updates := b.Watch(ctx)
	seen := map[string]bool{}
	for _, r := range snap.Requests {
		seen[r.ID] = true
	}
	for len(seen) < n {
		u, ok := <-updates
		if !ok {
			t.Fatalf("the watch ended with %d of %d seen", len(seen), n)
		}
		if u.Request != nil {
			seen[u.Request.ID] = true
		}
	}
}
