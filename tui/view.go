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
	if !m.composeCovers() {
		rows = append(rows, m.body()...)
	}
	if m.compose != nil {
		l := m.layout()
		rows = append(rows, m.composeView(l, l.compose)...)
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
	if m.launch != nil {
		return m.launchView(l, l.body)
	}
	if m.editorCovers(l) {
		return m.editorView(l, l.body)
	}
	if s := m.covering(); s != nil {
		return m.drawn(s, l.body)
	}
	switch m.screen {
	case screenFull:
		return m.detailView(l, l.detail)
	case screenHistory:
		return m.historyView(l, l.detail)
	case screenPast:
		return m.pastView(l, l.detail)
	case screenRules:
		return m.rulesView(l, l.body)
	case screenTokens:
		return m.tokensView(l, l.body)
	case screenFiles:
		return m.filesView(l, l.body)
	case screenFile:
		return m.fileView(l, l.body)
	case screenMain:
	}
	right := m.queueView(l, l.queue)
	if m.editor != nil {
		right = append(right, m.editorView(l, l.detail)...)
	} else {
		right = append(right, m.detailView(l, l.detail)...)
	}
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
