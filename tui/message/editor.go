package message

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/text"
)

// wroteMsg says that the operator's editor is done with a message.
type wroteMsg struct {
	gen int
	got string
	err error
}

// writeInEditor gives the text to the operator's editor.
func (x *Screen) writeInEditor() tea.Cmd {
	c := x.compose
	c.state = inEditor
	gen := c.gen
	return x.editor("message.md", c.text.String(), func(got string, err error) tea.Msg { return wroteMsg{gen, got, err} })
}

// wrote takes the text back from the editor. It is not sent before enter. A text that
// cannot be taken leaves the one from before.
func (x *Screen) wrote(msg wroteMsg) tea.Cmd {
	// The screen has not been seen while the editor had the terminal.
	x.Guard.Doubt(x.At)
	again := tea.EnableMouseCellMotion // the terminal came back without
	c := x.compose
	if c == nil || c.gen != msg.gen {
		return again
	}
	c.state = composing
	got := text.NewArea("", maxMessage)
	// Some editors put a byte order mark in front, and all a line break at the end.
	refused := got.Insert([]rune(strings.TrimSuffix(strings.TrimPrefix(msg.got, "\ufeff"), "\n")))
	if refused == "" {
		c.text = got
	}
	c.hint = refused
	// An editor that failed may have left a text all the same.
	if msg.err != nil {
		c.hint = safe.Line(msg.err.Error())
	}
	return again
}
