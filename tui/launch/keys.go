package launch

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/text"
)

// keys are the keys of the form.
type keys struct {
	Next, Previous, Start, Enter, Leave key.Binding
	text                                text.Keys
	area                                text.AreaKeys
}

// defaultKeys are those that aoctl comes with.
func defaultKeys() keys {
	return keys{
		Next:     desk.Bind("tab", "next field; completes a folder", "tab"),
		Previous: desk.Bind("shift+tab", "field before", "shift+tab"),
		Start:    desk.Bind("ctrl+s", "start; so does enter on the last field", "ctrl+s"),
		Enter:    desk.Bind("enter", "next field; on the last one: start", "enter"),
		Leave:    desk.Bind("esc", "leave, keeping what is written", "esc", "ctrl+c"),
		text:     text.DefaultKeys(),
		area:     text.DefaultAreaKeys(),
	}
}

// Keys are the keys that act now, for the key line.
func (x *Screen) Keys() []desk.Key {
	f, k := x.form, x.keys
	if f == nil {
		return nil
	}
	tab, enter := "next", "next"
	if f.focus == fieldFolder {
		tab = "complete"
	}
	if f.focus == fieldModel {
		enter = "start"
	}
	list := []desk.Key{{Binding: k.Start, Short: "start"}, {Binding: k.Enter, Short: enter}, {Binding: k.Next, Short: tab}}
	if f.focus == fieldPrompt {
		list = append(list, desk.Key{Binding: k.area.Break, Short: "new line"})
	}
	return append(list, desk.Key{Binding: k.Leave, Short: "leave, keeping it"})
}

// Writes reports that every key is for the form.
func (x *Screen) Writes() bool { return x.form != nil }

// Write takes a key. Pasted keys are text and start nothing.
func (x *Screen) Write(msg tea.KeyMsg, _ bool) tea.Cmd {
	f, k := x.form, x.keys
	// A hint is about the last key only.
	f.hint = ""
	// Any key behind an enter that is held takes that enter back.
	behindEnter := x.enter.TakeBack()
	switch {
	case key.Matches(msg, k.Leave) && !msg.Paste:
		return x.leave()
	case f.starting:
		f.hint = "it is being started"
		return nil
	// An enter that was held belonged to a text that came at once.
	case behindEnter && x.Guard.Burst():
		f.hint = "keys came too fast to be typed: nothing was started"
		return nil
	}
	if !msg.Paste {
		switch {
		case key.Matches(msg, k.Start):
			return x.pressStart()
		case key.Matches(msg, k.Enter):
			return x.pressEnter()
		case key.Matches(msg, k.Next) && f.focus == fieldFolder:
			// In the folder's field tab completes, as it does in a shell.
			return x.completeFolder()
		case key.Matches(msg, k.Next):
			f.move(1)
			return nil
		case key.Matches(msg, k.Previous):
			f.move(-1)
			return nil
		}
	}
	x.typed(msg)
	return nil
}

// pressStart starts what the form says, in a moment.
func (x *Screen) pressStart() tea.Cmd {
	cmd, refusal := x.enter.Press(x.Guard.Burst(), x.At)
	if refusal != "" {
		x.form.hint = refusal
		return nil
	}
	return cmd
}

// pressEnter takes enter: it goes on, and on the last field starts. In a burst it is
// part of a paste.
func (x *Screen) pressEnter() tea.Cmd {
	// The guard knows whether the key came in a burst; the focus decides what enter
	// means.
	f := x.form
	switch {
	// Enter on any other field goes on, so a form is not started before its last field
	// was seen.
	case f.focus == fieldModel:
		return x.pressStart()
	case x.Guard.Burst() && f.focus == fieldPrompt:
		f.hint = f.prompt.Insert([]rune{'\n'})
	case x.Guard.Burst():
		f.hint = "keys came too fast to be typed"
	default:
		x.enter.Pressed(x.At) // held down, it goes to the last field and no further
		f.move(1)
	}
	return nil
}

// move gives the focus to another field, around the end.
func (f *form) move(by int) {
	f.focus = field(desk.Turned(int(f.focus), by, int(fieldCount)))
	f.folders = nil
}

// typed changes the field that has the focus.
func (x *Screen) typed(msg tea.KeyMsg) {
	f, k := x.form, x.keys
	up, down := key.Matches(msg, k.area.Up), key.Matches(msg, k.area.Down)
	switch {
	case up && (f.focus != fieldPrompt || f.prompt.OnFirst()):
		f.move(-1)
	case down && (f.focus != fieldPrompt || f.prompt.OnLast()):
		f.move(1)
	case f.focus == fieldPrompt:
		f.hint = f.prompt.Edit(msg, k.text, k.area)
	case f.focus == fieldAgent:
		// A letter here was meant for another field.
		if key.Matches(msg, k.text.Left, k.text.Right) || msg.Paste || text.IsText(msg) {
			f.hint = "claude is the only choice"
		}
	default:
		f.folders = nil
		_, f.hint = f.line().Edit(msg, k.text)
	}
}

// line is the text of one line that has the focus, nil for the other fields.
func (f *form) line() *text.Line {
	switch f.focus {
	case fieldFolder:
		return &f.folder
	case fieldName:
		return &f.name
	case fieldModel:
		return &f.model
	case fieldAgent, fieldPrompt, fieldCount:
	}
	return nil
}
