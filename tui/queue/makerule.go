package queue

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// judgeRule takes A on a card.
func (q decider) judgeRule(_ tea.KeyMsg, wait time.Duration, refusal string) tea.Cmd {
	c := q.DrawnCard()
	switch {
	case c == nil && q.list.card() != nil:
		return q.Say(draw.Warn, q.noRoom())
	case c == nil:
		return q.Say(draw.Muted, "nothing waits; "+q.Called("r")+", then n makes a rule from nothing")
	case refusal != "":
		return q.Say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return q.Say(draw.Muted, "already sent; waiting for the record")
	}
	return q.InAMoment(wait, func() tea.Cmd {
		return q.Open(desk.RuleEdit, desk.Subject{Session: c.Req.SessionID, Call: &c.Req, Drawn: c.Key()})
	})
}
