package broker_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
)

// A broker dies after it recorded a call and before it noticed that the session had been
// stopped meanwhile. The next one must not offer that call to anybody.
func TestStopOutlivesACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, broker.Options{})
		first := submit(t, b, bash("s", "0", "make")) // so that the session is known
		crash := make(chan struct{})
		st.AfterCommit(func(_ context.Context, c *broker.Change) error {
			if c.Insert != nil {
				<-crash
			}
			return nil
		})
		go func() { _, _ = b.Submit(t.Context(), bash("s", "1", "make install")) }()
		synctest.Wait()
		if _, err := b.Stop(t.Context(), "s", operator); err != nil {
			t.Fatal(err)
		}

		next := newBroker(t, st, broker.Options{})
		if left := next.Pending(""); len(left) != 0 {
			t.Errorf("%d calls of a stopped session wait", len(left))
		}
		list, err := st.Requests(t.Context(), broker.RequestFilter{SessionID: "s"})
		if err != nil || len(list) != 2 {
			t.Fatalf("%d requests are stored (%v), want 2", len(list), err)
		}
		for _, r := range list {
			if r.State != broker.Denied || r.ID != first.ID && r.Outcome.By.Kind != broker.ByStop {
				t.Errorf("request %s is %s by %+v, want denied by the stop", r.ID, r.State, r.Outcome)
			}
		}
		close(crash)
	})
}

// Once anybody has seen that a session is stopped, no call of it can be allowed any more,
// however short a time ago the stop began.
func TestNothingIsAllowedOnceAStopWasSeen(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), broker.Options{})
	for i := range 120 {
		session := fmt.Sprint("s", i)
		var calls []broker.Request
		for j := range 8 {
			calls = append(calls, submit(t, b, bash(session, fmt.Sprint(j), "make")))
		}
		var wg sync.WaitGroup
		for _, r := range calls {
			wg.Go(func() {
				for {
					if stop, err := b.StopRequested(t.Context(), session); err != nil || stop {
						break
					}
					runtime.Gosched()
				}
				got, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
				if got.State != broker.Denied || !errors.Is(err, broker.ErrAlreadyDecided) {
					t.Errorf("a call was %s (%v) after its session was seen to be stopped", got.State, err)
				}
			})
		}
		if _, err := b.Stop(t.Context(), session, operator); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
	}
}
