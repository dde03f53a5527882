package tui

import (
	"github.com/charmbracelet/bubbles/key"

	"github.com/aoctl/aoctl/tui/bytes"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/editcall"
	"github.com/aoctl/aoctl/tui/managed"
	"github.com/aoctl/aoctl/tui/timeline"
	"github.com/aoctl/aoctl/tui/transcript"
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

// transcriptKey is in the help, too.
var transcriptKey = desk.Bind("T", "what was said and done in it: its transcript", "T")

// table is the one place that knows all screens.
var table = []opener{
	{desk.Help, desk.Bind("?", "all keys", "?"), "", needsNothing, func(_ *desk.Desk, m *model) desk.Screen { return &help{model: m} }},
	{desk.Bytes, desk.Bind("b", "the exact bytes of the call, and what in them is not plain text", "b"), "", needsCall, func(d *desk.Desk, _ *model) desk.Screen { return bytes.New(d) }},
	{desk.EditCall, key.Binding{}, "", needsCall, func(d *desk.Desk, m *model) desk.Screen { return editcall.New(d, m.console, m.editSetup()) }},
	{desk.Managed, key.Binding{}, "", needsSession, func(d *desk.Desk, m *model) desk.Screen { return managed.New(d, m.console) }},
	{desk.Timeline, desk.Bind("E", "all that happened in this session; enter unfolds", "E"), "events", needsSession, func(d *desk.Desk, m *model) desk.Screen { return timeline.New(d, m.console) }},
	{desk.Transcript, transcriptKey, "transcript", needsSession, func(d *desk.Desk, m *model) desk.Screen { return transcript.New(d, m.console) }},
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
