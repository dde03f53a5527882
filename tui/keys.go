package tui

import "github.com/charmbracelet/bubbles/key"

// keyMap names every key of the console. The help screen is drawn from it.
type keyMap struct {
	Allow, Deny, DenyWhy     key.Binding
	Stop, StopAll            key.Binding
	Up, Down, Top, Bottom    key.Binding
	PageDown, PageUp         key.Binding
	Next, Previous           key.Binding
	Open, Back               key.Binding
	Filter, Copy             key.Binding
	History, Help            key.Binding
	Quit, Interrupt, Suspend key.Binding
	Yes, Erase, EraseWord    key.Binding
	ClearLine, SendLine      key.Binding
}

func defaultKeyMap() keyMap {
	bind := func(name, help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(name, help))
	}
	return keyMap{
		Allow:   bind("a", "allow this call, once", "a"),
		Deny:    bind("d", "deny it", "d"),
		DenyWhy: bind("D", "deny it and say why; the agent reads the reason", "D"),
		Stop:    bind("s", "stop this session: its calls are denied until its user speaks", "s"),
		StopAll: bind("S", "stop all sessions", "S"),

		Up:       bind("k ↑", "up", "k", "up"),
		Down:     bind("j ↓", "down", "j", "down"),
		Top:      bind("g", "to the start", "g", "home"),
		Bottom:   bind("G", "to the end", "G", "end"),
		PageDown: bind("ctrl+d", "half a page down in the call", "ctrl+d", "pgdown"),
		PageUp:   bind("ctrl+u", "half a page up in the call", "ctrl+u", "pgup"),
		Next:     bind("tab", "next pane", "tab"),
		Previous: bind("shift+tab", "previous pane", "shift+tab"),
		Open:     bind("enter", "the call on the whole screen; on a session: its calls only", "enter"),
		Back:     bind("esc", "back", "esc"),

		Filter:  bind("/", "filter by session, tool or text", "/"),
		Copy:    bind("y", "copy the command or the input", "y"),
		History: bind("h", "what was decided", "h"),
		Help:    bind("?", "all keys", "?"),

		Quit:      bind("q", "quit", "q"),
		Interrupt: bind("ctrl+c", "quit", "ctrl+c"),
		Suspend:   bind("ctrl+z", "to the background", "ctrl+z"),

		Yes:       bind("y", "yes", "y"),
		Erase:     bind("backspace", "erase", "backspace", "ctrl+h"),
		EraseWord: bind("ctrl+w", "erase the word", "ctrl+w", "alt+backspace"),
		ClearLine: bind("ctrl+u", "erase the line", "ctrl+u"),
		SendLine:  bind("enter", "send", "enter"),
	}
}

// helpGroup is one block of the help screen.
type helpGroup struct {
	title string
	keys  []key.Binding
}

// FullHelp lists all keys, by what they are for.
func (k keyMap) FullHelp() []helpGroup {
	return []helpGroup{
		{"Decide", []key.Binding{k.Allow, k.Deny, k.DenyWhy, k.Stop, k.StopAll}},
		{"Move", []key.Binding{k.Down, k.Up, k.Top, k.Bottom, k.PageDown, k.PageUp, k.Next, k.Previous, k.Open, k.Back}},
		{"Look", []key.Binding{k.Filter, k.Copy, k.History, k.Help}},
		{"Leave", []key.Binding{k.Quit, k.Interrupt, k.Suspend}},
	}
}

// hint is a key and what it does, in few letters.
type hint struct{ key, does string }

// shortHelp lists the keys of a screen's last line. Those that have no room are left
// out, but never the last one.
func (k keyMap) shortHelp(s screen) []hint {
	name := func(b key.Binding) string { return b.Help().Key }
	switch s {
	case screenHelp:
		return []hint{{"j k", "scroll"}, {name(k.Back), "back"}}
	case screenHistory:
		return []hint{{"j k", "move"}, {name(k.Open), "show"}, {name(k.Help), "help"}, {name(k.Back), "back"}}
	case screenPast:
		return []hint{{"j k", "scroll"}, {name(k.Copy), "copy"}, {name(k.Back), "back"}}
	case screenFull:
		return []hint{
			{name(k.Allow), "allow"},
			{name(k.Deny), "deny"},
			{name(k.DenyWhy), "deny, say why"},
			{name(k.Stop), "stop"},
			{"j k", "scroll"},
			{name(k.Copy), "copy"},
			{name(k.Back), "back"},
		}
	case screenMain:
	}
	return []hint{
		{name(k.Allow), "allow"},
		{name(k.Deny), "deny"},
		{name(k.DenyWhy), "deny, say why"},
		{name(k.Stop), "stop"},
		{name(k.StopAll), "stop all"},
		{name(k.Open), "full"},
		{name(k.Filter), "filter"},
		{name(k.History), "history"},
		{name(k.Quit), "quit"},
		{name(k.Help), "help"},
	}
}
