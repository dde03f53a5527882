package link

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/queue"
	"github.com/aoctl/aoctl/broker/fleet/seals"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// house is a machine's broker, as far as a link sees it.
type house struct {
	mu      sync.Mutex
	paper   paper
	token   *broker.TokenData
	fails   error // of what is to be put on record
	doubt   string
	updates chan broker.Update
	snap    broker.Snapshot
	carried []string
	refused []broker.RefusedData
	calls   map[string]broker.Request
}

func (h *house) home() Home { return Home{Record: h, Callers: h, Screens: h, Log: h} }

func newHouse() *house { return &house{updates: make(chan broker.Update, 64)} }

func (h *house) Head() (int64, string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.paper.Head()
}

func (h *house) Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.Limit == 0 {
		f.Limit = 1000
	}
	list, err := h.paper.Events(ctx, f)
	return slices.DeleteFunc(list, func(e broker.Event) bool { return len(f.Types) > 0 && !slices.Contains(f.Types, e.Type) }), err
}

func (h *house) Request(ctx context.Context, id string) (broker.Request, error) {
	if r, ok := h.calls[id]; ok {
		return r, nil
	}
	return h.paper.Request(ctx, id)
}

func (h *house) FleetToken() (broker.TokenData, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.token == nil {
		return broker.TokenData{}, false
	}
	return *h.token, true
}

func (h *house) KeepFleet(d broker.TokenData) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fails == nil {
		h.token = &d
	}
	return h.fails
}

func (h *house) RevokeToken(context.Context, string, broker.Actor) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.token = nil
	return nil
}

func (h *house) Watch(context.Context) (broker.Snapshot, <-chan broker.Update) {
	return h.snap, h.updates
}

func (h *house) LogDoubt() string { return h.doubt }

func (h *house) Proposals() []broker.Proposal { return nil }

func (h *house) AwaitCall(ctx context.Context, id string, _, _ time.Duration) (broker.Request, error) {
	return h.Request(ctx, id)
}

func (h *house) CallHeard(string) {}

func (h *house) Carry(_ context.Context, by broker.Actor, method string, _ []byte) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.carried = append(h.carried, by.You()+" "+method)
	return []byte{0xa0}, nil
}

func (h *house) NoteOrder(typ string, data any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fails != nil {
		return h.fails
	}
	e := broker.NewEvent(time.Now(), typ, broker.Request{}, data)
	h.paper.add(typ, "", "")
	h.paper.list[len(h.paper.list)-1].Data = e.Data
	return nil
}

func (h *house) NoteRefusal(_ broker.Request, d broker.RefusedData) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refused = append(h.refused, d)
}

// wire is a line to servers that keep everything.
type wire struct {
	mu      sync.Mutex
	events  pond
	states  []Message // in the order in which they came
	full    bool      // there is no room for more of them
	rosters chan keys.Signed
	had     int // so many of them are there from the start
	orders  chan func(take func(context.Context, []byte, bool) []byte)
	claims  claims
	closed  bool
	up      time.Time // since when

	hellos  chan []byte
	refuses int // so many times no line is to be had

	enrolled []enrolled
}

// enrolled is what was said of an enrolment.
type enrolled struct {
	id string
	keys.Signed
}

func newWire() *wire {
	return &wire{
		events: pond{ids: map[string]bool{}, fails: func() fault { return fine }},
		hellos: make(chan []byte), rosters: make(chan keys.Signed, 8), orders: make(chan func(func(context.Context, []byte, bool) []byte), 8),
	}
}

func (w *wire) Events(string) Events { return &w.events }
func (w *wire) States(string) States { return w }
func (w *wire) Queue() queue.Line    { return &w.claims }

func (w *wire) Places(context.Context) ([]string, error) { return nil, nil }

func (w *wire) Put(_ context.Context, list []Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.full {
		return ErrFull
	}
	w.states = append(w.states, list...)
	return nil
}

func (w *wire) Beat(string, []byte) error { return nil }

