package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/sheet"
)

// settle brings selection, scrolling and guard in line with what View is going to
// draw. It runs at the end of every Update.
func (m *model) settle() tea.Cmd {
	if m.card() == nil {
		m.selectRow(0)
	}
	m.settleList()
	m.selectNewest()
	m.settleSessions()
	cmd := tea.Batch(m.settleOpen(), m.settleDrawn(), m.sheets.Want(m.drawnRequest()), m.beat())
	if m.Guard.Since.Equal(m.awakeAt) {
		return cmd
	}
	m.awakeAt = m.Guard.Since
	return tea.Batch(cmd, tea.Tick(guard.DeafFor, func(time.Time) tea.Msg { return awakeMsg{} }))
}

// beat keeps messages coming while the shown card is new: silence then means that the
// program got no time to run.
func (m *model) beat() tea.Cmd {
	if m.beating || !m.Guard.Beats(m.At) {
		return nil
	}
	m.beating = true
	return tea.Tick(guard.BeatEvery, func(time.Time) tea.Msg { return beatMsg{} })
}

func (m *model) settleList() {
	rows := m.listRows()
	m.top = desk.Window(m.top, m.Board.Place(m.card()), rows, m.Board.Rows())
	m.settleRows()
}

// settleDrawn tells the guard what is drawn and notes when the end of a call has been
// on the screen.
func (m *model) settleDrawn() tea.Cmd {
	c := m.drawnCard()
	if s := m.covering(); s != nil {
		m.Guard.Draws(m.drawnBy(s), m.At)
		return nil
	}
	if c == nil {
		m.Guard.Draws(guard.Drawn{}, m.At)
		return nil
	}
	var cmd tea.Cmd
	if m.Guard.Draws(c.Key(), m.At) {
		m.scroll = 0
		m.Guard.Own = m.went == c.Req.ID
		c.WantForm()
		cmd = m.wantFiles(c)
		if c.Dangerous() && c.Code == "" {
			c.Code = m.makeCode()
		}
	}
	m.went = ""
	m.settleForm(c)
	width, height := m.room()
	d := m.doc(c, width)
	m.scroll = max(0, min(m.scroll, len(d.Rows)-height))
	if height > 0 && m.scroll+height >= d.CallEnd {
		c.SeenEnd = true
		if c.Ask != nil {
			c.Ask.Note()
		}
	}
	return cmd
}

// settleForm makes the keys that decide deaf for a moment when a form opens.
func (m *model) settleForm(c *board.Card) {
	in := guard.Drawn{}
	if m.inForm(c) {
		in = c.Key()
	}
	if in != m.askedOf && in != (guard.Drawn{}) {
		m.askDeaf()
	}
	m.askedOf = in
}

// doc is card c laid out.
func (m *model) doc(c *board.Card, width int) *callview.Doc {
	k := sheet.Key{ID: c.Req.ID, Width: width}
	in := m.inForm(c)
	if c.Ask != nil && !c.Late() {
		k.Form = 2*c.Ask.Rev + 1
		if in {
			k.Form++
		}
	}
	return m.sheets.Get(k, func() *callview.Doc {
		a := m.sheets.Around(c.Req)
		a.Sections, a.Rest, a.PlanFile = c.Sections, c.Rest, c.PlanFile()
		if k.Form > 0 {
			a.Ask, a.InForm = c.Ask, in
		}
		return callview.LayOutLater(m.Styles, c.Req, a, width)
	})
}

// drawnDoc is the drawn call laid out; nil when there is none.
func (m *model) drawnDoc() *callview.Doc {
	width, _ := m.room()
	if c := m.drawnCard(); c != nil {
		return m.doc(c, width)
	}
	return nil
}
