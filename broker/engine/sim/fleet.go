package sim

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// fleet is machines, each with its broker and everybody around it, servers between them, and people at
// consoles elsewhere. One goroutine plays it. wrong stays at the first broken promise.
type fleet struct {
	now      time.Time
	names    told.Names
	machines []*machine
	people   []*person
	streams  streams
	roles    []members.Role // of people; "": they are out
	rosters  []roster       // as the owner signed them, one after the other
	flying   []*letter      // orders that are on their way
	left     []*letter      // orders that were left for a machine that is out of reach
	sent     []*letter      // all of them: whoever carries them may keep them
	ids      int
	said     []string
	tell     bool
	wrong    string
}

var (
	machineNames = []string{"box", "den"}
	peopleNames  = []string{"ana", "ben"}
	// The keys: of the machines, of the people, and the owner's.
	fleetKeys = sync.OnceValue(func() (list []keys.Key) {
		for n := range len(machineNames) + len(peopleNames) + 1 {
			k, err := keys.New(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{byte(n + 1)}, ed25519.SeedSize)))
			if err != nil {
				panic(err) // the seeds are good
			}
			list = append(list, k)
		}
		return list
	})
	zero time.Time
)

// dawn is when a world begins.
var dawn = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// roster is who is in the fleet, as the owner signed it.
type roster struct {
	members.Roster

	signed keys.Signed
}

func newFleet(tell bool) *fleet {
	f := &fleet{now: dawn, names: told.Names{Fleet: "team-abc123"}, tell: tell, streams: streams{events: map[string]*events{}}}
	for range peopleNames {
		f.roles = append(f.roles, members.Operator)
	}
	f.sign(rosterFor)
	for n := range machineNames {
		m := f.newMachine(n)
		f.machines = append(f.machines, m)
		first, err := keys.Encode(f.rosters[0].signed)
		if err == nil {
			first, err = keys.Encode(consoles.Membership{Roster: first})
		}
		if err == nil {
			err = m.KeepFleet(broker.TokenData{ID: f.names.Fleet, Kind: broker.FleetToken, Label: "team", Fleet: first})
		}
		if err != nil {
			f.fail("%s cannot join: %v", m.name, err)
		}
	}
	for n, name := range peopleNames {
		p := &person{f: f, name: name, key: fleetKeys()[len(machineNames)+n]}
		f.people = append(f.people, p)
		p.open()
	}
	return f
}

// close ends what is under way.
func (f *fleet) close() {
	for _, p := range f.people {
		p.kill()
	}
	for _, m := range f.machines {
		m.crashed()
	}
}

// newID is an id that nobody had before.
func (f *fleet) newID(kind string) string {
	f.ids++
	return fmt.Sprintf("%s-%d", kind, f.ids)
}

// fail notes the first broken promise.
func (f *fleet) fail(format string, args ...any) {
	if f.wrong == "" {
		f.wrong = fmt.Sprintf(format, args...)
		f.say("WRONG: " + f.wrong)
	}
}

// say adds a line to the story.
func (f *fleet) say(text string) {
	if f.tell {
		f.said = append(f.said, fmt.Sprintf("%6.1f s  %s", f.now.Sub(dawn).Seconds(), text))
	}
}

// sayf is say with a format.
func (f *fleet) sayf(format string, args ...any) {
	if f.tell {
		f.say(fmt.Sprintf(format, args...))
	}
}

const (
	rosterFor  = 14 * 24 * time.Hour
	rosterSoon = time.Minute // one that is over soon
)

// sign has the owner sign who is in the fleet now.
func (f *fleet) sign(until time.Duration) {
	all := fleetKeys()
	owner := all[len(all)-1]
	r := members.Roster{Fleet: f.names.Fleet, Name: "team", Number: uint64(len(f.rosters) + 1), At: f.now, Until: f.now.Add(until)}
	add := func(k keys.Key, name string, role members.Role) {
		r.Members = append(r.Members, members.Member{Public: k.Public(), Name: name, Role: role})
	}
	add(owner, "olga", members.Owner)
	for n, name := range machineNames {
		add(all[n], name, members.Machine)
	}
	for n, name := range peopleNames {
		if f.roles[n] != "" {
			add(all[len(machineNames)+n], name, f.roles[n])
		}
	}
	s, err := members.Begin(owner, r)
	if err != nil {
		f.fail("the owner cannot sign: %v", err)
	}
	f.rosters = append(f.rosters, roster{r, s})
}

// newest is the newest roster.
func (f *fleet) newest() int { return len(f.rosters) - 1 }

// wait lets time pass for everybody. Who is suspended finds out later.
func (f *fleet) wait(d time.Duration) {
	f.now = f.now.Add(d)
	for _, m := range f.machines {
		if m.asleep {
			m.missed += d
		} else {
			m.w.wait(d)
		}
	}
	f.streams.expire(f.now)
	for _, p := range f.people {
		p.impatient()
	}
}

