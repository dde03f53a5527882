package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
)

// house is a broker with one call, "x", and the line to the others.
type house struct {
	mu      sync.Mutex // guards call, heard and last
	call    broker.Request
	ended   chan struct{} // closed when the call has ended
	err     error         // of waiting for it
	doubt   string
	holding chan time.Duration
	heard   int

	desks  map[string]*Desk
	down   bool
	claims map[string][]byte
	old    []byte // is answered in place of anything else
	last   []byte // that was answered
}

func (h *house) Request(_ context.Context, id string) (broker.Request, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.call.ID != id {
		return broker.Request{}, broker.ErrNotFound
	}
	return h.call, nil
}

func (h *house) AwaitCall(ctx context.Context, id string, hold, _ time.Duration) (broker.Request, error) {
	if h.holding != nil {
		h.holding <- hold
	}
	select {
	case <-h.ended:
	case <-ctx.Done():
	case <-time.After(hold):
	}
	if h.err != nil {
		return broker.Request{}, h.err
	}
	return h.Request(ctx, id)
}

func (h *house) CallHeard(string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heard++
}

func (h *house) LogDoubt() string                                          { return h.doubt }
func (h *house) Orders(context.Context, time.Time) ([]orders.Taken, error) { return nil, nil }

func (h *house) Put(_ context.Context, mark string, claim []byte) (taken bool, err error) {
	if _, ok := h.claims[mark]; ok {
		return true, nil
	}
	h.claims[mark] = claim
	return false, nil
}

func (h *house) Claim(_ context.Context, mark string) ([]byte, error) { return h.claims[mark], nil }

func (h *house) Ask(ctx context.Context, machine string, raw []byte) ([]byte, error) {
	if h.down {
		return nil, errors.New("nobody answers")
	}
	if h.old != nil {
		return h.old, nil
	}
	if answer := h.desks[machine].Answer(ctx, raw); answer != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.last = answer
		return answer, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (h *house) Take(context.Context, string, func(context.Context, []byte) []byte) error { return nil }

// two are two machines: the first asks call x, and the second follows it.
func two(t *testing.T) (first, second *Desk, h *house) {
	t.Helper()
	h = &house{desks: map[string]*Desk{}, claims: map[string][]byte{}, ended: make(chan struct{})}
	h.call = broker.Request{ID: "x", Digest: "d", State: broker.Pending}
	r := roster(time.Now())
	for i, d := range []**Desk{&first, &second} {
		*d = NewDesk(Options{Key: key(byte(i)), Roster: func() members.Roster { return r }, Line: h, Home: h, Now: time.Now})
		h.desks[(*d).id] = *d
		owner, err := (*d).Claim(t.Context(), broker.Request{ID: "x", Digest: "d", SessionID: "s", Agent: "api"})
		if err != nil || owner != map[int]string{0: "", 1: key(0).Public().ID()}[i] {
			t.Fatalf("claimed by machine %d for %q, %v", i, owner, err)
		}
	}
	second.Follow(first.id, broker.Request{ID: "x", Digest: "d", SessionID: "s", Agent: "api"})
	return first, second, h
}

func (h *house) end(state broker.State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.call.State, h.call.Outcome = state, &broker.Outcome{State: state, Reason: "not now", At: time.Now()}
	close(h.ended)
}

func TestClaimSaysWhyNot(t *testing.T) {
	_, second, h := two(t)
	mark := func(id string) string { return hidden("claim", fleetID, id) }
	put := func(id string, by byte, c claim) {
		s, err := key(by).Sign(keys.KindClaim, c)
		if err != nil {
			t.Fatal(err)
		}
		h.claims[mark(id)] = must(keys.Encode(s))
	}
	whole := func(id string, by byte) claim {
		return claim{fleetID, key(by).Public().ID(), mark(id), hidden("call", fleetID, id, "d", "s", "api")}
	}
	put("good", 0, whole("good", 0))
	put("of a person", operator, whole("of a person", operator))
	put("of a stranger", 99, whole("of a stranger", 99))
	put("for another", 2, whole("for another", 0))
	put("elsewhere", 0, whole("good", 0))
	h.claims[mark("junk")] = []byte("junk")
	for id, want := range map[string]error{
		"good": nil, "of a person": broker.ErrElsewhere, "of a stranger": broker.ErrElsewhere, "for another": broker.ErrElsewhere, "elsewhere": broker.ErrElsewhere, "junk": broker.ErrElsewhere,
	} {
		if owner, err := second.Claim(t.Context(), broker.Request{ID: id, Digest: "d", SessionID: "s", Agent: "api"}); !errors.Is(err, want) || want == nil && owner != key(0).Public().ID() {
			t.Errorf("%s: %q, %v", id, owner, err)
		}
	}
	for _, id := range []string{"good", "x"} {
		for _, r := range []broker.Request{{ID: id, Digest: "another", SessionID: "s", Agent: "api"}, {ID: id, Digest: "d", SessionID: "t", Agent: "api"}, {ID: id, Digest: "d", SessionID: "s", Agent: "else"}} {
			if _, err := second.Claim(t.Context(), r); !errors.Is(err, broker.ErrConflict) {
				t.Errorf("another call under %s: %v", id, err)
			}
		}
	}
}

func TestResponseWaitsForTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, second, h := two(t)
		began := time.Now()
		if r, known, err := second.Response(t.Context(), "x", 20*time.Second, 0); err != nil || !known || r.State != broker.Pending || time.Since(began) != 20*time.Second {
			t.Errorf("while it waits: %+v, %t, %v after %s", r, known, err, time.Since(began))
		}
		time.AfterFunc(7*time.Second, func() { h.end(broker.Denied) })
		began = time.Now()
		r, _, err := second.Response(t.Context(), "x", 20*time.Second, 0)
		if err != nil || r.State != broker.Denied || r.Outcome.Reason != "not now" || r.SessionID != "s" || time.Since(began) != 7*time.Second || h.heard != 1 {
			t.Errorf("when it ends: %+v, %v after %s, heard %d times", r, err, time.Since(began), h.heard)
		}
		if _, known, err := second.Response(t.Context(), "y", 0, 0); known || err != nil {
			t.Errorf("a call that nobody asks: %t, %v", known, err)
		}
	})
}

