package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/message"
	"github.com/aoctl/aoctl/tui/question"
	"github.com/aoctl/aoctl/tui/queue"
	"github.com/aoctl/aoctl/tui/ruleedit"
	"github.com/aoctl/aoctl/tui/sheet"
	"github.com/aoctl/aoctl/tui/transcript"
)

// rootActions are what the keys of the root do, and those of what several screens share.
var rootActions = []desk.Action{
	{Group: "Decide", Name: "freeze", Binding: desk.Bind("f", "freeze: hold every agent at its next call; f again lets them go on", "f")},
	{Group: "Decide", Name: "alarm_seen", Binding: desk.Bind("!", "acknowledge an alarm: rules may allow again in its session", "!")},
	{Group: "Sessions", Name: "launch", Binding: desk.Bind("n", "start a session that aoctl manages: folder, agent, prompt", "n")},
	{Group: "Sessions", Name: "message", Binding: desk.Bind("m", "say what comes next to such a session; while its agent works that waits, and m edits it", "m")},
	{Group: "Sessions", Name: "end_turn", Binding: desk.Bind("i", "interrupt it: its turn ends, it stays and takes messages", "i")},
	{Group: "Sessions", Name: "freeze_one", Binding: desk.Bind("F", "freeze this session alone; F again lets it go on", "F")},
	{Group: "Sessions", Name: "rename", Binding: desk.Bind("L", "give this session a name of your own; an empty one is its agent's again", "L")},
	{Group: "Sessions", Name: "put_away", Binding: desk.Bind("Z", "put this session away till its agent is heard of again, or back; one that is over leaves the list", "Z")},
	{Group: "Sessions", Name: "events", Binding: openerKey(desk.Timeline)},
	{Group: "Sessions", Name: "transcript", Binding: transcriptKey},
	{Group: "Sessions", Name: "jump", Binding: desk.Bind("o", "go to the agent's own pane of tmux", "o")},
	{Group: "Move", Name: "down", Binding: desk.Down},
	{Group: "Move", Name: "up", Binding: desk.Up},
	{Group: "Move", Name: "top", Binding: desk.Top},
	{Group: "Move", Name: "bottom", Binding: desk.Bottom},
	{Group: "Move", Name: "page_down", Binding: desk.PageDown},
	{Group: "Move", Name: "page_up", Binding: desk.PageUp},
	{Group: "Move", Name: "back", Binding: desk.Bind("esc", "back", "esc")},
	{Group: "Look", Name: "copy", Binding: desk.Copy("copy the command or the input")},
	{Group: "Look", Name: "bytes", Binding: openerKey(desk.Bytes)},
	{Group: "Look", Name: "sides", Binding: sheet.Sides},
	{Group: "Look", Name: "more", Binding: sheet.More},
	{Group: "Look", Name: "less", Binding: sheet.Less},
	{Group: "Look", Name: "history", Binding: openerKey(desk.History)},
	{Group: "Look", Name: "unfold", Binding: desk.Space("in the history: unfold what the call gave back")},
	{Group: "Look", Name: "help", Binding: openerKey(desk.Help)},
	{Group: "Rules", Name: "trust", Binding: openerKey(desk.Trust)},
	{Group: "Rules", Name: "suggestions", Binding: openerKey(desk.Suggest)},
	{Group: "Rules", Name: "revoke", Binding: desk.Bind("x", "in the history: switch off the rule that allowed", "x")},
	{Group: "Leave", Name: "quit", Binding: desk.Bind("q", "quit", "q")},
	{Group: "Leave", Name: "interrupt", Binding: desk.Bind("ctrl+c", "quit", "ctrl+c")},
	{Group: "Leave", Name: "leave_running", Old: "suspend", Binding: desk.Bind("ctrl+z", "leave the broker running, or take it back", "ctrl+z")},
	{Name: "yes", Binding: desk.Bind("y", "yes", "y")},
	{Name: "erase", Binding: desk.Bind("backspace", "erase", "backspace", "ctrl+h")},
	{Name: "erase_word", Binding: desk.Bind("ctrl+w", "erase the word", "ctrl+w", "alt+backspace")},
	{Name: "clear_line", Binding: desk.Bind("ctrl+u", "erase the line", "ctrl+u")},
	{Name: "send_line", Binding: desk.Bind("enter", "send", "enter")},
}

// actions are all that keys do, by the names that the settings file has for them. A key of the table
// of screens that nothing else names goes by the name of its screen.
var actions = func() []desk.Action {
	list := slices.Concat(queue.Actions(), rootActions)
	for _, o := range table {
		keys := o.key.Keys()
		if len(keys) > 0 && !slices.ContainsFunc(list, func(a desk.Action) bool { return slices.Equal(a.Keys(), keys) }) {
			list = append(list, desk.Action{Group: "Look", Name: actionName(o.name), Binding: o.key})
		}
	}
	return list
}()

// actionKey is the key of the action of that name.
func actionKey(name string) key.Binding {
	for _, a := range actions {
		if a.Name == name {
			return a.Binding
		}
	}
	panic("no action is called " + name)
}

// helpGroup is one block of the help screen.
type helpGroup struct {
	title string
	keys  []key.Binding
}

// helpGroups lists all keys, by what they are for; rules are those of the screen of rules.
func helpGroups(rules []key.Binding) []helpGroup {
	of := func(title string, more ...key.Binding) helpGroup {
		g := helpGroup{title: title}
		for _, a := range actions {
			if a.Group == title {
				g.keys = append(g.keys, a.Binding)
			}
		}
		g.keys = append(g.keys, more...)
		return g
	}
	return []helpGroup{
		of("Decide"), of("Sessions"), of("Move"), of("Look"),
		{"In a transcript", transcript.HelpKeys()},
		{"In a question's form", question.Help()},
		{"In a message", message.Help()},
		{"In the rule editor", ruleedit.Help()},
		of("Rules", rules...),
		of("Leave"),
	}
}
