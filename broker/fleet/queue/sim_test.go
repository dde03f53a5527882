package queue

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
)

const (
	fleetID  = "team-abc123"
	honest   = 3 // machines
	liar     = 3 // the machine behind them
	operator = 10
	guard    = 11
	owner    = 12
)

// key is the key of a seed. It costs too much to make it each time.
func key(seed byte) keys.Key {
	k, ok := made[seed]
	if !ok {
		k, _ = keys.New(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed + 1}, ed25519.SeedSize)))
		made[seed] = k
	}
	return k
}

var made = map[byte]keys.Key{}

func roster(at time.Time) members.Roster {
	r := members.Roster{Fleet: fleetID, Name: "team", Number: 1, At: at.Add(-time.Hour), Until: at.Add(100 * 24 * time.Hour)}
	for i := range byte(honest + 1) {
		r.Members = append(r.Members, members.Member{Public: key(i).Public(), Name: fmt.Sprint("m", i), Role: members.Machine})
	}
	for seed, role := range map[byte]members.Role{operator: members.Operator, guard: members.Guard, owner: members.Owner} {
		r.Members = append(r.Members, members.Member{Public: key(seed).Public(), Name: string(role), Role: role})
	}
	return r
}

var errLost = errors.New("lost on its way")

// world is a fleet with its servers, callers and people. One goroutine does everything; what happens
// while something else is under way is done from within that (meanwhile).
type world struct {
	t        *rapid.T
	now      time.Time
	roster   members.Roster
	claims   map[string][]byte
	full     bool // the stream of claims
	healed   bool // nothing fails any more
	machines []*machine
	signed   map[string]bool   // what an operator ever signed to allow: id, digest, input
	told     map[string]string // by id: what callers were told of calls of honest machines
	answers  map[byte][][]byte // by machine: that it was ever sent
	number   uint64
	depth    int
}

// machine is a machine with its broker.
type machine struct {
	w     *world
	seed  byte
	desk  *Desk // of this run
	run   int
	up    bool
	cut   bool
	rule  broker.Verdict // of its own, for all calls; "" for none
	calls map[string]*broker.Request
	log   []orders.Taken
}

func newWorld(t *rapid.T) *world {
	now := time.Unix(1_800_000_000, 0)
	w := &world{t: t, now: now, roster: roster(now), claims: map[string][]byte{}, signed: map[string]bool{}, told: map[string]string{}, answers: map[byte][][]byte{}}
	for i := range byte(honest) {
		m := &machine{w: w, seed: i, calls: map[string]*broker.Request{}}
		m.start()
		w.machines = append(w.machines, m)
	}
	return w
}

func (m *machine) id() string { return key(m.seed).Public().ID() }

// start starts the broker anew: what is on record stays.
func (m *machine) start() {
	m.up, m.run = true, m.run+1
	m.desk = NewDesk(Options{Key: key(m.seed), Roster: func() members.Roster { return m.w.roster }, Line: m, Home: home{m}, Now: func() time.Time { return m.w.now }})
}

func (w *world) pick(name string, of int) bool {
	return !w.healed && rapid.IntRange(0, of-1).Draw(w.t, name) == 0
}

// meanwhile may have something else happen.
func (w *world) meanwhile() {
	if w.depth < 2 && w.pick("meanwhile", 4) {
		w.depth++
		w.step()
		w.depth--
	}
}

// fault says what becomes of a message and its answer.
func (m *machine) fault() (lost, unheard bool) {
	m.w.meanwhile()
	if m.cut || !m.up {
		return true, true
	}
	if m.w.healed {
		return false, false
	}
	switch rapid.IntRange(0, 11).Draw(m.w.t, "fault") {
	case 0:
		return true, true
	case 1:
		return false, true
	}
	return false, false
}

// The machine is the line of its desk.

