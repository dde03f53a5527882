package board

import (
	"slices"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/fleet"
)

// LateFor is how long a call that ended without an answer stays in the list. The
// broker has the last word on whether allowing it still counts.
const LateFor = 5 * time.Minute

// RecentKept is how many decided calls the console keeps to draw when nothing waits.
const RecentKept = 100

// Board is what the console knows: a snapshot of the broker, kept up to date. It
// belongs to the goroutine of the screen. Other packages read its lists and change
// nothing of them but marks and what was seen of a card.
type Board struct {
	Cards    map[string]*Card
	Waiting  order // all calls that wait
	Late     order // all that ended without a person's answer, lately
	Filter   Filter
	Shown    order // those of waiting that pass the filter
	lateSeen order // those of late that pass the filter

	Sessions   map[string]*broker.Session
	Roster     []string          // ids of sessions in the order drawn
	labels     map[string]string // what a session is called on the screen
	Pending    map[string]int    // waiting calls by session
	held       int               // of those, how many a freeze holds
	unsorted   bool              // roster and labels are behind
	sums       *tally            // nil when a session has changed since
	sessionRev int               // counts the changes of sessions

	Marks  map[string]bool  // ids of the marked cards, all of them in shown
	Recent []broker.Request // newest decision first
	Health broker.Health
	Fleet  *fleet.Fleet // the machines that sessions are on; none at a broker's own console
}

// NewBoard is a board of nothing.
func NewBoard() *Board {
	b := &Board{Marks: map[string]bool{}, Fleet: new(fleet.Fleet)}
	b.Reset(broker.Snapshot{}, time.Time{})
	return b
}

// Reset replaces everything but the filter and what was decided before. What the
// operator has seen of a card that is still there stays known. It comes when the
// console begins, and whenever it fell behind the broker's updates.
func (b *Board) Reset(s broker.Snapshot, now time.Time) {
	before := b.Cards
	// Everything is taken in anew, in the order of the snapshot, and what was seen is
	// carried over.
	b.Cards = make(map[string]*Card, len(s.Requests))
	b.Waiting, b.Late, b.Shown, b.lateSeen = nil, nil, nil, nil
	b.Sessions = make(map[string]*broker.Session, len(s.Sessions))
	b.Pending, b.held = map[string]int{}, 0
	b.Health = s.Health
	b.Fleet.Reset(s.Machines)
	if b.Fleet.By(b.Filter.Machine) == nil {
		b.Filter.Machine = "" // it has left the fleet
	}
	for _, se := range s.Sessions {
		b.Sessions[se.ID] = &se
	}
	b.reroster()
	for _, r := range s.Requests {
		// A snapshot may lack the judgement of a call that has ended.
		b.Request(judgedAs(r, before[r.ID]), now)
		if old, c := before[r.ID], b.Cards[r.ID]; old != nil && c != nil && old.Key().SameCall(c.Key()) {
			c.takeOver(old)
		}
	}
	settled(b)
	for id := range b.Marks {
		// A mark holds only for the card as it was marked.
		if c := b.Cards[id]; c == nil || c.Key() != before[id].Key() || b.Shown.index(c) < 0 {
			delete(b.Marks, id)
		}
	}
}

// takeOver lets c, which a new snapshot brought, be the card that old was.
func (c *Card) takeOver(old *Card) {
	kept := *old
	kept.lateUntil, kept.haystack = c.lateUntil, ""
	kept.renew(c.Req)
	*c = kept
}

// Apply takes one change in and returns the card that began to wait through it, if
// any.
func (b *Board) Apply(u broker.Update, now time.Time) *Card {
	switch {
	case u.Request != nil:
		return b.Request(*u.Request, now)
	case u.Session != nil:
		b.session(*u.Session)
	case u.Health != nil:
		b.Health = *u.Health
	case u.Machine != nil:
		machineCame(b, *u.Machine)
	}
	return nil
}

// Request takes in the whole new value of a call. arrived is the card that a person
// should hear of: one that did not wait before, or another call under an old id.
func (b *Board) Request(r broker.Request, now time.Time) (arrived *Card) {
	old := b.Cards[r.ID]
	r = judgedAs(r, old)
	switch {
	case r.State == broker.Pending && old != nil && !old.Late() && old.Req.Digest == r.Digest:
		// The same call under the same id: what was seen of it may stay.
		b.renew(old, r)
		return nil
	case r.State == broker.Pending:
		// A call that came back with another digest is another call, and nothing seen
		// counts for it.
		b.Drop(old)
		b.supersede(r)
		c := &Card{Req: r}
		b.Cards[r.ID] = c
		b.count(c, 1)
		b.Waiting.insert(c)
		if b.passes(c) {
			b.Shown.insert(c)
		}
		if c.PutOff() {
			return nil // nobody waits for an answer now
		}
		return c
	}
	b.Drop(old)
	if r.Outcome == nil {
		return nil
	}
	b.Remember(r)
	b.keepLate(r, now)
	return nil
}

// judgedAs gives r the judgement of its card when it has none of its own: a dangerous
// call stays one when it has become late.
func judgedAs(r broker.Request, old *Card) broker.Request {
	if r.Assessment == nil && old != nil && old.Req.Digest == r.Digest {
		r.Assessment = old.Req.Assessment
	}
	return r
}

// renew takes in the new value of a call that still waits, and lists it where it
// belongs now. A mark holds for the call as it was marked. The card leaves the lists
// first, because they are sorted by what may change now.
func (b *Board) renew(c *Card, r broker.Request) {
	b.Waiting.remove(c)
	b.Shown.remove(c)
	rev := c.rev
	b.count(c, -1)
	c.renew(r)
	b.count(c, 1)
	if c.rev != rev {
		delete(b.Marks, r.ID)
	}
	b.Waiting.insert(c)
	if b.passes(c) {
		b.Shown.insert(c)
	}
}

