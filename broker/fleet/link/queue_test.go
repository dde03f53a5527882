package link

import (
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/orders"
)

// An order that allows a call under an id of its caller's own is on record whole, since other machines
// want to see it. Every other order is not.
func TestOrderIsKeptAsEvidence(t *testing.T) {
	for name, c := range map[string]struct {
		key     string
		verdict broker.Verdict
		kept    bool
	}{
		"an allow":           {broker.OwnKey("r1"), broker.Allow, true},
		"of a hook's call":   {"claude\x1fs1\x1ft1", broker.Allow, false},
		"a refusal":          {broker.OwnKey("r1"), broker.Deny, false},
		"left to the prompt": {broker.OwnKey("r1"), broker.Ask, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse()
			h.calls = map[string]broker.Request{"r1": {ID: "r1", Key: c.key, Digest: "d"}}
			host, w := running(t, h)
			give(t, w, decision(t, ana, host.now.speaker.Boot, 1, c.verdict), false)
			took, err := queueHome{h.home()}.Orders(t.Context(), time.Now())
			if err != nil || len(took) != 1 {
				t.Fatalf("%s: on record are %d orders, %v", name, len(took), err)
			}
			if kept := len(took[0].Signed) > 0; kept != c.kept {
				t.Fatalf("%s: kept %t", name, kept)
			}
			var s keys.Signed
			if c.kept && (keys.Decode(took[0].Signed, &s) != nil || orders.Mark(s) != took[0].Mark) {
				t.Errorf("%s: what is kept is not the order", name)
			}
		})
	}
}

// Orders that were recorded before they were kept whole are read all the same.
func TestOlderOrdersAreRead(t *testing.T) {
	h := newHouse()
	h.paper.add(broker.EventFleetOrder, "", "")
	h.paper.list[0].Data = json.RawMessage(`{"operator":"a","name":"ana","role":"operator","number":1,"expires":"2026-11-27T20:00:00Z","method":"Calls.Decide","mark":"m","roster":1}`)
	if took, err := (queueHome{h.home()}).Orders(t.Context(), time.Now()); err != nil || len(took) != 1 || took[0].Signed != nil || took[0].Mark != "m" {
		t.Errorf("read %+v, %v", took, err)
	}
}

// In no fleet an id is this machine's, and nobody is asked. In one nothing is asked without a claim.
func TestClaimOnlyInAFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		host := NewHost(Options{Home: h.home(), Key: key(t, box), Log: slog.New(slog.DiscardHandler)})
		if owner, err := host.Claim(t.Context(), broker.Request{ID: "x", Digest: "d"}); owner != "" || err != nil {
			t.Errorf("in no fleet: %q, %v", owner, err)
		}
		if _, known, err := host.Response(t.Context(), "x", 0, 0); known || err != nil {
			t.Errorf("in no fleet another machine asks it: %t, %v", known, err)
		}
		h.token = &broker.TokenData{ID: "team-abc123", Kind: broker.FleetToken}
		if _, err := host.Claim(t.Context(), broker.Request{ID: "x", Digest: "d"}); !errors.Is(err, broker.ErrFleetOut) {
			t.Errorf("while the link is not at work: %v", err)
		}
		h.token = nil
		host, w := running(t, h)
		if owner, err := host.Claim(t.Context(), broker.Request{ID: "x", Digest: "d"}); owner != "" || err != nil || w.claims.put != 1 {
			t.Errorf("claimed for %q %d times, %v", owner, w.claims.put, err)
		}
		w.claims.fails = ErrFull
		if _, err := host.Claim(t.Context(), broker.Request{ID: "y", Digest: "d"}); !errors.Is(err, broker.ErrFleetOut) || !errors.Is(err, ErrFull) {
			t.Errorf("when there is no room for a claim: %v", err)
		}
		if w.claims.answer == nil {
			t.Error("nobody answers other machines")
		}
	})
}