func (m *machine) Put(_ context.Context, mark string, claim []byte) (taken bool, err error) {
	lost, unheard := m.fault()
	if lost {
		return false, errLost
	}
	switch _, ok := m.w.claims[mark]; {
	case ok:
		taken = !bytes.Equal(m.w.claims[mark], claim) || m.w.coin("long ago") == 1
	case m.w.full:
		return false, errors.New("the stream is full")
	default:
		m.w.claims[mark] = claim
	}
	if m.w.meanwhile(); unheard {
		return false, errLost
	}
	return taken, nil
}

func (m *machine) Claim(_ context.Context, mark string) ([]byte, error) {
	if _, unheard := m.fault(); unheard {
		return nil, errLost
	}
	raw, ok := m.w.claims[mark]
	if !ok {
		return nil, errors.New("the server is behind")
	}
	return raw, nil
}

func (m *machine) Ask(ctx context.Context, to string, raw []byte) (answer []byte, err error) {
	lost, unheard := m.fault()
	if lost {
		return nil, errLost
	}
	if to == key(liar).Public().ID() {
		return m.w.lie(raw), nil
	}
	i := slices.IndexFunc(m.w.machines, func(o *machine) bool { return o.id() == to })
	if o := m.w.machines[i]; o.up && !o.cut {
		for range 1 + m.w.coin("a double") {
			answer = o.desk.Answer(ctx, raw)
		}
	}
	if answer != nil {
		m.w.answers[m.seed] = append(m.w.answers[m.seed], answer)
	}
	if old := m.w.answers[m.seed]; len(old) > 0 && m.w.pick("an old answer", 3) {
		answer = rapid.SampledFrom(old).Draw(m.w.t, "which")
	}
	if m.w.meanwhile(); unheard || answer == nil {
		return nil, errLost
	}
	return answer, nil
}

func (m *machine) Take(context.Context, string, func(context.Context, []byte) []byte) error {
	return nil
}

func (w *world) coin(name string) int {
	if w.healed {
		return 0
	}
	return rapid.IntRange(0, 1).Draw(w.t, name)
}

// home is the machine's broker as its desk sees it.
type home struct{ m *machine }

func (h home) Request(_ context.Context, id string) (broker.Request, error) {
	if r := h.m.calls[id]; r != nil {
		return *r, nil
	}
	return broker.Request{}, broker.ErrNotFound
}

func (h home) AwaitCall(ctx context.Context, id string, _, _ time.Duration) (broker.Request, error) {
	h.m.w.meanwhile()
	return h.Request(ctx, id)
}

func (h home) CallHeard(string)                                          {}
func (h home) LogDoubt() string                                          { return "" }
func (h home) Orders(context.Context, time.Time) ([]orders.Taken, error) { return h.m.log, nil }

var errCrashed = errors.New("the connection ended")

// post is POST /approval-queue at a machine.
func (m *machine) post(id, digest string) error {
	run, owner := m.run, ""
	if !m.up {
		return errCrashed
	}
	if m.calls[id] == nil {
		var err error
		if owner, err = m.desk.Claim(context.Background(), broker.Request{ID: id, Digest: digest}); err != nil {
			return err
		}
	}
	if m.w.meanwhile(); m.run != run || !m.up {
		return errCrashed
	}
	r := broker.Request{ID: id, Key: broker.OwnKey(id), Digest: digest, State: broker.Pending}
	if owner != "" {
		m.desk.Follow(owner, r)
		return nil
	}
	if was := m.calls[id]; was != nil && was.Digest != digest {
		return broker.ErrConflict
	} else if was != nil {
		return nil
	}
	m.calls[id] = &r
	if m.rule != "" {
		m.end(&r, m.rule, broker.Actor{Kind: broker.ByRule, ID: "a"}, nil)
	}
	return nil
}

// end ends a call that waits.
func (m *machine) end(r *broker.Request, v broker.Verdict, by broker.Actor, input json.RawMessage) {
	if r.State.Terminal() {
		return
	}
	r.State = broker.Denied
	if v == broker.Allow {
		r.State = broker.Allowed
	}
	r.Outcome = &broker.Outcome{State: r.State, By: by, UpdatedInput: input, At: m.w.now}
}