// count counts c by its session, unless it is put off.
func (b *Board) count(c *Card, by int) {
	if c.PutOff() {
		return
	}
	if c.Held() {
		b.held += by
	}
	if b.Pending[c.Req.SessionID] += by; b.Pending[c.Req.SessionID] <= 0 {
		delete(b.Pending, c.Req.SessionID)
	}
}

// keepLate lists r as late when it ended without anybody's answer, and that is on
// record: before that nobody may allow it.
func (b *Board) keepLate(r broker.Request, now time.Time) {
	until := r.Outcome.At.Add(LateFor)
	if !r.Outcome.Unanswered() || !now.Before(until) || r.Unrecorded {
		return
	}
	c := &Card{Req: r, lateUntil: until.Unix()}
	b.Cards[r.ID] = c
	b.Late.insert(c)
	if b.passes(c) {
		b.lateSeen.insert(c)
	}
}

// supersede takes away the late card of the same call: its agent asks again.
func (b *Board) supersede(r broker.Request) {
	for _, c := range b.Late {
		if c.Req.SessionID == r.SessionID && c.Req.SubagentID == r.SubagentID && c.Req.Digest == r.Digest {
			b.Drop(c)
			return
		}
	}
}

// Drop forgets card c, which may be nil.
func (b *Board) Drop(c *Card) {
	if c == nil {
		return
	}
	delete(b.Cards, c.Req.ID)
	delete(b.Marks, c.Req.ID)
	if c.Late() {
		b.Late.remove(c)
		b.lateSeen.remove(c)
		return
	}
	b.count(c, -1)
	b.Waiting.remove(c)
	b.Shown.remove(c)
}

// ExpireLate drops the late cards whose time is over. The clock asks for it each
// second.
func (b *Board) ExpireLate(now time.Time) {
	for _, c := range slices.Clone(b.Late) {
		if now.Unix() >= c.lateUntil {
			b.Drop(c)
		}
	}
}

// Remember puts a decided call in front of the recent ones, by when it was decided,
// each call once.
func (b *Board) Remember(r broker.Request) {
	b.Recent = slices.DeleteFunc(b.Recent, func(old broker.Request) bool { return old.ID == r.ID })
	i, _ := slices.BinarySearchFunc(b.Recent, r, func(a, r broker.Request) int {
		return r.Outcome.At.Compare(a.Outcome.At) // newest first
	})
	b.Recent = slices.Insert(b.Recent, i, r)
	b.Recent = b.Recent[:min(len(b.Recent), RecentKept)]
}

// Rows is how many cards are listed.
func (b *Board) Rows() int { return len(b.Shown) + len(b.lateSeen) }

// Row is the card listed at place i: those that wait come first. i must be below Rows.
func (b *Board) Row(i int) *Card {
	if i < len(b.Shown) {
		return b.Shown[i]
	}
	return b.lateSeen[i-len(b.Shown)]
}

// Place is where c is listed, -1 when it is not.
func (b *Board) Place(c *Card) int {
	if c == nil {
		return -1
	}
	if !c.Late() {
		return b.Shown.index(c)
	}
	if i := b.lateSeen.index(c); i >= 0 {
		return len(b.Shown) + i
	}
	return -1
}

// Filter selects cards: all words must occur, and session and machine must be the ones given.
// The zero value lets everything pass.
type Filter struct {
	words     []string // lower case
	Text      string   // as typed
	SessionID string
	Machine   string // id
}

// Active reports whether f leaves out anything.
func (f Filter) Active() bool { return len(f.words) > 0 || f.SessionID != "" || f.Machine != "" }

// SetFilter lists only what passes f.
func (b *Board) SetFilter(f Filter) {
	f.words = strings.Fields(strings.ToLower(f.Text))
	b.Filter = f
	b.Shown, b.lateSeen = b.pass(b.Waiting), b.pass(b.Late)
	for id := range b.Marks { // what nobody sees is not decided along with the rest
		if b.Shown.index(b.Cards[id]) < 0 {
			delete(b.Marks, id)
		}
	}
}

// pass is what of a list passes the filter, in its order.
func (b *Board) pass(all order) order {
	var some order
	for _, c := range all {
		if b.passes(c) {
			some = append(some, c)
		}
	}
	return some
}

// MaxHaystack is how much of a call's input the filter looks at, in bytes.
const MaxHaystack = 16 << 10

// passes reports whether c has all words of the filter. What is looked in is made once
// for a card.
func (b *Board) passes(c *Card) bool {
	if b.Filter.SessionID != "" && c.Req.SessionID != b.Filter.SessionID {
		return false
	}
	if m := b.MachineOf(c); b.Filter.Machine != "" && (m == nil || m.ID != b.Filter.Machine) {
		return false
	}
	if len(b.Filter.words) == 0 {
		return true
	}
	if c.haystack == "" {
		input := c.Req.ToolInput[:min(len(c.Req.ToolInput), MaxHaystack)]
		c.haystack = strings.ToLower(strings.Join([]string{
			c.Req.ToolName, b.Label(c.Req.SessionID), c.Req.SubagentType, c.Req.Agent, c.Summary().Text, string(input),
		}, "\n"))
	}
	for _, w := range b.Filter.words {
		if !strings.Contains(c.haystack, w) {
			return false
		}
	}
	return true
}
