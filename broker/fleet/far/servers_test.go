package far

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/queue"
	"github.com/aoctl/aoctl/broker/fleet/told"
	"github.com/aoctl/aoctl/broker/rules"
)

var errNobody = errors.New("nobody answers there")

// servers are the fleet's servers: the lines of machines and of consoles meet here.
type servers struct {
	slow  time.Duration // all that there is takes so long to read
	whole atomic.Int64  // how often it was read
	down  atomic.Bool   // consoles reach none of them

	mu      sync.Mutex
	states  []link.Message // the last of each subject, in the order in which they came
	hearers map[chan link.Message]struct{}
	hellos  map[string]func([]byte) []byte
	takes   map[string]func(context.Context, []byte, bool) []byte
	left    map[string][][]byte
	ids     map[string]bool
	out     map[string]bool // machines that no message leaves or reaches
	lose    int             // so many answers to orders are lost
	sent    int             // orders that were sent or left
}

func newServers() *servers {
	return &servers{
		hearers: map[chan link.Message]struct{}{}, hellos: map[string]func([]byte) []byte{}, takes: map[string]func(context.Context, []byte, bool) []byte{},
		left: map[string][][]byte{}, ids: map[string]bool{}, out: map[string]bool{},
	}
}

func (s *servers) why() string {
	if s.down.Load() {
		return "connection refused"
	}
	return ""
}

func (s *servers) tell(m link.Message) {
	for c := range s.hearers {
		c <- m
	}
}

func (s *servers) Watch(ctx context.Context, hear func(string, []byte), begun func()) error {
	c := make(chan link.Message, 1<<16)
	s.mu.Lock()
	for _, m := range s.states {
		c <- m
	}
	s.hearers[c] = struct{}{}
	n := len(s.states)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.hearers, c)
	}()
	select {
	case <-time.After(s.slow):
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		if n--; n == -1 {
			s.whole.Add(1)
			begun()
		}
		select {
		case m := <-c:
			hear(m.Subject, m.Body)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *servers) Hello(_ context.Context, machine string, asked []byte) ([]byte, error) {
	s.mu.Lock()
	answer := s.hellos[machine]
	if s.out[machine] {
		answer = nil
	}
	s.mu.Unlock()
	if answer == nil {
		return nil, errNobody
	}
	return answer(asked), nil
}

func (s *servers) Order(ctx context.Context, machine string, raw []byte) ([]byte, error) {
	s.mu.Lock()
	take, lose := s.takes[machine], s.lose > 0
	if s.out[machine] {
		take = nil
	}
	s.sent++
	if take != nil && lose {
		s.lose--
	}
	s.mu.Unlock()
	if take == nil {
		return nil, errNobody
	}
	answer := take(ctx, raw, false)
	if lose {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return answer, nil
}

func (s *servers) LeaveOrder(_ context.Context, machine, id string, raw []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent++; !s.ids[id] {
		s.ids[id] = true
		s.left[machine] = append(s.left[machine], raw)
	}
	return nil
}

func (s *servers) OrdersLeft(_ context.Context, machine string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.left[machine]), nil
}

// reach says whether a machine is in reach from now on.
func (s *servers) reach(machine string, in bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out[machine] = !in
}

// wire is a machine's line.
type wire struct {
	*servers
	machine string
}

func (w wire) Events(string) link.Events                        { return w }
func (w wire) States(string) link.States                        { return w }
func (w wire) Queue() queue.Line                                { return alone{} }
func (w wire) Newest(context.Context) (link.Last, error)        { return link.Last{}, nil }
func (w wire) Up() (up bool, since time.Time, why string)       { return true, time.Time{}, "" }
func (w wire) Enrol(context.Context, string, keys.Signed) error { return nil }
func (w wire) Close()                                           {}

func (w wire) Find(context.Context, func([]byte) (int64, bool)) (int64, error) { return 0, nil }

func (w wire) Append(_ context.Context, after uint64, list []link.Message) (uint64, error) {
	return after + uint64(len(list)), nil
}

func (w wire) Places(context.Context) (list []string, _ error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.states {
		if id, place, _ := names.Split(m.Subject); id == w.machine && told.IsState(place) {
			list = append(list, place)
		}
	}
	return list, nil
}

func (w wire) Put(_ context.Context, list []link.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.out[w.machine] {
		return errNobody
	}
	for _, m := range list {
		w.states = append(slices.DeleteFunc(w.states, func(o link.Message) bool { return o.Subject == m.Subject }), m)
		w.tell(m)
	}
	return nil
}

func (w wire) Beat(_ string, body []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.out[w.machine] {
		w.tell(link.Message{Subject: names.At(w.machine, told.PlaceBeat), Body: body})
	}
	return nil
}

func (w wire) TakeHello(ctx context.Context, id string, answer func([]byte) []byte) error {
	w.mu.Lock()
	w.hellos[id] = answer
	w.mu.Unlock()
	<-ctx.Done()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.hellos, id)
	return nil
}

