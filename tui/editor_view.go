package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
)

const (
	formLabel  = 11 // cells of a field's name and the bar before it
	editorLeft = 16 // rows that the call's pane needs to hold the form
)

// editorArea is where the editor lies: over the drawn call where that pane has room for
// it, else over everything.
func (m *model) editorArea(l layout) draw.Area {
	if m.screen == screenMain && m.open() == nil && !l.Stacked && l.detail.H >= editorLeft+2 {
		return l.detail
	}
	return l.body
}

// editorCovers reports whether the editor takes the whole body.
func (m *model) editorCovers(l layout) bool { return m.editor != nil && m.editorArea(l) == l.body }

func (m *model) editorRoom() (width, height int) {
	l := m.layout()
	return l.Inner(m.editorArea(l), 1)
}

// settleEditor keeps the focus on the screen, notes whether the question was read, and
// says in the last line why a key did nothing.
func (m *model) settleEditor() tea.Cmd {
	e := m.editor
	if e == nil {
		return nil
	}
	m.placeEditor()
	if e.hint == "" {
		return nil
	}
	hint := e.hint
	e.hint = ""
	return m.Say(draw.Warn, hint)
}

func (m *model) placeEditor() {
	e := m.editor
	width, height := m.editorRoom()
	if c := e.confirm; c != nil {
		rows, end := m.confirmRows(width)
		c.top = max(0, min(c.top, len(rows)-height))
		if height > 0 && !m.tooSmall() && c.top+height >= end {
			c.seen = true
		}
		return
	}
	rows, from, to := m.formRows(width)
	if !e.free {
		e.top = min(e.top, from)
		if to > e.top+height {
			e.top = min(from, to-height)
		}
	}
	e.top = max(0, min(e.top, len(rows)-height))
}

func (m *model) editorView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 1)
	e := m.editor
	f := draw.Caption{Title: "New rule", Focus: true}
	if e.old.ID != "" {
		f.Title = "Rule"
	}
	if e.card.ID != "" {
		f.Note = "from " + callview.SummaryOf(e.call).Tool + " of " + m.Board.Label(e.call.SessionID)
	}
	var rows []string
	top := e.top
	if e.confirm != nil {
		f.Title = "Save this rule?"
		rows, _ = m.confirmRows(width)
		top = e.confirm.top
	} else {
		rows, _, _ = m.formRows(width)
	}
	if len(rows) > height {
		f.Right = fmt.Sprintf("%s–%s of %s", figures.Count(top+1), figures.Count(min(top+height, len(rows))), figures.Count(len(rows)))
	}
	top = min(top, len(rows))
	return l.Framed(a, f, 1, rows[top:min(top+height, len(rows))])
}

// formRows lays the form out, and what its rule would have done. from and to are the
// rows of the field that has the focus.
func (m *model) formRows(width int) (rows []string, from, to int) {
	e := m.editor
	p := m.Styles.Paper(width)
	if e.loading {
		p.Say(draw.Muted, "asking which rules would cover this call …")
		return p.Rows, 0, 1
	}
	m.formHead(p)
	for _, f := range e.fields() {
		start := len(p.Rows)
		m.writeField(p, f)
		if e.wrong != nil && e.wrong.field == f {
			p.SayBehind(draw.Danger, draw.Spaces(formLabel)+"! ", formLabel+2, draw.Danger, e.wrong.problem)
		}
		if f == e.focus {
			from, to = start, len(p.Rows)
		}
	}
	p.Add(p.Styles.Row(p.Width).Line(draw.Border, "─", p.Width))
	m.writePreview(p, e, waitingShown)
	return p.Rows, from, to
}

// formHead says above the form what is special about it, or about the last key.
func (m *model) formHead(p *draw.Paper) {
	e := m.editor
	m.writeGone(p)
	if why := m.mayAllow(); why != "" && e.verdict() == rules.Allow {
		p.Say(draw.Warn, why)
	}
	if e.noAllow != "" {
		p.Say(draw.Warn, e.noAllow)
		p.Say(draw.Muted, "a rule may still deny calls like it, or make a person answer them")
	}
	if problem := m.Book.Problem; problem != "" && e.verdict() == rules.Allow {
		p.Say(draw.Danger, "no rule may allow anything now: "+draw.SafeLine(problem))
	}
	if e.wrong != nil && e.wrong.field.n < 0 {
		p.Say(draw.Danger, "! "+e.wrong.problem)
	}
}

// writeGone says how the call that the rule is made from has ended meanwhile.
func (m *model) writeGone(p *draw.Paper) {
	if gone := m.editor.gone; gone != "" {
		p.Say(draw.Warn, "this call "+gone+"; a rule holds for the next ones")
	}
}

