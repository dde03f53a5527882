package far

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/fleet/keys"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/fleet/told"
)

// Line is the way to the fleet's servers.
type Line interface {
	// Watch has hear take in all states and keys that there are, calls begun, and has hear take in
	// what comes from then on, beats too, until ctx ends.
	Watch(ctx context.Context, hear func(subject string, body []byte), begun func()) error
	// Hello asks a machine whether it is there.
	Hello(ctx context.Context, machine string, asked []byte) ([]byte, error)
	// Order brings an order to a machine and returns its answer.
	Order(ctx context.Context, machine string, raw []byte) ([]byte, error)
	// LeaveOrder leaves an order for a machine that is out of reach, once for each id.
	LeaveOrder(ctx context.Context, machine, id string, raw []byte) error
	// OrdersLeft is how many orders wait for a machine.
	OrdersLeft(ctx context.Context, machine string) (int, error)
}

// Options are what a Broker needs. All of it must be there.
type Options struct {
	Key    keys.Key // the person's
	Roster members.Roster
	Line   Line
	Log    *slog.Logger
	Out    func() string // why no server of the fleet is in reach, "" when one is; nil: it is not drawn
}

// Broker is all machines of a fleet. Run has it work. Several goroutines may use it.
type Broker struct {
	*fleet
	callDesk
	sessionDesk
	ruleDesk
	figureDesk
	placeDesk
}

var (
	_ consoles.Broker = (*Broker)(nil)
	_ consoles.Place  = (*Broker)(nil)
)

// New makes the broker of a fleet.
func New(o Options) *Broker {
	f := &fleet{
		o: o, now: now, pause: pause, names: told.Names{Fleet: o.Roster.Fleet}, peers: map[string]*peer{}, watchers: map[*watcher]struct{}{},
		ready: make(chan struct{}), again: make(chan struct{}, 1),
	}
	f.up = sync.OnceFunc(func() { close(f.ready) })
	f.here = naming{newIDs(), newIDs(), newIDs(), f.live}
	f.SetRoster(o.Roster)
	return &Broker{f, callDesk{f}, sessionDesk{f}, ruleDesk{f}, figureDesk{f}, placeDesk{f}}
}

// fleet is what the parts of a Broker share.
type fleet struct {
	o     Options
	now   func() time.Time
	pause func(ctx context.Context, d time.Duration)
	names told.Names
	ready chan struct{} // closed when there is something to draw
	up    func()        // closes it
	again chan struct{} // all is to be read anew

	mu       sync.Mutex
	roster   members.Roster
	peers    map[string]*peer // by the machine's id
	watchers map[*watcher]struct{}
	number   uint64        // of the last order
	health   broker.Health // as it was told last
	rules    broker.RuleBook
	readAt   time.Time // when all was read last
	strange  int       // messages of machines that are not in the roster

	here naming
}

// peer is a machine of the fleet.
type peer struct {
	member  members.Member
	mirror  *Mirror
	health  *broker.Health
	rules   *broker.RuleBook
	asking  chan struct{} // closed when the question that is under way was answered, or was not
	counted time.Time     // when its waiting orders were counted
}

// watcher is a screen that draws what there is.
type watcher struct{ updates chan broker.Update }

const (
	// watcherKept is how many updates wait for a watcher, which has to watch anew after that.
	watcherKept = 4096
	// readyAfter is how long a first snapshot waits for machines to say that they are there.
	readyAfter = 5 * time.Second
	tickEvery  = time.Second
	// againEvery is how often all is read anew at most.
	againEvery = time.Minute
	// anewAfter is how long what was read is drawn before all is read anew because somebody joined.
	anewAfter = 2 * time.Second
	// retryAfter is the pause before something is tried again.
	retryAfter = 500 * time.Millisecond
)

// now is the time as clocks on walls have it: a computer that sleeps gets older, too.
func now() time.Time { return time.Now().Round(0) }

