package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/tty"
)

// Some agents ask their user where only they can be answered. There is nothing to decide
// about that here, but somebody has to know.

// elsewhereRows says what is asked in other terminals.
func (m *model) elsewhereRows(p *draw.Paper) {
	for _, s := range m.Board.Elsewhere() {
		p.Prose(draw.Gutter{Width: 1}, draw.Piece{Ink: draw.Warn, Raw: m.Board.Label(s.ID) + " asks in its own terminal: "}, draw.Piece{Ink: draw.Agent, Raw: s.Asks.Text})
	}
}

// elsewhereNote is the same in few words; safe to draw, "" when nobody asks.
func (m *model) elsewhereNote() string {
	switch list := m.Board.Elsewhere(); len(list) {
	case 0:
		return ""
	case 1:
		return m.Board.Label(list[0].ID) + " asks in its terminal"
	default:
		return figures.Count(len(list)) + " ask in their terminals"
	}
}

// asksCame rings when the agent of s begins to ask in its own tty.
func (m *model) asksCame(s broker.Session) tea.Cmd {
	old := m.Board.Sessions[s.ID]
	if s.Asks == nil || old != nil && old.Asks != nil && old.Asks.RequestID == s.Asks.RequestID {
		return nil
	}
	return m.herald.Ring("aoctl: a question waits in the terminal of " + tty.Bare(m.Board.Label(s.ID)))
}
