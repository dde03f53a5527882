package ruleedit

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/text"
)

// settle keeps the focus on the screen, notes whether the question was read, and says
// in the last line why a key did nothing.
func (x *Screen) settle() tea.Cmd {
	e := x.editor
	if e == nil {
		return nil
	}
	x.place()
	if e.hint == "" {
		return nil
	}
	hint := e.hint
	e.hint = ""
	return x.Say(draw.Warn, hint)
}

// place keeps the question's end, or the field that has the focus, on the screen. It
// notes that the end of the question was seen, which is only true of a window that is
// large enough to read in.
func (x *Screen) place() {
	e := x.editor
	width, height := x.Inner()
	if c := e.confirm; c != nil {
		rows, end := x.confirmRows(width)
		c.top = max(0, min(c.top, len(rows)-height))
		if height > 0 && !x.Small && c.top+height >= end {
			c.seen = true
		}
		return
	}
	rows, from, to := x.formRows(width)
	// A field that is higher than the room shows its beginning.
	if !e.free {
		e.top = min(e.top, from)
		if to > e.top+height {
			e.top = min(from, to-height)
		}
	}
	e.top = max(0, min(e.top, len(rows)-height))
}

// View draws the form, or the question, in a frame that covers the room.
func (x *Screen) View(_, _ int) []string {
	e := x.editor
	if e == nil {
		return x.Framed(draw.Caption{Title: "Rule"}, nil, 0)
	}
	width, height := x.Inner()
	f := draw.Caption{Title: "New rule"}
	if e.old.ID != "" {
		f.Title = "Rule"
	}
	if says := x.title(); says != "" {
		f.Title += ": " + says
	}
	if e.call.ID != "" {
		f.Note = "from " + callview.SummaryOf(e.call).Tool + " of " + x.Board.Label(e.call.SessionID)
	}
	var rows []string
	top := e.top
	if e.confirm != nil {
		f.Title = "Save this rule?"
		rows, _ = x.confirmRows(width)
		top = e.confirm.top
	} else {
		rows, _, _ = x.formRows(width)
	}
	if len(rows) > height {
		f.Right = fmt.Sprintf("%s–%s of %s", figures.Count(top+1), figures.Count(min(top+height, len(rows))), figures.Count(len(rows)))
	}
	return x.Framed(f, rows, top)
}

// page is where the form is laid out.
type page struct {
	x *Screen
	e *editor
	*draw.Paper
}

// formRows lays the form out, and what its rule would have done. from and to are the
// rows of the field that has the focus.
func (x *Screen) formRows(width int) (rows []string, from, to int) {
	e := x.editor
	p := page{x, e, x.Styles.Paper(width)}
	if e.loading {
		p.Say(draw.Muted, "asking which rules would cover this call …")
		return p.Rows, 0, 1
	}
	p.head()
	for _, f := range e.fields() {
		start := len(p.Rows)
		p.field(f)
		if e.wrong != nil && e.wrong.field == f {
			p.SayBehind(draw.Danger, draw.Spaces(text.LabelWidth)+"! ", text.LabelWidth+2, draw.Danger, e.wrong.problem)
		}
		if f == e.focus {
			from, to = start, len(p.Rows)
		}
	}
	p.rule()
	p.preview(waitingShown)
	return p.Rows, from, to
}

// rule draws a line across the page.
func (p page) rule() { p.Add(p.Styles.Row(p.Width).Line(draw.Border, "─", p.Width)) }

// head says above the form what is special about it, or about the last key. Each line
// of it is a reason why saving would not do what the person expects.
func (p page) head() {
	e := p.e
	p.gone()
	if why := p.x.mayAllow(); why != "" && e.verdict() == rules.Allow {
		p.Say(draw.Warn, why)
	}
	if e.noAllow != "" {
		p.Say(draw.Warn, e.noAllow)
		p.Say(draw.Muted, "a rule may still deny calls like it, or make a person answer them")
	}
	if problem := p.x.Book.Problem; problem != "" && e.verdict() == rules.Allow {
		p.Say(draw.Danger, "no rule may allow anything now: "+draw.SafeLine(problem))
	}
	if e.wrong != nil && e.wrong.field.n < 0 {
		p.Say(draw.Danger, "! "+e.wrong.problem)
	}
}

// gone says how the call that the rule is made from has ended meanwhile.
func (p page) gone() {
	if p.e.gone != "" {
		p.Say(draw.Warn, "this call "+p.e.gone+"; a rule holds for the next ones")
	}
}

// field draws one field. A field with choices shows all of them, the chosen one
// marked; a text field shows its line, with every foreign sign visible.
func (p page) field(f field) {
	e := p.e
	focused := f == e.focus
	label := func(name string) draw.Gutter { return text.Label(name, focused) }
	choose := func(name string, names []string, at int) { text.WriteChoice(p.Paper, name, focused, names, at) }
	switch f.kind {
	case fieldDecision:
		choose("decision", e.decision.names, e.decision.at)
	case fieldState:
		choose("state", e.state.names, e.state.at)
	case fieldTool:
		e.tool.Write(p.Paper, label("tool"), focused)
	case fieldEffects:
		e.effects.Write(p.Paper, label("effects"), focused)
		p.offered()
		p.means()
	case fieldWhere:
		p.where(&e.where[f.n], focused)
	case fieldMore:
		// An empty line for one more parameter is shown faintly until somebody goes
		// there.
		if focused || !e.more.Blank() {
			e.more.Write(p.Paper, label("and"), focused)
			return
		}
		p.Add(text.LabelRow(p.Paper, "and", focused).Put(draw.Faint, "parameter = pattern"))
	case fieldScope:
		choose("scope", e.scopeNames(), e.scope)
	case fieldAgent:
		choose("agent", e.agent.names, e.agent.at)
	case fieldLife:
		names, at := e.lifeNames(p.x.At)
		choose("life", names, at)
	case fieldReason:
		e.reason.Write(p.Paper, label("reason"), focused)
	case fieldPriority:
		e.priority.Write(p.Paper, label("priority"), focused)
	case fieldCode:
		e.typed.Write(p.Paper, label("type "+e.code), focused)
	}
}

// where draws a parameter's pattern; which of the offered ones it is stands below. A
// pattern that the agent itself proposed says so, since the agent gains by a wide one.
func (p page) where(w *whereLine, focused bool) {
	e := p.e
	name := draw.SafeLine(w.name)
	// A name cut in the middle could pass for another parameter.
	if draw.Cells(name) > text.LabelWidth-2 { // on a row of its own, never half of it
		bar, i := text.Mark(focused)
		p.Add(p.Styles.Row(p.Width).Put(i, bar).Fit(i, name, p.Width-1))
		name = ""
	}
	w.pattern.Write(p.Paper, text.Label(name, focused), focused)
	if w == &e.where[0] {
		p.offered()
	}
}

// offered says which of the offered rules stands in the form.
func (p page) offered() {
	if e := p.e; len(e.drafts) > 1 {
		place := fmt.Sprintf("offered %d of %d", e.draft+1, len(e.drafts))
		if e.drafts[e.draft].CreatedBy == broker.SuggestedByAgent {
			place += " · suggested by the agent"
		}
		if p.Width >= 60 {
			place += e.turns()
		}
		p.SayBehind(draw.Text, "", text.LabelWidth, draw.Muted, place)
	}
}

// turns names the keys that lead to another offered pattern.
func (e *editor) turns() string {
	var text string
	if e.draft < len(e.drafts)-1 {
		text += " · ctrl+n wider"
	}
	if e.draft > 0 {
		text += " · ctrl+p narrower"
	}
	return text
}
