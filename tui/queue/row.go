package queue

import (
	"time"

	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/safe"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// columns are the widths of a row's last parts, in cells; 0 leaves a part out.
type columns struct{ session, age, left int }

// columns are as wide as what is listed in these rows asks for: the rest is the subject's.
func (x *list) columns(width, from, to int) columns {
	c := columns{left: 8}
	most := 0
	switch {
	case width >= 80:
		most = min(max(width/4, 20), 34)
	case width >= 50:
		most = 13
	}
	if width >= 66 {
		c.age = 7
	}
	whole, brief, subject := 0, 0, 0
	for i := from; i < to; i++ {
		card := x.Board.Row(i)
		if card.PutOff() {
			c.left = leftOfDeferred(c, width)
		}
		whole = max(whole, draw.Cells(words.Whose(card.Req, x.Board)))
		brief = max(brief, draw.Cells(whoseBriefly(card.Req, x.Board)))
		subject = max(subject, card.Summary().Cells())
	}
	if most == 0 {
		return c
	}
	c.session = min(most, whole)
	if free := subjectRoom(c, width) - subject; free > 0 { // whole names take nothing from the subject
		c.session = min(whole, c.session+free)
	}
	if subject > subjectRoom(c, width) {
		c.session = min(most, brief)
	}
	return c
}

// leftOfDeferred is how wide the last column is where a deferred call is listed: without an age beside it
// the word needs more room than a clock.
func leftOfDeferred(c columns, width int) int {
	switch {
	case c.age > 0:
		return c.left
	case width >= 50:
		return len("deferred 59m") + 2
	}
	return len("deferred") + 2
}

// whoseBriefly is whose call r is, in few cells: the session, or the sub-agent alone.
func whoseBriefly(r broker.Request, b *board.Board) string {
	if sub := words.Subagent(r); sub != "" {
		if m := b.Fleet.Of(b.Sessions[r.SessionID]); m != nil && b.Fleet.Many() {
			return m.Label + " › " + sub
		}
		return "› " + sub
	}
	return words.Whose(r, b)
}

// heads are what stands above the columns of times.
func (c columns) heads() string {
	if c.age == 0 {
		return "left"
	}
	return "asked ─ left"
}

func (x *list) row(c *board.Card, cols columns, width int) string {
	chosen := c.Req.ID == x.selected
	r := x.Styles.Row(width).Choose(chosen)
	bar := " "
	if chosen {
		bar = "▌"
	}
	r.Put(draw.Key, bar)
	x.flags(r, c)
	s := c.Summary()
	tool, text := draw.Bold, draw.Text
	if c.Late() || c.Sending != "" {
		tool, text = draw.Muted, draw.Muted
	}
	end := flagsWidth + subjectRoom(cols, width)
	s.PutWhole(r, tool, text, end-r.Width)
	r.To(end + 1)
	if cols.session > 0 {
		whose := words.Whose(c.Req, x.Board)
		if draw.Cells(whose) > cols.session {
			whose = whoseBriefly(c.Req, x.Board)
		}
		r.Fit(draw.Muted, whose, cols.session).To(end + 1 + cols.session + 1)
	}
	x.times(r, c, cols, width)
	return r.To(width).String()
}

// flagsWidth is what stands before a row's subject: the bar, two signs and a blank.
const flagsWidth = 4

// subjectRoom is how many cells a row has for its subject.
func subjectRoom(cols columns, width int) int {
	room := width - cols.left - cols.age - 1 - flagsWidth
	if cols.session > 0 {
		room -= cols.session + 1
	}
	return room
}

// flags draws a row's signs: its mark, and that it is dangerous.
func (x *list) flags(r *draw.Row, c *board.Card) {
	marked := x.Board.Marks[c.Req.ID]
	if marked {
		r.Put(draw.Key, "●")
	}
	switch {
	case c.Dangerous() && marked:
		r.Put(draw.Danger, "!")
	case c.Dangerous():
		r.Put(draw.Danger, "!!")
	}
	r.To(flagsWidth)
}

func (x *list) times(r *draw.Row, c *board.Card, cols columns, width int) {
	switch {
	case c.PutOff(), c.Later: // it holds nobody up, and no freeze holds it; or what was decided says enough
	case cols.age > 0 && x.Board.MachineOf(c).Out():
		r.Right(draw.Warn, "out", width-cols.left)
	case cols.age > 0 && c.Held():
		r.Right(draw.Frozen, "frozen", width-cols.left)
	case cols.age > 0:
		r.Right(draw.Muted, figures.Clock(x.At.Sub(c.Req.CreatedAt)), width-cols.left)
	}
	switch {
	case c.Later:
		r.Right(draw.Warn, "to deny", width-1)
	case c.Sending == broker.Allow:
		r.Right(draw.OK, "allow…", width-1)
	case c.Sending == broker.Deny:
		r.Right(draw.Warn, "deny…", width-1)
	case c.Late():
		r.Right(draw.Warn, "late", width-1)
	case c.PutOff():
		r.Right(draw.Muted, offSince(c, x.At, cols.age+cols.left-1), width-1)
	default:
		d := c.Req.ExpiresAt.Sub(x.At)
		_, whole := c.Span()
		r.Right(urgency(d, whole), figures.Left(d), width-1)
	}
}

// urgency is how loud a countdown is drawn.
func urgency(d, whole time.Duration) draw.Ink {
	switch {
	case d <= 30*time.Second:
		return draw.Danger
	case d <= whole/4:
		return draw.Warn
	}
	return draw.Text
}

// rowTells reports whether c's row shows all of its call: one field, whole, in a session whose folder
// it runs in, and nothing in it that needs a remark. Of a file that changed meanwhile a row says
// nothing.
func (x *list) rowTells(c *board.Card, cols columns, width int) bool {
	s := c.Summary()
	sign, name := s.Lead()
	se := x.Board.Sessions[c.Req.SessionID]
	if name == "" && !callview.TellsTool(sign) || name != "" && safe.Line(callview.ToolWord(c.Tool())) != s.Tool { // cut
		return false
	}
	if !s.Whole || c.Changed || se == nil || cols.session == 0 || draw.Cells(words.Whose(c.Req, x.Board)) > cols.session {
		return false
	}
	if se.Run != nil && len(se.Run.EnvDiffers) > 0 { // its card warns of that
		return false
	}
	if c.Req.CWD != se.ProjectDir && (se.ProjectDir != "" || c.Req.CWD != se.CWD) {
		return false
	}
	return s.Cells() <= subjectRoom(cols, width)
}
