package service_test

import (
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// The record has why a call was dangerous, and the history of the next console says it.
func TestHistorySaysWhatWasDangerous(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	deadly, plain := submit(t, b, bash("s", "1", "rm -rf /")), submit(t, b, bash("s", "2", "make"))
	for _, r := range []broker.Request{deadly, plain} {
		decide(t, b, r.ID, broker.Decision{Verdict: broker.Deny})
	}
	got := map[string]string{}
	for _, r := range must2(newBroker(t, st, service.Options{}).History(t.Context(), 0)) {
		got[r.ID] = r.Danger
	}
	if want := deadly.Assessment.Why; want == "" || got[deadly.ID] != want || got[plain.ID] != "" {
		t.Errorf("the history has %q and %q, want %q and none", got[deadly.ID], got[plain.ID], want)
	}
}

// Attack: an agent asks for one answer again until the log holds more of that than a list has room for.
// What was dangerous before is called so all the same.
func TestHistorySaysWhatWasDangerousBehindManyAnswers(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	deadly := submit(t, b, bash("s", "1", "rm -rf /"))
	decide(t, b, deadly.ID, broker.Decision{Verdict: broker.Deny})
	var again []*broker.Event
	for range 1100 {
		again = append(again, &broker.Event{At: time.Now(), Type: broker.EventAnsweredAgain, SessionID: "s", RequestID: "other", Data: []byte(`{}`)})
	}
	must(t, st.Record(t.Context(), &broker.Change{Events: again}))
	for _, r := range must2(b.History(t.Context(), 0)) {
		if r.ID == deadly.ID && r.Danger == "" {
			t.Error("the history does not say that the call was dangerous")
		}
	}
}
