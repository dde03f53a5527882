package tui

import (
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

const (
	observingWords = "OBSERVING: nothing is held"
	observingTold  = "nothing is held: calls run unless their own agent asks; aoctl only records"
)

// askObserve takes O: it asks before calls are no longer held, and before all sessions
// are held again; one session is held again at once.
func (m *model) askObserve(refusal string) tea.Cmd {
	s := m.Board.Sessions[m.session]
	switch {
	case m.focus != paneSessions || m.screen != screenMain:
		return m.Say(draw.Muted, "O observes a session, or holds it again: tab goes to the sessions", "O is for sessions: tab goes there")
	case refusal != "" && m.Guard.Burst():
		return m.Say(draw.Warn, "… "+refusal)
	case m.Board.Health.Observing:
		m.prompt = &prompt{purpose: askObserve, on: false}
	case s == nil:
		return m.Say(draw.Muted, "no session is selected")
	case s.Observed:
		return m.observe(s.ID, m.Board.Label(s.ID), false)
	case s.State.Ended():
		return m.Say(draw.Muted, m.Board.Label(s.ID)+" has ended")
	default:
		m.prompt = &prompt{purpose: askObserve, on: true, session: s.ID, what: m.Board.Label(s.ID)}
	}
	return nil
}

// observeQuestion is the question before observing changes, in the widths there are.
func (p *prompt) observeQuestion() []string {
	if !p.on {
		return []string{"hold the calls of all sessions again? ", "hold all calls again? "}
	}
	return []string{
		fmt.Sprintf("only observe %s and hold none of its calls, not even what rules deny? ", p.what),
		fmt.Sprintf("only observe %s and hold none of its calls? ", p.what),
		fmt.Sprintf("only observe %s? ", p.what),
		"only observe it? ",
	}
}

func (m *model) observed(msg observedMsg) tea.Cmd {
	who := msg.label
	if who == "" {
		who = "all sessions"
	}
	switch {
	case errors.Is(msg.err, broker.ErrNotFound):
		return m.Say(draw.Warn, who+": the broker knows no such session")
	case errors.Is(msg.err, broker.ErrSessionEnded):
		return m.Say(draw.Warn, who+" has ended")
	case msg.err != nil:
		return m.Say(draw.Danger, who+": "+safe.Line(msg.err.Error()))
	case msg.on:
		return m.Say(draw.Warn, "observing "+who+": none of its calls is held; O holds them again")
	}
	return m.Say(draw.OK, who+": calls are held again")
}

// observeHint says what O does on the selected session.
func (m *model) observeHint() hint {
	if s := m.Board.Sessions[m.session]; m.Board.Health.Observing || s != nil && s.Observed {
		return hint{"O", "hold again"}
	}
	return hint{"O", "observe"}
}
