package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// lateFor is how long a call that ended without an answer stays in the list. The
// broker has the last word on whether allowing it still counts.
const lateFor = 5 * time.Minute

// recentKept is how many decided calls the console keeps to draw when nothing waits.
const recentKept = 100

// board is what the console knows: a snapshot of the broker, kept up to date.
type board struct {
	cards    map[string]*card
	waiting  order // all calls that wait
	late     order // all that ended without a person's answer, lately
	filter   filter
	shown    order // those of waiting that pass the filter
	lateSeen order // those of late that pass the filter

	sessions map[string]*broker.Session
	roster   []string          // ids of sessions in the order drawn
	labels   map[string]string // what a session is called on the screen
	pending  map[string]int    // waiting calls by session
	unsorted bool              // roster and labels are behind

	marks  map[string]bool  // ids of the marked cards, all of them in shown
	recent []broker.Request // newest decision first
	health broker.Health
}

func newBoard() *board {
	b := &board{marks: map[string]bool{}}
	b.reset(broker.Snapshot{}, time.Time{})
	return b
}

// reset replaces everything but the filter and what was decided before. What the
// operator has seen of a card that is still there stays known.
func (b *board) reset(s broker.Snapshot, now time.Time) {
	before := b.cards
	b.cards = make(map[string]*card, len(s.Requests))
	b.waiting, b.late, b.shown, b.lateSeen = nil, nil, nil, nil
	b.sessions = make(map[string]*broker.Session, len(s.Sessions))
	b.pending = map[string]int{}
	b.health = s.Health
	for _, se := range s.Sessions {
		b.sessions[se.ID] = &se
	}
	b.reroster()
	for _, r := range s.Requests {
		b.request(judgedAs(r, before[r.ID]), now)
		if old, c := before[r.ID], b.cards[r.ID]; old != nil && c != nil && old.key().SameCall(c.key()) {
			c.takeOver(old)
		}
	}
	for id := range b.marks {
		if c := b.cards[id]; c == nil || c.key() != before[id].key() || b.shown.index(c) < 0 {
			delete(b.marks, id)
		}
	}
}

// takeOver lets c, which a new snapshot brought, be the card that old was.
func (c *card) takeOver(old *card) {
	kept := *old
	kept.lateUntil, kept.haystack = c.lateUntil, ""
	kept.renew(c.req)
	*c = kept
}

// apply takes one change in and returns the card that began to wait through it, if any.
func (b *board) apply(u broker.Update, now time.Time) *card {
	switch {
	case u.Request != nil:
		return b.request(*u.Request, now)
	case u.Session != nil:
		b.session(*u.Session)
	case u.Health != nil:
		b.health = *u.Health
	}
	return nil
}

// request takes in the whole new value of a call.
func (b *board) request(r broker.Request, now time.Time) (arrived *card) {
	old := b.cards[r.ID]
	r = judgedAs(r, old)
	switch {
	case r.State == broker.Pending && old != nil && !old.late() && old.req.Digest == r.Digest:
		b.renew(old, r)
		return nil
	case r.State == broker.Pending:
		b.drop(old)
		b.supersede(r)
		c := &card{req: r}
		b.cards[r.ID] = c
		b.count(c, 1)
		b.waiting.insert(c)
		if b.passes(c) {
			b.shown.insert(c)
		}
		if c.putOff() {
			return nil // nobody waits for an answer now
		}
		return c
	}
	b.drop(old)
	if r.Outcome == nil {
		return nil
	}
	b.remember(r)
	b.keepLate(r, now)
	return nil
}

// judgedAs gives r the judgement of its card when it has none of its own: a dangerous
// call stays one when it has become late.
func judgedAs(r broker.Request, old *card) broker.Request {
	if r.Assessment == nil && old != nil && old.req.Digest == r.Digest {
		r.Assessment = old.req.Assessment
	}
	return r
}

// renew takes in the new value of a call that still waits, and lists it where it
// belongs now. A mark holds for the call as it was marked.
func (b *board) renew(c *card, r broker.Request) {
	b.waiting.remove(c)
	b.shown.remove(c)
	rev := c.rev
	b.count(c, -1)
	c.renew(r)
	b.count(c, 1)
	if c.rev != rev {
		delete(b.marks, r.ID)
	}
	b.waiting.insert(c)
	if b.passes(c) {
		b.shown.insert(c)
	}
}

