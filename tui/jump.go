package tui

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/tmux"
)

// problem is a reason for a person to read; what agents chose in it is safe to draw.
type problem string

func (p problem) Error() string { return string(p) }

// pointed is the session that a key for a session is about: the selected one in the pane
// of the sessions, else that of the drawn call. nil when there is none.
func (m *model) pointed() *broker.Session {
	if m.tooSmall() {
		return nil
	}
	if s := m.open(); s != nil {
		return m.Board.Sessions[s.Subject().Session]
	}
	if c := m.drawnCard(); c != nil && (m.focus != paneSessions || m.screen == screenFull) {
		return m.Board.Sessions[c.Req.SessionID]
	}
	if m.layout().sessions.H == 0 {
		return nil // what nobody sees is not what a key is about
	}
	return m.Board.Sessions[m.session]
}

func (m *model) sayNoSession() tea.Cmd {
	if m.tooSmall() {
		return m.Say(draw.Warn, m.tooSmallText())
	}
	return m.Say(draw.Muted, "no session is selected")
}

// jump takes o: it shows the agent's own pane of tmux.
func (m *model) jump() tea.Cmd {
	s := m.pointed()
	if s == nil {
		return m.sayNoSession()
	}
	ctx, jump, to, label := m.Ctx, m.opts.Jump, *s, m.Board.Label(s.ID)
	if m.Board.InOneProcess(s) {
		return m.Say(draw.Warn, label+": its agent serves several sessions from one process, so nobody knows which of them is in pane "+safe.Line(s.Pane))
	}
	return func() tea.Msg { return jumpedMsg{label: label, pane: to.Pane, err: jump(ctx, to)} }
}

func (m *model) jumped(msg jumpedMsg) tea.Cmd {
	if p, ok := errors.AsType[problem](msg.err); ok {
		return m.Say(draw.Warn, msg.label+": "+p.Error())
	}
	if msg.err != nil {
		return m.Say(draw.Danger, msg.label+": "+safe.Line(msg.err.Error()))
	}
	return m.Say(draw.OK, msg.label+" is in pane "+msg.pane)
}

// jumpTo shows the pane of s, if that is still where its agent runs. Errors: a problem,
// or what tmux says.
func jumpTo(ctx context.Context, s broker.Session) error {
	if s.Pane == "" {
		return problem("its agent does not run in tmux")
	}
	if !tmux.ValidPane(s.Pane) {
		return problem("it names a pane that cannot be one: " + safe.Line(s.Pane))
	}
	here, err := tmux.Here()
	switch {
	case errors.Is(err, tmux.ErrOutside):
		return problem("the agent is in pane " + s.Pane + " of tmux, and this console is not in tmux")
	case errors.Is(err, tmux.ErrNoProgram):
		return problem(tmux.ErrNoProgram.Error())
	case err != nil:
		return err
	case s.TmuxServer != "" && s.TmuxServer != here.Socket:
		return problem("the agent is in pane " + s.Pane + " of another tmux server: " + safe.Line(s.TmuxServer))
	}
	panes, err := here.Panes(ctx)
	if err != nil {
		return err
	}
	pane, found := here.Find(panes, s.Pane)
	if !found {
		return problem("pane " + s.Pane + " is gone")
	}
	if err := stillIn(s, pane); err != nil {
		return err
	}
	return here.Jump(ctx, pane)
}

// stillIn makes sure that the agent of s runs in pane: ids outlive what they were for, and
// a hook can name any.
func stillIn(s broker.Session, pane tmux.Pane) error {
	if s.Process.PID == 0 {
		return problem("its process is not known, so pane " + s.Pane + " may be anybody's")
	}
	in, err := peers.Within(s.Process, pane.PID)
	switch {
	case err != nil || s.State.Ended():
		return problem(fmt.Sprintf("its process %d has ended; pane %s is no longer its own", s.Process.PID, s.Pane))
	case pane.Dead || !in:
		return problem(fmt.Sprintf("pane %s is no longer its own: process %d is not in it", s.Pane, s.Process.PID))
	}
	return nil
}

// muteKey takes M.
func (m *model) muteKey() tea.Cmd {
	s := m.pointed()
	if s == nil {
		return m.sayNoSession()
	}
	return m.herald.Mute(s.ID)
}
