package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/tty"
)

const copyMost = 100_000 // bytes that are copied through the terminal: more than most take

// Copy puts text on the clipboard.
func (m *model) Copy(what, text string) tea.Cmd {
	if len(text) > copyMost {
		return m.Say(draw.Warn, "too large to copy through the terminal: "+figures.Size(len(text)))
	}
	return tea.Batch(m.Beside(tty.ClipboardSequence(text)), m.Say(draw.OK, "sent the "+what+" to the clipboard ("+figures.Size(len(text))+")"))
}

// CopyCall puts a call's command, or its input, on the clipboard.
func (m *model) CopyCall(r broker.Request) tea.Cmd {
	_, input := r.Call()
	if command, ok := change.ReadInput(input).Text("command"); ok {
		return m.Copy("command", command)
	}
	return m.Copy("input", string(r.ToolInput))
}