// pulse is what everybody does all the time. The bits of n say what gets lost, and what is heard later.
func (f *fleet) pulse(n int) {
	f.wait(2 * time.Second)
	for _, m := range f.machines {
		if m.cut || !m.works() {
			continue
		}
		m.tell()
		b := heardAt{f.names.At(m.id, told.PlaceBeat), m.link.Beat()}
		for _, p := range f.people {
			how := n % 8
			n /= 8
			if p.cut || how == 0 {
				continue
			}
			if p.beats = append(p.beats, b); how > 1 {
				p.hearBeat(len(p.beats) - 1)
			}
		}
	}
	for _, p := range f.people {
		p.hear(n % 16 * 4)
		p.far.Look(p.ctx)
	}
}

// arrive has one of the orders that are on their way arrive, or get lost.
func (f *fleet) arrive(m Move) {
	if len(f.flying) == 0 {
		return
	}
	i := m.N % len(f.flying)
	x := f.flying[i]
	if x.to.asleep {
		return
	}
	back := func(answer []byte, err error) {
		if x.of != nil {
			x.from.over(x.of, answer, err)
		}
	}
	f.flying = slices.Delete(f.flying, i, i+1)
	how := m.Who % 8
	switch {
	case how == 0 || x.to.cut || x.of != nil && x.from.cut:
		f.sayf("an order of %s to %s is lost", x.from.name, x.to.name)
		back(nil, errLine)
		return
	case how == 1:
		f.sayf("%s waits no longer for %s", x.from.name, x.to.name)
		f.flying = append(f.flying, x)
		back(nil, errLine)
		return
	}
	f.sayf("an order of %s arrives at %s", x.from.name, x.to.name)
	answer, lived := x.to.take(x.raw, false)
	switch {
	case how == 2:
		f.say("the answer is lost")
		back(nil, errLine)
		return
	case how == 3:
		f.flying = append(f.flying, &letter{raw: x.raw, to: x.to, mark: x.mark, from: x.from}) // and once more
	case !lived || answer == nil:
		back(nil, errLine)
		return
	}
	back(answer, nil)
}

// fetch has a machine take the first of the orders that wait for it. One that the server does not hear
// of comes again.
func (f *fleet) fetch(m *machine, heard bool) {
	if m.cut || len(m.waiting) == 0 || !m.works() {
		return
	}
	x := m.waiting[0]
	f.sayf("%s fetches an order of %s that waited", m.name, x.from.name)
	if _, lived := m.take(x.raw, true); lived && heard {
		m.waiting = m.waiting[1:]
	}
}

// misuse has whoever carries orders hand over one that it kept: again, or to another machine.
func (f *fleet) misuse(m Move, other bool) {
	if len(f.sent) == 0 {
		return
	}
	x := f.sent[m.N%len(f.sent)]
	if len(f.left) > 0 && m.Who%8 < 4 { // those are for no run
		x = f.left[m.N%len(f.left)]
	}
	to, raw := x.to, x.raw
	if other {
		s, err := orders.Open(raw, f.names.Fleet, to.key)
		to = f.machines[(slices.Index(f.machines, to)+1)%len(f.machines)]
		if err == nil {
			raw, err = orders.Seal(s, f.names.Fleet, to.key.Public())
		}
		if err != nil {
			f.fail("an order cannot be read: %v", err)
		}
	}
	f.sayf("somebody hands an old order of %s to %s", x.from.name, to.name)
	to.checks.misused[x.mark] = true
	to.take(raw, m.Who%16 < 8)
}

// wake has a machine go on that was suspended.
func (m *machine) wake() {
	if m.asleep {
		m.asleep = false
		m.f.sayf("%s goes on", m.name)
		m.w.wait(m.missed)
		m.missed = 0
	}
}

// connect has the line of a machine be whole, and another one.
func (m *machine) connect() { m.cut, m.since = false, m.f.now.Add(time.Duration(m.f.ids)); m.f.ids++ }

// do makes a move: one of the fleet, or one at a machine.
func (f *fleet) do(mv Move) {
	m, p := f.machines[mv.Who%len(f.machines)], f.people[mv.Who%len(f.people)]
	rest := mv.Who / 2
	switch mv.Kind {
	case "wait":
		f.wait(time.Duration(mv.N%3000+1) * time.Millisecond)
	case "wait long":
		f.wait(time.Duration(mv.N%40+1) * time.Second)
	case "days pass":
		f.say("eight days pass")
		f.wait(8 * 24 * time.Hour)
	case "pulse":
		f.pulse(mv.N)
	case "carry out":
		if !m.cut {
			_, _ = m.carryOut() // it is tried again
		}
	case "tell":
		m.tell()
	case "hear":
		p.hear(mv.N%16 + 1)
	case "hear late":
		p.hearBeat(mv.N)
	case "point far":
		p.point(mv.N)
	case "allow far":
		p.decide(broker.Allow)
	case "deny far":
		p.decide(broker.Deny)
	case "order far":
		p.order(mv.N)
	case "order arrives":
		f.arrive(mv)
	case "fetch":
		f.fetch(m, mv.N%4 != 0)
	case "order again":
		f.misuse(mv, false)
	case "order to another":
		f.misuse(mv, true)
	default:
		f.trouble(mv, m, p, rest)
	}
	f.look()
}

