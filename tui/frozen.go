package tui

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// frozenLine is the line across the top while everything is frozen, else "".
func (m *model) frozenLine() string {
	h := m.Board.Health
	if !h.Frozen {
		return ""
	}
	n := m.Board.HeldCalls()
	calls := figures.Plural(n, "call")
	by := "you"
	switch {
	case h.FrozenBy.Kind == broker.ByBroker:
		by = "aoctl, because the log was changed"
	case h.FrozenBy.Kind != broker.ByOperator || h.FrozenBy.Token() != "":
		by = callview.Actor(h.FrozenBy)
	}
	text := m.Fitting(
		"FROZEN by "+by+": every agent is held at its next call, "+calls+" held, none can be allowed · f lets them go on",
		"FROZEN: every agent is held at its next call, "+calls+" held · f lets them go on",
		"FROZEN: every agent is held, "+calls+" held · f lifts it",
		"FROZEN: "+calls+" held · f lifts it",
		"FROZEN",
	)
	return m.Styles.Row(m.width).Put(draw.Ice, " "+text).Line(draw.Ice, " ", m.width).String()
}

// sayHeld tells why a card cannot be allowed now.
func (m *model) sayHeld(c *board.Card) tea.Cmd {
	lift := "F on its session"
	if m.Board.Health.Frozen {
		lift = "f"
	}
	return m.Say(draw.Warn,
		"held by a freeze, "+draw.SafeLine(c.Req.Held)+": it can be denied, and allowed once "+lift+" has lifted that",
		"held by a freeze: "+lift+" lifts it, d denies the call",
		"held: "+lift+" lifts it")
}

// freezeHint says what F does on the selected session.
func (m *model) freezeHint() hint {
	if s := m.Board.Sessions[m.session]; s != nil && s.Frozen {
		return hint{"F", "unfreeze"}
	}
	return hint{"F", "freeze"}
}

// observeHint says what O does on the selected session.
func (m *model) observeHint() hint {
	if s := m.Board.Sessions[m.session]; m.Board.Health.Observing || s != nil && s.Observed {
		return hint{"O", "hold again"}
	}
	return hint{"O", "observe"}
}

// freezeKey takes f and F. Where F is something else, it is not taken.
func (m *model) freezeKey(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	switch {
	case key.Matches(msg, m.keys.Freeze):
		m.note = note{}
		return m.orders.Freeze(), true
	case key.Matches(msg, m.keys.FreezeOne) && m.open() == nil && (m.screen == screenMain || m.screen == screenFull):
		m.note = note{}
		return m.orders.FreezeOne(m.sessionInView()), true
	}
	return nil, false
}

// freezeCame makes keys that decide deaf for a moment when a freeze begins or ends: the
// line across the top moves what is drawn.
func (m *model) freezeCame(u broker.Update) {
	if u.Health != nil && u.Health.Frozen != m.Board.Health.Frozen {
		m.Guard.Doubt(m.At)
	}
}
