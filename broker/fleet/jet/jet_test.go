package jet_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/fleettest"
	"github.com/aoctl/aoctl/broker/fleet/jet"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

var names = told.Names{Fleet: fleettest.ID}

func id(t *testing.T, seed byte) string {
	t.Helper()
	return fleettest.Key(t, seed).Public().ID()
}

// within is a context that ends before the test hangs.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// event is a message in the place of a machine's events.
func event(t *testing.T, seed byte, n int) link.Message {
	t.Helper()
	return link.Message{Subject: names.At(id(t, seed), fmt.Sprintf("events.s%d", n%3)), ID: fmt.Sprintf("%d/%d", seed, n), Body: fmt.Appendf(nil, "event %d", n)}
}

func eventsOf(t *testing.T, seed byte, from, to int) (list []link.Message) {
	t.Helper()
	for n := from; n <= to; n++ {
		list = append(list, event(t, seed, n))
	}
	return list
}

// stored are the events of a machine, as a watcher reads them.
func stored(t *testing.T, f *fleettest.Fleet, seed byte) (bodies []string) {
	t.Helper()
	if err := f.As(t, fleettest.Watcher).Past(within(t), id(t, seed), 0, func(_ uint64, body []byte) bool {
		bodies = append(bodies, string(body))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return bodies
}

func bodies(list []link.Message) (all []string) {
	for _, m := range list {
		all = append(all, string(m.Body))
	}
	return all
}

func TestEventsInOrderAndOnce(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	ctx := within(t)
	e := f.As(t, fleettest.Machine).Events(id(t, fleettest.Machine))
	other := f.As(t, fleettest.Machine2).Events(id(t, fleettest.Machine2))
	if last, err := e.Newest(ctx); err != nil || last.Seq != 0 {
		t.Fatalf("newest of nothing: %+v, %v", last, err)
	}
	first, err := e.Append(ctx, 0, eventsOf(t, fleettest.Machine, 1, 5))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Append(ctx, 0, eventsOf(t, fleettest.Machine2, 1, 2)); err != nil {
		t.Fatal(err) // another machine's events do not stand in the way
	}
	second, err := e.Append(ctx, first, eventsOf(t, fleettest.Machine, 6, 6))
	if err != nil {
		t.Fatal(err)
	}
	if last, err := e.Newest(ctx); err != nil || last.Seq != second || string(last.Body) != "event 6" {
		t.Errorf("newest is %d %q, %v; want %d", last.Seq, last.Body, err, second)
	}
	// Somebody who knows an older end writes nothing, with one message or several.
	for _, list := range [][]link.Message{eventsOf(t, fleettest.Machine, 7, 7), eventsOf(t, fleettest.Machine, 7, 9)} {
		if _, err := e.Append(ctx, first, list); !errors.Is(err, link.ErrMoved) {
			t.Errorf("%d behind an older end: %v", len(list), err)
		}
	}
	// The same again writes nothing.
	if _, err := e.Append(ctx, second, eventsOf(t, fleettest.Machine, 5, 7)); !errors.Is(err, link.ErrMoved) {
		t.Errorf("the same again: %v", err)
	}
	if got, want := stored(t, f, fleettest.Machine), bodies(eventsOf(t, fleettest.Machine, 1, 6)); !slices.Equal(got, want) {
		t.Errorf("stored %q", got)
	}
	found, err := e.Find(ctx, func(body []byte) (n int64, ok bool) {
		_, err := fmt.Sscanf(string(body), "event %d", &n)
		return n, err == nil && n < 5
	})
	if err != nil || found != 4 {
		t.Errorf("found %d, %v", found, err)
	}
	if found, err = e.Find(ctx, func([]byte) (int64, bool) { return 0, false }); err != nil || found != 0 {
		t.Errorf("found %d of none, %v", found, err)
	}
}

func TestPastBeginsWhereAsked(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	ctx := within(t)
	if _, err := f.As(t, fleettest.Machine).Events(id(t, fleettest.Machine)).Append(ctx, 0, eventsOf(t, fleettest.Machine, 1, 300)); err != nil {
		t.Fatal(err)
	}
	l := f.As(t, fleettest.Watcher)
	var at []uint64
	if err := l.Past(ctx, id(t, fleettest.Machine), 290, func(seq uint64, _ []byte) bool {
		at = append(at, seq)
		return len(at) < 4
	}); err != nil || !slices.Equal(at, []uint64{290, 291, 292, 293}) {
		t.Errorf("%v, %v", at, err)
	}
	if got := stored(t, f, fleettest.Machine); len(got) != 300 || got[299] != "event 300" {
		t.Errorf("%d events", len(got))
	}
	if err := l.Past(ctx, id(t, fleettest.Machine2), 0, func(uint64, []byte) bool { t.Error("an event of nobody"); return true }); err != nil {
		t.Error(err)
	}
}

// What does not come on its way is read again: nothing is missing, and nothing comes twice.
func TestPastAfterALoss(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	ctx := within(t)
	list := eventsOf(t, fleettest.Machine, 1, 600)
	if _, err := f.As(t, fleettest.Machine).Events(id(t, fleettest.Machine)).Append(ctx, 0, list); err != nil {
		t.Fatal(err)
	}
	l := f.As(t, fleettest.Watcher)
	var got []string
	err := l.Past(ctx, id(t, fleettest.Machine), 0, func(_ uint64, body []byte) bool {
		if got = append(got, string(body)); len(got) == 1 {
			if err := l.Steal(told.StreamEvents, jet.ReadsEvents, 20); err != nil {
				t.Error(err)
			}
		}
		return true
	})
	if err != nil || !slices.Equal(got, bodies(list)) {
		t.Errorf("%d events are read, %v", len(got), err)
	}
}

func TestTooLargeIsSaid(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	ctx := within(t)
	l := f.As(t, fleettest.Machine)
	large := link.Message{Subject: names.At(id(t, fleettest.Machine), "events.s"), Body: make([]byte, jet.MaxPayload+1)}
	if _, err := l.Events(id(t, fleettest.Machine)).Append(ctx, 0, []link.Message{large}); !errors.Is(err, jet.ErrTooLarge) {
		t.Errorf("an event: %v", err)
	}
	large.Subject = names.At(id(t, fleettest.Machine), "state.health")
	if err := l.States(id(t, fleettest.Machine)).Put(ctx, []link.Message{large}); !errors.Is(err, jet.ErrTooLarge) {
		t.Errorf("a state: %v", err)
	}
	fits := link.Message{Subject: large.Subject, Body: make([]byte, 4<<20)}
	if err := l.States(id(t, fleettest.Machine)).Put(ctx, []link.Message{fits}); err != nil {
		t.Errorf("one that fits: %v", err)
	}
}

// heard is what a Watch heard.
type heard struct{ subject, body string }

func watch(t *testing.T, l *jet.Line) (<-chan heard, <-chan struct{}) {
	t.Helper()
	all, begun := make(chan heard, 1024), make(chan struct{})
	go func() {
		_ = l.Watch(t.Context(), func(subject string, body []byte) { all <- heard{subject, string(body)} }, func() { close(begun) })
	}()
	return all, begun
}

func take[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(20 * time.Second):
		t.Fatal("nothing comes")
	}
	return v
}

func TestWatchHearsWhatThereIsAndWhatComes(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	ctx := within(t)
	m := id(t, fleettest.Machine)
	machine := f.As(t, fleettest.Machine)
	states := machine.States(m)
	state := func(place, body string) link.Message {
		return link.Message{Subject: names.At(m, place), Body: []byte(body)}
	}
	if places, err := states.Places(ctx); err != nil || len(places) != 0 {
		t.Fatalf("places %q, %v", places, err)
	}
	if err := states.Put(ctx, []link.Message{state("keys.e1", "letter"), state("state.health", "old"), state("state.request.r", "waits")}); err != nil {
		t.Fatal(err)
	}
	if err := states.Put(ctx, []link.Message{state("state.health", "new")}); err != nil {
		t.Fatal(err)
	}
	if places, err := states.Places(ctx); err != nil || !slices.Equal(slices.Sorted(slices.Values(places)), []string{"state.health", "state.request.r"}) {
		t.Errorf("places %q, %v", places, err)
	}
	all, begun := watch(t, f.As(t, fleettest.Watcher))
	<-begun
	got := map[string]string{}
	for range 3 {
		h := take(t, all)
		got[h.subject] = h.body
	}
	if len(all) != 0 || got[names.At(m, "state.health")] != "new" || got[names.At(m, "keys.e1")] != "letter" {
		t.Errorf("heard %q and %d more", got, len(all))
	}
	gone := state("state.request.r", "gone")
	gone.Leaves = true
	if err := states.Put(ctx, []link.Message{gone}); err != nil {
		t.Fatal(err)
	}
	if h := take(t, all); h.body != "gone" {
		t.Errorf("heard %q", h)
	}
	if err := machine.Beat(m, []byte("beat")); err != nil {
		t.Fatal(err)
	}
	if h := take(t, all); h != (heard{names.At(m, "beat"), "beat"}) {
		t.Errorf("heard %q", h)
	}
}

func TestOrdersNowAndLater(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	ctx := within(t)
	m := id(t, fleettest.Machine)
	guard := f.As(t, fleettest.Guard)
	if _, err := guard.Order(ctx, m, []byte("stop")); !errors.Is(err, jet.ErrNobody) {
		t.Errorf("an order to nobody: %v", err)
	}
	if _, err := guard.Hello(ctx, m, []byte("?")); !errors.Is(err, jet.ErrNobody) {
		t.Errorf("hello to nobody: %v", err)
	}
	for _, left := range []string{"first", "second", "first"} {
		if err := guard.LeaveOrder(ctx, m, left, []byte(left)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := guard.OrdersLeft(ctx, m); err != nil || n != 2 {
		t.Fatalf("%d orders are left, %v", n, err)
	}
	machine := f.As(t, fleettest.Machine)
	waiting := make(chan string, 8)
	release := make(chan struct{})
	during, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = machine.TakeOrders(during, m, func(ctx context.Context, raw []byte, waited bool) []byte {
			if waited {
				waiting <- string(raw)
				select {
				case <-release:
				case <-ctx.Done():
				}
			}
			return append([]byte("did "), raw...)
		})
	}()
	go func() {
		_ = machine.TakeHello(t.Context(), m, func(asked []byte) []byte { return append([]byte("here, "), asked...) })
	}()
	if got := take(t, waiting); got != "first" {
		t.Errorf("took %q first", got)
	}
	if n, err := guard.OrdersLeft(ctx, m); err != nil || n != 2 {
		t.Errorf("an order left the server before it was carried out: %d, %v", n, err)
	}
	reply := until(t, func() ([]byte, error) { return guard.Order(ctx, m, []byte("freeze")) })
	if string(reply) != "did freeze" {
		t.Errorf("the answer is %q", reply)
	}
	if hello := until(t, func() ([]byte, error) { return guard.Hello(ctx, m, []byte("you")) }); string(hello) != "here, you" {
		t.Errorf("hello answers %q", hello)
	}
	// The broker ends while it carries one out: the next one gets it again.
	end()
	<-ended
	go func() {
		_ = machine.TakeOrders(t.Context(), m, func(_ context.Context, raw []byte, waited bool) []byte {
			if waited {
				waiting <- string(raw)
			}
			return nil
		})
	}()
	_ = waiting
	left := until(t, func() (int, error) {
		n, err := guard.OrdersLeft(ctx, m)
		if n == 2 {
			err = jet.ErrNobody
		}
		return n, err
	})
	_ = left
}

// until asks again while nobody is there.
func until[T any](t *testing.T, ask func() (T, error)) T {
	t.Helper()
	ctx := within(t)
	for {
		v, err := ask()
		if err == nil {
			return v
		}
		if !errors.Is(err, jet.ErrNobody) || ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

func TestJoining(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	ctx := within(t)
	owner := f.As(t, fleettest.Owner)
	code := members.NewCode()
	invite, err := code.Invite(members.Operator, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	guestKey, err := code.Key()
	if err != nil {
		t.Fatal(err)
	}
	o := f.LineOptions(guestKey)
	o.Fleet = "" // whoever has a code alone knows no fleet
	guest := fleettest.Dial(t, o)
	fleettest.Until(t, guest, func(s jet.State) bool { return s.Err == jet.ErrUnknown.Error() })

	next := f.Roster
	next.Number, next.Invites = 2, []members.Invite{invite}
	if err := owner.PutInvite(ctx, code.ID(), []byte("letter")); err != nil {
		t.Fatal(err)
	}
	if err := owner.PutRoster(ctx, 2, fleettest.Sign(t, next)); err != nil {
		t.Fatal(err)
	}
	if err := owner.PutRoster(ctx, 2, fleettest.Sign(t, f.Roster)); !errors.Is(err, jet.ErrTaken) {
		t.Errorf("another roster of the same number: %v", err)
	}
	if err := owner.PutRoster(ctx, 2, fleettest.Sign(t, next)); err != nil {
		t.Errorf("the same roster again: %v", err)
	}
	fleettest.Until(t, guest, func(s jet.State) bool { return s.Up })
	if letter, err := guest.Invite(ctx, code.ID()); err != nil || string(letter) != "letter" {
		t.Fatalf("the letter is %q, %v", letter, err)
	}
	if _, err := guest.Invite(ctx, members.NewCode().ID()); !errors.Is(err, jet.ErrNobody) {
		t.Errorf("the letter of another code: %v", err)
	}

	k := fleettest.Key(t, 77)
	machine := f.Line(t, k)
	fleettest.Until(t, machine, func(s jet.State) bool { return s.Err == jet.ErrUnknown.Error() })
	enrolment, err := members.Enrol(code, k, fleettest.ID, "dev", members.Machine, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	enrolled := make(chan keys.Signed, 8)
	go func() {
		_ = f.As(t, fleettest.Machine).Enrolments(t.Context(), func(s keys.Signed) { enrolled <- s })
	}()
	o.Fleet = fleettest.ID
	joining := fleettest.Dial(t, o)
	fleettest.Until(t, joining, func(s jet.State) bool { return s.Up })
	if err := joining.Enrol(ctx, k.Public().ID(), enrolment); err != nil {
		t.Fatal(err)
	}
	if s := take(t, enrolled); !slices.Equal(s.Sig, enrolment.Sig) {
		t.Error("another enrolment is told")
	}
	fleettest.Until(t, machine, func(s jet.State) bool { return s.Up })
	if _, err := machine.Events(k.Public().ID()).Append(ctx, 0, eventsOf(t, 77, 1, 3)); err != nil {
		t.Errorf("a machine that joined tells nothing: %v", err)
	}
	if err := owner.DropInvite(ctx, code.ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := guest.Invite(ctx, code.ID()); !errors.Is(err, jet.ErrNobody) {
		t.Errorf("a dropped letter: %v", err)
	}

	// Without the invite, who joined with it is out, and so is who has it.
	next.Number, next.Invites = 3, nil
	numbers := make(chan uint64, 8)
	go func() {
		_ = f.As(t, fleettest.Guard).Rosters(t.Context(), 1, nil, func(s keys.Signed) {
			if r, err := members.Read(s); err == nil {
				numbers <- r.Number
			}
		})
	}()
	if n := take(t, numbers); n != 2 {
		t.Errorf("roster %d comes first", n)
	}
	if err := owner.PutRoster(ctx, 3, fleettest.Sign(t, next)); err != nil {
		t.Fatal(err)
	}
	if n := take(t, numbers); n != 3 {
		t.Errorf("roster %d comes next", n)
	}
	fleettest.Until(t, machine, func(s jet.State) bool { return s.Err == jet.ErrUnknown.Error() })
	fleettest.Until(t, guest, func(s jet.State) bool { return s.Err == jet.ErrUnknown.Error() })
}

func TestServerIsTheFleets(t *testing.T) {
	t.Parallel()
	f := fleettest.Start(t, 1, nil)
	o := f.LineOptions(fleettest.Key(t, fleettest.Machine))
	o.Pin = slices.Clone(o.Pin)
	o.Pin[3] ^= 1
	fleettest.Until(t, fleettest.Dial(t, o), func(s jet.State) bool { return s.Err == jet.ErrPin.Error() })
	o.Pin = nil // the system's authorities know nothing of it
	fleettest.Until(t, fleettest.Dial(t, o), func(s jet.State) bool { return !s.Up && s.Err != "not connected yet" })
	o.Pin = []byte{1}
	if _, err := jet.Dial(t.Context(), o); err == nil {
		t.Error("a pin of one byte is taken")
	}
	o.Pin, o.Servers = nil, nil
	if _, err := jet.Dial(t.Context(), o); err == nil {
		t.Error("a line to no server is made")
	}
}