func (w *wire) TakeHello(ctx context.Context, _ string, answer func([]byte) []byte) error {
	for {
		select {
		case asked := <-w.hellos:
			answer(asked)
		case <-ctx.Done():
			return nil
		}
	}
}

func (w *wire) TakeOrders(ctx context.Context, _ string, take func(context.Context, []byte, bool) []byte) error {
	for {
		select {
		case o := <-w.orders:
			o(take)
		case <-ctx.Done():
			return nil
		}
	}
}

func (w *wire) Rosters(ctx context.Context, _ uint64, begun func(), take func(keys.Signed)) error {
	for range w.had {
		take(<-w.rosters)
	}
	begun()
	for {
		select {
		case s := <-w.rosters:
			take(s)
		case <-ctx.Done():
			return nil
		}
	}
}

func (w *wire) Enrolments(ctx context.Context, _ func(keys.Signed)) error {
	<-ctx.Done()
	return nil
}

func (w *wire) Enrol(_ context.Context, id string, s keys.Signed) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.enrolled = append(w.enrolled, enrolled{id, s})
	return nil
}

func (w *wire) Up() (up bool, since time.Time, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return true, w.up, ""
}

func (w *wire) Close() { w.closed = true }

// claims is the way to the ids that were claimed. All of them are free.
type claims struct {
	put    int
	fails  error
	answer func(ctx context.Context, raw []byte) []byte
}

func (c *claims) Put(context.Context, string, []byte) (taken bool, err error) {
	c.put++
	return false, c.fails
}

func (c *claims) Claim(context.Context, string) ([]byte, error) { return nil, errors.New("none") }
func (c *claims) Ask(context.Context, string, []byte) ([]byte, error) {
	return nil, errors.New("nobody")
}

func (c *claims) Take(ctx context.Context, _ string, answer func(context.Context, []byte) []byte) error {
	c.answer = answer
	<-ctx.Done()
	return nil
}

// since are the states that were told after the first n.
func (w *wire) since(n int) []Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.states[n:])
}

// The people of the tests.
const (
	box   = 1
	owner = 2
	ana   = 3
	ben   = 4
)

func fleetRoster(t *testing.T, number uint64, people ...byte) members.Roster {
	t.Helper()
	r := members.Roster{Fleet: "team-abc123", Name: "team", Number: number, At: time.Now(), Until: time.Now().Add(14 * 24 * time.Hour)}
	roles := map[byte]members.Role{box: members.Machine, owner: members.Owner, ana: members.Operator, ben: members.Watcher}
	names := map[byte]string{box: "box", owner: "owner", ana: "ana", ben: "ben"}
	for _, p := range people {
		r.Members = append(r.Members, members.Member{Public: key(t, p).Public(), Name: names[p], Role: roles[p]})
	}
	return r
}

func signRoster(t *testing.T, r members.Roster) keys.Signed {
	t.Helper()
	s, err := key(t, owner).Sign(keys.KindRoster, r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// running has the machine in a fleet of the owner, ana and ben, and its link at work.
func running(t *testing.T, h *house) (*Host, *wire) {
	t.Helper()
	raw, err := keys.Encode(signRoster(t, fleetRoster(t, 1, box, owner, ana, ben)))
	if err != nil {
		t.Fatal(err)
	}
	return linked(t, h, consoles.Membership{Roster: raw, Servers: []string{"nats://x:1"}})
}

// linked has the machine be in a fleet, and its link at work.
func linked(t *testing.T, h *house, m consoles.Membership) (*Host, *wire) {
	t.Helper()
	w := newWire()
	return linkedBy(t, h, m, w), w
}

// linkedBy is linked with a line that may have something already.
func linkedBy(t *testing.T, h *house, m consoles.Membership, w *wire) *Host {
	t.Helper()
	host := NewHost(Options{Home: h.home(), Key: key(t, box), Version: "v", Listed: func(*members.Roster, []byte) {}, Dial: func(context.Context, consoles.Membership, string) (Line, error) { return w, w.dial() }, Log: slog.New(slog.DiscardHandler)})
	if err := host.Join(t.Context(), m, broker.Actor{Kind: broker.ByOperator}); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		host.Run(ctx)
	}()
	t.Cleanup(func() {
		end()
		<-done
	})
	synctest.Wait()
	return host
}

// dial makes a line of w, or does not.
func (w *wire) dial() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refuses--; w.refuses >= 0 {
		return errors.New("there is no line")
	}
	return nil
}

