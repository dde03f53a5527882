package service_test

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/calls"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
)

// What a rule decides at once counts, once: no call that waits, and no answer that is given again.
func TestRuleTook(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{Rate: -1})
	if got := b.RuleTook(); got != (calls.Took{}) {
		t.Errorf("nothing was asked: %+v", got)
	}
	_, err := b.SaveRule(t.Context(), rules.Rule{
		Decision: rules.Deny, Tool: "Bash", Where: map[string]string{"command": "npm run *"}, Enabled: true, Priority: rules.DefaultPriority,
	}, operator)
	must(t, err)
	for _, key := range []string{"1", "2", "2"} {
		if r := submit(t, b, bash("s", key, "npm run test")); r.State != broker.Denied {
			t.Fatalf("%s: %s", key, r.State)
		}
	}
	submit(t, b, bash("s", "3", "make install"))
	if got := b.RuleTook(); got.Calls != 2 || got.P50 <= 0 || got.P95 < got.P50 {
		t.Errorf("two calls took %+v", got)
	}
}
