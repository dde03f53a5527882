package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
)

// console is a screen in another process. It draws what it was told of, which may be a while ago,
// and what is ordered at it is under way for a while. Whoever leaves it lying draws nothing, as
// one that is suspended.
type console struct {
	w        *world
	by       broker.Actor
	updates  <-chan broker.Update // nil while it is not connected
	cards    map[string]broker.Request
	sessions map[string]broker.Session
	health   broker.Health
	at       look     // the card under its cursor
	sent     []func() // orders that have not arrived yet
}

// screens is how many may be there beside the broker's own screen.
const screens = 3

// visits are the moves of consoles, and those that only a world with several screens has.
var visits = []weighed{
	{"draw", 12},
	{"point", 10},
	{"allow there", 8},
	{"deny there", 3},
	{"leave it there", 5},
	{"order there", 3},
	{"arrive", 16},
	{"kill the console", 1},
	{"other flags", 1},
}

// late are the things that an operator may choose for calls that nobody answers.
var late = []broker.Verdict{broker.Ask, broker.Deny, broker.Defer}

// visited is list with the moves of consoles in between, in half of the seeds. They come from a
// stream of their own, so the moves of list stay those of its seed.
func visited(seed uint64, list []Move) []Move {
	r := rand.New(rand.NewPCG(seed, 0xc0de)) //nolint:gosec // the same moves for the same seed are the point
	if r.IntN(2) == 0 {
		return list
	}
	var bag []string
	for _, v := range visits {
		bag = append(bag, slices.Repeat([]string{v.kind}, v.n)...)
	}
	var all []Move
	for _, m := range list {
		for r.IntN(5) < 2 {
			all = append(all, Move{bag[r.IntN(len(bag))], r.IntN(1 << 16), r.IntN(1 << 16)})
		}
		all = append(all, m)
	}
	return all
}

// visit makes a move of a console.
func (w *world) visit(m Move) {
	c := w.consoles[m.Who%screens]
	if c == nil {
		c = &console{w: w, by: broker.Actor{Kind: broker.ByOperator, ID: broker.ConsoleID("key", fmt.Sprint("console ", m.Who%screens))}}
		w.consoles[m.Who%screens] = c
	}
	switch m.Kind {
	case "draw":
		c.draw(m.N % 16)
	case "point":
		c.point(m.N)
	case "allow there":
		c.decide(broker.Allow)
	case "deny there":
		c.decide(broker.Deny)
	case "leave it there":
		c.decide(broker.Ask)
	case "order there":
		c.order(m.N)
	case "arrive":
		c.arrive()
	// What it sent before may have left its process, or not.
	case "kill the console":
		w.sayf("%s is killed; of its %d orders %d are on their way", c.name(), len(c.sent), m.N%(len(c.sent)+1))
		c.sent = c.sent[:m.N%(len(c.sent)+1)]
		for len(c.sent) > 0 {
			c.arrive()
		}
		c.cutOff()
		c.at = look{}
	case "other flags":
		w.onTimeout = late[m.N%len(late)]
		w.sayf("the broker is killed, and starts again with --on-timeout %s", w.onTimeout)
		w.queued, w.then = nil, nil
		w.crash()
	}
}

func (c *console) name() string { return c.by.You() }

// draw takes in what came, all but so many updates. It connects when it is not.
func (c *console) draw(left int) {
	if c.updates == nil {
		c.connect()
	}
	for len(c.updates) > left {
		c.apply(<-c.updates)
	}
	if left == 0 {
		c.compare()
	}
}

// connect begins anew with everything that there is.
func (c *console) connect() {
	_, c.updates = c.w.loop.Watch(context.Background()) // the world's end is its end
	// The snapshot of Watch has the clock of this machine; the world has its own.
	snap := c.w.loop.View().Snapshot(c.w.now)
	c.cards, c.sessions, c.health = map[string]broker.Request{}, map[string]broker.Session{}, snap.Health
	for _, r := range snap.Requests {
		c.cards[r.ID] = r
	}
	for _, s := range snap.Sessions {
		c.sessions[s.ID] = s
	}
}