// reader is somebody who may read what machines tell, as far as they have the keys.
type reader struct {
	ring  map[string]*seals.Epoch // by id
	names told.Names
	key   keys.Key
	box   members.Member
}

func newReader(t *testing.T, who byte) *reader {
	t.Helper()
	return &reader{map[string]*seals.Epoch{}, told.Names{Fleet: "team-abc123"}, key(t, who), members.Member{Public: key(t, box).Public(), Name: "box", Role: members.Machine}}
}

// read opens a message into v; it takes in letters of keys.
func (r *reader) read(m Message, v any) error {
	var s keys.Signed
	if err := keys.Decode(m.Body, &s); err != nil {
		return err
	}
	said, err := r.names.Hear(m.Subject, s, r.box)
	if err != nil {
		return err
	}
	if strings.HasPrefix(said.Place, "keys.") {
		l, err := said.Letter()
		if err != nil {
			return err
		}
		e, err := l.Open(r.key)
		if err != nil {
			return err
		}
		r.ring[e.ID()] = e
		return nil
	}
	e, ok := r.ring[said.Sealed.Epoch]
	if !ok {
		return seals.ErrSealed
	}
	return said.Read(e, v)
}

// sees counts the states among list that r can open, and the letters that it cannot.
func (r *reader) sees(list []Message) (states, closed int) {
	for _, m := range list {
		var st told.State
		switch err := r.read(m, &st); {
		case err != nil:
			closed++
		case !strings.Contains(m.Subject, ".keys."):
			states++
		}
	}
	return states, closed
}

func TestWhatIsToldIsForTheFleetsPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		h.paper.add("session_start", "s1", "")
		h.snap.Sessions = []broker.Session{{ID: "s1", Name: "a"}}
		_, w := running(t, h)
		h.updates <- broker.Update{Request: &broker.Request{ID: "r1", SessionID: "s1", ToolName: "rm -rf secret"}}
		h.mu.Lock()
		h.paper.add("request_created", "s1", "r1")
		h.mu.Unlock()
		time.Sleep(3 * time.Second)
		list := w.since(0)
		if states, closed := newReader(t, ben).sees(list); states != 4 || closed != 0 { // a session, health, rules, a request
			t.Errorf("a watcher opens %d states, and cannot open %d", states, closed)
		}
		if states, _ := newReader(t, 9).sees(list); states != 0 {
			t.Errorf("somebody else opens %d states", states)
		}
		for _, m := range slices.Concat(list, w.events.kept) {
			if bytes.Contains(m.Body, []byte("secret")) || strings.Contains(m.Subject, "s1") {
				t.Errorf("a server reads %q", m.Subject)
			}
		}
		r, n := newReader(t, ana), 0
		r.sees(list)
		for _, m := range w.events.kept {
			var e told.Event
			if err := r.read(m, &e); err != nil {
				t.Fatal(err)
			}
			if n++; e.Event.Seq != int64(n) {
				t.Errorf("event %d is number %d", e.Event.Seq, n)
			}
		}
		if n != 2 {
			t.Errorf("%d events are in the stream", n)
		}
	})
}

func TestWhoLeftReadsNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		_, w := running(t, h)
		time.Sleep(3 * time.Second)
		before := len(w.since(0))
		left := newReader(t, ben)
		left.sees(w.since(0))
		w.rosters <- signRoster(t, fleetRoster(t, 2, box, owner, ana))
		time.Sleep(3 * time.Second)
		h.updates <- broker.Update{Session: &broker.Session{ID: "s2"}}
		time.Sleep(time.Second)
		list := w.since(before)
		if states, _ := left.sees(list); states != 0 || len(list) < 4 {
			t.Errorf("of %d messages after he left ben opens %d states", len(list), states)
		}
		stays := newReader(t, ana)
		if states, closed := stays.sees(list); states < 3 || closed != 0 {
			t.Errorf("ana opens %d states, and cannot open %d", states, closed)
		}
		// Back again he gets the key that there is.
		before = len(w.since(0))
		w.rosters <- signRoster(t, fleetRoster(t, 3, box, owner, ana, ben))
		time.Sleep(3 * time.Second)
		if list := w.since(before); len(list) != 1 || !strings.Contains(list[0].Subject, ".keys.") || left.read(list[0], nil) != nil {
			t.Errorf("when he came back %d messages were told", len(list))
		}
	})
}

func TestRosterHoldsWhenItIsOnRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		host, w := running(t, h)
		h.mu.Lock()
		h.fails = errors.New("the disk is full")
		h.mu.Unlock()
		w.rosters <- signRoster(t, fleetRoster(t, 2, box, owner))
		synctest.Wait()
		if host.now.number() != 1 || host.Status().Problem != "the disk is full" {
			t.Errorf("it goes by roster %d: %+v", host.now.number(), host.Status())
		}
		h.mu.Lock()
		h.fails = nil
		h.mu.Unlock()
		time.Sleep(time.Minute)
		if host.now.number() != 2 || host.Status().Problem != "" {
			t.Errorf("when there is room again it goes by roster %d: %+v", host.now.number(), host.Status())
		}
		w.rosters <- signRoster(t, fleetRoster(t, 3, box, owner))
		synctest.Wait()
		if host.now.number() != 3 || host.Status().Problem != "" {
			t.Errorf("it goes by roster %d: %+v", host.now.number(), host.Status())
		}
	})
}

// The key is told before anything that it seals goes into the stream of events: should the broker end
// before it has told the key, nobody ever reads that.
func TestNoEventGoesOutBeforeItsKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		h.paper.add("session_start", "s1", "")
		host, w := running(t, h)
		out := func() int { synctest.Wait(); return len(w.events.kept) }
		time.Sleep(3 * time.Second)
		sent := out()
		w.mu.Lock()
		w.full = true
		w.mu.Unlock()
		w.rosters <- signRoster(t, fleetRoster(t, 2, box, owner, ana)) // ben left, so there is a new key
		synctest.Wait()
		h.mu.Lock()
		h.paper.add("session_start", "s2", "")
		h.mu.Unlock()
		time.Sleep(time.Minute)
		if n := out(); sent != 1 || n != sent {
			t.Errorf("%d events went out, and %d under a key that nobody has", sent, n-sent)
		}
		if b := host.now.pulse(); b.Sum != nil {
			t.Error("a beat says that all is told, and the key is not")
		}
		w.mu.Lock()
		w.full = false
		w.mu.Unlock()
		time.Sleep(time.Minute)
		if n := out(); n != 2 {
			t.Errorf("%d events went out", n)
		}
	})
}

// guest is what a machine knows that joined with an invite, and the rosters that have that invite.
func guest(t *testing.T) (m consoles.Membership, with func(number uint64) keys.Signed) {
	t.Helper()
	code := members.Code{1}
	invite, err := code.Invite(members.Machine, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	with = func(number uint64) keys.Signed {
		r := fleetRoster(t, number, owner, ana)
		r.Invites = []members.Invite{invite}
		return signRoster(t, r)
	}
	joined, err := members.Enrol(code, key(t, box), "team-abc123", "box", members.Machine, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if m.Roster, err = keys.Encode(with(1)); err != nil {
		t.Fatal(err)
	}
	if m.Joined, err = keys.Encode(joined); err != nil {
		t.Fatal(err)
	}
	return m, with
}

// A machine that joined with an invite stays in the fleet when a roster finds no room on its disk.
func TestGuestOutlastsAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		m, with := guest(t)
		host, w := linked(t, h, m)
		h.mu.Lock()
		h.fails = errors.New("the disk is full")
		h.mu.Unlock()
		w.rosters <- with(2)
		time.Sleep(10 * time.Second)
		if _, ok := h.FleetToken(); !ok || host.Status().Machine == "" {
			t.Errorf("it left the fleet: %+v", host.Status())
		}
	})
}

