package event

import (
	"cmp"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// Call is a call with what became of it, as far as its events tell.
type Call struct {
	Steps    []*Step // oldest first
	last     *Step   // the newest that has the call, or the newest of all
	decided  *broker.DecidedData
	ran      *Step
	alarm    bool // it ran otherwise than it was allowed
	unheard  bool // nobody heard that it was allowed
	deferred bool
}

// NewCall puts together what these steps, the oldest first, tell of one call. There is one at least.
func NewCall(steps []*Step) *Call {
	c := &Call{Steps: steps, last: steps[len(steps)-1]}
	for _, s := range steps {
		c.add(s)
	}
	if r := c.last.Call; r != nil && c.decided == nil && r.Outcome != nil { // the event is not among them
		d := broker.DecidedDataOf(r, *r.Outcome, nil, nil)
		c.decided = &d
	}
	return c
}

func (c *Call) add(s *Step) {
	if s.Call != nil {
		c.last = s
		c.alarm = c.alarm || s.Call.Alarm != nil
	}
	switch s.Event.Type {
	case broker.EventRequestDecided:
		c.decided = &s.Decided
	case broker.EventPostTool:
		c.ran = s
	case broker.EventRanOtherwise:
		c.alarm = true
	case broker.EventUnheard:
		c.unheard = true
	case broker.EventAnsweredAgain:
		c.unheard = false
	case broker.EventDeferred:
		c.deferred = true
	case broker.EventTakenUpAgain, broker.EventNotDeferred:
		c.deferred = false
	}
}

// Seq is the number of its first event.
func (c *Call) Seq() int64 { return c.Steps[0].Seq() }

// At is when it was asked.
func (c *Call) At() time.Time {
	if r := c.last.Call; r != nil {
		return r.CreatedAt
	}
	return c.Steps[0].Event.At
}

// Request is the call and, where its input is too large to be kept, how large; nil when it is not
// on record any more.
func (c *Call) Request() (r *broker.Request, large int) { return c.last.Call, c.last.Large }

// Output is what its tool gave back, "" for nothing; raw.
func (c *Call) Output() string {
	if c.ran == nil {
		return ""
	}
	return c.ran.Ran.Output
}

// Helper is the sub-agent that asked, by id and name.
func (c *Call) Helper() (id, name string) {
	for _, s := range c.Steps {
		i, n := s.Helper()
		id, name = cmp.Or(id, i), cmp.Or(name, n)
	}
	return id, name
}

// Lead is the sign and the name of its tool, as rows have them; safe to draw.
func (c *Call) Lead() (sign, name string) { return c.last.Lead() }

// Text says the call on one line; safe to draw.
func (c *Call) Text() string {
	switch {
	case c.last.Call != nil:
		return c.last.sum.Text
	case c.ran != nil && c.ran.Ran.Digest == "":
		return draw.SafeLine(c.ran.told.Message)
	}
	return "its call is not on record any more"
}

// Put draws the call in at most room cells.
func (c *Call) Put(r *draw.Row, room int) {
	if c.last.Call == nil {
		r.Fit(draw.Text, c.Text(), room)
		return
	}
	c.last.Put(r, room)
}

// Word says what became of the call, with a sign and an ink for it; safe to draw.
func (c *Call) Word() (word, glyph string, i draw.Ink) {
	s := c.sign()
	return s.word, s.glyph, s.ink
}

func (c *Call) sign() sign {
	switch {
	case c.alarm:
		return sign{"ALARM", "!", draw.Danger}
	case c.ran != nil:
		return end(c.ran.Ran)
	case c.unheard:
		return sign{"unheard", "-", draw.Warn}
	case c.decided != nil:
		return verdict(c.decided.Status, c.decided.By, c.last.Call)
	case c.deferred:
		return sign{"deferred", "?", draw.Warn}
	case c.last.Call == nil:
		return sign{"asked", "?", draw.Muted}
	}
	return sign{"waits", "?", draw.Warn}
}

// More says why it ended so, where there is room; safe to draw.
func (c *Call) More() (string, draw.Ink) {
	switch {
	case c.ran != nil && c.ran.Ran.Failed:
		return callview.FirstLine(c.ran.Ran.Output), draw.Danger
	case c.decided != nil && c.decided.By.Kind != broker.ByRule && c.decided.Status != broker.Allowed:
		return words.Quoted(c.decided.Reason), c.sign().ink
	}
	return "", draw.Text
}

// Tails are what may stand at the end of the line, the longest first: who decided, how long the call
// had waited, how long it ran and how much it gave back. Safe to draw.
func (c *Call) Tails(b *words.Book, now time.Time) []string {
	switch {
	case c.decided == nil && c.ran == nil && c.last.Call != nil:
		waited := figures.Brief(now.Sub(c.At()).Truncate(time.Second))
		return []string{"waiting " + waited, waited}
	case c.decided == nil && c.ran == nil:
		return nil
	case c.decided == nil:
		return shorter("", "", c.ran.Ran)
	}
	by := b.Actor(c.decided.By)
	waited := time.Duration(c.decided.WaitedMS) * time.Millisecond
	whole := decidedBy(b, c.decided.By, waited)
	if c.endedUnanswered() && waited >= time.Second {
		by = "after " + figures.Brief(waited)
		whole = by
	}
	if c.ran == nil {
		return []string{whole, by}
	}
	return shorter(whole, by, c.ran.Ran)
}

// endedUnanswered reports whether the word at the beginning of the line says by whom the call ended.
func (c *Call) endedUnanswered() bool {
	s, k := c.decided.Status, c.decided.By.Kind
	return s == broker.Expired && k == broker.ByDeadline || s == broker.Cancelled && k == broker.ByAgent
}

// shorter are ways to say who decided and how the call ran, the longest first.
func shorter(whole, by string, d broker.RanData) []string {
	ran, brief := took(d), ""
	if t := d.Took(); t > 0 {
		brief = figures.Brief(t)
	}
	if d.Failed {
		ran = brief // what went wrong needs the room
	}
	var list []string
	for _, pair := range [][2]string{{whole, ran}, {whole, brief}, {by, brief}, {"", cmp.Or(brief, by)}} {
		text := pair[0]
		if text != "" && pair[1] != "" {
			text += " · "
		}
		if text += pair[1]; text != "" {
			list = append(list, text)
		}
	}
	return list
}

// Unfold draws what stands below the call's line while it is unfolded: each of its steps, the call
// itself, and what its tool gave back.
func (c *Call) Unfold(st *draw.Styles, b *words.Book, width int, loc *time.Location) []string {
	d := &callview.Doc{Paper: *st.Paper(width - indent)}
	c.steps(d, b, loc)
	c.edited(d)
	drawCall(d, c.last)
	if c.ran != nil {
		c.ran.output(d)
	}
	return indented(d, width)
}

// edited draws how the input that was allowed differs from the one asked for, which is drawn below it.
func (c *Call) edited(d *callview.Doc) {
	if c.decided == nil || len(c.decided.UpdatedInput) == 0 {
		return
	}
	switch r := c.last.Call; {
	case r == nil: // there is nothing to compare it with
		d.Say(draw.Title, "Allowed with another input than was asked")
		drawInput(d, broker.Request{ToolName: c.decided.ToolName, ToolInput: c.decided.UpdatedInput})
	case c.last.Large > 0:
		d.Say(draw.Title, "Allowed with another input than was asked")
	default:
		d.Edited(*r, c.decided.UpdatedInput)
	}
}

// steps draws when each thing happened, and by whom.
func (c *Call) steps(d *callview.Doc, b *words.Book, loc *time.Location) {
	d.SayBehind(draw.Label, "asked", callview.LabelWidth, draw.Muted, c.At().In(loc).Format(time.DateTime))
	var numbers []string
	for _, s := range c.Steps {
		numbers = append(numbers, figures.Count(int(s.Seq())))
		if s.Event.Type == broker.EventRequestCreated {
			continue
		}
		w, text := s.sign(), s.Event.At.In(loc).Format(time.TimeOnly)
		if tail := s.tail(b); tail != "" {
			text += "  " + tail
		}
		d.SayBehind(w.ink, w.word, callview.LabelWidth, draw.Muted, text)
		if s.Decided.Reason != "" {
			d.Write(draw.Fixed(draw.Label, "reason", callview.LabelWidth), draw.Text, s.Decided.Reason)
		}
	}
	d.SayBehind(draw.Label, "events", callview.LabelWidth, draw.Muted, strings.Join(numbers, ", "))
}
