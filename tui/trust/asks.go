package trust

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/words"
)

// Asks are what "aoctl trust" asks for in a terminal: the form shows the oldest one first. They are
// looked up once a second. Nothing of them opens by itself: a form that comes up under a person's
// fingers would take keys that were meant for a call.
type Asks struct {
	*desk.Desk
	broker AsksBroker
	list   []broker.Proposal
}

// AsksBroker knows what is asked for, and is told what became of it.
type AsksBroker interface {
	Proposals() []broker.Proposal
	AnswerProposal(id string, saved *broker.SavedRule)
}

// asksMsg brings what is asked for.
type asksMsg struct{ list []broker.Proposal }

// NewAsks makes an empty list.
func NewAsks(d *desk.Desk, b AsksBroker) *Asks { return &Asks{Desk: d, broker: b} }

// Update looks once a second, and takes the answer.
func (a *Asks) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case asksMsg:
		a.set(msg.list)
	case desk.Tick:
		b := a.broker
		return func() tea.Msg { return asksMsg{b.Proposals()} }
	}
	return nil
}

// set takes over what is asked for. Screens know whether there is anything, so that none says beside the
// banner what else its key does.
func (a *Asks) set(list []broker.Proposal) { a.list, a.Proposed = list, len(list) > 0 }

// first is the oldest one; its ID is "" when nothing is asked for.
func (a *Asks) first() broker.Proposal {
	if len(a.list) == 0 {
		return broker.Proposal{}
	}
	return a.list[0]
}

// answered takes one off the list, which the broker does too.
func (a *Asks) answered(id string) {
	for i, p := range a.list {
		if p.ID == id {
			a.set(append(a.list[:i:i], a.list[i+1:]...))
			return
		}
	}
}

// Line says what is asked for, in a row of that width; "" when nothing is. The effects are what a person must
// not overlook, so that in a narrow window all else is left out before them.
func (a *Asks) Line(width int) string {
	p := a.first()
	if p.ID == "" {
		return ""
	}
	key, what := a.Called("p"), p.Effects.String()
	tail, in := " answers", " in "+words.Project(p.Project)
	if n := len(a.list) - 1; n > 0 {
		tail += " · " + figures.Count(n) + " more"
	}
	r := a.Styles.Row(width).Put(draw.Warn, " ? ")
	for _, b := range []struct{ text, tail string }{
		{whoAsks(p) + " asks to allow" + in + ": " + what, tail},
		{"asked to allow" + in + ": " + what, tail},
		{"asked to allow: " + what, " answers"},
		{"asked: " + what, " answers"},
		{what, " answers"},
		{what, ""},
	} {
		if room := width - r.Width - draw.Cells(" · "+key+b.tail); draw.Cells(b.text) <= room || b.tail == "" {
			r.Fit(draw.Text, b.text, max(0, room)).Put(draw.Muted, " · ").Put(draw.Key, key).Put(draw.Muted, b.tail)
			break
		}
	}
	return r.To(width).String()
}

// whoAsks names the asker; safe to draw.
func whoAsks(p broker.Proposal) string {
	if p.Agent != "" {
		return "an agent's process"
	}
	return callview.Actor(p.By)
}

// asker says of the form's proposal who asks for it, in a sentence or two.
func asker(p *draw.Paper, asked broker.Proposal) {
	if asked.Agent != "" {
		p.Say(draw.Danger, "! an agent asks for "+asked.Effects.String()+": "+draw.SafeLine(asked.Agent))
		return
	}
	by := callview.Actor(asked.By)
	if asked.By.PID != 0 {
		by += fmt.Sprintf(", process %d", asked.By.PID)
	}
	if asked.By.TTY != "" {
		by += " at " + draw.SafeLine(asked.By.TTY)
	}
	p.Say(draw.Warn, "asked for: "+asked.Effects.String()+" · by "+by)
}

// answer tells the broker what became of the form's proposal.
func (a *Asks) answer(id string, saved *broker.SavedRule) tea.Cmd {
	if id == "" {
		return nil
	}
	a.answered(id)
	b := a.broker
	return func() tea.Msg { b.AnswerProposal(id, saved); return nil }
}
