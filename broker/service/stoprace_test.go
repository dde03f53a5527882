package service_test

import (
	"errors"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// A console may leave calls behind that wait in a session that is on record as stopped: one of an
// earlier version, or one whose store failed. The next one must not offer them to anybody.
func TestStopOutlivesACrash(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	submit(t, b, bash("s", "0", "make"))
	submit(t, b, bash("s", "1", "make install"))
	s := must2(b.Session(t.Context(), "s"))
	killBroker(t, st, b)
	s.State, s.StopAskedAt = broker.SessionStopping, s.LastSeenAt
	must(t, st.Record(t.Context(), &broker.Change{Sessions: []broker.Session{s}}))

	next := newBroker(t, st, service.Options{})
	if left := next.Pending(""); len(left) != 0 {
		t.Errorf("%d calls of a stopped session wait", len(left))
	}
	list, err := st.Requests(t.Context(), broker.RequestFilter{SessionID: "s"})
	if err != nil || len(list) != 2 {
		t.Fatalf("%d requests are stored (%v), want 2", len(list), err)
	}
	for _, r := range list {
		if r.State != broker.Denied || r.Outcome.By.Kind != broker.ByStop {
			t.Errorf("request %s is %s by %+v, want denied by the stop", r.ID, r.State, r.Outcome)
		}
	}
}

// A stop marks its session first and then claims what waits there. Between the two, what
// a person or a rule allows does not count any more.
func TestNothingIsAllowedOnceAStopBegan(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	one, two := submit(t, b, bash("s", "1", "make")), submit(t, b, bash("s", "2", "make"))
	stopUnrecorded(t, st, b, "s")

	if saved := save(t, b, allowing("make")); len(saved.Decided) != 0 {
		t.Errorf("a rule ended %+v, want nothing", saved.Decided)
	}
	got, err := b.Decide(t.Context(), two.ID, broker.Decision{Verdict: broker.Allow, By: operator})
	if got.State != broker.Denied || got.Outcome.By.Kind != broker.ByStop || !errors.Is(err, broker.ErrAlreadyDecided) {
		t.Errorf("the operator's allow: %s by %+v (%v), want denied by the stop", got.State, got.Outcome, err)
	}
	if _, err := b.Stop(t.Context(), "s", operator); err != nil {
		t.Fatal(err)
	}
	if r, err := b.Request(t.Context(), one.ID); err != nil || r.State != broker.Denied {
		t.Errorf("after the stop the first call is %s (%v), want denied", r.State, err)
	}
}