// get is GET /response-queue/{id} at a machine. It is false while there is no answer.
func (m *machine) get(id, digest string) (bool, error) {
	if !m.up {
		return false, errCrashed
	}
	if r := m.calls[id]; r != nil {
		if r.State.Terminal() {
			m.w.hear(m, m, r)
		}
		return r.State.Terminal(), nil
	}
	desk := m.desk
	r, known, err := desk.Response(context.Background(), id, 0, 0)
	if err != nil || !known || !r.State.Terminal() {
		return false, err
	}
	f, _ := desk.of(id)
	m.w.hear(m, m.w.named(f.owner), &r)
	return true, nil
}

// named is an honest machine, nil for the liar.
func (w *world) named(id string) *machine {
	for _, m := range w.machines {
		if m.id() == id {
			return m
		}
	}
	return nil
}

// hear has a caller be told how a call ended, by the machine where they asked; owner asked it.
func (w *world) hear(at, owner *machine, r *broker.Request) {
	what := fmt.Sprintf("%s %s by %q %s", r.Digest, r.State, r.Outcome.By.ID, r.Outcome.UpdatedInput)
	if at != owner && r.State == broker.Allowed && !w.signed[r.ID+" "+r.Digest+" "+string(r.Outcome.UpdatedInput)] {
		w.t.Fatalf("m%d tells that %s was allowed, and no operator ever said so: %s", at.seed, r.ID, what)
	}
	if owner == nil {
		return // a machine that lies may refuse here and show an order there
	}
	if was, ok := w.told[r.ID]; ok && was != what {
		w.t.Fatalf("m%d tells %q of %s, and another caller was told %q", at.seed, what, r.ID, was)
	}
	w.told[r.ID] = what
}

// order signs an order to decide a call of a machine.
func (w *world) order(by byte, machine, id string, d broker.Decision) keys.Signed {
	body, err := consoles.Marshal(consoles.Decided{ID: id, Decision: d})
	if err != nil {
		w.t.Fatal(err)
	}
	w.number++
	s, err := orders.Order{Fleet: fleetID, Machine: machine, Boot: "b", Number: w.number, Expires: w.now.Add(30 * time.Second), Method: decide, Body: body}.Sign(key(by))
	if err != nil {
		w.t.Fatal(err)
	}
	if r := w.roster; d.Verdict == broker.Allow {
		if m, ok := r.Of(s.By); ok && m.Role.Includes(members.Operator) {
			w.signed[id+" "+d.Digest+" "+string(d.UpdatedInput)] = true
		}
	}
	return s
}

// carry has a machine carry out an order that a member of the fleet gave.
func (m *machine) carry(s keys.Signed) {
	var o orders.Order
	if err := s.Open(keys.KindOrder, &o); err != nil {
		m.w.t.Fatal(err)
	}
	who, _ := m.w.roster.Of(s.By)
	t := orders.Taken{Operator: who.ID(), Name: who.Name, Method: o.Method}
	raw, id := Evidence(s, &o)
	t.Signed = raw
	m.log = append(m.log, t)
	_, _, in, err := open(must(keys.Encode(s)))
	if err != nil || raw != nil && id != in.ID {
		m.w.t.Fatal(id, in.ID, err)
	}
	if m.w.coin("refused") == 1 {
		return // as a dangerous call is, that nobody said they know of
	}
	if r := m.calls[in.ID]; r != nil && (in.Decision.Digest == r.Digest || in.Decision.Verdict == broker.Deny) {
		m.end(r, in.Decision.Verdict, broker.Actor{Kind: broker.ByOperator, ID: broker.FleetID(t.Operator, t.Name)}, in.Decision.UpdatedInput)
	}
}

func must(raw []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return raw
}

