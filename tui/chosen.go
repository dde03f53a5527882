package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// chosen are the keys that the operator chose in the settings file. A key that is pressed becomes
// the one that its action has without the file, so that nothing behind this place knows of another;
// what is drawn goes the other way.
type chosen struct {
	meant map[string]string // the key without the file, by the one that is pressed
	yes   map[string]bool   // the keys that answer yes; none when that is as without the file
	dead  map[string]bool   // keys whose action got another one, and that nobody else has
	drawn map[string]string // what to call a key, by the one without the file
}

// chooseKeys reads what the settings file says, by the names of KeyActions. It was checked already.
func chooseKeys(keys map[string][]string) chosen {
	c := chosen{meant: map[string]string{}, dead: map[string]bool{}, yes: map[string]bool{}, drawn: map[string]string{}}
	used := map[string]bool{}
	for _, a := range KeyActions() {
		list, moved := keys[a.Name]
		if !moved {
			for _, k := range a.Default {
				used[k] = true
			}
			continue
		}
		for _, k := range list {
			used[k] = true
			to := pressed(a.Default[0])
			if slices.Contains(a.Default, k) || k == " " && slices.Contains(a.Default, "space") {
				to = pressed(k)
			}
			c.meant[pressed(k)] = to
			if a.Name == "yes" {
				c.yes[pressed(k)] = true
			}
		}
		c.drawn[a.Default[0]] = list[0]
	}
	for _, a := range KeyActions() {
		for _, k := range a.Default {
			if !used[k] {
				c.dead[pressed(k)] = true
			}
		}
	}
	return c
}

// pressed is how Bubble Tea calls a key of the settings file.
func pressed(name string) string {
	if name == "space" {
		return " "
	}
	return name
}

// read is the key that msg stands for.
func (c chosen) read(msg tea.KeyMsg) tea.KeyMsg {
	name := msg.String()
	switch meant, ok := c.meant[name]; {
	case msg.Paste || len(msg.Runes) > 1:
		return msg
	case ok:
		return keyCalled(meant)
	case c.dead[name]:
		return tea.KeyMsg{Type: tea.KeyNull} // no action has it
	}
	return msg
}

// answer is the key that msg stands for in a question: only the keys of yes are y there.
func (c chosen) answer(msg tea.KeyMsg) tea.KeyMsg {
	switch name := msg.String(); {
	case msg.Paste || len(msg.Runes) > 1 || len(c.yes) == 0:
	case c.yes[name]:
		return keyCalled("y")
	case name == "y":
		return tea.KeyMsg{Type: tea.KeyNull}
	}
	return msg
}

// inText is read where text is typed: no key becomes a letter.
func (c chosen) inText(msg tea.KeyMsg) tea.KeyMsg {
	if to := c.read(msg); !isText(msg) && !isText(to) && to.Type != tea.KeyNull {
		return to
	}
	return msg
}

// call is what the key line and the help call a key, or several with a blank between them.
func (c chosen) call(name string) string {
	if len(c.drawn) == 0 {
		return name
	}
	words := strings.Split(name, " ")
	for i, w := range words {
		if to, ok := c.drawn[w]; ok {
			words[i] = to
		}
	}
	return strings.Join(words, " ")
}

// keyTypes are Bubble Tea's keys that are no letter, by their names.
var keyTypes = func() map[string]tea.KeyType {
	types := map[string]tea.KeyType{}
	for t := tea.KeyType(-128); t <= 128; t++ {
		if name := t.String(); name != "" && t != tea.KeyRunes {
			types[name] = t
		}
	}
	return types
}()

// keyCalled is the key of that name.
func keyCalled(name string) tea.KeyMsg {
	if name == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	bare, alt := strings.CutPrefix(name, "alt+")
	if t, ok := keyTypes[bare]; ok {
		return tea.KeyMsg{Type: t, Alt: alt}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(bare), Alt: alt}
}

// Called is what a sentence calls a key.
func (l *line) Called(name string) string { return l.chosen.call(name) }

// Meant is the key that msg stands for, by the settings file.
func (m *model) Meant(msg tea.KeyMsg) tea.KeyMsg { return m.chosen.read(msg) }
