package tui

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/editcall"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/text"
	tea "github.com/charmbracelet/bubbletea"
)

// askEdit takes e on a card.
func (m *model) askEdit(wait time.Duration, refusal string) tea.Cmd {
	c := m.drawnCard()
	switch {
	case c == nil && m.tooSmall() && m.card() != nil:
		return m.Say(draw.Warn, m.tooSmallText())
	case c == nil:
		return m.Say(draw.Muted, "nothing waits")
	case refusal != "":
		return m.Say(draw.Warn, "… "+refusal)
	case len(m.Board.Marks) > 0:
		return m.Say(draw.Warn, "e is about one call: esc unmarks all")
	case c.Sending != "":
		return m.Say(draw.Muted, "already sent; waiting for the record")
	case c.Late():
		return m.Say(draw.Warn, "this call was refused already: its retry can pass only as it was asked", "refused already: nothing to edit")
	}
	switch tool := c.Tool(); tool {
	case "AskUserQuestion", "ExitPlanMode":
		return m.Say(draw.Muted, "questions and plans are answered on their card, not edited")
	}
	if why := c.Req.Fixed(); why != "" {
		m.instead = c.Key()
		return m.Say(draw.Warn, safe.Line(why)+": D denies it and says what to run instead", safe.Line(why)+": D denies it", "cannot be edited: D says what to run instead")
	}
	return m.InAMoment(wait, func() tea.Cmd { return m.openEdit(c.Key()) })
}

// insteadOf begins the reason of a denial with what to run instead, for an agent that
// takes no other input.
func insteadOf(c *board.Card) string {
	_, input := c.Req.Call()
	if command, ok := change.ReadInput(input).Text("command"); ok && !strings.ContainsAny(command, "\n\r\t") && len(command) < text.MaxTyped/2 {
		return "Run this instead: " + command
	}
	return "Do this instead: "
}

// openEdit opens the drawn call key to be edited.
func (m *model) openEdit(key guard.Drawn) tea.Cmd {
	c := m.Board.Still(key)
	if c == nil {
		return m.Say(draw.Warn, "this call is no longer waiting: nothing was opened")
	}
	m.note = note{}
	return m.Open(desk.EditCall, desk.Subject{Session: c.Req.SessionID, Call: &c.Req, Drawn: key})
}

// editSetup is what an edited call takes beside the broker.
func (m *model) editSetup() editcall.Setup {
	return editcall.Setup{
		Editor:  m.outside,
		NewCode: func() string { return m.makeCode() },
		OtherHooks: func(agent, event, tool, project string) []string {
			if m.opts.OtherHooks == nil {
				return nil
			}
			return m.opts.OtherHooks(agent, event, tool, project)
		},
	}
}

// allowed moves on from a call that was allowed as it was edited.
func (m *model) allowed(msg desk.Allowed) {
	if m.selected == msg.ID {
		m.moveOn()
	}
}