// count counts c by its session, unless it is put off.
func (b *board) count(c *card, by int) {
	if c.putOff() {
		return
	}
	if b.pending[c.req.SessionID] += by; b.pending[c.req.SessionID] <= 0 {
		delete(b.pending, c.req.SessionID)
	}
}

// keepLate lists r as late when it ended without anybody's answer.
func (b *board) keepLate(r broker.Request, now time.Time) {
	until := r.Outcome.At.Add(lateFor)
	if r.State != broker.Expired && r.State != broker.Cancelled || !now.Before(until) || r.Outcome.Withdrawn() {
		return
	}
	c := &card{req: r, lateUntil: until.Unix()}
	b.cards[r.ID] = c
	b.late.insert(c)
	if b.passes(c) {
		b.lateSeen.insert(c)
	}
}

// supersede takes away the late card of the same call: its agent asks again.
func (b *board) supersede(r broker.Request) {
	for _, c := range b.late {
		if c.req.SessionID == r.SessionID && c.req.SubagentID == r.SubagentID && c.req.Digest == r.Digest {
			b.drop(c)
			return
		}
	}
}

// drop forgets card c, which may be nil.
func (b *board) drop(c *card) {
	if c == nil {
		return
	}
	delete(b.cards, c.req.ID)
	delete(b.marks, c.req.ID)
	if c.late() {
		b.late.remove(c)
		b.lateSeen.remove(c)
		return
	}
	b.count(c, -1)
	b.waiting.remove(c)
	b.shown.remove(c)
}

// expireLate drops the late cards whose time is over.
func (b *board) expireLate(now time.Time) {
	for _, c := range slices.Clone(b.late) {
		if now.Unix() >= c.lateUntil {
			b.drop(c)
		}
	}
}

// remember puts a decided call in front of the recent ones.
func (b *board) remember(r broker.Request) {
	b.recent = slices.DeleteFunc(b.recent, func(old broker.Request) bool { return old.ID == r.ID })
	i, _ := slices.BinarySearchFunc(b.recent, r, func(a, r broker.Request) int {
		return r.Outcome.At.Compare(a.Outcome.At) // newest first
	})
	b.recent = slices.Insert(b.recent, i, r)
	b.recent = b.recent[:min(len(b.recent), recentKept)]
}

// rows is how many cards are listed.
func (b *board) rows() int { return len(b.shown) + len(b.lateSeen) }

// row is the card listed at place i: those that wait come first.
func (b *board) row(i int) *card {
	if i < len(b.shown) {
		return b.shown[i]
	}
	return b.lateSeen[i-len(b.shown)]
}

// place is where c is listed, -1 when it is not.
func (b *board) place(c *card) int {
	if c == nil {
		return -1
	}
	if !c.late() {
		return b.shown.index(c)
	}
	if i := b.lateSeen.index(c); i >= 0 {
		return len(b.shown) + i
	}
	return -1
}

// filter selects cards: all words must occur, and the session must be the one given.
type filter struct {
	words     []string // lower case
	text      string   // as typed
	sessionID string
}

func (f filter) active() bool { return len(f.words) > 0 || f.sessionID != "" }

// setFilter lists only what passes f.
func (b *board) setFilter(f filter) {
	f.words = strings.Fields(strings.ToLower(f.text))
	b.filter = f
	b.shown, b.lateSeen = b.pass(b.waiting), b.pass(b.late)
	for id := range b.marks { // what nobody sees is not decided along with the rest
		if b.shown.index(b.cards[id]) < 0 {
			delete(b.marks, id)
		}
	}
}

func (b *board) pass(all order) order {
	var some order
	for _, c := range all {
		if b.passes(c) {
			some = append(some, c)
		}
	}
	return some
}

// maxHaystack is how much of a call's input the filter looks at, in bytes.
const maxHaystack = 16 << 10

func (b *board) passes(c *card) bool {
	if b.filter.sessionID != "" && c.req.SessionID != b.filter.sessionID {
		return false
	}
	if len(b.filter.words) == 0 {
		return true
	}
	if c.haystack == "" {
		input := c.req.ToolInput[:min(len(c.req.ToolInput), maxHaystack)]
		c.haystack = strings.ToLower(strings.Join([]string{
			c.req.ToolName, b.label(c.req.SessionID), c.req.SubagentType, c.req.Agent, c.summary().Text, string(input),
		}, "\n"))
	}
	for _, w := range b.filter.words {
		if !strings.Contains(c.haystack, w) {
			return false
		}
	}
	return true
}
