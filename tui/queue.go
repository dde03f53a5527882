package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// queueView draws the calls that wait, worst risk first and then oldest, and the late
// ones below. When there are none it shows what was decided last.
func (m *model) queueView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 0)
	b := m.Board
	off := b.Waiting.PutOff()
	f := draw.Caption{Title: "Waiting " + figures.Count(len(b.Waiting)-off), Focus: m.focus == paneQueue}
	if b.Filter.Active() {
		f.Title = fmt.Sprintf("Waiting %s of %s", figures.Count(len(b.Shown)), figures.Count(len(b.Waiting)))
	} else if off > 0 {
		f.Title += " · put off " + figures.Count(off)
	}
	f.Note, f.NoteInk = m.queueNote()
	if b.Rows() == 0 {
		return l.Framed(a, f, 0, m.quiet(width, height))
	}
	if n := b.Rows(); n > height && height > 0 {
		f.Right = fmt.Sprintf("%s–%s of %s", figures.Count(m.top+1), figures.Count(min(m.top+height, n)), figures.Count(n))
	}
	rows := make([]string, 0, height)
	for i := m.top; i < min(m.top+height, b.Rows()); i++ {
		rows = append(rows, m.queueRow(b.Row(i), width))
	}
	return l.Framed(a, f, 0, rows)
}

// queueNote says what is special about the listed calls.
func (m *model) queueNote() (string, draw.Ink) {
	b := m.Board
	var notes []string
	i := draw.Muted
	if n := len(b.Marks); n > 0 {
		notes, i = append(notes, figures.Count(n)+" marked"), draw.Key
	}
	if n := b.Shown.Dangerous(); n > 0 {
		notes, i = append(notes, figures.Count(n)+" dangerous"), draw.Danger
	}
	if n := m.elsewhereNote(); n != "" {
		notes, i = append(notes, n), max(i, draw.Warn)
	}
	if b.Filter.Active() {
		notes = append(notes, m.filterText())
	}
	return strings.Join(notes, " · "), i
}

func (m *model) filterText() string {
	f := m.Board.Filter
	text := ""
	if f.SessionID != "" {
		text = "of " + m.Board.Label(f.SessionID)
	}
	if f.Text != "" {
		if text != "" {
			text += " "
		}
		text += "/" + draw.SafeLine(f.Text)
	}
	return text
}

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

func (m *model) queueRow(c *board.Card, width int) string {
	cols := queueColumns(width)
	chosen := c.Req.ID == m.selected
	r := m.Styles.Row(width).Choose(chosen)
	bar := " "
	if chosen {
		bar = "▌"
	}
	r.Put(draw.Key, bar)
	m.queueFlags(r, c)
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
		r.Fit(draw.Muted, words.Whose(c.Req, m.Board), cols.session).To(end + cols.session + 1)
	}
	m.queueTimes(r, c, cols, width)
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

// queueFlags draws a row's signs: its mark, and that it is dangerous.
func (m *model) queueFlags(r *draw.Row, c *board.Card) {
	marked := m.Board.Marks[c.Req.ID]
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

func (m *model) queueTimes(r *draw.Row, c *board.Card, cols columns, width int) {
	switch {
	case c.PutOff(): // it holds nobody up, and no freeze holds it
	case cols.age > 0 && c.Held():
		r.Right(draw.Frozen, "held", width-cols.left)
	case cols.age > 0:
		r.Right(draw.Muted, figures.Clock(m.At.Sub(c.Req.CreatedAt)), width-cols.left)
	}
	switch {
	case c.Sending == broker.Allow:
		r.Right(draw.OK, "allow…", width-1)
	case c.Sending == broker.Deny:
		r.Right(draw.Warn, "deny…", width-1)
	case c.Late():
		r.Right(draw.Warn, "late", width-1)
	case c.PutOff():
		r.Right(draw.Muted, offSince(c, m.At, cols.left), width-1)
	default:
		d := c.Req.ExpiresAt.Sub(m.At)
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

// quiet is what the queue shows when nothing waits.
func (m *model) quiet(width, height int) []string {
	p := m.Styles.Paper(width - 2)
	b := m.Board
	switch {
	case b.Filter.Active() && len(b.Waiting) > 0:
		p.SayBehind(draw.Text, "", 1, draw.Muted, "no waiting call passes the filter; esc shows all")
	case len(b.Sessions) == 0 && len(b.Recent) == 0:
		return m.welcome(p, height)
	case b.Health.Observing:
		p.SayBehind(draw.Text, "", 1, draw.Warn, "nothing is held, so nothing waits")
	default:
		p.SayBehind(draw.Text, "", 1, draw.OK, "nothing waits")
	}
	m.elsewhereRows(p)
	if len(b.Recent) == 0 {
		return words.Pad(p.Rows, width)
	}
	p.Blank()
	p.SayBehind(draw.Text, "", 1, draw.Muted, "decided last")
	rows := words.Pad(p.Rows, width)
	for i := 0; i < len(b.Recent) && len(rows) < height; i++ {
		rows = append(rows, m.sheets.Row(b.Recent[i], width, false))
	}
	return rows
}

// welcome tells a newcomer what to do.
func (m *model) welcome(p *draw.Paper, height int) []string {
	tall := height > 8
	p.SayBehind(draw.Text, "", 1, draw.Bold, "no calls are waiting, and no agent has called yet")
	if tall {
		p.Blank()
	}
	const width = 24
	p.SayBehind(draw.Muted, " install into an agent", width, draw.Key, "aoctl install claude")
	p.SayBehind(draw.Muted, " see how it works", width, draw.Key, "aoctl demo")
	if tall {
		p.Blank()
		p.SayBehind(draw.Text, "", 1, draw.Muted, "Agents that are running already pick the hooks up when they start anew.")
	}
	return words.Pad(p.Rows, p.Width+2)
}
