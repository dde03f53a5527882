package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/board"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/tty"
)

const copyMost = 100_000 // bytes that are copied through the terminal: more than most take

func (m *model) copyCall(c *board.Card) tea.Cmd {
	if c == nil {
		return m.Say(draw.Muted, "nothing waits")
	}
	return m.CopyCall(c.Req)
}

// copyText puts a call's command, or its input, on the clipboard.
func (m *model) CopyCall(r broker.Request) tea.Cmd {
	what, text := "input", string(r.ToolInput)
	_, input := r.Call()
	if command, ok := change.ReadInput(input).Text("command"); ok {
		what, text = "command", command
	}
	if len(text) > copyMost {
		return m.Say(draw.Warn, fmt.Sprintf("too large to copy through the terminal: %s", figures.Size(len(text))))
	}
	return tea.Batch(m.Beside(tty.ClipboardSequence(text)),
		m.Say(draw.OK, fmt.Sprintf("sent the %s to the clipboard (%s)", what, figures.Size(len(text)))))
}
