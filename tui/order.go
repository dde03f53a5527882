package tui

import (
	"cmp"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/guard"

	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/tui/callview"

	"github.com/aoctl/aoctl/broker/agents"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
)

// order is a list of cards, worst risk first, then oldest first. Finding a place takes
// a binary search, so an arrival among ten thousand waiting calls costs microseconds.
// A card's risk may change only while it is in no list.
type order []*card

// compareCards sorts by risk, then by age, and by id where two calls came in the same
// moment. What is put off comes last.
func compareCards(a, b *card) int {
	if a.putOff() != b.putOff() {
		if b.putOff() {
			return -1
		}
		return 1
	}
	if c := cmp.Compare(b.class(), a.class()); c != 0 {
		return c
	}
	if c := a.req.CreatedAt.Compare(b.req.CreatedAt); c != 0 {
		return c
	}
	return strings.Compare(a.req.ID, b.req.ID)
}

func (o order) find(c *card) (int, bool) { return slices.BinarySearchFunc(o, c, compareCards) }

// dangerous is how many cards of the list are, short of those that are put off: they come
// first.
func (o order) dangerous() int {
	return sort.Search(len(o), func(i int) bool { return !o[i].dangerous() || o[i].putOff() })
}

// index is c's place, -1 when it is not in the list.
func (o order) index(c *card) int {
	if i, ok := o.find(c); ok {
		return i
	}
	return -1
}

func (o *order) insert(c *card) {
	if i, ok := o.find(c); !ok {
		*o = slices.Insert(*o, i, c)
	}
}

func (o *order) remove(c *card) {
	if i, ok := o.find(c); ok {
		*o = slices.Delete(*o, i, i+1)
	}
}

// card is one call as the console keeps it.
type card struct {
	req       broker.Request
	lateUntil int64 // Unix time in seconds; 0 while the call waits

	sending  broker.Verdict // the verdict that is on its way to the broker, empty when none is
	seenEnd  bool           // the call's last line has been on the screen
	seenRow  bool           // the whole call has been on the screen as a row of the queue
	changed  bool           // a file of the call changed while it waited
	reminded bool           // the half-time bell has rung
	rev      int            // counts what has changed about the call since it came
	code     string         // what allows a dangerous call, made when it is first drawn

	files    map[string]change.File // what the call would change, or a plan's file, by path; nil until it is first drawn
	sections []change.Section       // the call compared with them, nil when it changes no files
	rest     []wire.Field           // of its input: what sections do not show
	reading  *reading               // the call taken apart, until its files were read
	ask      *callview.Answering    // a question's form, nil when it is none

	sum      callview.Summary // computed when first needed
	kind     string           // what the call is alike to, computed when first needed
	haystack string           // lower-case text for the filter, computed when first needed
}

func (c *card) late() bool { return c.lateUntil != 0 }

// key names c as it is drawn now: a call that has become late, or of which something
// has changed, is another card to decide about.
func (c *card) key() guard.Drawn {
	return guard.Drawn{ID: c.req.ID, Digest: c.req.Digest, Late: c.late(), Rev: c.rev}
}

// reading is a call taken apart.
type reading struct {
	change.Changes
	ok bool
}

// read takes c's call apart. It is kept as long as that may be asked for again.
func (c *card) read() *reading {
	if c.reading == nil {
		c.reading = &reading{}
		c.reading.Changes, c.reading.ok = change.ChangesOf(c.req)
		c.reading.Known = map[[2]string][]diff.Line{}
	}
	return c.reading
}

// planPath is planFile of c, when it is about a plan.
func (c *card) planPath() (string, bool) {
	tool, input := c.req.Call()
	if tool != agents.ExitPlanMode {
		return "", false
	}
	return callview.PlanFile(change.ReadInput(input), c.req.CWD)
}

// planFile is what is known of the file that holds c's plan.
func (c *card) planFile() change.File {
	path, _ := c.planPath()
	return c.files[path]
}

