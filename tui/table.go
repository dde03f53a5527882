package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/bytes"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/launch"
	"github.com/aoctl/aoctl/tui/managed"
	"github.com/aoctl/aoctl/tui/message"
	"github.com/aoctl/aoctl/tui/ruleedit"
	"github.com/aoctl/aoctl/tui/timeline"
)

// opener is a line of the table of screens.
type opener struct {
	name  string
	key   key.Binding // opens it from every screen, about what that is about; none when empty
	short string      // for the key line of screens that are about such a thing; "" keeps it out
	needs need
	make  func(d *desk.Desk, m *model) desk.Screen
}

// need is what a screen is about.
type need int

const (
	needsNothing need = iota
	needsSession
	needsCall
)

// table is the one place that knows all screens.
var table = []opener{
	{desk.Help, desk.Bind("?", "all keys", "?"), "", needsNothing, func(_ *desk.Desk, m *model) desk.Screen { return &help{model: m} }},
	{desk.Bytes, desk.Bind("b", "the exact bytes of the call, and what in them is not plain text", "b"), "", needsCall, func(d *desk.Desk, _ *model) desk.Screen { return bytes.New(d) }},
	{desk.Launch, key.Binding{}, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return launch.New(d, m.console, m.startFolder) }},
	{desk.Managed, key.Binding{}, "", needsSession, func(d *desk.Desk, m *model) desk.Screen { return managed.New(d, m.console) }},
	{desk.Message, key.Binding{}, "", needsSession, func(d *desk.Desk, m *model) desk.Screen { return message.New(d, m.console, m.inEditor) }},
	{desk.RuleEdit, key.Binding{}, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return ruleedit.New(d, m.console, m.send) }},
	{desk.Timeline, desk.Bind("E", "all that happened in this session; enter unfolds", "E"), "events", needsSession, func(d *desk.Desk, m *model) desk.Screen { return timeline.New(d, m.console) }},
}

// startFolder is where the console was started.
func (m *model) startFolder() string { return m.opts.Folder }

// inEditor has a text changed in the operator's own editor.
func (m *model) inEditor(file, text string, back func(got string, err error) tea.Msg) tea.Cmd {
	run := &editRun{ctx: m.Ctx, command: m.opts.Editor, folder: m.opts.EditFolder, file: file, text: text, hold: m.opts.Foreground}
	run.SetStdin(m.opts.Input)
	run.SetStdout(m.opts.Output)
	return m.exec(run, func(err error) tea.Msg { return back(run.got, err) })
}

// openers makes every screen.
func openers(m *model) map[string]desk.Screen {
	rooms := map[string]desk.Screen{}
	for _, o := range table {
		s := o.make(m.Desk, m)
		rooms[o.name] = s
		m.roomList = append(m.roomList, s)
	}
	return rooms
}
