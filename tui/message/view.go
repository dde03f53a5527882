package message

import (
	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/draw"
)

// Strip is how many of a room's rows the message takes: all of a low one.
func (x *Screen) Strip(_, height int) int {
	// In a low room nothing below it could be read, so it takes all rows.
	if height < 18 {
		return height
	}
	return min(max(height/3, 7), 12)
}

// settle keeps the cursor on the screen.
func (x *Screen) settle() {
	c := x.compose
	if c == nil {
		return
	}
	width, height := x.Inner()
	// The text is laid out here as it will be drawn, to find the row of the cursor.
	p := x.Styles.Paper(width)
	cursor := c.text.Write(p, draw.Gutter{}, true)
	c.top = desk.Window(c.top, cursor, height-c.head(), len(p.Rows))
}

// head is how many rows stand above the text.
func (c *compose) head() int {
	if c.hint != "" {
		return 1
	}
	return 0
}

// View draws the text, and above it why the last key did nothing.
func (x *Screen) View(_, _ int) []string {
	c := x.compose
	if c == nil {
		return x.Framed(draw.Caption{}, nil, 0)
	}
	width, height := x.Inner()
	p := x.Styles.Paper(width)
	c.text.Write(p, draw.Gutter{}, c.state == composing)
	f := draw.Caption{Title: "To " + x.Board.Label(c.session), Note: x.note()}
	var rows []string
	if c.hint != "" {
		rows = append(rows, x.Styles.Row(p.Width).Fit(draw.Warn, "! "+c.hint, p.Width).To(p.Width).String())
	}
	room := max(0, height-len(rows))
	if len(p.Rows) > room {
		f.Right = desk.Position(c.top, room, len(p.Rows))
	}
	top := max(0, min(c.top, len(p.Rows)-room))
	return x.Framed(f, append(rows, p.Rows[top:min(top+room, len(p.Rows))]...), 0)
}

// note says what will become of the message when it is sent now.
func (x *Screen) note() string {
	// The note is about the session as it is now; it may end while the message is
	// written.
	s := x.Board.Sessions[x.compose.session]
	switch {
	case x.compose.state == sent:
		return "sending …"
	case x.compose.state == inEditor:
		return "the editor is open"
	case s == nil || s.Run == nil:
		return "this session is gone"
	// A message lifts a stop, so that is said before anything about its turn.
	case s.State.UnderStop():
		return "it is stopped: a message lifts that"
	}
	switch s.Run.Turn {
	case broker.TurnStarting:
		return "it starts: waits until then"
	case broker.TurnIdle:
		return "its turn is over: goes at once"
	case broker.TurnDeferred:
		return "a call of it is deferred"
	case broker.TurnEnded:
		return "it has ended: it is resumed for this"
	case broker.TurnWorking:
	}
	return "it works: waits for the end of its turn"
}
