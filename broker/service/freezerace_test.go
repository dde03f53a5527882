package service_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/vet"
)

// A call that is being recorded when the freeze is lifted is judged then, once.
func TestFreezeLiftedWhileACallIsRecorded(t *testing.T) {
	dir := project(t)
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		save(t, b, allowing("make test"))
		freeze(t, b, "")
		release := make(chan struct{})
		st.BeforeCommit(func(_ context.Context, c *broker.Change) error {
			if c.Insert != nil {
				<-release
			}
			return nil
		})
		got := make(chan broker.Request, 1)
		go func() {
			r, err := b.Submit(t.Context(), callIn(dir, "s", "1", "make test"))
			if err != nil {
				t.Error(err)
			}
			got <- r
		}()
		synctest.Wait()
		lifted := make(chan struct{})
		go func() { unfreeze(t, b, ""); close(lifted) }()
		synctest.Wait()
		close(release)
		<-lifted
		if r := must2(b.Request(t.Context(), (<-got).ID)); r.State != broker.Allowed {
			t.Errorf("it is %s, want allowed by the rule", r.State)
		}
	})
}

// A freeze that comes while a rule's allow is being recorded says that it holds only once
// that is over.
func TestFreezeWaitsForWhatIsUnderWay(t *testing.T) {
	dir := project(t)
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		save(t, b, allowing("make test"))
		card := submit(t, b, callIn(dir, "s", "0", "make other"))
		release := make(chan struct{})
		st.BeforeCommit(func(_ context.Context, c *broker.Change) error {
			if c.Insert != nil || len(c.Settle) > 0 {
				<-release
			}
			return nil
		})
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = b.Submit(t.Context(), callIn(dir, "s", "1", "make test")) })
		wg.Go(func() {
			_, _ = b.Decide(t.Context(), card.ID, broker.Decision{Verdict: broker.Allow, By: operator})
		})
		synctest.Wait()
		held := make(chan struct{})
		go func() { defer close(held); freeze(t, b, "") }()
		synctest.Wait()
		select {
		case <-held:
			t.Error("the freeze was said to hold while two calls were being allowed")
		default:
		}
		close(release)
		<-held
		if r := state(t, b, card); r.State != broker.Allowed {
			t.Errorf("after the freeze the call is %s", r.State)
		}
		wg.Wait()
	})
}

// Who freezes while the end of a freeze is being recorded has frozen again, on disk too.
func TestFreezeDuringAnUnfreeze(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{AskerGrace: time.Hour})
	r := submit(t, b, bash("s", "1", "make"))
	freeze(t, b, "")
	snap, news := b.Watch(t.Context())
	recording, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	st.BeforeCommit(func(context.Context, *broker.Change) error {
		once.Do(func() { close(recording) })
		<-release
		return nil
	})
	var wg sync.WaitGroup
	wg.Go(func() { unfreeze(t, b, "") })
	<-recording
	again := broker.Actor{Kind: broker.ByProcess, PID: 8}
	wg.Go(func() {
		if err := b.Freeze(t.Context(), "", true, again); err != nil {
			t.Error(err)
		}
	})
	close(release)
	for snap.Health.FrozenBy != again {
		if u := <-news; u.Health != nil {
			snap.Health = *u.Health
		}
	}
	wg.Wait()
	if state(t, b, r).Held == "" {
		t.Error("the second freeze does not hold")
	}
	must(t, b.Close())
	if state(t, newBroker(t, st, service.Options{AskerGrace: time.Hour}), r).Held == "" {
		t.Error("after a restart it does not")
	}
}

// A session whose first row is being written when it is frozen is shown frozen.
func TestFreezeWhileASessionIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		release := make(chan struct{})
		st.BeforeCommit(func(_ context.Context, c *broker.Change) error {
			if c.Insert != nil {
				<-release
			}
			return nil
		})
		done := make(chan broker.Request, 1)
		go func() {
			r, err := b.Submit(t.Context(), bash("s", "1", "make"))
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
		synctest.Wait()
		frozen := make(chan struct{})
		go func() { freeze(t, b, ""); close(frozen) }()
		synctest.Wait()
		close(release)
		r := <-done
		<-frozen
		r = must2(b.Request(t.Context(), r.ID))
		if s, err := b.Session(t.Context(), "s"); err != nil || !s.Frozen || r.Held == "" {
			t.Errorf("session frozen %v (%v), call held %q", s.Frozen, err, r.Held)
		}
	})
}

// A freeze between the look at a call and its claim: the allow is refused at once.
func TestFreezeInTheMiddleOfAnAllow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b *service.Broker
		looks := 0
		v := &meddler{do: func() {
			if looks++; looks == 2 {
				freeze(t, b, "")
			}
		}}
		b = newBroker(t, brokertest.NewMemory(), service.Options{Vet: v})
		r := submit(t, b, bash("s", "1", "make"))
		began := time.Now()
		if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); !errors.Is(err, broker.ErrFrozen) {
			t.Errorf("allow: %v, want ErrFrozen", err)
		}
		if waited := time.Since(began); waited > 0 || looks < 2 {
			t.Errorf("it took %v and %d looks", waited, looks)
		}
	})
}

// However many ask, decide and switch at once: nothing becomes allowed between the moment
// at which Freeze has returned and that at which Unfreeze is called.
func TestFreezeRace(t *testing.T) {
	dir := project(t)
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{MaxPerSession: 4096, Rate: -1})
	save(t, b, allowing("make test"))
	var mu sync.Mutex
	frozen := false // as far as anybody was told
	when := map[string]bool{}
	st.AfterCommit(func(_ context.Context, c *broker.Change) error {
		mu.Lock()
		defer mu.Unlock()
		if c.Insert != nil && c.Insert.State == broker.Allowed {
			when[c.Insert.ID] = frozen
		}
		for _, s := range c.Settle {
			if s.Outcome.State == broker.Allowed {
				when[s.ID] = frozen
			}
		}
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				command := "make test"
				if i%2 == 0 {
					command = "make other"
				}
				r, err := b.Submit(ctx, callIn(dir, fmt.Sprint("s", w%3), fmt.Sprint(w, "-", i), command))
				if err != nil {
					continue
				}
				_, _ = b.Decide(ctx, r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
				if _, err := b.Decide(ctx, r.ID, broker.Decision{Verdict: broker.Deny, By: operator}); err != nil && !errors.Is(err, broker.ErrAlreadyDecided) && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	for range 60 {
		freeze(t, b, "")
		mu.Lock()
		frozen = true
		mu.Unlock()
		time.Sleep(2 * time.Millisecond) // others go on meanwhile
		mu.Lock()
		frozen = false
		mu.Unlock()
		unfreeze(t, b, "")
		time.Sleep(time.Millisecond)
	}
	cancel()
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	for id, during := range when {
		if during {
			t.Errorf("request %s was allowed while everything was frozen", id)
		}
	}
	if len(when) == 0 {
		t.Error("nothing was allowed at all")
	}
}

// meddler is a vetter that does something whenever it is asked about a call.
type meddler struct{ do func() }

func (m *meddler) Call(rules.Question) vet.Result {
	m.do()
	return vet.Result{Legible: true}
}
func (m *meddler) Offer(q rules.Question) vet.Result      { return m.Call(q) }
func (m *meddler) File(string, []byte, string) vet.Result { return vet.Result{} }
