package sim

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/far"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/orders"
)

// person is somebody at a console of a fleet. It draws what it heard of, which may be a while ago, and what is
// ordered at it is under way for a while.
type person struct {
	f    *fleet
	name string
	key  keys.Key

	far     far.Steps
	ctx     context.Context //nolint:containedctx // it is the console's life
	end     context.CancelFunc
	cursor  uint64 // of the places, what was heard
	reading bool   // all that there is comes
	beats   []heardAt
	skew    time.Duration
	cut     bool
	faults  []lineFault
	roster  int // that it goes by

	at      card // under its cursor
	under   []*press
	current *press // the one that runs
}

// heardAt is a message that nobody keeps.
type heardAt struct {
	subject string
	body    []byte
}

// card is a call as it is drawn.
type card struct {
	id, session string
	machine     *machine
	there       string // the call's id on its machine
	digest      string
}

// press is a key that was pressed, while its order is under way. It is a coroutine: what package far
// does until it waits for an answer runs at once.
type press struct {
	what   string
	on     card
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	since  time.Time
	marks  []string // of the orders that it came to
	done   bool
	answer []byte
	err    error
}

// letter is an order that is on its way to a machine.
type letter struct {
	raw  []byte
	to   *machine
	mark string
	from *person
	of   *press // nil where nobody waits for the answer
}

// open begins a console.
func (p *person) open() {
	p.ctx, p.end = context.WithCancel(context.Background())
	p.far = far.NewSteps(far.Options{Key: p.key, Roster: p.f.rosters[p.roster].Roster, Line: phone{p: p}, Log: quiet}, func() time.Time { return p.f.now.Add(p.skew) }, func() {})
	p.at, p.beats = card{}, nil
	p.begin()
}

// kill ends it. What it sent may arrive.
func (p *person) kill() {
	p.end()
	for _, k := range p.under {
		k.stop()
	}
	p.under = nil
	for _, l := range p.f.flying {
		if l.from == p {
			l.of = nil
		}
	}
}

func (p *person) begin() {
	p.far.Begin()
	p.cursor, p.reading = 0, true
}

// hear takes in so many of the messages that are there.
func (p *person) hear(n int) {
	if p.cut {
		return
	}
	if p.far.Again() {
		p.begin()
	}
	for range n {
		k, ok := p.f.streams.after(p.cursor)
		if !ok {
			break
		}
		p.cursor = k.seq
		p.far.Hear(k.Subject, k.Body)
	}
	if _, more := p.f.streams.after(p.cursor); !more && p.reading {
		p.reading = false
		p.far.Begun()
	}
}

// hearBeat takes in one of the beats that are on their way, in any order.
func (p *person) hearBeat(n int) {
	if p.cut || len(p.beats) == 0 {
		return
	}
	b := p.beats[n%len(p.beats)]
	p.beats = slices.Delete(p.beats, n%len(p.beats), n%len(p.beats)+1)
	p.far.Hear(b.subject, b.body)
}

// point moves the cursor to one of the cards that are drawn.
func (p *person) point(n int) {
	list := p.far.Drawn().Requests
	if len(list) == 0 {
		return
	}
	r := list[n%len(list)]
	id, there, err := p.far.Call(r.ID)
	i := slices.IndexFunc(p.f.machines, func(m *machine) bool { return m.id == id })
	if err != nil || i < 0 {
		p.f.fail("%s draws %s, and it is on no machine: %v", p.name, r.ID, err)
		return
	}
	p.at = card{r.ID, r.SessionID, p.f.machines[i], there, r.Digest}
	p.f.sayf("%s looks at %s of %s (%q), drawn as %s", p.name, there, p.at.machine.name, command(commandOf(r)), r.State)
}

// actor is how machines call the person.
func (p *person) actor() broker.Actor {
	return broker.Actor{Kind: broker.ByOperator, ID: broker.FleetID(p.key.Public().ID(), p.name)}
}

// decide presses the key for the card under the cursor.
func (p *person) decide(v broker.Verdict) {
	c := p.at
	if c.machine == nil {
		return
	}
	c.machine.w.checks.pressed(look{c.there, c.digest, "files"}, v, p.actor())
	p.press(string(v)+" "+c.there, func(ctx context.Context) error {
		r, err := p.far.Decide(ctx, c.id, broker.Decision{Verdict: v, Digest: c.digest})
		if on := c.machine.w.disk.now.requests[c.there]; err == nil && (on.State != r.State || on.State == broker.Pending) {
			p.f.fail("%s is told that %s of %s is %s, and the disk has it as %q", p.name, c.there, c.machine.name, r.State, on.State)
		}
		return err
	})
}

