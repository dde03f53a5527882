package queue

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
)

// typeDigit takes a digit for the drawn card's code. Both digits must pass the guard.
func (q decider) typeDigit(c *board.Card, digit string) tea.Cmd {
	first, wait, refusal := q.Guard.Digit(digit, q.At)
	switch {
	case refusal != "":
		return q.Say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return q.saySent()
	case c.Held():
		return q.sayHeld(c)
	case locked(c):
		return q.sayReadOn()
	case first == "" && c.Code != "" && digit == c.Code[:1]:
		q.Guard.Begin(digit, q.At)
		return tea.Tick(guard.CodeFor, func(time.Time) tea.Msg { return desk.Look{} })
	case first != "" && first+digit == c.Code:
		return q.hold(broker.Allow, wait)
	}
	return q.Say(draw.Warn,
		"that is not the code of this card: type "+c.Code+" to allow, "+q.Called("d")+" to deny",
		"wrong digit: "+c.Code+" allows")
}

// sayCode tells that a dangerous call is not allowed by one key.
func (q decider) sayCode(c *board.Card) tea.Cmd {
	what := "allow"
	switch {
	case c.Late():
		what = "let its retry pass"
	case c.Req.NeedsTwo():
		what = "allow with a second operator"
	}
	return q.Say(draw.Danger, "dangerous: type "+c.Code+" to "+what+", "+q.Called("d")+" to deny", "dangerous: type "+c.Code+" to allow")
}

func (q decider) sayReadOn() tea.Cmd {
	return q.Say(draw.Warn, "read to the end to allow: "+q.Called("G")+" or "+q.Called("ctrl+d"))
}

// codeKey stands in the key line where others have the key that allows.
func (q keyline) codeKey(c *board.Card) desk.Key {
	if first := q.Guard.Begun(q.At); first != "" {
		return desk.Key{Name: first + "_", Short: "then " + c.Code[1:] + " allows"}
	}
	if c.Late() {
		return desk.Key{Name: "type " + c.Code, Short: "allow retry"}
	}
	short := "allow"
	switch {
	case c.Req.NeedsTwo() && c.Req.Assessment.AllowedBy == "":
		short = "allow, 1 of 2"
	case c.Req.NeedsTwo():
		short = "allow, 2 of 2"
	}
	return desk.Key{Name: "type " + c.Code, Short: short}
}
