package tui

import (
	"github.com/charmbracelet/bubbles/key"

	"github.com/aoctl/aoctl/tui/message"
	"github.com/aoctl/aoctl/tui/ruleedit"
	"github.com/aoctl/aoctl/tui/transcript"
)

// keyMap names every key of the console. The help screen is drawn from it.
type keyMap struct {
	Allow, Deny, DenyWhy     key.Binding
	Stop, StopAll, Observe   key.Binding
	Kill                     key.Binding
	AlarmSeen                key.Binding
	Freeze, FreezeOne        key.Binding
	PutOff, Reject, Resume   key.Binding
	MoreTime                 key.Binding
	Edit                     key.Binding
	MakeRule, Revoke         key.Binding
	Mark, MarkAlike          key.Binding
	Up, Down, Top, Bottom    key.Binding
	PageDown, PageUp         key.Binding
	Next, Previous           key.Binding
	Open, Back               key.Binding
	Filter, Copy, Bytes      key.Binding
	History, Help            key.Binding
	Sides, More, Less        key.Binding
	Jump, Mute               key.Binding
	Message, EndTurn, Launch key.Binding
	Events                   key.Binding
	Unfold                   key.Binding // on the screens that fold what tools gave back
	Quit, Interrupt, Suspend key.Binding
	Yes, Erase, EraseWord    key.Binding
	ClearLine, SendLine      key.Binding
}

func defaultKeyMap() keyMap {
	bind := func(name, help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(name, help))
	}
	return keyMap{
		Allow:     bind("a", "allow this call, once; a dangerous one takes the two digits of its card", "a"),
		Deny:      bind("d", "deny it", "d"),
		DenyWhy:   bind("D", "deny it and say why; the agent reads the reason", "D"),
		Edit:      bind("e", "edit the input in $EDITOR, look at the difference, then allow that", "e"),
		Stop:      bind("s", "stop this session: its calls are denied until its user speaks; one that aoctl holds is ended too", "s"),
		StopAll:   bind("S", "stop all sessions", "S"),
		Kill:      bind("ctrl+k", "stop this session and end its processes; names them and asks first", "ctrl+k"),
		Observe:   bind("O", "on a session: only observe it, hold none of its calls; O again holds them", "O"),
		Freeze:    bind("f", "freeze: hold every agent at its next call; f again lets them go on", "f"),
		FreezeOne: bind("F", "freeze this session alone; F again lets it go on", "F"),
		AlarmSeen: bind("!", "acknowledge an alarm: rules may allow again in its session", "!"),

		MoreTime: bind("t", "more time for this call, as far as its agent's hook waits", "t"),

		PutOff: bind("x", "put it off: its agent ends and the call waits for you, for days if need be", "x"),
		Reject: bind("X", "a call that is put off: deny it, and do not resume its session to say so", "X"),
		Resume: bind("R", "let a session go on whose call was put off", "R"),

		MakeRule: bind("A", "a rule for calls like this one", "A"),
		Revoke:   bind("x", "in the history: switch off the rule that allowed", "x"),

		Mark:      bind("space", "mark this call; a, d and D then act on all marked ones", " "),
		MarkAlike: bind("*", "mark all listed calls like this one", "*"),

		Up:       bind("k ↑", "up", "k", "up"),
		Down:     bind("j ↓", "down", "j", "down"),
		Top:      bind("g", "to the start", "g", "home"),
		Bottom:   bind("G", "to the end", "G", "end"),
		PageDown: bind("ctrl+d", "half a page down in the call", "ctrl+d", "pgdown"),
		PageUp:   bind("ctrl+u", "half a page up in the call", "ctrl+u", "pgup"),
		Next:     bind("tab", "next pane", "tab"),
		Previous: bind("shift+tab", "previous pane", "shift+tab"),
		Open:     bind("enter", "the call on the whole screen; on a session: its calls only, or all about one that aoctl holds", "enter"),
		Back:     bind("esc", "back", "esc"),

		Filter:  bind("/", "filter by session, tool or text", "/"),
		Copy:    bind("y", "copy the command or the input", "y"),
		Bytes:   bind("b", "the exact bytes of the call, and what in them is not plain text", "b"),
		History: bind("h", "what was decided", "h"),
		Jump:    bind("o", "go to the agent's own pane of tmux", "o"),
		Mute:    bind("M", "mute this session: no bell for its calls; M again rings", "M"),
		Help:    bind("?", "all keys", "?"),
		Sides:   bind("v", "old and new beside each other, or one below the other", "v"),
		More:    bind("+", "more unchanged lines around a change", "+", "="),
		Less:    bind("-", "fewer of them", "-"),

		Message: bind("m", "say what comes next to such a session; while its agent works that waits, and m edits it", "m"),
		EndTurn: bind("i", "interrupt it: its turn ends, it stays and takes messages", "i"),
		Launch:  bind("n", "start a session that aoctl holds: folder, agent, prompt", "n"),

		Events: bind("E", "all that happened in this session; enter unfolds", "E"),
		Unfold: bind("space", "in the history: unfold what the call gave back", " "),

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

// lookGroup is the place of the keys that show something.
const lookGroup = 3

// helpGroup is one block of the help screen.
type helpGroup struct {
	title string
	keys  []key.Binding
}

// FullHelp lists all keys, by what they are for; rules are those of the screen of rules.
func (k keyMap) FullHelp(rules []key.Binding) []helpGroup {
	return []helpGroup{
		{"Decide", []key.Binding{k.Allow, k.Deny, k.DenyWhy, k.Edit, k.Mark, k.MarkAlike, k.Freeze, k.AlarmSeen, k.MoreTime, k.PutOff, k.Reject}},
		{"Sessions", []key.Binding{k.Launch, k.Message, k.EndTurn, k.Resume, k.Stop, k.StopAll, k.Kill, k.FreezeOne, k.Observe, k.Events, transcriptKey, k.Jump, k.Mute}},
		{"Move", []key.Binding{k.Down, k.Up, k.Top, k.Bottom, k.PageDown, k.PageUp, k.Next, k.Previous, k.Open, k.Back}},
		{"Look", []key.Binding{k.Filter, k.Copy, k.Bytes, k.Sides, k.More, k.Less, k.History, k.Unfold, k.Help}},
		{"In a transcript", transcript.HelpKeys()},
		{"In a question's form", defaultAskKeys().help()},
		{"In a message", message.Help()},
		{"In the rule editor", ruleedit.Help()},
		{"Rules", append([]key.Binding{k.MakeRule, k.Revoke}, rules...)},
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
	case screenFull:
		return []hint{
			{name(k.Allow), "allow"},
			{name(k.Deny), "deny"},
			{name(k.DenyWhy), "deny, say why"},
			{name(k.MakeRule), "rule…"},
			{name(k.Stop), "stop"},
			{name(k.Edit), "edit"},
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
		{name(k.MakeRule), "rule…"},
		{name(k.Stop), "stop"},
		{name(k.Edit), "edit"},
		{name(k.StopAll), "stop all"},
		{name(k.Open), "full"},
		{name(k.Filter), "filter"},
		{name(k.History), "history"},
		{"r", "rules"},
		{name(k.Quit), "quit"},
		{name(k.Help), "help"},
	}
}