// apply takes in one update. The broker hangs up on nobody here: it never has to forget a session.
func (c *console) apply(u broker.Update) {
	switch {
	case u.Request != nil:
		c.cards[u.Request.ID] = *u.Request
	case u.Session != nil:
		c.sessions[u.Session.ID] = *u.Session
	case u.Health != nil:
		c.health = *u.Health
	}
}

// compare checks that a screen that drew everything shows what there is.
func (c *console) compare() {
	snap := c.w.loop.View().Snapshot(c.w.now)
	waits := map[string]bool{}
	for _, r := range snap.Requests {
		if waits[r.ID] = r.State == broker.Pending; waits[r.ID] && !reflect.DeepEqual(r, c.cards[r.ID]) {
			c.w.fail("%s draws %+v, and there is %+v", c.name(), c.cards[r.ID], r)
		}
	}
	for _, id := range sortedKeys(c.cards) {
		if c.cards[id].State == broker.Pending && !waits[id] {
			c.w.fail("%s draws %s as waiting, and it does not", c.name(), id)
		}
	}
	for _, s := range snap.Sessions {
		if !reflect.DeepEqual(s, c.sessions[s.ID]) {
			c.w.fail("%s draws %+v, and there is %+v", c.name(), c.sessions[s.ID], s)
		}
	}
	if !reflect.DeepEqual(snap.Health, c.health) {
		c.w.fail("%s draws %+v, and there is %+v", c.name(), c.health, snap.Health)
	}
}

// point moves the cursor to another of the cards that are drawn, those that ended included: one
// that is late may still be allowed.
func (c *console) point(n int) {
	if ids := sortedKeys(c.cards); len(ids) > 0 {
		r := c.cards[ids[n%len(ids)]]
		// The broker looks at the files itself when the order arrives; here they never change.
		c.at = look{r.ID, r.Digest, "files"}
		c.w.sayf("%s looks at %s (%q in %s), drawn as %s", c.name(), r.ID, command(commandOf(r)), r.SessionID, r.State)
	}
}

// decide sends what the key says of the card under the cursor.
func (c *console) decide(v broker.Verdict) {
	l := c.at
	if l.id == "" {
		return
	}
	c.w.sayf("%s presses the key: %s %s", c.name(), v, l.id)
	c.send(func() { c.w.decide(l, v, c.by) })
}

// order sends another order, about the card under the cursor or its session.
func (c *console) order(n int) {
	l := c.at
	if l.id == "" {
		return
	}
	session := c.cards[l.id].SessionID
	var in engine.Input
	var then func(engine.Reply)
	switch n % 5 {
	case 0:
		in = engine.Stop{SessionID: session, By: c.by}
	case 1:
		in = engine.SetFreeze{SessionID: session, On: true, By: c.by}
	case 2:
		in = engine.SetFreeze{SessionID: session, By: c.by}
		then = c.w.lifted
	case 3:
		in = engine.Extend{ID: l.id, By: c.by}
	case 4:
		in = engine.PutOff{ID: l.id, By: c.by}
	}
	c.w.sayf("%s orders: %s, at %s in %s", c.name(), nameOf(in), l.id, session)
	c.send(func() { c.w.send(in, then) })
}

// send puts an order on its way. A console that is not connected has no way.
func (c *console) send(order func()) {
	if c.updates != nil {
		c.sent = append(c.sent, order)
	}
}

// arrive lets the oldest order that is under way reach the broker.
func (c *console) arrive() {
	if len(c.sent) > 0 {
		order := c.sent[0]
		c.sent = c.sent[1:]
		c.w.sayf("an order of %s arrives", c.name())
		order()
	}
}

// cutOff is the connection lost, with what was under way. What is drawn stays, and no key counts.
func (c *console) cutOff() { c.updates, c.sent = nil, nil }
