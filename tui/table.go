package tui

import (
	"github.com/charmbracelet/bubbles/key"

	"github.com/aoctl/aoctl/tui/bytes"
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/managed"
	"github.com/aoctl/aoctl/tui/rulebook"
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
	{desk.Managed, key.Binding{}, "", needsSession, func(d *desk.Desk, m *model) desk.Screen { return managed.New(d, m.console) }},
	{desk.Rules, desk.Bind("r", "the rules; on their screen:", "r"), "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return rulebook.NewRules(d, m.console, m.openRule) }},
	{desk.Tokens, key.Binding{}, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return rulebook.NewTokens(d, m.console) }},
	{desk.RulesFiles, key.Binding{}, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return rulebook.NewFiles(d, m.console) }},
	{desk.RulesFile, key.Binding{}, "", needsNothing, func(d *desk.Desk, m *model) desk.Screen { return rulebook.NewFile(d, m.console) }},
	{desk.Timeline, desk.Bind("E", "all that happened in this session; enter unfolds", "E"), "events", needsSession, func(d *desk.Desk, m *model) desk.Screen { return timeline.New(d, m.console) }},
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

// openerKey is the key that opens the screen of this name.
func openerKey(name string) key.Binding {
	for _, o := range table {
		if o.name == name {
			return o.key
		}
	}
	return key.Binding{}
}