// order has something else done, about the card under the cursor or its session.
func (p *person) order(n int) {
	c := p.at
	if c.machine == nil {
		return
	}
	switch n % 5 {
	case 0:
		p.press("stop", func(ctx context.Context) error { _, err := p.far.Stop(ctx, c.session, broker.Actor{}); return err })
	case 1:
		p.press("freeze", func(ctx context.Context) error { return p.far.Freeze(ctx, c.session, true, broker.Actor{}) })
	case 2:
		p.press("lift", func(ctx context.Context) error { return p.far.Freeze(ctx, c.session, false, broker.Actor{}) })
	case 3:
		p.press("more time", func(ctx context.Context) error { _, err := p.far.Extend(ctx, c.id, broker.Actor{}); return err })
	case 4:
		p.press("put off", func(ctx context.Context) error { _, err := p.far.Defer(ctx, c.id, broker.Actor{}); return err })
	}
}

// press begins to have something done.
func (p *person) press(what string, do func(ctx context.Context) error) {
	if len(p.under) > 3 { // nobody has more hands
		return
	}
	k := &press{what: what, on: p.at}
	p.f.sayf("%s presses the key: %s", p.name, what)
	k.resume, k.stop = iter.Pull(func(yield func(struct{}) bool) {
		k.yield = yield
		err := do(p.ctx)
		k.done = true
		p.told(k, err)
	})
	p.under = append(p.under, k)
	p.run(k)
}

// run goes on with a press until it waits or is done.
func (p *person) run(k *press) {
	was := p.current
	p.current = k
	k.resume()
	p.current = was
	if k.done {
		k.stop()
		p.under = slices.DeleteFunc(p.under, func(x *press) bool { return x == k })
	}
}

// told is what the screen says in the end.
func (p *person) told(k *press, err error) {
	var later *far.LaterError
	switch {
	case p.ctx.Err() != nil:
	case errors.As(err, &later):
		p.f.sayf("%s is told: %s, later", p.name, k.what)
	case err != nil:
		p.f.sayf("%s is told: not %s: %v", p.name, k.what, err)
	default:
		p.f.sayf("%s is told: %s, done", p.name, k.what)
		if !slices.ContainsFunc(k.marks, k.on.machine.checks.onRecord) {
			p.f.fail("%s is told that an order was carried out, and the log of %s has none", p.name, k.on.machine.name)
		}
	}
}

// over has a press go on with an answer, or with none.
func (p *person) over(k *press, answer []byte, err error) {
	for _, l := range p.f.flying {
		if l.of == k {
			l.of = nil
		}
	}
	k.answer, k.err = answer, err
	p.run(k)
}

// impatient ends the wait of those that have waited too long. What they sent may still arrive.
func (p *person) impatient() {
	for _, k := range slices.Clone(p.under) {
		if p.f.now.Sub(k.since) >= 10*time.Second {
			p.over(k, nil, context.DeadlineExceeded)
		}
	}
}

// phone is the line of a console.
type phone struct {
	far.Line // Watch is not used here

	p *person
}

func (l phone) machine(id string) *machine {
	i := slices.IndexFunc(l.p.f.machines, func(m *machine) bool { return m.id == id })
	return l.p.f.machines[i]
}

// Hello implements far.Line.
func (l phone) Hello(_ context.Context, id string, asked []byte) ([]byte, error) {
	m := l.machine(id)
	if f := next(&l.p.faults); l.p.cut || m.cut || f != works || !m.works() {
		return nil, errLine
	}
	return m.link.Hello(asked), nil
}

// Order implements far.Line. It waits until the world says what came of the order.
func (l phone) Order(ctx context.Context, id string, raw []byte) ([]byte, error) {
	k, m := l.p.current, l.machine(id)
	if ctx.Err() != nil || l.p.cut {
		return nil, errLine
	}
	x := &letter{raw: raw, to: m, mark: markOf(m, raw), from: l.p, of: k}
	k.marks, k.since = append(k.marks, x.mark), l.p.f.now
	l.p.f.flying, l.p.f.sent = append(l.p.f.flying, x), append(l.p.f.sent, x)
	if !k.yield(struct{}{}) {
		return nil, context.Canceled
	}
	return k.answer, k.err
}

// LeaveOrder implements far.Line.
func (l phone) LeaveOrder(_ context.Context, id, mark string, raw []byte) error {
	m, f := l.machine(id), next(&l.p.faults)
	if l.p.cut || f == lost {
		return errLine
	}
	if !slices.ContainsFunc(l.p.f.left, func(x *letter) bool { return x.mark == mark }) {
		x := &letter{raw: raw, to: m, mark: mark, from: l.p}
		l.p.f.left, l.p.f.sent = append(l.p.f.left, x), append(l.p.f.sent, x)
		m.waiting = append(m.waiting, x)
		l.p.f.sayf("an order of %s waits for %s", l.p.name, m.name)
	}
	if f != works {
		return errLine
	}
	return nil
}

// OrdersLeft implements far.Line.
func (l phone) OrdersLeft(_ context.Context, id string) (int, error) {
	if l.p.cut {
		return 0, errLine
	}
	return len(l.machine(id).waiting), nil
}

// markOf is the mark of an order for a machine.
func markOf(m *machine, raw []byte) string {
	s, err := orders.Open(raw, m.f.names.Fleet, m.key)
	if err != nil {
		return ""
	}
	return orders.Mark(s)
}
