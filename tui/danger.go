package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/guard"
)

// digit is the digit that msg types towards the drawn card's code; empty when it is
// another key or no code is asked for.
func (m *model) digit(msg tea.KeyMsg) string {
	if c := m.drawnCard(); c == nil || !c.Dangerous() || msg.Type != tea.KeyRunes || msg.Alt || len(msg.Runes) != 1 {
		return ""
	}
	if r := msg.Runes[0]; r >= '0' && r <= '9' {
		return string(r)
	}
	return ""
}

// typeDigit takes a digit for the drawn card's code. Both digits must pass the guard.
func (m *model) typeDigit(digit string) tea.Cmd {
	c := m.drawnCard()
	first, wait, refusal := m.Guard.Digit(digit, m.At)
	switch {
	case refusal != "":
		return m.Say(draw.Warn, "… "+refusal)
	case c.Sending != "":
		return m.Say(draw.Muted, "already sent; waiting for the record")
	case c.Held():
		return m.sayHeld(c)
	case locked(c):
		return m.sayReadOn()
	case first == "" && c.Code != "" && digit == c.Code[:1]:
		m.Guard.Begin(digit, m.At)
		return tea.Tick(guard.CodeFor, func(time.Time) tea.Msg { return awakeMsg{} })
	case first != "" && first+digit == c.Code:
		return m.Guard.Hold(guard.Held{Verdict: broker.Allow}, wait, m.At)
	}
	return m.Say(draw.Warn,
		"that is not the code of this card: type "+c.Code+" to allow, d to deny",
		"wrong digit: "+c.Code+" allows")
}

// sayCode tells that a dangerous call is not allowed by one key.
func (m *model) sayCode(c *board.Card) tea.Cmd {
	what := "allow"
	if c.Late() {
		what = "let its retry pass"
	}
	return m.Say(draw.Danger, "dangerous: type "+c.Code+" to "+what+", d to deny", "dangerous: type "+c.Code+" to allow")
}

func (m *model) sayReadOn() tea.Cmd { return m.Say(draw.Warn, "read to the end to allow: G or ctrl+d") }

// codeHint is the hint that stands where others have the key that allows.
func (m *model) codeHint(c *board.Card) hint {
	if first := m.Guard.Begun(m.At); first != "" {
		return hint{first + "_", "then " + c.Code[1:] + " allows"}
	}
	if c.Late() {
		return hint{"type " + c.Code, "allow retry"}
	}
	return hint{"type " + c.Code, "allow"}
}
