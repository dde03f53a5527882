package service_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
)

// What a rule allowed while it was put off runs only while rules allow it: hours may pass
// until its agent asks again. The use that it had does not speak against it.
func TestRuleThatAllowedWhatIsPutOffStillHolds(t *testing.T) {
	//nolint:thelper // they are steps of the test, not helpers
	for name, tc := range map[string]struct {
		rule  func(*rules.Rule)
		since func(t *testing.T, b *service.Broker, id string)
		holds bool
	}{
		"nothing":              {holds: true},
		"its one use":          {rule: func(r *rules.Rule) { r.MaxUses = 1 }, holds: true},
		"expired":              {rule: func(r *rules.Rule) { r.ExpiresAt = time.Now().Add(time.Hour) }},
		"expired, its one use": {rule: func(r *rules.Rule) { r.MaxUses, r.ExpiresAt = 1, time.Now().Add(time.Hour) }},
		"removed": {since: func(t *testing.T, b *service.Broker, id string) {
			must(t, b.RemoveRule(t.Context(), id, operator))
		}},
		"removed, its one use": {
			rule: func(r *rules.Rule) { r.MaxUses = 1 },
			since: func(t *testing.T, b *service.Broker, id string) {
				must(t, b.RemoveRule(t.Context(), id, operator))
			},
		},
		"another rule asks": {since: func(t *testing.T, b *service.Broker, _ string) {
			save(t, b, rules.Rule{Enabled: true, Tool: "Bash", Decision: rules.Ask})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := brokertest.NewMemory()
				b, r := leftOff(t, st)
				rule := allowing("make")
				rule.Priority = 100
				if tc.rule != nil {
					tc.rule(&rule)
				}
				id := save(t, b, rule).Rule.ID
				if got := state(t, b, r); got.State != broker.Allowed || got.Outcome.By.ID != id {
					t.Fatalf("the rule did not decide: %s", got.State)
				}
				time.Sleep(2 * time.Hour)
				b = newBroker(t, st, service.Options{})
				if tc.since != nil {
					tc.since(t, b, id)
				}
				got, err := hears(t, b, headless("toolu_1", "make", "talk 2"))
				if tc.holds && (err != nil || got.State != broker.Allowed) {
					t.Errorf("got %s %v, want it allowed", got.State, err)
				}
				if !tc.holds && (!errors.Is(err, broker.ErrAnsweredBefore) || !strings.Contains(err.Error(), "do not allow it any more")) {
					t.Errorf("got %s %v, want it refused", got.State, err)
				}
				for _, r := range b.Rules(t.Context()).Rules {
					if r.ID == id && r.Uses != 1 {
						t.Errorf("%d uses, want one", r.Uses)
					}
				}
			})
		})
	}
}

// A rule with a number of uses has lost none where it could put nothing off.
func TestWhatCannotBePutOffIsNoUse(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	submitted := submit(t, b, headless("toolu_1", "make", "talk 1"))
	putOff(t, b, submitted.ID)
	ended(t, b)
	rule := save(t, b, rules.Rule{Enabled: true, Tool: "Bash", Decision: rules.Defer, MaxUses: 2})
	if r := submit(t, b, headless("toolu_2", "make install", "talk 2")); r.Checkpoint != nil || !strings.Contains(r.Assessment.Reason, "cannot be deferred") {
		t.Fatalf("put off beside another one: %+v", r.Assessment)
	}
	for _, r := range b.Rules(t.Context()).Rules {
		if r.ID == rule.Rule.ID && r.Uses != 0 {
			t.Errorf("%d uses, want none", r.Uses)
		}
	}
}

// A card says truly whether a freeze keeps its call from being allowed, also while it is
// put off, after that and when it is asked again.
func TestPutOffCardSaysWhetherItIsHeld(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	id := submit(t, b, headless("toolu_1", "make", "talk 1")).ID
	holds := func(when string, want bool) {
		t.Helper()
		if got := must2(b.Request(t.Context(), id)); (got.Held != "") != want {
			t.Errorf("%s: held %q", when, got.Held)
		}
	}
	freeze(t, b, "")
	putOff(t, b, id)
	holds("put off in a freeze", true)
	unfreeze(t, b, "")
	holds("after the freeze", false)
	freeze(t, b, "s")
	holds("in the next one", true)
	b = newBroker(t, st, service.Options{})
	holds("at the next console", true)
	unfreeze(t, b, "s")
	holds("after that", false)
	ended(t, b)
	freeze(t, b, "")
	if got, err := hears(t, b, headless("toolu_1", "make", "talk 2")); err != nil || got.State != broker.Pending {
		t.Fatalf("asked again: %s %v", got.State, err)
	}
	holds("asked again in a freeze", true)
	unfreeze(t, b, "")
	holds("at last", false)
}