// lie is what the machine that lies answers: that a call was allowed, with whatever it has of orders.
func (w *world) lie(raw []byte) []byte {
	s, err := orders.Open(raw, fleetID, key(liar))
	if err != nil {
		w.t.Fatal(err)
	}
	var a ask
	if err := s.Open(keys.KindAsk, &a); err != nil {
		w.t.Fatal(err)
	}
	me, other := key(liar).Public().ID(), key(0).Public().ID()
	allow := func(digest string) broker.Decision {
		return broker.Decision{Verdict: broker.Allow, Digest: digest}
	}
	var order keys.Signed
	t := told{Outcome: &broker.Outcome{State: broker.Allowed, By: broker.Actor{Kind: broker.ByOperator}, UpdatedInput: json.RawMessage(`{"a":"evil"}`), At: w.now}}
	kinds := []string{"none", "deny", "the truth", "itself", "a guard", "a stranger", "another id", "another digest", "another machine", "another fleet", "a denial", "forged", "old", "ended", "unknown", "waits"}
	switch kind := rapid.SampledFrom(kinds).Draw(w.t, "lie"); kind {
	case "deny":
		t.Outcome.State = broker.Denied
	case "the truth": // but for the input
		order = w.order(operator, me, a.ID, allow(a.Digest))
	case "itself":
		order = w.order(liar, me, a.ID, allow(a.Digest))
	case "a guard":
		order = w.order(guard, me, a.ID, allow(a.Digest))
	case "a stranger":
		order = w.order(99, me, a.ID, allow(a.Digest))
	case "another id": // an operator has allowed something else of the liar's
		order = w.order(operator, me, "z", allow(a.Digest))
	case "another digest":
		order = w.order(operator, me, a.ID, allow("d9"))
	case "another machine":
		was := w.signed[a.ID+" "+a.Digest+" "]
		order = w.order(operator, other, a.ID, allow(a.Digest))
		w.signed[a.ID+" "+a.Digest+" "] = was
	case "a denial":
		order = w.order(operator, me, a.ID, broker.Decision{Verdict: broker.Deny, Digest: a.Digest})
	case "forged":
		order = w.order(guard, me, a.ID, allow(a.Digest))
		order.By = key(operator).Public().Sign
	case "another fleet", "old":
		o := orders.Order{Fleet: fleetID, Machine: me, Number: 1, Expires: w.now.Add(-2 * Kept), Method: decide}
		if kind == "another fleet" {
			o.Fleet, o.Expires = "other-abc123", w.now
		}
		o.Body = must(consoles.Marshal(consoles.Decided{ID: a.ID, Decision: allow(a.Digest)}))
		order, _ = o.Sign(key(operator))
	case "ended":
		t.Outcome.State = broker.Answered
	case "unknown":
		t = told{Unknown: true}
	case "waits":
		t = told{}
	}
	if order.Sig != nil {
		t.Order = must(keys.Encode(order))
	}
	answer := orders.Answer{Mark: orders.Mark(s), Reply: must(keys.Encode(t))}
	from, _ := w.roster.Of(s.By)
	return must(answer.Seal(key(liar), fleetID, from.Public))
}

var (
	theIDs     = []string{"x", "y"}
	theDigests = []string{"d1", "d1", "d1", "d2"}
)

