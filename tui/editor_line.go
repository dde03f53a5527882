package tui

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// maxTyped is how much may be typed, in characters, unless a text has a limit of its own.
const maxTyped = 2000

// line is a text being edited. It keeps every character that it was given, also line
// breaks and signs that are drawn as escapes: a pattern must stay the one that was
// offered. What is typed and pasted has no control characters.
type line struct {
	text []rune
	at   int // place of the cursor, from 0 to len(text)
	most int // characters that may be typed; 0: maxTyped
}

// lineKeys are the keys that edit a text.
type lineKeys struct {
	Left, Right           key.Binding
	WordLeft, WordRight   key.Binding
	Start, End            key.Binding
	Erase, EraseNext      key.Binding
	EraseWord             key.Binding
	EraseLeft, EraseRight key.Binding
}

func defaultLineKeys() lineKeys {
	return lineKeys{
		Left:       bind("←", "cursor, or choice before", "left", "ctrl+b"),
		Right:      bind("→", "cursor, or next choice", "right", "ctrl+f"),
		WordLeft:   bind("alt+←", "a word back", "alt+left", "ctrl+left", "alt+b"),
		WordRight:  bind("alt+→", "a word on", "alt+right", "ctrl+right", "alt+f"),
		Start:      bind("ctrl+a", "start of the text", "home", "ctrl+a"),
		End:        bind("ctrl+e", "end of the text", "end", "ctrl+e"),
		Erase:      bind("backspace", "erase", "backspace", "ctrl+h"),
		EraseNext:  bind("del", "erase the next character", "delete", "ctrl+d"),
		EraseWord:  bind("ctrl+w", "erase the word", "ctrl+w", "alt+backspace"),
		EraseLeft:  bind("ctrl+u", "erase to the start", "ctrl+u"),
		EraseRight: bind("ctrl+k", "erase to the end", "ctrl+k"),
	}
}

// bind makes a binding with its name and help.
func bind(name, help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(name, help))
}

func newLine(s string) line {
	text := []rune(s)
	return line{text: text, at: len(text)}
}

// String is the text as it is.
func (l *line) String() string { return string(l.text) }

// blank reports whether the text has nothing but blanks.
func (l *line) blank() bool { return strings.TrimSpace(l.String()) == "" }

// edit takes a key. refused says why its text was not taken, in words that are safe to
// draw.
func (l *line) edit(msg tea.KeyMsg, keys lineKeys) (changed bool, refused string) {
	before := len(l.text)
	switch {
	case msg.Paste:
		return l.insert(trimBreaks(msg.Runes))
	case key.Matches(msg, keys.Left):
		l.at = max(0, l.at-1)
	case key.Matches(msg, keys.Right):
		l.at = min(len(l.text), l.at+1)
	case key.Matches(msg, keys.WordLeft):
		l.at = l.wordLeft()
	case key.Matches(msg, keys.WordRight):
		l.at = l.wordRight()
	case key.Matches(msg, keys.Start):
		l.at = 0
	case key.Matches(msg, keys.End):
		l.at = len(l.text)
	case key.Matches(msg, keys.Erase):
		l.cut(l.at-1, l.at)
	case key.Matches(msg, keys.EraseNext):
		l.cut(l.at, l.at+1)
	case key.Matches(msg, keys.EraseWord):
		l.cut(l.wordLeft(), l.at)
	case key.Matches(msg, keys.EraseLeft):
		l.cut(0, l.at)
	case key.Matches(msg, keys.EraseRight):
		l.cut(l.at, len(l.text))
	case msg.Type == tea.KeyRunes && !msg.Alt, msg.Type == tea.KeySpace:
		return l.insert(msg.Runes)
	}
	return len(l.text) != before, ""
}

// trimBreaks leaves out the line breaks at the end of a paste: they belong to the
// selection, not to what was selected.
func trimBreaks(runes []rune) []rune {
	n := len(runes)
	for n > 0 && (runes[n-1] == '\n' || runes[n-1] == '\r') {
		n--
	}
	return runes[:n]
}

func (l *line) insert(runes []rune) (changed bool, refused string) {
	most := l.most
	if most == 0 {
		most = maxTyped
	}
	for _, r := range runes {
		if r == '\n' || r == '\r' {
			return false, "not taken: it has more than one line"
		}
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return false, "not taken: it has " + safe.Line(string(r)) + ", a control character"
		}
	}
	if len(l.text)+len(runes) > most {
		return false, "not taken: too long, " + draw.Count(most) + " characters at most"
	}
	text := make([]rune, 0, len(l.text)+len(runes))
	text = append(append(append(text, l.text[:l.at]...), runes...), l.text[l.at:]...)
	l.text, l.at = text, l.at+len(runes)
	return len(runes) > 0, ""
}

// cut takes away the characters from one place to another, as far as there are any.
func (l *line) cut(from, to int) {
	from, to = max(0, from), min(to, len(l.text))
	l.text = append(append([]rune{}, l.text[:from]...), l.text[to:]...)
	l.at = from
}

func (l *line) wordLeft() int {
	i := l.at
	for i > 0 && l.text[i-1] == ' ' {
		i--
	}
	for i > 0 && l.text[i-1] != ' ' {
		i--
	}
	return i
}

func (l *line) wordRight() int {
	i := l.at
	for i < len(l.text) && l.text[i] == ' ' {
		i++
	}
	for i < len(l.text) && l.text[i] != ' ' {
		i++
	}
	return i
}

// write lays the text out behind a gutter, on as many rows as it needs, with the
// cursor in it when the field has the focus.
func (l *line) write(p *draw.Paper, g draw.Gutter, focused bool) {
	p.TypedLine(g, string(l.text[:l.at]), string(l.text[l.at:]), focused)
}
