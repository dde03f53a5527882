package link

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
)

// decision is an order of who about a call; boot "" has it wait.
func decision(t *testing.T, who byte, boot string, number uint64, v broker.Verdict) []byte {
	t.Helper()
	body, err := consoles.Marshal(consoles.Decided{ID: "r1", Decision: broker.Decision{Verdict: v, Digest: "d"}})
	if err != nil {
		t.Fatal(err)
	}
	o := orders.Order{Fleet: "team-abc123", Machine: key(t, box).Public().ID(), Boot: boot, Number: number, Expires: time.Now().Add(time.Minute), Method: "Calls.Decide", Body: body}
	s, err := o.Sign(key(t, who))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := orders.Seal(s, o.Fleet, key(t, box).Public())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// give hands an order to the machine, and returns what it answers ana, if anything.
func give(t *testing.T, w *wire, raw []byte, waited bool) (a orders.Answer, ok bool) {
	t.Helper()
	got := make(chan []byte, 1)
	w.orders <- func(take func(context.Context, []byte, bool) []byte) { got <- take(t.Context(), raw, waited) }
	answer := <-got
	if answer == nil {
		return a, false
	}
	s, err := orders.Open(raw, "team-abc123", key(t, box))
	if err != nil {
		return a, false
	}
	a, err = orders.OpenAnswer(answer, key(t, ana), "team-abc123", members.Member{Public: key(t, box).Public()}, orders.Mark(s))
	if err != nil {
		t.Fatal(err)
	}
	return a, true
}

func (h *house) types() (list []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.paper.list {
		list = append(list, e.Type)
	}
	return list
}

func TestOrderIsOnRecordAndCarriedOutOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		host, w := running(t, h)
		raw := decision(t, ana, host.now.speaker.Boot, 7, broker.Allow)
		for range 2 {
			if a, ok := give(t, w, raw, false); !ok || a.Refused != "" || len(a.Reply) == 0 {
				t.Fatalf("answered %+v, %v", a, ok)
			}
		}
		if want := []string{broker.EventFleetOrder, broker.EventFleetAnswered}; !slices.Equal(h.types(), want) || !slices.Equal(h.carried, []string{"ana Calls.Decide"}) {
			t.Errorf("on record: %v, carried out: %v", h.types(), h.carried)
		}
		if len(h.refused) != 0 {
			t.Errorf("shown: %+v", h.refused)
		}
		// Another order under a number that was taken is none.
		if a, ok := give(t, w, decision(t, ana, host.now.speaker.Boot, 7, broker.Deny), false); !ok || a.Refused == "" || len(h.refused) != 1 || len(h.carried) != 1 {
			t.Errorf("a number again: %+v, %+v, %v", a, h.refused, h.carried)
		}
	})
}

func TestOrderThatIsNotOnRecordIsNotCarriedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		host, w := running(t, h)
		h.mu.Lock()
		h.fails = errors.New("the disk is full")
		h.mu.Unlock()
		if a, _ := give(t, w, decision(t, ana, host.now.speaker.Boot, 1, broker.Allow), false); !strings.Contains(a.Refused, "disk") || len(h.carried) != 0 {
			t.Errorf("answered %+v, carried out %v", a, h.carried)
		}
	})
}

func TestOnlyRefusalsCountWhileTheLogIsInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		h.doubt = "event 3 was changed"
		host, w := running(t, h)
		if a, _ := give(t, w, decision(t, ana, host.now.speaker.Boot, 1, broker.Allow), false); !strings.Contains(a.Refused, "doubt") || len(h.carried) != 0 || len(h.refused) != 1 {
			t.Errorf("answered %+v, carried out %v", a, h.carried)
		}
		if a, _ := give(t, w, decision(t, ana, host.now.speaker.Boot, 2, broker.Deny), false); a.Refused != "" || len(h.carried) != 1 {
			t.Errorf("answered %+v, carried out %v", a, h.carried)
		}
	})
}

// What nobody of the fleet gave is shown, and not answered.
func TestStrangersOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		host, w := running(t, h)
		if _, ok := give(t, w, decision(t, 9, host.now.speaker.Boot, 1, broker.Deny), false); ok || len(h.refused) != 1 || len(h.carried) != 0 {
			t.Errorf("a stranger is answered %v, shown %+v", ok, h.refused)
		}
		if _, ok := give(t, w, []byte("junk"), false); ok || len(h.refused) != 2 {
			t.Errorf("junk is answered %v, shown %+v", ok, h.refused)
		}
		if got := h.refused[0].Sentence(); got != "somebody tried to give an order over the fleet: Calls.Decide: "+orders.ErrStranger.Error() {
			t.Errorf("shown: %s", got)
		}
	})
}

// An order that waited, and was taken by a broker that ended before it answered, is carried out by
// the next one; one that was answered is not, and nobody is told of it as of an attack.
func TestWaitingOrderOverARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		_, w := running(t, h)
		answered := decision(t, ana, "", 1, broker.Deny)
		give(t, w, answered, true)
		unanswered := decision(t, ana, "", 2, broker.Deny)
		give(t, w, unanswered, true)
		h.mu.Lock()
		h.paper.list = h.paper.list[:3] // the second answer never came onto the disk
		h.mu.Unlock()
		_, again := running(t, h)
		for _, raw := range [][]byte{answered, unanswered} {
			give(t, again, raw, true)
		}
		if len(h.carried) != 3 || len(h.refused) != 0 {
			t.Errorf("carried out %d times, shown %+v", len(h.carried), h.refused)
		}
	})
}

// An order that waits is not lost when the disk is full: it is carried out when there is room again.
func TestWaitingOrderOutlastsAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		_, w := running(t, h)
		h.mu.Lock()
		h.fails = errors.New("the disk is full")
		h.mu.Unlock()
		raw, done := decision(t, ana, "", 1, broker.Deny), make(chan struct{})
		w.orders <- func(take func(context.Context, []byte, bool) []byte) {
			defer close(done)
			take(t.Context(), raw, true)
		}
		time.Sleep(20 * time.Second)
		h.mu.Lock()
		h.fails = nil
		h.mu.Unlock()
		<-done
		if !slices.Equal(h.carried, []string{"ana Calls.Decide"}) {
			t.Errorf("carried out: %v", h.carried)
		}
	})
}

// A link that ends in the middle of an order cannot say that it was carried out: the next one does it.
func TestOrderInTheMiddleOfALinksEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		_, w := running(t, h)
		raw, answer := decision(t, ana, "", 1, broker.Deny), make(chan []byte, 1)
		w.orders <- func(take func(context.Context, []byte, bool) []byte) {
			ctx, end := context.WithCancel(t.Context())
			end()
			answer <- take(ctx, raw, true)
		}
		if a := <-answer; a != nil || slices.Contains(h.types(), broker.EventFleetAnswered) {
			t.Errorf("answered %v, on record: %v", a != nil, h.types())
		}
		_, again := running(t, h)
		if give(t, again, raw, true); len(h.carried) != 2 || !slices.Contains(h.types(), broker.EventFleetAnswered) {
			t.Errorf("carried out: %v, on record: %v", h.carried, h.types())
		}
	})
}
