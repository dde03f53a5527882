package tui

import (
	"github.com/aoctl/aoctl/tui/desk"
	"github.com/aoctl/aoctl/tui/text"
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// launchKeys are the keys that only the form for a new session has.
type launchKeys struct{ Next, Previous, Start key.Binding }

func defaultLaunchKeys() launchKeys {
	bind := func(name, help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(name, help))
	}
	return launchKeys{
		Next:     bind("tab", "next field; completes a folder", "tab"),
		Previous: bind("shift+tab", "field before", "shift+tab"),
		Start:    bind("ctrl+s", "start; so does enter on the last field", "ctrl+s"),
	}
}

// launchKey takes a key for the open form.
func (m *model) launchKey(msg tea.KeyMsg) tea.Cmd {
	f, k := m.launch, m.launchKeys
	m.note, f.hint = note{}, ""
	behindEnter := m.enter.takeBack()
	if key.Matches(msg, m.keys.Back, m.keys.Interrupt) && !msg.Paste {
		return m.leaveLaunch()
	}
	if f.starting {
		f.hint = "it is being started"
		return nil
	}
	if behindEnter && m.Guard.Burst() {
		f.hint = "keys came too fast to be typed: nothing was started"
		return nil
	}
	if !msg.Paste {
		switch {
		case key.Matches(msg, k.Start):
			return m.pressSend(&f.hint, nil)
		case key.Matches(msg, m.keys.SendLine):
			return m.launchEnter()
		case key.Matches(msg, k.Next) && f.focus == launchFolder:
			return m.completeFolder()
		case key.Matches(msg, k.Next):
			m.moveLaunch(1)
			return nil
		case key.Matches(msg, k.Previous):
			m.moveLaunch(-1)
			return nil
		}
	}
	m.launchType(msg)
	return nil
}

// launchEnter takes enter: it goes on, and on the last field starts. In a burst it is
// part of a paste.
func (m *model) launchEnter() tea.Cmd {
	f := m.launch
	switch {
	case f.focus == launchModel:
		return m.pressSend(&f.hint, nil)
	case m.Guard.Burst() && f.focus == launchPrompt:
		f.hint = f.prompt.Insert([]rune{'\n'})
	case m.Guard.Burst():
		f.hint = "keys came too fast to be typed"
	default:
		m.enter.last = m.At // held down, it goes to the last field and no further
		m.moveLaunch(1)
	}
	return nil
}

func (m *model) moveLaunch(by int) {
	f := m.launch
	f.focus = launchField(desk.Turned(int(f.focus), by, int(launchFieldCount)))
	f.folders = nil
}

// launchType changes the field that has the focus.
func (m *model) launchType(msg tea.KeyMsg) {
	f := m.launch
	up, down := key.Matches(msg, m.textKeys.Up), key.Matches(msg, m.textKeys.Down)
	switch {
	case f.focus == launchPrompt && up && f.prompt.OnFirst(),
		f.focus != launchPrompt && up:
		m.moveLaunch(-1)
	case f.focus == launchPrompt && down && f.prompt.OnLast(),
		f.focus != launchPrompt && down:
		m.moveLaunch(1)
	case f.focus == launchPrompt:
		f.hint = f.prompt.Edit(msg, text.DefaultKeys(), m.textKeys)
	case f.focus == launchAgent:
		if key.Matches(msg, text.DefaultKeys().Left, text.DefaultKeys().Right) || msg.Paste || isText(msg) {
			f.hint = "claude is the only choice"
		}
	default:
		f.folders = nil
		_, f.hint = f.line().Edit(msg, text.DefaultKeys())
	}
}

// launchHints are the keys for the last line.
func (m *model) launchHints() []hint {
	f := m.launch
	tab := hint{"tab", "next"}
	if f.focus == launchFolder {
		tab = hint{"tab", "complete"}
	}
	enter := hint{"enter", "next"}
	if f.focus == launchModel {
		enter = hint{"enter", "start"}
	}
	list := []hint{{"ctrl+s", "start"}, enter, tab}
	if f.focus == launchPrompt {
		list = append(list, hint{"alt+enter", "new line"})
	}
	return append(list, hint{"esc", "leave, keeping it"})
}
