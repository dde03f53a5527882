package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/draw"
)

// ending is the end of a managed session that was stopped here, while it is being told.
type ending struct {
	session string // its id, "" when there is none
	told    int    // steps that were told, or were there before
}

// stopBegun tells that a managed session is being ended, unless its end was told already.
func (m *model) stopBegun(msg stoppedMsg) tea.Cmd {
	s := msg.session
	if now := m.board.Sessions[s.ID]; m.board.Held(s.ID) && now.State.UnderStop() {
		s = *now // it may be further already
	}
	if s.State == broker.SessionStopped && s.Run.Turn == broker.TurnEnded {
		return m.stepsCame(s)
	}
	if len(s.Run.Steps) > 0 {
		return nil // they are being told
	}
	return m.sayFitting(draw.OK, "stopping "+msg.label+": denied what waits, interrupting its turn, then ending it", "stopping "+msg.label+": interrupting, then ending it")
}

// stepsCame tells the steps of ending a session, as they come, and how it ended.
func (m *model) stepsCame(s broker.Session) tea.Cmd {
	e := &m.ending
	if e.session != s.ID || s.Run == nil || !s.State.UnderStop() {
		return nil
	}
	label := m.board.Label(s.ID)
	fresh := s.Run.Steps[min(e.told, len(s.Run.Steps)):]
	e.told = len(s.Run.Steps)
	switch {
	case s.State == broker.SessionStopped && s.Run.Turn == broker.TurnEnded:
		e.session = ""
		return m.sayFitting(draw.OK, label+" is stopped: "+steps(s.Run.Steps)+"; m speaks to it again", label+" is stopped: "+steps(s.Run.Steps), label+" is stopped")
	case len(fresh) > 0:
		return m.say(draw.Warn, "stopping "+label+": "+steps(fresh)+" …")
	}
	return nil
}

// steps are the steps of ending a process in one sentence; safe to draw.
func steps(list []string) string {
	if len(list) == 0 {
		return "its process has ended"
	}
	return draw.SafeLine(strings.Join(list, ", "))
}
