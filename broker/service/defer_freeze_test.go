package service_test

import (
	"testing"
	"testing/synctest"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
)

// A rule that puts calls off speaks about those that a freeze held once it is lifted; of
// several in a turn it takes one.
func TestRulePutsOffWhatAFreezeHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		rule := save(t, b, rules.Rule{Enabled: true, Tool: "Bash", Decision: rules.Defer})
		freeze(t, b, "")
		first := submit(t, b, headless("toolu_1", "make", "talk 1"))
		second := submit(t, b, headless("toolu_2", "make install", "talk 2"))
		if first.Checkpoint != nil || first.Held == "" {
			t.Fatalf("in the freeze: %+v", first)
		}
		unfreeze(t, b, "")
		synctest.Wait()
		first, second = must2(b.Request(t.Context(), first.ID)), must2(b.Request(t.Context(), second.ID))
		if (first.Checkpoint == nil) == (second.Checkpoint == nil) {
			t.Fatalf("put off: the first %v, the second %v; want one", first.Checkpoint, second.Checkpoint)
		}
		off, other := first, second
		if off.Checkpoint == nil {
			off, other = second, first
		}
		if off.Checkpoint.By != (broker.Actor{Kind: broker.ByRule, ID: rule.Rule.ID}) {
			t.Errorf("put off by %+v", off.Checkpoint.By)
		}
		if other.State != broker.Pending || other.Assessment == nil || other.Assessment.Verdict != rules.Ask {
			t.Errorf("the other is %s, and its card says %+v", other.State, other.Assessment)
		}
	})
}