func (w wire) TakeOrders(ctx context.Context, id string, take func(context.Context, []byte, bool) []byte) error {
	w.mu.Lock()
	w.takes[id] = take
	w.mu.Unlock()
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case <-every.C:
		case <-ctx.Done():
			w.mu.Lock()
			defer w.mu.Unlock()
			delete(w.takes, id)
			return nil
		}
		w.mu.Lock()
		var list [][]byte
		if !w.out[id] {
			list = w.left[id]
			delete(w.left, id)
		}
		w.mu.Unlock()
		for _, raw := range list {
			take(ctx, raw, true)
		}
	}
}

func (w wire) Rosters(ctx context.Context, _ uint64, begun func(), _ func(keys.Signed)) error {
	begun()
	<-ctx.Done()
	return nil
}

func (w wire) Enrolments(ctx context.Context, _ func(keys.Signed)) error {
	<-ctx.Done()
	return nil
}

// machine is a machine's broker with a real link, whose orders a fake broker carries out.
type machine struct {
	consoles.Broker // for what no test asks

	t       *testing.T
	name    string
	key     keys.Key
	servers *servers
	carry   *consoles.Server
	end     func()

	mu       sync.Mutex
	token    broker.TokenData
	log      []broker.Event
	snap     broker.Snapshot
	updates  chan broker.Update
	did      []string
	refused  []string
	requests map[string]broker.Request
	asks     []broker.Proposal
}

func newMachine(t *testing.T, s *servers, seed byte, name string) *machine {
	t.Helper()
	m := &machine{t: t, name: name, key: key(t, seed), servers: s, updates: make(chan broker.Update, 64), requests: map[string]broker.Request{}}
	m.carry = consoles.NewServer(consoles.Options{Broker: m, Log: slog.New(slog.DiscardHandler)})
	return m
}

func (m *machine) id() string { return m.key.Public().ID() }

// has gives the machine a session with a call that waits.
func (m *machine) has(session, call string) {
	r := broker.Request{ID: call, SessionID: session, State: broker.Pending, Digest: "digest of " + call + " on " + m.name, ToolName: "Bash", CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}
	m.requests[call] = r
	m.snap.Sessions = append(m.snap.Sessions, broker.Session{ID: session, Name: session, State: broker.SessionActive, StartedAt: time.Now()})
	m.snap.Requests = append(m.snap.Requests, r)
}

// start starts the machine's broker.
func (m *machine) start(roster keys.Signed) {
	m.t.Helper()
	raw, err := keys.Encode(roster)
	if err != nil {
		m.t.Fatal(err)
	}
	host := link.NewHost(link.Options{Home: link.Home{Record: m, Callers: m, Screens: m, Log: m}, Key: m.key, Version: "v", Listed: func(*members.Roster, []byte) {}, Dial: func(context.Context, consoles.Membership, string) (link.Line, error) {
		return wire{m.servers, m.id()}, nil
	}, Log: slog.New(slog.DiscardHandler)})
	if err := host.Join(m.t.Context(), consoles.Membership{Roster: raw, Servers: []string{"nats://x:1"}}, broker.Actor{Kind: broker.ByOperator}); err != nil {
		m.t.Fatal(err)
	}
	ctx, end := context.WithCancel(m.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		host.Run(ctx)
	}()
	m.end = sync.OnceFunc(func() {
		end()
		<-done
	})
	m.t.Cleanup(m.end)
}

