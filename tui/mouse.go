package tui

import tea "github.com/charmbracelet/bubbletea"

const wheelRows = 3 // rows of a call for one step of the wheel

// updateMouse scrolls and selects. The mouse never decides.
func (m *model) updateMouse(msg tea.MouseMsg) tea.Cmd {
	if m.formOpen() || msg.Action != tea.MouseActionPress {
		return nil
	}
	step := 0
	switch { // other buttons mean nothing here
	case msg.Button == tea.MouseButtonWheelUp:
		step = -1
	case msg.Button == tea.MouseButtonWheelDown:
		step = 1
	case msg.Button != tea.MouseButtonLeft:
		return nil
	}
	if s := m.open(); s != nil {
		return m.mouseOpen(s, msg)
	}
	l := m.layout()
	switch {
	case l.detail.Has(msg.X, msg.Y):
		m.scroll += step * wheelRows
		if step == 0 && m.screen == screenMain {
			m.focus = paneDetail
		}
	case l.queue.Has(msg.X, msg.Y):
		m.mouseQueue(l, msg, step)
	case l.sessions.Has(msg.X, msg.Y):
		m.mouseSessions(l, msg, step)
	}
	return nil
}

func (m *model) mouseQueue(l layout, msg tea.MouseMsg, step int) {
	if step != 0 {
		m.selectRow(m.Board.Place(m.card()) + step)
		m.went = m.selected
		return
	}
	m.focus = paneQueue
	_, height := l.Inner(l.queue, 0)
	if y := msg.Y - l.queue.Y - 1; y >= 0 && y < height && m.top+y < m.Board.Rows() {
		m.selectRow(m.top + y)
		m.went = m.selected
	}
}

func (m *model) mouseSessions(l layout, msg tea.MouseMsg, step int) {
	roster := m.Board.Roster
	if step == 0 {
		m.focus = paneSessions
		if id := m.sessionAt(msg.Y - l.sessions.Y - 1); id != "" {
			m.session = id
		}
		return
	}
	for i, id := range roster {
		if id == m.session {
			m.session = roster[max(0, min(i+step, len(roster)-1))]
			return
		}
	}
}