// What was answered to another question is no answer, though the same machine signed it.
func TestOldAnswerIsNone(t *testing.T) {
	first, second, h := two(t)
	x := h.call
	h.call.ID = "y"
	second.Follow(first.id, broker.Request{ID: "y", Digest: "d"})
	h.end(broker.Denied)
	if r, _, err := second.Response(t.Context(), "y", 0, 0); err != nil || r.State != broker.Denied {
		t.Fatalf("the other one: %+v, %v", r, err)
	}
	h.call, h.old = x, h.last
	if r, _, err := second.Response(t.Context(), "x", 0, 0); err != nil || r.State != broker.Pending {
		t.Errorf("answered with what was said of another call: %+v, %v", r, err)
	}
}

// A machine that starts anew is waited for, and one that stays away is named.
func TestResponseWhileNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, second, h := two(t)
		h.down = true
		for _, want := range []error{nil, broker.ErrFleetOut} {
			if r, _, err := second.Response(t.Context(), "x", 20*time.Second, 0); !errors.Is(err, want) || err == nil && r.State != broker.Pending {
				t.Errorf("out of reach: %+v, %v, want %v", r, err, want)
			}
		}
		h.down = false
		h.end(broker.Expired)
		if r, _, err := second.Response(t.Context(), "x", 0, 0); err != nil || r.State != broker.Expired {
			t.Errorf("back again: %+v, %v", r, err)
		}
	})
}

// A machine that claimed an id and knows no such call may be recording it, and does not for ever.
func TestClaimedAndNeverAsked(t *testing.T) {
	for name, call := range map[string]broker.Request{"no call": {}, "another call": {ID: "x", Digest: "another", State: broker.Denied, Outcome: &broker.Outcome{State: broker.Denied}}} {
		synctest.Test(t, func(t *testing.T) {
			_, second, h := two(t)
			h.call = call
			for _, want := range []error{nil, broker.ErrElsewhere} {
				if r, _, err := second.Response(t.Context(), "x", 20*time.Second, 0); !errors.Is(err, want) || err == nil && r.State != broker.Pending {
					t.Errorf("%s: %+v, %v, want %v", name, r, err, want)
				}
			}
		})
	}
}

