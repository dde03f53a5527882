package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

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
	return m.InAMoment(wait, func() tea.Cmd {
		return m.Open(desk.RuleEdit, desk.Subject{Session: c.Req.SessionID, Call: &c.Req, Drawn: c.Key()})
	})
}