// A broker that was away, or whose database is a backup, does not know who was put out meanwhile. What
// they left for it is not done, and nothing is sealed for them.
func TestNothingIsTakenBeforeTheNewestRoster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, w := newHouse(), newWire()
		raw := decision(t, ana, "", 1, broker.Deny)
		w.orders <- func(take func(context.Context, []byte, bool) []byte) { take(t.Context(), raw, true) }
		old, err := keys.Encode(signRoster(t, fleetRoster(t, 1, box, owner, ana, ben)))
		if err != nil {
			t.Fatal(err)
		}
		w.had = 1
		host := linkedBy(t, h, consoles.Membership{Roster: old, Servers: []string{"nats://x:1"}}, w)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if _, err := host.Claim(t.Context(), broker.Request{ID: "x", Digest: "d"}); !errors.Is(err, broker.ErrFleetOut) {
			t.Errorf("an id is claimed before the servers said who is in the fleet: %v", err)
		}
		if len(h.carried)+len(h.refused)+len(w.since(0)) > 0 {
			t.Errorf("before the servers said who is in the fleet, %v were carried out, %v refused and %d told", h.carried, h.refused, len(w.since(0)))
		}
		w.rosters <- signRoster(t, fleetRoster(t, 2, box, owner, ben))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(h.carried) > 0 || len(h.refused) != 1 || len(w.since(0)) == 0 {
			t.Errorf("after that, %v were carried out, %v refused and %d told", h.carried, h.refused, len(w.since(0)))
		}
		if _, err := host.Claim(t.Context(), broker.Request{ID: "x", Digest: "d"}); err != nil {
			t.Errorf("after that no id is claimed: %v", err)
		}
	})
}

func TestPutOutOfTheFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		host, w := running(t, h)
		w.rosters <- signRoster(t, fleetRoster(t, 2, owner, ana))
		time.Sleep(2 * time.Second)
		if _, ok := h.FleetToken(); ok || !w.closed || host.Status() != (consoles.FleetStatus{}) {
			t.Errorf("it is still in the fleet: closed %v, %+v", w.closed, host.Status())
		}
	})
}

func TestJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		host, _ := running(t, h)
		join := func(r members.Roster) error {
			raw, err := keys.Encode(signRoster(t, r))
			if err != nil {
				t.Fatal(err)
			}
			return host.Join(t.Context(), consoles.Membership{Roster: raw}, broker.Actor{})
		}
		other := fleetRoster(t, 1, box, owner)
		other.Fleet = "other-abc123"
		if err := join(other); !errors.Is(err, ErrOneFleet) {
			t.Errorf("a second fleet: %v", err)
		}
		if err := join(fleetRoster(t, 1, owner, ana)); !errors.Is(err, ErrNotInIt) {
			t.Errorf("one that it is not in: %v", err)
		}
		// Anybody can make a roster with the id of the fleet.
		forged, err := key(t, ana).Sign(keys.KindRoster, members.Roster{
			Fleet: "team-abc123", Name: "team", Number: 9, At: time.Now(), Until: time.Now().Add(time.Hour),
			Members: []members.Member{{Public: key(t, ana).Public(), Name: "ana", Role: members.Owner}, {Public: key(t, box).Public(), Name: "box", Role: members.Machine}},
		})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := keys.Encode(forged)
		if err != nil {
			t.Fatal(err)
		}
		if err := host.Join(t.Context(), consoles.Membership{Roster: raw}, broker.Actor{}); !errors.Is(err, ErrOneFleet) {
			t.Errorf("one of the same id that no owner signed: %v", err)
		}
		if err := join(fleetRoster(t, 3, box, owner, ana)); err != nil {
			t.Errorf("a later one: %v", err)
		}
		if err := join(fleetRoster(t, 2, box, owner, ana, ben)); !errors.Is(err, ErrOneFleet) {
			t.Errorf("one from before: %v", err)
		}
		if err := host.Join(t.Context(), consoles.Membership{Roster: []byte("x")}, broker.Actor{}); err == nil {
			t.Error("junk is a roster")
		}
		if err := host.Leave(t.Context(), broker.Actor{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := host.Leave(t.Context(), broker.Actor{}); !errors.Is(err, broker.ErrNotFound) {
			t.Errorf("it leaves twice: %v", err)
		}
	})
}

