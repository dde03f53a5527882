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
		a.list = msg.list
	case desk.Tick:
		b := a.broker
		return func() tea.Msg { return asksMsg{b.Proposals()} }
	}
	return nil
}

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
			a.list = append(a.list[:i:i], a.list[i+1:]...)
			return
		}
	}
}

// Line says what is asked for, in a row of that width; "" when nothing is.
func (a *Asks) Line(width int) string {
	p := a.first()
	if p.ID == "" {
		return ""
	}
	what, key, who := words.Project(p.Project)+": "+p.Effects.String(), a.Called("p"), whoAsks(p)
	more := ""
	if n := len(a.list) - 1; n > 0 {
		more = " · " + figures.Count(n) + " more"
	}
	texts := []string{who + " asks to allow in " + what + more, "asked to allow in " + what, "asked to allow: " + what, "a grant is asked for"}
	r := a.Styles.Row(width).Put(draw.Warn, " ? ")
	tail := " · " + key + " answers"
	for _, text := range texts {
		if r.Width+draw.Cells(text+tail) < width || text == texts[len(texts)-1] {
			r.Fit(draw.Text, text, max(0, width-r.Width-draw.Cells(tail)-1))
			break
		}
	}
	return r.Put(draw.Muted, " · ").Put(draw.Key, key).Put(draw.Muted, " answers").To(width).String()
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
