package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/link"
	"github.com/aoctl/aoctl/broker/fleet/members"
)

// machine is a broker of a fleet with its link. Its disk, its agents and the keys at its own screen are
// those of a world.
type machine struct {
	f    *fleet
	name string
	key  keys.Key
	id   string
	w    *world

	link   *link.Steps     // nil while none is at work
	ctx    context.Context //nolint:containedctx // it is the link's life
	end    context.CancelFunc
	boot   string
	server *consoles.Server

	skew   time.Duration // how much its clock is ahead
	asleep bool
	missed time.Duration // while it was
	cut    bool
	since  time.Time // the line is the same one
	faults []lineFault

	waiting []*letter
	checks  orderChecks
}

func (f *fleet) newMachine(n int) *machine {
	m := &machine{f: f, name: machineNames[n], key: fleetKeys()[n], w: newWorld(false), since: f.now}
	m.id = m.key.Public().ID()
	m.w.around, m.w.tell = m, f.tell
	m.server = consoles.NewServer(consoles.Options{Broker: desk{m: m}, Log: quiet})
	m.checks = orderChecks{m: m, carried: map[string]int{}, misused: map[string]bool{}, shown: map[string]bool{}}
	f.streams.events[m.id] = &events{}
	return m
}

var quiet = slog.New(slog.DiscardHandler)

// clock is what the machine's clock says.
func (m *machine) clock() time.Time { return m.w.now.Add(m.skew) }

// said tells what happens at the machine, but for each of its rounds: there is one with every beat.
func (m *machine) said(text string) {
	if !strings.HasPrefix(text, "--") {
		m.f.say("at " + m.name + ": " + text)
	}
}

// crashed ends the link: it is in the process that is gone.
func (m *machine) crashed() {
	if m.link != nil {
		m.end()
		m.link = nil
	}
}

// works reports whether the machine has a link that does something, and begins one where there is none.
func (m *machine) works() bool {
	if m.asleep {
		return false
	}
	if m.link != nil {
		return true
	}
	m.boot = m.f.newID("boot")
	ctx, end := context.WithCancel(context.Background())
	o := link.Options{Home: link.Home{Record: m, Callers: m, Screens: m, Log: m}, Key: m.key, Version: "sim", Log: quiet, Listed: func(*members.Roster, []byte) {}, Dial: func(context.Context, consoles.Membership, string) (link.Line, error) { return wire{m: m}, nil }}
	l, err := link.NewSteps(ctx, o, m.boot, m.clock, m.pause)
	if err != nil {
		end()
		m.f.fail("the link of %s does not begin: %v", m.name, err)
		return false
	}
	m.link, m.ctx, m.end = l, ctx, end
	return true
}

// AwaitCall and CallHeard are for callers at other machines, of whom there are none here.
func (m *machine) AwaitCall(context.Context, string, time.Duration, time.Duration) (broker.Request, error) {
	return broker.Request{}, broker.ErrNotFound
}

func (m *machine) CallHeard(string) {}

// Proposals are none.
func (m *machine) Proposals() []broker.Proposal { return nil }

// pause is time that passes before something is tried again. The disk's faults come to their end.
func (m *machine) pause() { m.w.mend() }

// do has the engine take an input, and returns the reply. errGone where the console is killed
// meanwhile.
func (m *machine) do(in engine.Input) (r engine.Reply) {
	r.Err = errGone
	m.w.send(in, func(got engine.Reply) { r = got })
	m.w.round()
	return r
}

var errGone = errors.New("the console is gone")

// tell tells what there is.
func (m *machine) tell() {
	if m.works() {
		_ = m.link.Tell(m.ctx) // it is told again
	}
}

// carryOut carries out the next events.
func (m *machine) carryOut() (any bool, err error) {
	if !m.works() {
		return false, nil
	}
	return m.link.CarryOut(m.ctx)
}

// take hands over an order, and returns the answer. It reports whether the link lived on.
func (m *machine) take(raw []byte, waited bool) (answer []byte, lived bool) {
	if !m.works() {
		return nil, false
	}
	ctx := m.ctx
	m.checks.arrives(raw, waited)
	answer = m.link.Order(ctx, raw, waited)
	lived = ctx.Err() == nil
	m.checks.taken(lived)
	return answer, lived
}

// roster hands over a roster of the servers.
func (m *machine) roster(n int) {
	if m.works() && !m.cut {
		m.f.sayf("%s is handed roster %d", m.name, n+1)
		m.link.Roster(m.ctx, m.f.rosters[n].signed)
	}
}

// Carry implements link.Broker: an order takes effect.
func (m *machine) Carry(ctx context.Context, by broker.Actor, method string, body []byte) ([]byte, error) {
	m.f.sayf("%s carries out %s of %s", m.name, method, by.You())
	m.checks.effect(by, method, body)
	return m.server.Carry(ctx, by, method, body)
}

