package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// editRoom is the room for the question: all below the header.
func (m *model) editRoom() (width, height int) {
	l := m.layout()
	return l.Inner(l.body, 1)
}

// settleEdit tells the guard what is drawn, and notes when all of it was on the screen.
func (m *model) settleEdit() tea.Cmd {
	cmd := m.editNews()
	e := m.edit
	if e == nil || e.state == editOpen {
		return cmd
	}
	if e.state == editAsking && !m.tooSmall() {
		m.Guard.Draws(e.key(), m.At)
	}
	width, height := m.editRoom()
	rows, end := m.editRows(width)
	e.top = max(0, min(e.top, len(rows)-height))
	if e.state == editAsking && height > 0 && !m.tooSmall() && e.top+height >= end {
		e.seen = true
	}
	return cmd
}

// editView draws the question whether the call is to be allowed with its new input.
func (m *model) editView(l layout, a draw.Area) []string {
	width, height := l.Inner(a, 1)
	e := m.edit
	rows, end := m.editRows(width)
	top := max(0, min(e.top, len(rows)-height))
	f := draw.Caption{Title: "Edited: " + callview.SummaryOf(e.req).Tool, Focus: true, Note: "of " + m.Board.Label(e.req.SessionID)}
	if e.state == editAsking && e.judged.Dangerous() {
		f.Alarm = callview.AlarmOf(e.judged.Request)
		if f.Alarm == "" {
			f.Alarm = "touches aoctl's own files"
		}
	}
	if len(rows) > height {
		f.Right = fmt.Sprintf("%s–%s of %s", figures.Count(top+1), figures.Count(min(top+height, len(rows))), figures.Count(len(rows)))
	}
	if more := end - top - height; e.state == editAsking && !e.seen && more > 0 {
		f.BelowRight = "▼ " + figures.Plural(more, "more row")
		if l.Stacked {
			f.Right = f.BelowRight
		}
	}
	if c := m.Board.Cards[e.card.ID]; c != nil && e.gone == "" {
		f.Below, f.BelowInk = m.standing(c)
		f.BelowMore = m.noLonger(c)
	}
	return l.Framed(a, f, 1, rows[min(top, len(rows)):min(top+height, len(rows))])
}

// editRows lays the question out: what changed, then the call as it would run, as any
// call is drawn. end is the row behind what must be read.
func (m *model) editRows(width int) (rows []string, end int) {
	e := m.edit
	p := &callview.Doc{Paper: *m.Styles.Paper(width)}
	if e.gone != "" {
		p.SayBehind(draw.Warn, "!", 2, draw.Warn, "this call "+e.gone+": nothing can be allowed any more")
		if e.kept != "" {
			p.SayBehind(draw.Warn, "", 2, draw.Text, safe.Line(e.kept))
		}
		p.SayBehind(draw.Warn, "", 2, draw.Muted, "when the agent asks for exactly this again, e on that card brings your text back")
		p.Blank()
	}
	switch e.state {
	case editOpen:
		p.Say(draw.Muted, "the editor is open")
	case editBroken:
		p.SayBehind(draw.Danger, "!", 2, draw.Danger, "this cannot be run: "+e.problem)
		p.SayBehind(draw.Muted, "", 2, draw.Muted, "e opens the editor on it again, u takes the call as it was asked, esc keeps it for later")
		p.Blank()
		p.Write(draw.Gutter{}, draw.Text, e.text)
	case editJudging:
		p.Say(draw.Muted, "reading the new input …")
		p.Blank()
		p.Difference(e.form.input, e.input)
	case editAsking, editSending:
		return m.editQuestion(p, width)
	}
	p.LookAtAll()
	return p.Rows, len(p.Rows)
}

// editQuestion is editRows for an input that was judged.
func (m *model) editQuestion(p *callview.Doc, width int) (rows []string, end int) {
	e := m.edit
	if e.judged.Deny != "" {
		p.SayBehind(draw.Danger, "✗", 2, draw.Danger, "a rule refuses it: "+draw.SafeLine(e.judged.Deny))
	}
	if len(e.others) > 0 {
		p.SayBehind(draw.Warn, "!", 2, draw.Warn, "another hook hears of this event too and could change the input again, after you allowed it:")
		for i, h := range e.others {
			if i == othersShown {
				p.SayBehind(draw.Warn, "", 2, draw.Muted, "and "+figures.Count(len(e.others)-i)+" more")
				break
			}
			p.Write(draw.Fixed(draw.Muted, "", 2), draw.Text, h)
		}
	}
	p.Blank()
	p.Say(draw.Title, "Changed")
	p.Difference(e.form.input, e.input)
	p.Blank()
	p.Say(draw.Title, "Runs in place of what was asked")
	p.LookAtAll()
	d := callview.LayOut(m.Styles, e.judged.Request, m.Around(e.judged.Request), width)
	end = len(p.Rows) + d.CallEnd
	return append(p.Rows, d.Rows...), end
}

// othersShown is how many other hooks are named.
const othersShown = 3

// editHints are the keys worth naming while an edit is open.
func (m *model) editHints() []hint {
	e := m.edit
	back := hint{"esc", "back"}
	again, asAsked := hint{"e", "edit again"}, hint{"u", "as it was asked"}
	switch {
	case e.gone != "":
		return []hint{{"j k", "scroll"}, back}
	case e.state == editBroken, e.state == editAsking && e.judged.Deny != "":
		return []hint{again, asAsked, {"j k", "scroll"}, back}
	case e.state != editAsking:
		return []hint{back}
	case !e.seen:
		return []hint{{"G", "read to the end to allow"}, again, asAsked, back}
	}
	allow := hint{"a", "allow as edited"}
	if e.code != "" {
		allow = hint{"type " + e.code, "allow"}
		if first := m.Guard.Begun(m.At); first != "" {
			allow = hint{first + "_", "then " + e.code[1:] + " allows"}
		}
	}
	return []hint{allow, again, asAsked, {"j k", "scroll"}, back}
}
