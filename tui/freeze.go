package tui

import (
	"context"
	"errors"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
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

// freezeCame makes keys that decide deaf for a moment when a freeze begins or ends: the
// line across the top moves what is drawn.
func (m *model) freezeCame(u broker.Update) {
	if u.Health != nil && u.Health.Frozen != m.Board.Health.Frozen {
		m.Guard.Doubt(m.At)
	}
}

// freezeKey takes f and F. To freeze needs no question: it only makes things safer. Where
// F is something else, it is not taken.
func (m *model) freezeKey(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	switch {
	case key.Matches(msg, m.keys.Freeze):
		m.note = note{}
		if m.Board.Health.Frozen {
			return m.askUnfreeze("", ""), true
		}
		return m.freeze("", "", true), true
	case key.Matches(msg, m.keys.FreezeOne) && m.open() == nil && (m.screen == screenMain || m.screen == screenFull):
		m.note = note{}
		return m.freezeOne(), true
	}
	return nil, false
}

func (m *model) freezeOne() tea.Cmd {
	s := m.Board.Sessions[m.sessionInView()]
	switch {
	case s == nil:
		return m.Say(draw.Muted, "no session is selected")
	case m.Board.Health.Frozen:
		return m.Say(draw.Muted, "everything is frozen already: f lifts that", "all is frozen: f lifts that")
	case s.Frozen:
		return m.askUnfreeze(s.ID, m.Board.Label(s.ID))
	}
	return m.freeze(s.ID, m.Board.Label(s.ID), true)
}

// askUnfreeze asks before agents go on.
func (m *model) askUnfreeze(id, label string) tea.Cmd {
	name := "f"
	if id != "" {
		name = "F"
	}
	if _, refusal := m.Press(name); refusal != "" {
		return m.Say(draw.Warn, "… "+refusal)
	}
	question, brief := "let all agents go on? rules decide what is held", "let all go on?"
	if id != "" {
		question, brief = "let "+label+" go on? rules decide what is held", "let it go on?"
	}
	m.Ask(question, brief, func() tea.Cmd { return m.freeze(id, label, false) })
	return nil
}

// frozenMsg is the answer to a freeze, or to its end.
type frozenMsg struct {
	id, label string // safe to draw; empty for everything
	on        bool
	err       error
}

func (m *model) freeze(id, label string, on bool) tea.Cmd {
	ctx, c, by := m.Ctx, m.console, m.Operator
	return func() tea.Msg {
		return frozenMsg{id: id, label: label, on: on, err: c.Freeze(ctx, id, on, by)}
	}
}

func (m *model) frozen(msg frozenMsg) tea.Cmd {
	who := msg.label
	if msg.id == "" {
		who = "everything"
	}
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case errors.Is(msg.err, broker.ErrNotFound):
		return m.Say(draw.Warn, who+": the broker knows no such session")
	case errors.Is(msg.err, broker.ErrNotRecorded) && msg.on:
		return m.Say(draw.Danger, who+" is frozen until this console ends: the freeze could not be recorded", "frozen, but not recorded: a restart forgets it")
	case errors.Is(msg.err, broker.ErrNotRecorded):
		return m.Say(draw.Danger, who+" is still frozen: its end could not be recorded", "still frozen: not recorded")
	case msg.err != nil:
		return m.Say(draw.Danger, who+": "+safe.Line(msg.err.Error()))
	case msg.on && msg.id == "":
		return m.Say(draw.Frozen, "frozen: every agent is held at its next call; f lets them go on", "frozen: f lets them go on")
	case msg.on:
		return m.Say(draw.Frozen, who+" is frozen: held at its next call; F lets it go on", "frozen: F lets it go on")
	case msg.id == "" && m.Board.FrozenSessions() > 0:
		return m.Say(draw.Warn, "the agents go on, but for "+figures.Plural(m.Board.FrozenSessions(), "session")+" frozen by themselves (F)", "they go on; "+figures.Count(m.Board.FrozenSessions())+" still frozen")
	case msg.id == "":
		return m.Say(draw.OK, "the agents go on")
	}
	return m.Say(draw.OK, who+" goes on")
}