// NoteOrder implements link.Broker.
func (m *machine) NoteOrder(typ string, data any) error {
	return m.do(engine.Note{Events: []*broker.Event{broker.NewEvent(m.clock(), typ, broker.Request{}, data)}, Sync: true}).Err
}

// NoteRefusal implements link.Broker.
func (m *machine) NoteRefusal(about broker.Request, d broker.RefusedData) {
	m.f.sayf("%s turns an order away: %s", m.name, d.Detail)
	m.checks.shown[m.checks.hand.mark] = true
	m.w.send(engine.Refused{About: about, Data: d}, nil)
}

// Events implements link.Log.
func (m *machine) Events(_ context.Context, f broker.EventFilter) (list []broker.Event, err error) {
	for l := m.w.disk.now.last; l != nil && l.Seq > f.After; l = l.before {
		if len(f.Types) == 0 || slices.Contains(f.Types, l.Type) && !l.At.Before(f.Since) {
			list = append(list, l.Event)
		}
	}
	slices.Reverse(list)
	if f.Limit > 0 {
		list = list[:min(f.Limit, len(list))]
	}
	return list, nil
}

// Head implements link.Log.
func (m *machine) Head() (int64, string) {
	if l := m.w.disk.now.last; l != nil {
		return l.Seq, l.Hash
	}
	return 0, ""
}

// Request implements link.Requests.
func (m *machine) Request(_ context.Context, id string) (broker.Request, error) {
	r, ok := m.w.disk.now.requests[id]
	if !ok {
		return r, broker.ErrNotFound
	}
	return r, nil
}

// FleetToken implements link.Home.
func (m *machine) FleetToken() (broker.TokenData, bool) {
	for _, t := range m.w.loop.View().Tokens() {
		if t.Kind == broker.FleetToken {
			return t.TokenData, true
		}
	}
	return broker.TokenData{}, false
}

// KeepFleet implements link.Home.
func (m *machine) KeepFleet(d broker.TokenData) error { return m.do(engine.MintToken{Token: d}).Err }

// RevokeToken implements link.Home.
func (m *machine) RevokeToken(_ context.Context, id string, by broker.Actor) error {
	return m.do(engine.RevokeToken{ID: id, By: by}).Err
}

// Watch implements link.Home.
func (m *machine) Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update) {
	_, updates := m.w.loop.Watch(ctx)
	return m.w.loop.View().Snapshot(m.w.now), updates // that of Watch has the clock of this machine
}

// LogDoubt implements link.Home.
func (m *machine) LogDoubt() string { return "" }

// onRecord is the roster that the machine has on record.
func (m *machine) onRecord() (r members.Roster, err error) {
	for l := m.w.disk.now.last; l != nil; l = l.before {
		var d broker.TokenData
		if l.Type != broker.EventTokenMinted || json.Unmarshal(l.Data, &d) != nil || d.Kind != broker.FleetToken {
			continue
		}
		var in consoles.Membership
		var s keys.Signed
		if err = errors.Join(keys.Decode(d.Fleet, &in), keys.Decode(in.Roster, &s)); err != nil {
			return r, err
		}
		return members.Read(s)
	}
	return r, fmt.Errorf("%s has no roster on record", m.name)
}

// desk is the broker behind the consoles' methods: what package calls hands to the engine.
type desk struct {
	consoles.Broker // what is not ordered here

	m *machine
}

// Decide implements consoles.Calls.
func (d desk) Decide(_ context.Context, id string, c broker.Decision) (broker.Request, error) {
	r := d.m.do(engine.Decide{Picks: []engine.Picked{{ID: id, Digest: c.Digest, Stamp: "files"}}, Decision: c, NewID: d.m.w.newID("grant")})
	if on, ok := d.m.w.loop.View().Request(id); ok && r.Err == nil && on.State == broker.Pending {
		d.m.f.fail("%s says that %s was decided, and it waits", d.m.name, id)
	}
	return r.Call, r.Err
}

// Defer implements consoles.Calls.
func (d desk) Defer(_ context.Context, id string, by broker.Actor) (broker.Request, error) {
	r := d.m.do(engine.PutOff{ID: id, By: by})
	return r.Call, r.Err
}

// Extend implements consoles.Calls.
func (d desk) Extend(_ context.Context, id string, by broker.Actor) (broker.Request, error) {
	r := d.m.do(engine.Extend{ID: id, By: by})
	return r.Call, r.Err
}

// Freeze implements consoles.Calls.
func (d desk) Freeze(_ context.Context, session string, on bool, by broker.Actor) error {
	r := d.m.do(engine.SetFreeze{SessionID: session, On: on, By: by})
	if r.Err == nil {
		d.m.w.lifted(r)
	}
	return r.Err
}

// Stop implements consoles.Sessions.
func (d desk) Stop(_ context.Context, session string, by broker.Actor) (broker.Session, error) {
	err := d.m.do(engine.Stop{SessionID: session, By: by}).Err
	s, _ := d.m.w.loop.View().Session(session)
	return s, err
}
