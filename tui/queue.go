package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// queueView draws the calls that wait, worst risk first and then oldest, and the late
// ones below. When there are none it shows what was decided last.
func (m *model) queueView(l layout, a area) []string {
	width, height := l.inner(a, 0)
	b := m.board
	off := b.waiting.putOff()
	f := caption{title: "Waiting " + count(len(b.waiting)-off), focus: m.focus == paneQueue && m.editor == nil}
	if b.filter.active() {
		f.title = fmt.Sprintf("Waiting %s of %s", count(len(b.shown)), count(len(b.waiting)))
	} else if off > 0 {
		f.title += " · put off " + count(off)
	}
	f.note, f.noteInk = m.queueNote()
	if b.rows() == 0 {
		return m.frame(l, a, f, 0, m.quiet(width, height))
	}
	if n := b.rows(); n > height && height > 0 {
		f.right = fmt.Sprintf("%s–%s of %s", count(m.top+1), count(min(m.top+height, n)), count(n))
	}
	rows := make([]string, 0, height)
	for i := m.top; i < min(m.top+height, b.rows()); i++ {
		rows = append(rows, m.queueRow(b.row(i), width))
	}
	return m.frame(l, a, f, 0, rows)
}

// queueNote says what is special about the listed calls.
func (m *model) queueNote() (string, ink) {
	b := m.board
	var notes []string
	i := inkMuted
	if n := len(b.marks); n > 0 {
		notes, i = append(notes, count(n)+" marked"), inkKey
	}
	if n := b.shown.dangerous(); n > 0 {
		notes, i = append(notes, count(n)+" dangerous"), inkDanger
	}
	if n := m.elsewhereNote(); n != "" {
		notes, i = append(notes, n), max(i, inkWarn)
	}
	if b.filter.active() {
		notes = append(notes, m.filterText())
	}
	return strings.Join(notes, " · "), i
}

func (m *model) filterText() string {
	f := m.board.filter
	text := ""
	if f.sessionID != "" {
		text = "of " + m.board.label(f.sessionID)
	}
	if f.text != "" {
		if text != "" {
			text += " "
		}
		text += "/" + safeLine(f.text)
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

func (m *model) queueRow(c *card, width int) string {
	cols := queueColumns(width)
	chosen := c.req.ID == m.selected
	r := m.st.row(width).choose(chosen)
	bar := " "
	if chosen {
		bar = "▌"
	}
	r.put(inkKey, bar)
	m.queueFlags(r, c)
	s := c.summary()
	tool, text := inkBold, inkText
	if c.late() || c.sending != "" {
		tool, text = inkMuted, inkMuted
	}
	r.fit(tool, s.tool, cols.tool).to(flagsWidth + cols.tool + 1)
	end := r.width + summaryRoom(cols, width) + 1
	m.queueText(r, s, text, end-1-r.width)
	r.to(end)
	if cols.session > 0 {
		r.fit(inkMuted, m.whose(c.req), cols.session).to(end + cols.session + 1)
	}
	m.queueTimes(r, c, cols, width)
	return r.to(width).String()
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
func (m *model) queueFlags(r *row, c *card) {
	marked := m.board.marks[c.req.ID]
	if marked {
		r.put(inkKey, "●")
	}
	switch {
	case c.dangerous() && marked:
		r.put(inkDanger, "!")
	case c.dangerous():
		r.put(inkDanger, "!!")
	}
	r.to(flagsWidth)
}

// queueText draws the summary; an edit's counts stay in sight when its path is cut.
func (m *model) queueText(r *row, s summary, i ink, room int) {
	if !s.edit {
		r.fit(i, s.text, room)
		return
	}
	plus, minus := "+"+count(s.added), "−"+count(s.gone)
	n := cells(plus+minus) + 3
	r.fit(i, s.text, room-n).put(inkText, "  ").put(inkAdded, plus).put(inkText, " ").put(inkRemoved, minus)
}

func (m *model) queueTimes(r *row, c *card, cols columns, width int) {
	switch {
	case cols.age > 0 && c.held():
		r.right(inkFrozen, "held", width-cols.left)
	case cols.age > 0 && !c.putOff(): // it holds nobody up
		r.right(inkMuted, clock(m.at.Sub(c.req.CreatedAt)), width-cols.left)
	}
	switch {
	case c.sending == broker.Allow:
		r.right(inkOK, "allow…", width-1)
	case c.sending == broker.Deny:
		r.right(inkWarn, "deny…", width-1)
	case c.late():
		r.right(inkWarn, "late", width-1)
	case c.putOff():
		r.right(inkMuted, offSince(c, m.at, cols.left), width-1)
	default:
		d := c.req.ExpiresAt.Sub(m.at)
		_, whole := c.span()
		r.right(urgency(d, whole), left(d), width-1)
	}
}

// urgency is how loud a countdown is drawn.
func urgency(d, whole time.Duration) ink {
	switch {
	case d <= 30*time.Second:
		return inkDanger
	case d <= whole/4:
		return inkWarn
	}
	return inkText
}

// whose names a call's session and sub-agent; safe to draw.
func (m *model) whose(r broker.Request) string {
	label := m.board.label(r.SessionID)
	switch {
	case r.SubagentType != "":
		return label + " › " + safeLine(r.SubagentType)
	case r.SubagentID != "":
		return label + " › " + safeLine(lastOf(r.SubagentID, 8))
	}
	return label
}

// quiet is what the queue shows when nothing waits.
func (m *model) quiet(width, height int) []string {
	p := m.st.paper(width - 2)
	b := m.board
	switch {
	case b.filter.active() && len(b.waiting) > 0:
		p.sayBehind(inkText, "", 1, inkMuted, "no waiting call passes the filter; esc shows all")
	case len(b.sessions) == 0 && len(b.recent) == 0:
		return m.welcome(p, height)
	case b.health.Observing:
		p.sayBehind(inkText, "", 1, inkWarn, "nothing is held, so nothing waits")
	default:
		p.sayBehind(inkText, "", 1, inkOK, "nothing waits")
	}
	m.elsewhereRows(p)
	if len(b.recent) == 0 {
		return pad(p.rows, width)
	}
	p.blank()
	p.sayBehind(inkText, "", 1, inkMuted, "decided last")
	rows := pad(p.rows, width)
	for i := 0; i < len(b.recent) && len(rows) < height; i++ {
		rows = append(rows, m.pastRow(b.recent[i], width, false))
	}
	return rows
}

// welcome tells a newcomer what to do.
func (m *model) welcome(p *paper, height int) []string {
	tall := height > 8
	p.sayBehind(inkText, "", 1, inkBold, "no calls are waiting, and no agent has called yet")
	if tall {
		p.blank()
	}
	const width = 24
	p.sayBehind(inkMuted, " install into an agent", width, inkKey, "aoctl install claude")
	p.sayBehind(inkMuted, " see how it works", width, inkKey, "aoctl demo")
	if tall {
		p.blank()
		p.sayBehind(inkText, "", 1, inkMuted, "Agents that are running already pick the hooks up when they start anew.")
	}
	return pad(p.rows, p.width+2)
}

// pad fills rows of a narrower paper up to width.
func pad(rows []string, width int) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r + spaces(width-safeWidth(r))
	}
	return out
}