// step does one thing.
func (w *world) step() {
	m := rapid.SampledFrom(w.machines).Draw(w.t, "machine")
	id, digest := rapid.SampledFrom(theIDs).Draw(w.t, "id"), rapid.SampledFrom(theDigests).Draw(w.t, "digest")
	kinds := strings.Fields("post post post get get get decide decide local crash start cut heal full room rule time claims")
	switch kind := rapid.SampledFrom(kinds).Draw(w.t, "step"); kind {
	case "post":
		_ = m.post(id, digest)
	case "get":
		_, _ = m.get(id, digest)
	case "decide":
		r := m.calls[id]
		if r == nil || !m.up {
			return
		}
		d := broker.Decision{Verdict: rapid.SampledFrom([]broker.Verdict{broker.Allow, broker.Deny}).Draw(w.t, "verdict"), Digest: r.Digest}
		if d.Verdict == broker.Allow && w.coin("edited") == 1 {
			d.UpdatedInput = json.RawMessage(fmt.Sprintf(`{"n":%d}`, w.coin("n")))
		}
		by := rapid.SampledFrom([]byte{operator, owner}).Draw(w.t, "by")
		if d.Verdict == broker.Deny {
			by = guard
		}
		if s := w.order(by, m.id(), id, d); w.coin("it arrives") == 1 {
			m.carry(s)
		}
	case "local":
		if r := m.calls[id]; r != nil && m.up {
			m.end(r, rapid.SampledFrom([]broker.Verdict{broker.Allow, broker.Deny}).Draw(w.t, "verdict"), broker.Actor{Kind: broker.ByOperator}, nil)
		}
	case "crash":
		m.up, m.run = false, m.run+1
	case "start":
		m.start()
	case "cut", "heal":
		m.cut = kind == "cut"
	case "full", "room":
		w.full = kind == "full"
	case "rule":
		m.rule = rapid.SampledFrom([]broker.Verdict{"", "", broker.Allow, broker.Deny}).Draw(w.t, "rule")
	case "time":
		w.now = w.now.Add(time.Duration(rapid.IntRange(1, 60).Draw(w.t, "seconds")) * time.Second)
	case "claims": // the liar does, or spoils the place
		mark := hidden("claim", fleetID, id)
		if _, ok := w.claims[mark]; !ok && !w.full {
			c := claim{fleetID, key(liar).Public().ID(), mark, hidden("call", fleetID, id, digest, "", "")}
			by := rapid.SampledFrom([]byte{liar, liar, liar, 99, 0}).Draw(w.t, "signed by")
			if by == 0 { // signed by the liar, in the name of another one
				c.Machine, by = key(0).Public().ID(), liar
			}
			s, _ := key(by).Sign(keys.KindClaim, c)
			w.claims[mark] = must(keys.Encode(s))
		}
	}
}

// check looks whether at most one machine asks what has an id.
func (w *world) check() {
	for _, id := range theIDs {
		n := 0
		for _, m := range w.machines {
			if m.calls[id] != nil {
				n++
			}
		}
		if n > 1 {
			w.t.Fatalf("%d machines ask %s", n, id)
		}
	}
}

// heal has everything work again, and people decide all that waits. Then every caller is told an end, or
// told why not.
func (w *world) heal() {
	w.healed, w.full = true, false
	for _, m := range w.machines {
		m.cut = false
		if !m.up {
			m.start()
		}
	}
	each := func(do func(m *machine, id, digest string)) {
		for _, m := range w.machines {
			for _, id := range theIDs {
				for _, digest := range theDigests[2:] {
					do(m, id, digest)
				}
			}
		}
	}
	posted := map[string]error{}
	each(func(m *machine, id, digest string) { posted[m.id()+id+digest] = m.post(id, digest) })
	for _, m := range w.machines {
		for id, r := range m.calls {
			m.carry(w.order(operator, m.id(), id, broker.Decision{Verdict: broker.Allow, Digest: r.Digest}))
		}
	}
	w.now = w.now.Add(2 * patience)
	each(func(m *machine, id, digest string) {
		err, said := posted[m.id()+id+digest], false
		if err == nil {
			said, err = m.get(id, digest)
			f, ok := m.desk.of(id)
			if ok && f.owner == key(liar).Public().ID() {
				return // it may go on saying that the call waits
			}
		}
		if said || errors.Is(err, broker.ErrConflict) || errors.Is(err, broker.ErrElsewhere) {
			return
		}
		w.t.Fatalf("when all is well m%d says of %s: told %t, %v", m.seed, id, said, err)
	})
}

// Whatever is lost, doubled, late, cut off, full or crashed, and whatever one machine of the fleet says:
// at most one machine asks what has an id, all callers are told the same of it, and what was allowed
// elsewhere an operator has allowed, for exactly that id and digest.
func TestOneAnswerForAnID(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt)
		for range rapid.IntRange(5, 60).Draw(rt, "steps") {
			w.step()
			w.check()
		}
		w.heal()
		w.check()
	})
}