// dialog is the common name of c's tool when it is a question to the user or a plan,
// else "".
func (c *card) dialog() string { return callview.DialogOf(c.req) }

// wantForm prepares the form of a question that waits, once for each card.
func (c *card) wantForm() {
	if c.ask != nil || c.late() || c.dialog() != agents.AskUserQuestion || c.dangerous() {
		return
	}
	if t := agents.TraitsOf(c.req.Agent); !t.Answers || !t.Edit {
		return
	}
	_, input := c.req.Call()
	if f, err := forms.Read(input); err == nil {
		c.ask = callview.NewAnswering(f)
	}
}

func (c *card) summary() callview.Summary {
	if !c.sum.Ready {
		tool, _ := c.req.Call()
		if rd := c.read(); rd.ok {
			c.sum = callview.NewSummary(tool).OfChanges(rd.Changes, c.req.CWD)
		} else {
			c.sum = callview.SummaryOf(c.req)
		}
	}
	return c.sum
}

// class is how dangerous the call is. What nobody has judged is normal.
func (c *card) class() risk.Class {
	if a := c.req.Assessment; a != nil {
		return a.Class
	}
	return risk.Normal
}

// dangerous reports whether only a typed code allows the call.
func (c *card) dangerous() bool { return c.class() >= risk.Dangerous }

// renew takes in the new value of a call that still waits. Where the rules or its
// files have changed, what is drawn has too, and is another card to decide about; when
// it means something else now, it has not been read either.
func (c *card) renew(r broker.Request) {
	before, after := c.req.Assessment, r.Assessment
	c.reminded = c.reminded && c.req.ExtendedAt.Equal(r.ExtendedAt)
	c.req = r
	if reflect.DeepEqual(before, after) {
		return
	}
	c.rev++
	if !sameMeaning(before, after) {
		c.unread()
	}
}

// unread forgets that anything of c was on the screen.
func (c *card) unread() {
	c.rev++
	c.seenEnd, c.seenRow, c.code, c.kind = false, false, "", ""
	c.files, c.sections, c.rest, c.ask = nil, nil, nil, nil
}

// sameMeaning reports whether two assessments say the same of what a call does,
// whatever the rules say about it.
func sameMeaning(x, y *rules.Assessment) bool {
	if x == nil || y == nil {
		return x == y
	}
	if !reflect.DeepEqual(x.Risk, y.Risk) || len(x.Elements) != len(y.Elements) {
		return false
	}
	for i := range x.Elements {
		e, f := x.Elements[i], y.Elements[i]
		e.Verdict, e.Rule, e.Why, e.Matches, e.Idle = f.Verdict, f.Rule, f.Why, f.Matches, f.Idle
		if !reflect.DeepEqual(e, f) {
			return false
		}
	}
	return true
}

// held reports whether a freeze keeps c from being allowed.
func (c *card) held() bool { return c.req.Held != "" && !c.late() }

// span is since when the call of c waits for its present deadline, and how long that is as
// a whole.
func (c *card) span() (since time.Time, whole time.Duration) {
	since = c.req.CreatedAt
	if c.req.ExtendedAt.After(since) {
		since = c.req.ExtendedAt
	}
	return since, c.req.ExpiresAt.Sub(since)
}

// mayWait reports whether whoever asked would wait for longer than the deadline, as far as
// that is known.
func (c *card) mayWait() bool {
	return c.req.MayWaitUntil.IsZero() || c.req.MayWaitUntil.Sub(c.req.ExpiresAt) >= time.Second
}

// putOff reports whether the call of c waits without holding its agent.
func (c *card) putOff() bool { return !c.late() && c.req.Checkpoint != nil }

// putOff counts the calls that are put off; they are the last of those that wait.
func (o order) putOff() int {
	n := 0
	for i := len(o) - 1; i >= 0 && o[i].putOff(); i-- {
		n++
	}
	return n
}