// Servers that were killed may have lost a key that they said they had. Over another line all keys of this
// run are told again.
func TestKeysAreToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, w := running(t, newHouse())
		w.rosters <- signRoster(t, fleetRoster(t, 2, box, owner, ana)) // ben left: another key
		time.Sleep(2 * lookEvery)
		letters := func(list []Message) (places []string) {
			for _, m := range list {
				if _, place, _ := (told.Names{Fleet: "team-abc123"}).Split(m.Subject); told.IsKeys(place) {
					places = append(places, place)
				}
			}
			return places
		}
		all := w.since(0)
		w.mu.Lock()
		w.up = time.Now()
		w.mu.Unlock()
		time.Sleep(2 * lookEvery)
		if first, again := letters(all), letters(w.since(len(all))); len(first) != 2 || !slices.Equal(first, again) {
			t.Errorf("first %v, then %v", first, again)
		}
	})
}

// A machine that goes says so when all that is on record was told.
func TestWithdraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		h.paper.add("session_start", "s1", "")
		m, _ := guest(t)
		host, w := linked(t, h, m)
		time.Sleep(3 * time.Second)
		h.mu.Lock()
		h.paper.add("session_start", "s2", "")
		h.mu.Unlock()
		all, err := host.Withdraw(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		machine := key(t, box).Public().ID()
		if head, _ := h.Head(); !all || len(w.enrolled) != 1 || w.enrolled[0].id != told.Gone(machine) || int64(len(w.events.kept)) != head {
			t.Fatalf("%d of %d events were told, all of them: %t, then %v", len(w.events.kept), head, all, w.enrolled)
		}
		bye, err := members.Withdrawn(w.enrolled[0].Signed, "team-abc123")
		if code, _ := (members.Code{1}).Key(); err != nil || bye.ID() != machine || !slices.Equal(bye.Invite, code.Public().Sign) {
			t.Error(bye, err)
		}
	})
}

// A console of the fleet counts as open for a minute after it asked how the machine is.
func TestWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, w := running(t, newHouse())
		time.Sleep(3 * time.Second)
		if host.Watched() {
			t.Error("nobody asked")
		}
		w.hellos <- []byte("?")
		time.Sleep(59 * time.Second)
		if !host.Watched() {
			t.Error("a console asked 59 seconds ago")
		}
		time.Sleep(time.Second)
		if host.Watched() {
			t.Error("no console asked for a minute")
		}
	})
}

// A machine that could not tell all is not gone, and one that an owner put into the list is not by itself.
func TestNotWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		h.paper.add("session_start", "s1", "")
		m, _ := guest(t)
		w := newWire()
		w.events.fails = func() fault { return full }
		host := linkedBy(t, h, m, w)
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
		defer stop()
		if all, err := host.Withdraw(ctx); all || !errors.Is(err, ErrUntold) || len(w.enrolled) > 0 {
			t.Errorf("all was told: %t, %v, then %v", all, err, w.enrolled)
		}
	})
	for _, failures := range []int{2, 1000} { // the link is to be made anew
		synctest.Test(t, func(t *testing.T) {
			m, _ := guest(t)
			w := newWire()
			w.refuses = failures
			host := linkedBy(t, newHouse(), m, w)
			ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
			defer stop()
			all, err := host.Withdraw(ctx)
			if failures == 2 && (!all || err != nil || len(w.enrolled) != 1) || failures > 2 && (all || !errors.Is(err, broker.ErrFleetOut)) {
				t.Errorf("after %d failures all was told: %t, %v", failures, all, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		host, w := running(t, newHouse())
		if _, err := host.Withdraw(t.Context()); !errors.Is(err, ErrNotInIt) || len(w.enrolled) > 0 {
			t.Errorf("%v, then %v", err, w.enrolled)
		}
	})
}
