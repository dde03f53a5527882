package service_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// A broker dies after it recorded a call and before it noticed that the session had been
// stopped meanwhile. The next one must not offer that call to anybody.
func TestStopOutlivesACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
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

		next := newBroker(t, st, service.Options{})
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

// A stop marks its session first and then claims what waits there. Between the two, what
// a person or a rule allows does not count any more.
func TestNothingIsAllowedOnceAStopBegan(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	one, two := submit(t, b, bash("s", "1", "make")), submit(t, b, bash("s", "2", "make"))
	b.MarkStopping("s")

	ended, err := b.EndAll(t.Context(), []string{one.ID}, broker.Outcome{State: broker.Allowed, By: broker.Actor{Kind: broker.ByRule, ID: "r"}})
	if len(ended) != 0 || err != nil {
		t.Errorf("a rule ended %+v (%v), want nothing", ended, err)
	}
	got, err := b.Decide(t.Context(), two.ID, broker.Decision{Verdict: broker.Allow, By: operator})
	if got.State != broker.Denied || got.Outcome.By.Kind != broker.ByStop || !errors.Is(err, broker.ErrAlreadyDecided) {
		t.Errorf("the operator's allow: %s by %+v (%v), want denied by the stop", got.State, got.Outcome, err)
	}
	if _, err := b.Stop(t.Context(), "s", operator); err != nil {
		t.Fatal(err)
	}
	if r, err := st.Request(t.Context(), one.ID); err != nil || r.State != broker.Denied {
		t.Errorf("after the stop the first call is %s (%v), want denied", r.State, err)
	}
}