// Run keeps the mirrors up until ctx ends.
func (f *fleet) Run(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	first := time.AfterFunc(readyAfter, f.up)
	defer first.Stop()
	work.Go(func() { f.tick(ctx, &work) })
	for ctx.Err() == nil {
		f.read(ctx, &work)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.redraw()
}

// read follows what machines tell until ctx ends, the line breaks, or all is to be read anew.
func (f *fleet) read(ctx context.Context, work *sync.WaitGroup) {
	reading, end := context.WithCancel(ctx)
	defer end()
	f.begin()
	stop, all := make(chan struct{}), make(chan struct{})
	work.Go(func() {
		defer close(stop)
		// Whoever joins has all be read anew, and many may: each reading comes to its end.
		select {
		case <-all:
			f.pause(reading, anewAfter)
		case <-reading.Done():
		}
		select {
		case <-f.again:
			end()
		case <-reading.Done():
		}
	})
	done := sync.OnceFunc(func() { close(all) })
	err := f.o.Line.Watch(reading, f.hear, func() {
		done()
		f.begun()
		work.Go(func() { f.greet(ctx) })
	})
	end()
	<-stop
	if err != nil && !errors.Is(err, context.Canceled) {
		f.o.Log.Warn("the fleet cannot be watched", "err", err)
	}
	f.pause(ctx, retryAfter)
}

// begin notes that all that there is comes anew.
func (f *fleet) begin() {
	select {
	case <-f.again: // that is done now
	default:
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readAt = f.now()
	for _, p := range f.peers {
		p.mirror.Again(f.readAt)
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// begun notes that all that there was has come.
func (f *fleet) begun() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.peers {
		f.publish(p, p.mirror.Begun(f.now()))
	}
}

// greet asks all machines which their present run is.
func (f *fleet) greet(ctx context.Context) {
	var all sync.WaitGroup
	for _, id := range f.machines(func(*peer) bool { return true }) {
		all.Go(func() { f.hello(ctx, id) })
	}
	all.Wait()
	f.up()
}

// machines are the ids of those that are as wanted, by name. Whoever calls it does not hold f.mu.
func (f *fleet) machines(want func(*peer) bool) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []*peer
	for _, p := range f.peers {
		if want(p) {
			list = append(list, p)
		}
	}
	sortPeers(list)
	found := make([]string, 0, len(list))
	for _, p := range list {
		found = append(found, p.member.ID())
	}
	return found
}

func sortPeers(list []*peer) {
	slices.SortFunc(list, func(x, y *peer) int {
		return cmp.Or(cmp.Compare(x.member.Name, y.member.Name), slices.Compare(x.member.Sign, y.member.Sign))
	})
}

// hear takes in what stands at a subject.
func (f *fleet) hear(subject string, body []byte) {
	id, _, _ := f.names.Split(subject)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.peers[id]
	if p == nil {
		f.strange++
		return
	}
	f.publish(p, p.mirror.Hear(subject, body, f.now()))
}

// hello asks a machine which its present run is, and reports whether it said so. Where it is being
// asked already, that answer counts.
func (f *fleet) hello(ctx context.Context, id string) bool {
	f.mu.Lock()
	p := f.peers[id]
	if p == nil {
		f.mu.Unlock()
		return false
	}
	if under := p.asking; under != nil {
		f.mu.Unlock()
		select {
		case <-under:
		case <-ctx.Done():
		}
		_, boot, _, err := f.present(id)
		return err == nil && boot != ""
	}
	done := make(chan struct{})
	p.asking = done
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // it never fails
	p.mirror.Ask(nonce, f.now())
	f.mu.Unlock()

	asking, end := context.WithTimeout(ctx, answerWithin)
	body, err := f.o.Line.Hello(asking, id, nonce)
	end()

	f.mu.Lock()
	defer f.mu.Unlock()
	p.asking = nil
	close(done)
	if err != nil {
		return false
	}
	updates, err := p.mirror.Answer(body, f.now())
	f.publish(p, updates)
	return err == nil
}

// tick looks once a second what has become old, and what is to be asked.
func (f *fleet) tick(ctx context.Context, work *sync.WaitGroup) {
	every := time.NewTicker(tickEvery)
	defer every.Stop()
	for {
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
		for _, ask := range f.look(ctx) {
			work.Go(ask)
		}
	}
}

// look looks what has become old, and returns what is to be asked.
func (f *fleet) look(ctx context.Context) (asks []func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h := f.o.health(f.all()); h.Servers != f.health.Servers {
		f.health = h
		f.send(broker.Update{Health: &h})
	}
	for _, p := range f.all() {
		id, at := p.member.ID(), f.now()
		f.publish(p, p.mirror.Tick(at))
		hello, again := p.mirror.Wants(at)
		if hello && p.asking == nil {
			asks = append(asks, func() { f.hello(ctx, id) })
		}
		if again && since(at, f.readAt) > againEvery {
			f.readAnew()
		}
		if out := p.mirror.Machine(at).Reach == broker.ReachOut || p.mirror.waiting > 0; out && since(at, p.counted) > askEvery {
			p.counted = at
			asks = append(asks, func() { f.count(ctx, id) })
		}
	}
	return asks
}

// readAnew has all be read anew.
func (f *fleet) readAnew() {
	select {
	case f.again <- struct{}{}:
	default:
	}
}

// count counts the orders that wait for a machine.
func (f *fleet) count(ctx context.Context, id string) {
	counting, end := context.WithTimeout(ctx, answerWithin)
	defer end()
	n, err := f.o.Line.OrdersLeft(counting, id)
	if err != nil {
		return // it is counted again
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.peers[id]; p != nil {
		f.publish(p, p.mirror.Waiting(n, f.now()))
	}
}

// SetRoster has the fleet be who is in r: its machines are drawn, and no others.
func (f *fleet) SetRoster(r members.Roster) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.roster = r
	in := map[string]bool{}
	for _, m := range r.Members {
		if m.Role != members.Machine {
			continue
		}
		id := m.ID()
		in[id] = true
		if p := f.peers[id]; p != nil {
			p.member = m
			p.mirror.machine = m
			continue
		}
		f.peers[id] = &peer{member: m, mirror: NewMirror(f.o.Key, f.names, m)}
		f.readAnew() // what it told before was not for anybody
		f.redraw()
	}
	for id, p := range f.peers {
		if !in[id] {
			gone := p.mirror.Machine(f.now())
			gone.Gone = true
			f.send(broker.Update{Machine: &gone})
			delete(f.peers, id)
			f.redraw()
		}
	}
}

// Watch returns all that is drawn of the fleet, and what changes from then on. It waits until the
// machines have said that they are there, but not for those that do not.
func (f *fleet) Watch(ctx context.Context) (broker.Snapshot, <-chan broker.Update) {
	w := &watcher{make(chan broker.Update, watcherKept)}
	select {
	case <-f.ready:
	case <-ctx.Done():
		close(w.updates)
		return broker.Snapshot{}, w.updates
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watchers[w] = struct{}{}
	context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.drop(w)
	})
	return f.snapshot(), w.updates
}

func (f *fleet) drop(w *watcher) {
	if _, ok := f.watchers[w]; ok {
		delete(f.watchers, w)
		close(w.updates)
	}
}

// redraw has all watchers ask for a new snapshot.
func (f *fleet) redraw() {
	for w := range f.watchers {
		f.drop(w)
	}
}

// snapshot is all that is drawn.
func (f *fleet) snapshot() (s broker.Snapshot) {
	at := f.now()
	var list []*peer
	for _, p := range f.peers {
		list = append(list, p)
	}
	sortPeers(list)
	for _, p := range list {
		m := p.mirror.Machine(at)
		s.Machines = append(s.Machines, m)
		p.health, p.rules = nil, nil
		for u := range p.mirror.All() {
			switch u = f.here.drawn(m, u); {
			case u.Session != nil:
				s.Sessions = append(s.Sessions, *u.Session)
			case u.Request != nil:
				s.Requests = append(s.Requests, *u.Request)
			case u.Health != nil:
				p.health = u.Health
			case u.Rules != nil:
				p.rules = u.Rules
			}
		}
	}
	f.health, f.rules = f.o.health(list), mergeRules(list)
	s.Health, s.Rules = f.health, f.rules
	return s
}

// publish tells watchers what is otherwise on a machine.
func (f *fleet) publish(p *peer, updates []broker.Update) {
	if p.mirror.Anew() {
		f.redraw()
		return
	}
	if len(updates) == 0 {
		return
	}
	m := p.mirror.Machine(f.now())
	for _, u := range updates {
		switch u = f.here.drawn(m, u); {
		case u.Health != nil:
			p.health = u.Health
			u.Health = new(f.o.health(f.all()))
			if reflect.DeepEqual(*u.Health, f.health) {
				continue
			}
			f.health = *u.Health
		case u.Rules != nil:
			p.rules = u.Rules
			u.Rules = new(mergeRules(f.all()))
			if reflect.DeepEqual(*u.Rules, f.rules) {
				continue
			}
			f.rules = *u.Rules
		}
		f.send(u)
	}
}

func (f *fleet) all() []*peer {
	list := make([]*peer, 0, len(f.peers))
	for _, p := range f.peers {
		list = append(list, p)
	}
	sortPeers(list)
	return list
}

// send tells all watchers. One that has fallen behind watches anew.
func (f *fleet) send(u broker.Update) {
	for w := range f.watchers {
		select {
		case w.updates <- u:
		default:
			f.drop(w)
		}
	}
}

// live are all calls and sessions that are drawn.
func (f *fleet) live() map[at]bool {
	all := map[at]bool{}
	for id, p := range f.peers {
		for u := range p.mirror.All() {
			switch {
			case u.Session != nil:
				all[at{id, u.Session.ID}] = true
			case u.Request != nil:
				all[at{id, u.Request.ID}], all[at{id, u.Request.SessionID}] = true, true
			}
		}
	}
	return all
}
