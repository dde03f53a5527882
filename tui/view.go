package tui

import (
	"strings"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// View draws the window: exactly its height in rows, none wider than it.
func (m *model) View() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	rows := make([]string, 0, m.height)
	rows = append(rows, m.header())
	if line := m.frozenLine(); line != "" {
		rows = append(rows, line)
	}
	for _, text := range m.banners() {
		rows = append(rows, m.Styles.Row(m.width).Put(draw.Danger, " ! ").Fit(draw.Danger, text, m.width-4).To(m.width).String())
	}
	if !m.stripCovers() {
		rows = append(rows, m.body()...)
	}
	if _, ok := m.open().(desk.Strip); ok {
		l := m.layout()
		rows = append(rows, m.drawn(m.open(), l.strip)...)
	}
	rows = append(rows, m.footer())
	if len(rows) > m.height { // a window of one or two rows
		rows = rows[len(rows)-m.height:]
	}
	return strings.Join(rows, "\n")
}

func (m *model) body() []string {
	l := m.layout()
	if s := m.covering(); s != nil {
		return m.drawn(s, l.body)
	}
	switch m.screen {
	case screenFull:
		return m.detailView(l, l.detail)
	case screenMain:
	}
	right := m.queueView(l, l.queue)
	right = append(right, m.detailView(l, l.detail)...)
	left := m.sessionsView(l, l.sessions)
	if l.Stacked || m.tooSmall() {
		return append(left, right...)
	}
	for i := range right {
		right[i] = left[i] + right[i]
	}
	return right
}

// drawn is a screen in its area, which the desk tells it too.
func (m *model) drawn(s desk.Screen, a draw.Area) []string {
	m.Width, m.Height = a.W, a.H
	return s.View(a.W, a.H)
}
