package tui

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// composeHeight is how many of a body's rows a message takes that is being written: all
// of a low one.
func composeHeight(body int) int {
	if body < 18 {
		return body
	}
	return min(max(body/3, 7), 12)
}

// composeCovers reports whether the message hides all else.
func (m *model) composeCovers() bool { return m.compose != nil && m.layout().body.H == 0 }

// settleCompose keeps the cursor on the screen.
func (m *model) settleCompose() {
	c := m.compose
	if c == nil {
		return
	}
	l := m.layout()
	width, height := l.Inner(l.compose, 1)
	p := m.Styles.Paper(width)
	cursor := c.text.Write(p, draw.Gutter{}, true)
	c.top = desk.Window(c.top, cursor, height-m.composeHead(), len(p.Rows))
}

// composeHead is how many rows stand above the text.
func (m *model) composeHead() int {
	if m.compose.hint != "" {
		return 1
	}
	return 0
}

func (m *model) composeView(l layout, a draw.Area) []string {
	c := m.compose
	width, height := l.Inner(a, 1)
	p := m.Styles.Paper(width)
	c.text.Write(p, draw.Gutter{}, c.state == composing)
	f := draw.Caption{Title: "To " + m.Board.Label(c.session), Focus: true, Note: m.composeNote()}
	var rows []string
	if c.hint != "" {
		rows = append(rows, m.Styles.Row(p.Width).Fit(draw.Warn, "! "+c.hint, p.Width).To(p.Width).String())
	}
	room := max(0, height-len(rows))
	if len(p.Rows) > room {
		f.Right = callview.Position(c.top, room, &callview.Doc{Paper: *p})
	}
	top := max(0, min(c.top, len(p.Rows)-room))
	return l.Framed(a, f, 1, append(rows, p.Rows[top:min(top+room, len(p.Rows))]...))
}

// composeNote says what will become of the message.
func (m *model) composeNote() string {
	c := m.compose
	s := m.Board.Sessions[c.session]
	switch {
	case c.state == composeSent:
		return "sending …"
	case c.state == composeEditor:
		return "the editor is open"
	case s == nil || s.Run == nil:
		return "this session is gone"
	case s.State.UnderStop():
		return "it is stopped: a message lifts that"
	}
	switch s.Run.Turn {
	case broker.TurnStarting:
		return "it starts: waits until then"
	case broker.TurnIdle:
		return "its turn is over: goes at once"
	case broker.TurnDeferred:
		return "a call of it is put off"
	case broker.TurnEnded:
		return "it has ended: it is resumed for this"
	case broker.TurnWorking:
	}
	return "it works: waits for the end of its turn"
}

// composeHints are the keys for the last line.
func (m *model) composeHints() []hint {
	if m.compose.state != composing {
		return []hint{{"esc", "back"}}
	}
	if m.width < 60 {
		return []hint{{"enter", "send"}, {"ctrl+j", "line"}, {"esc", "leave"}}
	}
	return []hint{{"enter", "send"}, {"alt+enter", "new line"}, {"ctrl+e", "$EDITOR"}, {"esc", "leave, keeping it"}}
}