// acts notes what the broker was told to do.
func (m *machine) acts(what ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.did = append(m.did, strings.Join(what, " "))
}

// done is what it was told to do since the last time.
func (m *machine) done() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.did
	m.did = nil
	return list
}

func (m *machine) Head() (int64, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int64(len(m.log)), ""
}

func (m *machine) Events(_ context.Context, f broker.EventFilter) (list []broker.Event, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.log {
		if e.Seq > f.After && (len(f.Types) == 0 || slices.Contains(f.Types, e.Type)) {
			list = append(list, e)
		}
	}
	return list, nil
}

func (m *machine) Request(_ context.Context, id string) (broker.Request, error) {
	return m.requests[id], nil
}

func (m *machine) FleetToken() (broker.TokenData, bool) { return m.token, m.token.ID != "" }

func (m *machine) KeepFleet(d broker.TokenData) error                      { m.token = d; return nil }
func (m *machine) RevokeToken(context.Context, string, broker.Actor) error { return nil }
func (m *machine) LogDoubt() string                                        { return "" }
func (m *machine) CallHeard(string)                                        {}

func (m *machine) Proposals() []broker.Proposal {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asks
}

func (m *machine) AwaitCall(ctx context.Context, id string, _, _ time.Duration) (broker.Request, error) {
	return m.Request(ctx, id)
}

// alone is a queue that no other machine uses.
type alone struct{ queue.Line }

func (alone) Take(ctx context.Context, _ string, _ func(context.Context, []byte) []byte) error {
	<-ctx.Done()
	return nil
}

func (m *machine) Watch(context.Context) (broker.Snapshot, <-chan broker.Update) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.snap, m.updates
}

func (m *machine) Carry(ctx context.Context, by broker.Actor, method string, body []byte) ([]byte, error) {
	return m.carry.Carry(ctx, by, method, body)
}

func (m *machine) NoteOrder(typ string, data any) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := broker.NewEvent(time.Now(), typ, broker.Request{}, data)
	e.Seq = int64(len(m.log) + 1)
	m.log = append(m.log, *e)
	return nil
}

func (m *machine) NoteRefusal(_ broker.Request, d broker.RefusedData) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = append(m.refused, d.Detail)
}

func (m *machine) Decide(_ context.Context, id string, d broker.Decision) (broker.Request, error) {
	r, ok := m.requests[id]
	switch {
	case !ok:
		return r, broker.ErrNotFound
	case d.Digest != "" && d.Digest != r.Digest:
		return r, broker.ErrStale
	}
	m.acts(string(d.Verdict), id, "by", d.By.You())
	r.State = broker.Denied
	if d.Verdict == broker.Allow {
		r.State = broker.Allowed
	}
	r.Outcome = &broker.Outcome{State: r.State, By: d.By, At: time.Now()}
	m.updates <- broker.Update{Request: &r}
	return r, nil
}