func (m *model) writeField(p *draw.Paper, f field) {
	e := m.editor
	focused := f == e.focus
	switch f.kind {
	case fieldDecision:
		m.writeChoice(p, "decision", focused, e.decision.names, e.decision.at)
	case fieldState:
		m.writeChoice(p, "state", focused, e.state.names, e.state.at)
	case fieldTool:
		e.tool.Write(p, m.label("tool", focused), focused)
	case fieldWhere:
		w := &e.where[f.n]
		m.writeWhere(p, w, focused)
	case fieldMore:
		if focused || !e.more.Blank() {
			e.more.Write(p, m.label("and", focused), focused)
			return
		}
		p.Add(m.labelRow(p, "and", focused).Put(draw.Faint, "parameter = pattern"))
	case fieldScope:
		names := make([]string, len(e.scopes))
		for i, o := range e.scopes {
			names[i] = o.name
		}
		m.writeChoice(p, "scope", focused, names, e.scope)
	case fieldAgent:
		m.writeChoice(p, "agent", focused, e.agent.names, e.agent.at)
	case fieldLife:
		m.writeLife(p, focused)
	case fieldReason:
		e.reason.Write(p, m.label("reason", focused), focused)
	case fieldPriority:
		e.priority.Write(p, m.label("priority", focused), focused)
	case fieldCode:
		e.typed.Write(p, m.label("type "+e.code, focused), focused)
	}
}

// writeWhere draws a parameter's pattern; which of the offered ones it is stands below.
func (m *model) writeWhere(p *draw.Paper, w *whereLine, focused bool) {
	e := m.editor
	name := draw.SafeLine(w.name)
	if draw.Cells(name) > formLabel-2 { // on a row of its own, never half of it
		bar, i := fieldMark(focused)
		p.Add(p.Styles.Row(p.Width).Put(i, bar).Fit(i, name, p.Width-1))
		name = ""
	}
	w.pattern.Write(p, m.label(name, focused), focused)
	if len(e.drafts) > 1 && w == &e.where[0] {
		text := fmt.Sprintf("offered %d of %d", e.draft+1, len(e.drafts))
		if e.drafts[e.draft].CreatedBy == broker.SuggestedByAgent {
			text += " · suggested by the agent"
		}
		if p.Width >= 60 {
			text += " · ctrl+n wider · ctrl+p narrower"
		}
		p.SayBehind(draw.Text, "", formLabel, draw.Muted, text)
	}
}

func (m *model) writeLife(p *draw.Paper, focused bool) {
	e := m.editor
	chosen := e.chosenLife()
	var names []string
	at := 0
	for i, l := range e.lives() {
		names = append(names, e.lifeName(l, m.At))
		if l == chosen {
			at = i
		}
	}
	m.writeChoice(p, "life", focused, names, at)
}

// label is the gutter of a text field.
func (m *model) label(name string, focused bool) draw.Gutter {
	bar, i := fieldMark(focused)
	return draw.Gutter{Width: formLabel, First: func(n int) (draw.Ink, string) {
		if n == 1 {
			return i, bar + name
		}
		return i, ""
	}}
}

func (m *model) labelRow(p *draw.Paper, name string, focused bool) *draw.Row {
	bar, i := fieldMark(focused)
	return p.Styles.Row(p.Width).Put(i, bar+name).To(formLabel)
}

// fieldMark is what stands before a field's name.
func fieldMark(focused bool) (string, draw.Ink) {
	if focused {
		return "▌", draw.Key
	}
	return " ", draw.Label
}

// writeChoice draws all choices, the chosen one in brackets; where they have no room,
// only that one and its place among them.
func (m *model) writeChoice(p *draw.Paper, name string, focused bool, names []string, at int) {
	r := m.labelRow(p, name, focused)
	width := r.Width
	for _, n := range names {
		width += draw.Cells(n) + 2
	}
	if width > p.Width && at < len(names) {
		place := fmt.Sprintf(" %d/%d", at+1, len(names))
		r.Put(draw.Muted, "‹ ").Fit(draw.Bold, names[at], p.Width-r.Width-2-draw.Cells(place)).Put(draw.Muted, " ›"+place)
		p.Add(r)
		return
	}
	for i, n := range names {
		if i == at {
			r.Put(draw.Key, "[").Put(draw.Bold, n).Put(draw.Key, "]")
			continue
		}
		r.Put(draw.Muted, " "+n+" ")
	}
	p.Add(r)
}

// editorHints are the keys for the last line.
func (m *model) editorHints() []hint {
	e := m.editor
	switch {
	case e.saving:
		return []hint{{"…", "saving"}}
	case e.confirm != nil:
		return []hint{{"enter", "saves it"}, {"j k", "scroll"}, {"esc", "back"}}
	case e.loading:
		return []hint{{"esc", "close"}}
	}
	list := []hint{{"enter", "save"}, {"tab", "next"}}
	if e.text(e.focus) == nil {
		list = append(list, hint{"← →", "choose"})
	}
	if len(e.drafts) > 1 {
		list = append(list, hint{"ctrl+n/p", "pattern"})
	}
	return append(list, hint{"esc", "close"})
}
