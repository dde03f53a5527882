package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/guard"
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
	m.settleCompose()
	m.settleLaunch()
	m.settleHistory()
	m.settleRules()
	cmd := tea.Batch(m.settleOpen(), m.settleDrawn(), m.settleEditor(), m.wantStats(), m.wantStory(), m.beat())
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
	m.top = window(m.top, m.Board.Place(m.card()), rows, m.Board.Rows())
	m.settleRows()
}

// window is the first item on the screen when item at must be visible: it moves as
// little as possible.
func window(top, at, rows, items int) int {
	if at >= 0 && at < top {
		top = at
	}
	if at >= top+rows {
		top = at - rows + 1
	}
	return max(0, min(top, items-rows))
}

// settleDrawn tells the guard what is drawn and notes when the end of a call has been
// on the screen.
func (m *model) settleDrawn() tea.Cmd {
	c := m.drawnCard()
	if s := m.open(); s != nil {
		m.Guard.Draws(s.Subject().Drawn, m.At)
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

// docCache keeps calls laid out, because every key press draws them again.
type docCache struct {
	docs map[docKey]*callview.Doc
}

type docKey struct {
	id    string
	width int
	form  int // which state of a question's form; 0 without one
}

const docsKept = 16

func (k *docCache) clear() { k.docs = nil }

func (k *docCache) forget(id string) {
	for key := range k.docs {
		if key.id == id {
			delete(k.docs, key)
		}
	}
}

func (k *docCache) get(key docKey, make func() *callview.Doc) *callview.Doc {
	if d, ok := k.docs[key]; ok {
		return d
	}
	if k.docs == nil || len(k.docs) >= docsKept {
		k.docs = map[docKey]*callview.Doc{}
	}
	d := make()
	k.docs[key] = d
	return d
}

// doc is card c laid out.
func (m *model) doc(c *board.Card, width int) *callview.Doc {
	k := docKey{id: c.Req.ID, width: width}
	in := m.inForm(c)
	if c.Ask != nil && !c.Late() {
		k.form = 2*c.Ask.Rev + 1
		if in {
			k.form++
		}
	}
	return m.docs.get(k, func() *callview.Doc {
		a := m.Around(c.Req)
		a.Sections, a.Rest, a.PlanFile = c.Sections, c.Rest, c.PlanFile()
		if k.form > 0 {
			a.Ask, a.InForm = c.Ask, in
		}
		return callview.LayOutLater(m.Styles, c.Req, a, width)
	})
}
