package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
)

// askYes asks for a y in the last line before something is done; brief is the question
// where there is no room for it.
func (m *model) askYes(question, brief string, yes func() tea.Cmd) {
	m.Guard.Doubt(m.At) // the y must come after the question
	m.prompt = &prompt{purpose: askYes, what: question, help: brief, yes: yes}
}

// sendLine takes the enter behind a line that a screen about rules has asked for.
func (m *model) sendLine(p *prompt) tea.Cmd {
	if p.send == nil {
		m.prompt = nil
		return nil
	}
	wait, refusal := m.press("enter")
	if refusal != "" {
		p.hint = refusal
		return nil
	}
	return m.inAMoment(wait, func() tea.Cmd {
		m.prompt = nil
		return p.send(string(p.text))
	})
}

// inAMoment does something after wait, unless a key or a doubt about the screen comes
// first: then no person may have asked for it.
func (m *model) inAMoment(wait time.Duration, do func() tea.Cmd) tea.Cmd {
	return m.Guard.Hold(guard.Held{Do: do}, wait, m.At)
}

// press judges a key that loosens what holds, as the guard judges one that decides a
// call; refusal is empty when it may act.
func (m *model) press(name string) (wait time.Duration, refusal string) {
	wait, refusal = m.Guard.Press(name, m.At)
	if refusal != "" {
		refusal = "too fast: look first, then press " + name + " again"
	}
	return wait, refusal
}

// makeRule takes A on a card.
func (m *model) makeRule(wait time.Duration, refusal string) tea.Cmd {
	c := m.drawnCard()
	switch {
	case c == nil && m.tooSmall() && m.card() != nil:
		return m.Say(draw.Warn, m.tooSmallText())
	case c == nil:
		return m.Say(draw.Muted, "nothing waits; r, then n makes a rule from nothing")
	case refusal != "":
		return m.Say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return m.Say(draw.Muted, "already sent; waiting for the record")
	}
	return m.inAMoment(wait, func() tea.Cmd { return m.Open(desk.RuleEdit, desk.Subject{Call: &c.Req, Drawn: c.Key()}) })
}
