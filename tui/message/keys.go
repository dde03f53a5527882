package message

import (
	"github.com/charmbracelet/bubbles/key"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/text"
)

// keys are the keys of a message.
type keys struct {
	Send, Leave, InEditor key.Binding
	text                  text.Keys
	area                  text.AreaKeys
}

// defaultKeys are those that aoctl comes with.
func defaultKeys() keys {
	return keys{
		Send:     desk.Bind("enter", "send", "enter"),
		Leave:    desk.Bind("esc", "leave, keeping what is written", "esc", "ctrl+c"),
		InEditor: desk.Bind("ctrl+e", "in a message: write it in $EDITOR", "ctrl+e"),
		text:     text.DefaultKeys(),
		area:     text.DefaultAreaKeys(),
	}
}

// Help lists the keys for the help screen.
func Help() []key.Binding {
	k := defaultKeys()
	return []key.Binding{k.Send, k.area.Break, k.InEditor}
}

// Keys are the keys that act now, for the key line.
func (x *Screen) Keys() []desk.Key {
	k := x.keys
	switch {
	case x.compose == nil:
		return nil
	case x.compose.state != composing:
		return []desk.Key{{Binding: k.Leave, Short: "back"}}
	case x.Width < 60:
		return []desk.Key{{Binding: k.Send, Short: "send"}, {Binding: k.area.Break, Name: "ctrl+j", Short: "line"}, {Binding: k.Leave, Short: "leave"}}
	}
	return []desk.Key{
		{Binding: k.Send, Short: "send"},
		{Binding: k.area.Break, Short: "new line"},
		{Binding: k.InEditor, Short: "$EDITOR"},
		{Binding: k.Leave, Short: "leave, keeping it"},
	}
}
