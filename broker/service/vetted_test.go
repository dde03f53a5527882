package service_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/vet"
)

// moody is a vetter that is busy while it says so.
type moody struct{ busy atomic.Bool }

func (m *moody) Call(rules.Question) vet.Result {
	if m.busy.Load() {
		return vet.Result{Why: vet.Busy}
	}
	return vet.Result{Legible: true}
}
func (m *moody) Offer(q rules.Question) vet.Result      { return m.Call(q) }
func (m *moody) File(string, []byte, string) vet.Result { return vet.Result{} }

// TestReread: a call that came while the vetter was busy is read as soon as it is not:
// a rule that allows it does, and else its card has what there is to say.
func TestReread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := new(moody)
		b := newBroker(t, brokertest.NewMemory(), service.Options{Vet: v})
		dir := project(t)
		save(t, b, allowing("ls **"))
		v.busy.Store(true)
		ruled := submit(t, b, callIn(dir, "s", "1", "ls"))
		asked := submit(t, b, callIn(dir, "s", "2", "sh run.sh"))
		if ruled.State != broker.Pending || ruled.Assessment.Unread == "" {
			t.Fatalf("unread, a call is %s, %q", ruled.State, ruled.Assessment.Unread)
		}

		// Who allows it meanwhile saw the raw text, and is shown what it says first.
		v.busy.Store(false)
		d := broker.Decision{Verdict: broker.Allow, By: operator, Digest: asked.Digest}
		if _, err := b.Decide(t.Context(), asked.ID, d); !errors.Is(err, broker.ErrReadAnew) {
			t.Errorf("allowing a call that is read anew: %v", err)
		}
		time.Sleep(2 * time.Second) // the bubble's clock: the sweeper comes by
		if r, err := b.Request(t.Context(), ruled.ID); err != nil || r.State != broker.Allowed || r.Outcome.By.Kind != broker.ByRule {
			t.Errorf("read again, the call is %s (%v)", r.State, err)
		}
		r, err := b.Decide(t.Context(), asked.ID, d)
		if err != nil || r.State != broker.Allowed || !r.Legible || r.Assessment.Unread != "" {
			t.Errorf("looked at again, the call is %s (%v)", r.State, err)
		}
	})
}