// What lets a call run is not passed on without an order, nor while nobody knows who may give one.
func TestNothingRunsWithoutAnOrder(t *testing.T) {
	for name, c := range map[string]struct {
		state broker.State
		doubt string
		later time.Duration
		err   error
		want  error
	}{
		"a rule allowed it":     {state: broker.Allowed, want: broker.ErrElsewhere},
		"it was not held":       {state: broker.Answered, want: broker.ErrElsewhere},
		"the log is in doubt":   {state: broker.Allowed, doubt: "changed", want: broker.ErrFleetOut},
		"no owner was heard of": {state: broker.Allowed, later: 101 * 24 * time.Hour, want: broker.ErrFleetOut},
		"its answer is too old": {state: broker.Allowed, err: broker.ErrAnsweredBefore, want: broker.ErrElsewhere},
	} {
		synctest.Test(t, func(t *testing.T) {
			_, second, h := two(t)
			h.end(c.state)
			h.doubt, h.err = c.doubt, c.err
			time.Sleep(c.later)
			if r, _, err := second.Response(t.Context(), "x", 0, 0); !errors.Is(err, c.want) || r.State != "" {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
			if h.heard > 0 && c.state == broker.Allowed {
				t.Errorf("%s: noted as heard", name)
			}
		})
	}
}

// One machine cannot have more than its part wait here, and what is followed has a bound.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, second, h := two(t)
		h.holding = make(chan time.Duration, 2*mostHeld)
		for range mostHeld + 1 {
			go func() { _, _, _ = second.Response(t.Context(), "x", 10*time.Second, 0) }()
		}
		synctest.Wait()
		held := 0
		for range mostHeld + 1 {
			if <-h.holding > 0 {
				held++
			}
		}
		if held != mostHeld {
			t.Errorf("%d of one machine's questions wait", held)
		}
		h.end(broker.Denied)
		synctest.Wait()
		time.Sleep(10 * time.Second)
		for i := range mostFollowed + 10 {
			second.Follow("m", broker.Request{ID: fmt.Sprint(i)})
		}
		if len(second.followed) != mostFollowed || len(second.row) != mostFollowed || len(second.waiting)+len(h.desks[key(0).Public().ID()].waiting) != 0 {
			t.Errorf("followed are %d, waiting %v", len(second.followed), second.waiting)
		}
	})
}

// Only machines of the fleet are answered, and only what was meant for this one.
func TestAnswerToNobody(t *testing.T) {
	first, _, h := two(t)
	h.end(broker.Denied)
	for name, c := range map[string]struct {
		by   byte
		a    ask
		said bool
	}{
		"a machine":     {1, ask{Fleet: fleetID, Machine: first.id, ID: "x", Digest: "d"}, true},
		"a person":      {operator, ask{Fleet: fleetID, Machine: first.id, ID: "x", Digest: "d"}, false},
		"a stranger":    {99, ask{Fleet: fleetID, Machine: first.id, ID: "x", Digest: "d"}, false},
		"another fleet": {1, ask{Fleet: "other-abc123", Machine: first.id, ID: "x", Digest: "d"}, false},
		"for another":   {1, ask{Fleet: fleetID, Machine: key(2).Public().ID(), ID: "x", Digest: "d"}, false},
	} {
		s, err := key(c.by).Sign(keys.KindAsk, c.a)
		if err != nil {
			t.Fatal(err)
		}
		if said := first.Answer(t.Context(), must(orders.Seal(s, fleetID, key(0).Public()))) != nil; said != c.said {
			t.Errorf("%s: answered %t", name, said)
		}
	}
	if first.Answer(t.Context(), []byte("junk")) != nil {
		t.Error("junk is answered")
	}
}

// Whatever another machine or a server sends, nothing of it lets a call run.
func FuzzAnswers(f *testing.F) {
	now := time.Now()
	r := roster(now)
	h := &house{desks: map[string]*Desk{}, claims: map[string][]byte{}}
	d := NewDesk(Options{Key: key(1), Roster: func() members.Roster { return r }, Line: h, Home: h, Now: func() time.Time { return now }})
	call := followed{call: broker.Request{ID: "x", Digest: "d"}, owner: key(0).Public().ID()}
	m, _ := d.machine(call.owner)
	f.Add(must(keys.Encode(told{Outcome: &broker.Outcome{State: broker.Allowed}})))
	f.Add(must(keys.Encode(told{Outcome: &broker.Outcome{State: broker.Denied}})))
	f.Add([]byte{0xa0})
	f.Fuzz(func(t *testing.T, raw []byte) {
		d.Answer(t.Context(), raw)
		mine := claim{Fleet: fleetID}
		if _, err := read(raw, &mine, &r); err == nil {
			t.Error("a claim that nobody signed")
		}
		var told told
		if keys.Decode(raw, &told) != nil || told.Outcome == nil {
			return
		}
		if got, err := d.judge(&call, &m, &told); err == nil && broker.LetsRun(got) {
			t.Errorf("%+v", got)
		}
	})
}
