package queue

import (
	"strings"
	"time"

	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/text"
	tea "github.com/charmbracelet/bubbletea"
)

// judgeEdit takes e on a card.
func (q decider) judgeEdit(_ tea.KeyMsg, wait time.Duration, refusal string) tea.Cmd {
	c := q.DrawnCard()
	switch {
	case c == nil:
		return q.sayNone()
	case refusal != "":
		return q.Say(draw.Warn, "… "+refusal)
	case len(q.Board.Marks) > 0:
		return q.Say(draw.Warn, "e is about one call: esc unmarks all")
	case c.Sending != "":
		return q.saySent()
	case c.Late():
		return q.Say(draw.Warn, "this call was refused already: its retry can pass only as it was asked", "refused already: nothing to edit")
	}
	switch tool := c.Tool(); tool {
	case "AskUserQuestion", "ExitPlanMode":
		return q.Say(draw.Muted, "questions and plans are answered on their card, not edited")
	}
	if why := c.Req.Fixed(); why != "" {
		q.instead = c.Key()
		return q.Say(draw.Warn, safe.Line(why)+": "+q.Called("D")+" denies it and says what to run instead", safe.Line(why)+": "+q.Called("D")+" denies it", "cannot be edited: "+q.Called("D")+" says what to run instead")
	}
	return q.InAMoment(wait, func() tea.Cmd { return q.openEdit(c.Key()) })
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
func (q decider) openEdit(key guard.Drawn) tea.Cmd {
	c := q.Board.Still(key)
	if c == nil {
		return q.Say(draw.Warn, "this call is no longer waiting: nothing was opened")
	}
	return q.Open(desk.EditCall, desk.Subject{Session: c.Req.SessionID, Call: &c.Req, Drawn: key})
}
