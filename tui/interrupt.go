package tui

import (
	"context"
	"errors"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/words"
)

// interruptedMsg is the answer to an interrupt.
type interruptedMsg struct {
	label string // safe to draw
	err   error
}

// interrupt takes i: it ends the turn of a managed session and keeps the session. refusal
// is what the guard has against the key.
func (m *model) interrupt(s *broker.Session, refusal string) tea.Cmd {
	switch {
	case s == nil:
		return m.sayNoSession()
	case refusal != "":
		return m.Say(draw.Warn, "… "+refusal)
	case s.Run == nil:
		return m.Say(draw.Warn, words.OnlyWatched(m.Board.Label(s.ID), "press its own key there")...)
	case s.Run.Turn == broker.TurnIdle:
		return m.Say(draw.Muted, m.Board.Label(s.ID)+": its turn is over, there is nothing to interrupt", "its turn is over")
	case s.Run.Turn == broker.TurnEnded, s.Run.Turn == broker.TurnDeferred, s.State.Ended():
		return m.Say(draw.Muted, m.Board.Label(s.ID)+": its agent has ended, there is nothing to interrupt", "its agent has ended")
	}
	ctx, console, by, id, label := m.Ctx, m.console, m.Operator, s.ID, m.Board.Label(s.ID)
	return tea.Batch(m.Say(draw.Warn, "interrupting "+label+" …"), func() tea.Msg {
		return interruptedMsg{label: label, err: console.Interrupt(ctx, id, by)}
	})
}

func (m *model) interrupted(msg interruptedMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil:
		return m.Say(draw.Danger, msg.label+" was not interrupted: "+words.RunError(msg.err))
	}
	return m.Say(draw.OK, msg.label+": told to end its turn; it stays, and m tells it what to do instead", msg.label+": told to end its turn")
}

// heldKey takes the keys that start a session and speak to one; ok is false when it is
// none of them, or this screen has no session.
func (m *model) heldKey(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	switch {
	case !m.ofSession():
		return nil, false
	case key.Matches(msg, m.keys.Message):
		cmd = m.openMessage()
	case key.Matches(msg, m.keys.Launch):
		cmd = m.Open(desk.Launch, m.aboutHere())
	default:
		return nil, false
	}
	if w, ok := m.open().(desk.Writer); !ok || !w.Writes() { // words may follow that find no text
		m.Guard.Missed(msg.String())
	}
	return cmd, true
}

// openMessage opens the message to the session that a key for one is about.
func (m *model) openMessage() tea.Cmd {
	on := m.aboutHere()
	if on.Session == "" {
		return m.sayNoSession()
	}
	return m.Open(desk.Message, on)
}

// aboutHere is the session that a key for a session is about, as a subject.
func (m *model) aboutHere() desk.Subject {
	if s := m.sessionHere(); s != nil {
		return desk.Subject{Session: s.ID}
	}
	return desk.Subject{}
}

// ofSession reports whether the screen is about a session, or about calls that wait.
func (m *model) ofSession() bool {
	if s := m.open(); s != nil {
		return s.Subject().Speaks
	}
	return m.screen == screenMain || m.screen == screenFull
}

// sessionHere is the session that a key for a session is about, on any screen that has one.
func (m *model) sessionHere() *broker.Session {
	switch s := m.open(); {
	case s != nil:
		return m.Board.Sessions[s.Subject().Session]
	case m.screen == screenMain || m.screen == screenFull:
		return m.pointed()
	}
	return nil
}