// trouble makes the moves after which somebody is cut off, put out or gone.
func (f *fleet) trouble(mv Move, m *machine, p *person, rest int) {
	switch mv.Kind {
	case "roster":
		f.roles[mv.Who%len(f.roles)] = []members.Role{members.Operator, members.Guard, members.Watcher, "", members.Operator}[mv.N%5]
		f.sign([]time.Duration{rosterFor, rosterFor, rosterFor, rosterSoon}[rest%4])
		f.sayf("the owner signs roster %d: %s is %q in it", len(f.rosters), p.name, f.roles[mv.Who%len(f.roles)])
	case "roster arrives":
		n := f.newest()
		if mv.N%6 == 0 { // an old one
			n = mv.N / 6 % len(f.rosters)
		}
		m.roster(n)
	case "roster shown":
		p.follow()
	case "cut machine":
		f.sayf("the line of %s is cut", m.name)
		m.cut = true
	case "cut console":
		f.sayf("the line of %s is cut", p.name)
		p.cut = true
	case "whole again":
		m.connect()
		p.cut = false
	case "suspend":
		f.sayf("%s is suspended", m.name)
		m.asleep = true
	case "wake":
		m.wake()
	case "set clock":
		f.sayf("the clock of %s is set %d minutes off", m.name, mv.N%21-10)
		m.skew = time.Duration(mv.N%21-10) * time.Minute
	case "set clock there":
		f.sayf("the clock of %s is set %d minutes off", p.name, mv.N%21-10)
		p.skew = time.Duration(mv.N%21-10) * time.Minute
	case "line fails":
		m.faults = append(make([]lineFault, rest%4), lineFault(1+mv.N%int(crowded)))
	case "phone fails":
		p.faults = append(make([]lineFault, rest%3), []lineFault{lost, unheard}[mv.N%2], []lineFault{lost, unheard}[mv.N%2])
	case "lands":
		m.stored().land()
	case "server killed":
		f.sayf("the servers are killed, and lose the last %d", mv.N%4)
		f.streams.killed(mv.N % 4)
		for _, m := range f.machines {
			m.connect()
		}
	case "new leader":
		m.stored().late = nil
		m.connect()
	case "restart there":
		f.sayf("the console of %s is closed, and opened again", p.name)
		p.kill()
		p.open()
	default:
		if !m.asleep {
			m.w.do(Move{mv.Kind, rest, mv.N})
		}
	}
}

// follow has a console go by the newest roster.
func (p *person) follow() {
	p.roster = p.f.newest()
	p.far.SetRoster(p.f.rosters[p.roster].Roster)
}

// look notes what is wrong at a machine.
func (f *fleet) look() {
	for _, m := range f.machines {
		if m.w.wrong != "" && f.wrong == "" {
			f.wrong = m.name + ": " + m.w.wrong
		}
	}
}

// The moves of a fleet beside those at its machines.
var (
	fleetDays = []weighed{
		{"pulse", 40},
		{"hear", 14},
		{"tell", 10},
		{"carry out", 10},
		{"point far", 24},
		{"allow far", 16},
		{"deny far", 8},
		{"order far", 4},
		{"order arrives", 40},
		{"fetch", 8},
		{"roster arrives", 4},
		{"roster shown", 3},
		{"whole again", 3},
		{"wake", 4},
	}
	fleetHazards = []weighed{
		{"roster", 4},
		{"cut machine", 6},
		{"cut console", 3},
		{"suspend", 3},
		{"set clock", 3},
		{"set clock there", 2},
		{"line fails", 12},
		{"phone fails", 4},
		{"lands", 6},
		{"server killed", 2},
		{"new leader", 3},
		{"restart there", 2},
		{"order again", 8},
		{"order to another", 6},
		{"kill", 3},
		{"disk", 4},
		{"mend", 4},
		{"hear late", 8},
		{"days pass", 1},
	}
	// notHere are moves at a machine that would leave nothing to decide elsewhere.
	notHere = []string{"observe", "observe all"}
)

// drawFleet is a list of moves from a seed.
func drawFleet(seed uint64, n int) []Move {
	r := rand.New(rand.NewPCG(seed, 0xf1ee7)) //nolint:gosec // the same moves for the same seed are the point
	var bag []string
	put := func(list []weighed, one int) {
		for _, w := range list {
			if !slices.Contains(notHere, w.kind) && r.IntN(one) == 0 {
				bag = append(bag, slices.Repeat([]string{w.kind}, w.n)...)
			}
		}
	}
	put(everyday, 1)
	put(fleetDays, 1)
	put(fleetHazards, 2)
	put(hazards, 5)
	list := make([]Move, n)
	for i := range list {
		list[i] = Move{bag[r.IntN(len(bag))], r.IntN(1 << 16), r.IntN(1 << 16)}
	}
	return list
}