func (m *machine) DecideAll(_ context.Context, picks []broker.Pick, d broker.Decision) (list []broker.Request, _ error) {
	for _, p := range picks {
		r, err := m.Decide(context.Background(), p.ID, broker.Decision{Verdict: d.Verdict, Digest: p.Digest, By: d.By})
		if err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

func (m *machine) StopAll(context.Context, broker.Actor) (sessions, denied int, err error) {
	m.acts("stop all")
	return len(m.snap.Sessions), len(m.requests), nil
}

func (m *machine) Stop(_ context.Context, id string, _ broker.Actor) (broker.Session, error) {
	m.acts("stop", id)
	return broker.Session{ID: id, State: broker.SessionStopping}, nil
}

func (m *machine) Freeze(_ context.Context, session string, on bool, _ broker.Actor) error {
	m.acts("freeze", session, map[bool]string{true: "on", false: "off"}[on])
	return nil
}

func (m *machine) Say(_ context.Context, id, text string, _ broker.Actor) (broker.Session, error) {
	m.acts("say", id, text)
	return broker.Session{ID: id}, nil
}

func (m *machine) Launch(_ context.Context, n broker.NewRun, _ broker.Actor) (broker.Session, error) {
	m.acts("launch", n.Folder)
	return broker.Session{ID: "new"}, nil
}

func (m *machine) History(context.Context, int) ([]broker.Request, error) {
	at := time.Now().Add(-time.Duration(len(m.name)) * time.Minute)
	return []broker.Request{{ID: "past", State: broker.Denied, Outcome: &broker.Outcome{At: at}, Description: m.name}}, nil
}

func (m *machine) SaveRule(_ context.Context, r rules.Rule, _ broker.Actor) (broker.SavedRule, error) {
	m.acts("save", r.ID, r.Scope.Session)
	r.Version++
	m.mu.Lock()
	m.snap.Rules.Rules = append(slices.Clone(m.snap.Rules.Rules), r)
	book := m.snap.Rules
	m.mu.Unlock()
	m.updates <- broker.Update{Rules: &book}
	return broker.SavedRule{Rule: r}, nil
}

func (m *machine) RemoveRule(_ context.Context, id string, _ broker.Actor) error {
	m.acts("remove", id)
	return nil
}

// team is a fleet of some machines and a console over it.
type team struct {
	*Broker

	t        *testing.T
	servers  *servers
	machines []*machine
	roster   members.Roster
	signed   keys.Signed
}

// newTeam has machines of these names, each with a session and a call of the same ids, and somebody
// with a role who watches them.
func newTeam(t *testing.T, role members.Role, machineNames ...string) *team {
	t.Helper()
	me, owner := key(t, 100), key(t, 101)
	tm := &team{t: t, servers: newServers()}
	tm.roster = members.Roster{Fleet: fleetID, Name: "team", Number: 1, At: time.Now(), Until: time.Now().Add(240 * time.Hour)}
	tm.roster.Members = append(tm.roster.Members, member(owner, "owner", members.Owner), member(me, "ada", role))
	for i, name := range machineNames {
		m := newMachine(t, tm.servers, byte(i+1), name)
		m.has("session", "call")
		tm.machines = append(tm.machines, m)
		tm.roster.Members = append(tm.roster.Members, member(m.key, name, members.Machine))
	}
	var err error
	if tm.signed, err = owner.Sign(keys.KindRoster, tm.roster); err != nil {
		t.Fatal(err)
	}
	for _, m := range tm.machines {
		m.start(tm.signed)
	}
	time.Sleep(time.Second)
	tm.Broker = New(Options{Key: me, Roster: tm.roster, Line: tm.servers, Log: slog.New(slog.DiscardHandler), Out: tm.servers.why})
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tm.Run(ctx)
	}()
	t.Cleanup(func() {
		end()
		<-done
	})
	return tm
}

// watch is what there is once the beats have come.
func (tm *team) watch() broker.Snapshot {
	tm.t.Helper()
	time.Sleep(3 * time.Second)
	ctx, end := context.WithCancel(tm.t.Context())
	defer end()
	s, _ := tm.Watch(ctx)
	return s
}

// callOf is the call of a machine, as it is drawn.
func (tm *team) callOf(s broker.Snapshot, name string) broker.Request {
	tm.t.Helper()
	for _, r := range s.Requests {
		if strings.HasSuffix(r.Digest, " on "+name) {
			return r
		}
	}
	tm.t.Fatalf("%s has no call among %d", name, len(s.Requests))
	return broker.Request{}
}

func (tm *team) sessionOf(s broker.Snapshot, m *machine) broker.Session {
	tm.t.Helper()
	i := slices.IndexFunc(s.Sessions, func(se broker.Session) bool { return se.Machine == m.id() })
	if i < 0 {
		tm.t.Fatalf("%s has no session", m.name)
	}
	return s.Sessions[i]
}
