package queue

import (
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// columns are the widths of a queue row's parts, in cells; 0 leaves a part out.
type columns struct{ tool, session, age, left int }

func queueColumns(width int) columns {
	c := columns{tool: 6, session: 0, age: 0, left: 7}
	if width >= 50 {
		c.tool, c.session = 8, 13
	}
	if width >= 66 {
		c.age = 7
	}
	if width >= 80 {
		c.tool, c.session = 10, min(max(width/4, 20), 34)
	}
	return c
}

func (x *list) row(c *board.Card, width int) string {
	cols := queueColumns(width)
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
	r.Fit(tool, s.Tool, cols.tool).To(flagsWidth + cols.tool + 1)
	end := r.Width + summaryRoom(cols, width) + 1
	s.Put(r, text, end-1-r.Width)
	r.To(end)
	if cols.session > 0 {
		r.Fit(draw.Muted, words.Whose(c.Req, x.Board), cols.session).To(end + cols.session + 1)
	}
	x.times(r, c, cols, width)
	return r.To(width).String()
}

// flagsWidth is what stands before a row's tool: the bar, two signs and a blank.
const flagsWidth = 4

// summaryRoom is how many cells a row has for its summary.
func summaryRoom(cols columns, width int) int {
	room := width - cols.left - cols.age - 1 - flagsWidth - cols.tool - 1
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
	case c.PutOff(): // it holds nobody up, and no freeze holds it
	case cols.age > 0 && c.Held():
		r.Right(draw.Frozen, "held", width-cols.left)
	case cols.age > 0:
		r.Right(draw.Muted, figures.Clock(x.At.Sub(c.Req.CreatedAt)), width-cols.left)
	}
	switch {
	case c.Sending == broker.Allow:
		r.Right(draw.OK, "allow…", width-1)
	case c.Sending == broker.Deny:
		r.Right(draw.Warn, "deny…", width-1)
	case c.Late():
		r.Right(draw.Warn, "late", width-1)
	case c.PutOff():
		r.Right(draw.Muted, offSince(c, x.At, cols.left), width-1)
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

// rowTells reports whether c's row shows all of its call: one field, whole, in a
// session whose folder it runs in, and nothing in it that needs a remark. Of a file
// that changed meanwhile a row says nothing.
func (x *list) rowTells(c *board.Card, width int) bool {
	s, cols := c.Summary(), queueColumns(width)
	se := x.Board.Sessions[c.Req.SessionID]
	if !s.Whole || c.Changed || se == nil || cols.session == 0 || draw.Cells(words.Whose(c.Req, x.Board)) > cols.session || draw.Cells(s.Tool) > cols.tool {
		return false
	}
	if c.Req.CWD != se.ProjectDir && (se.ProjectDir != "" || c.Req.CWD != se.CWD) {
		return false
	}
	return draw.Cells(s.Text) <= summaryRoom(cols, width)
}
