package service_test

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
)

// A message to a managed session waits while its session is frozen.
func TestMessageWaitsForTheEndOfAFreeze(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", works)
	_, err := b.Say(t.Context(), "s", "go on", byShell)
	must(t, err)
	freeze(t, b, "")
	report(t, b, runner1, "s", rests)
	wantOrders(t, b, "while frozen", "")
	unfreeze(t, b, "")
	wantOrders(t, b, "after the freeze", "message go on")
	freeze(t, b, "s")
	wantOrders(t, b, "told of, then frozen", "")
}

// A rule that puts calls off puts none off while a freeze holds it, and does afterwards.
func TestFrozenCallIsNotPutOff(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	save(t, b, rules.Rule{Enabled: true, Tool: "Bash", Decision: rules.Defer})
	freeze(t, b, "")
	r := submit(t, b, headless("toolu_1", "make", "talk 1"))
	if r.Checkpoint != nil || r.Held == "" {
		t.Errorf("while frozen: put off %v, held %q", r.Checkpoint, r.Held)
	}
	unfreeze(t, b, "")
	if now := state(t, b, r); now.State != broker.Pending || now.Checkpoint == nil {
		t.Errorf("after the freeze: %s, put off %v", now.State, now.Checkpoint)
	}
}
