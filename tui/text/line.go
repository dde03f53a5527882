package text

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// MaxTyped is how much may be typed, in characters, unless a text has a limit of its own.
const MaxTyped = 2000

// Line is a text being edited. It keeps every character that it was given, also line
// breaks and signs that are drawn as escapes: a pattern must stay the one that was
// offered. What is typed and pasted has no control characters.
type Line struct {
	Text []rune
	At   int // place of the cursor, from 0 to len(text)
	Most int // characters that may be typed; 0: maxTyped
}

// Keys are the keys that edit a text.
type Keys struct {
	Left, Right           key.Binding
	WordLeft, WordRight   key.Binding
	Start, End            key.Binding
	Erase, EraseNext      key.Binding
	EraseWord             key.Binding
	EraseLeft, EraseRight key.Binding
}

func DefaultKeys() Keys {
	return Keys{
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

func NewLine(s string) Line {
	text := []rune(s)
	return Line{Text: text, At: len(text)}
}

// String is the text as it is.
func (l *Line) String() string { return string(l.Text) }

// Blank reports whether the text has nothing but blanks.
func (l *Line) Blank() bool { return strings.TrimSpace(l.String()) == "" }

// Edit takes a key. refused says why its text was not taken, in words that are safe to
// draw.
func (l *Line) Edit(msg tea.KeyMsg, keys Keys) (changed bool, refused string) {
	before := len(l.Text)
	switch {
	case msg.Paste:
		return l.insert(trimBreaks(msg.Runes))
	case key.Matches(msg, keys.Left):
		l.At = max(0, l.At-1)
	case key.Matches(msg, keys.Right):
		l.At = min(len(l.Text), l.At+1)
	case key.Matches(msg, keys.WordLeft):
		l.At = l.wordLeft()
	case key.Matches(msg, keys.WordRight):
		l.At = l.wordRight()
	case key.Matches(msg, keys.Start):
		l.At = 0
	case key.Matches(msg, keys.End):
		l.At = len(l.Text)
	case key.Matches(msg, keys.Erase):
		l.cut(l.At-1, l.At)
	case key.Matches(msg, keys.EraseNext):
		l.cut(l.At, l.At+1)
	case key.Matches(msg, keys.EraseWord):
		l.cut(l.wordLeft(), l.At)
	case key.Matches(msg, keys.EraseLeft):
		l.cut(0, l.At)
	case key.Matches(msg, keys.EraseRight):
		l.cut(l.At, len(l.Text))
	case msg.Type == tea.KeyRunes && !msg.Alt, msg.Type == tea.KeySpace:
		return l.insert(msg.Runes)
	}
	return len(l.Text) != before, ""
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

func (l *Line) insert(runes []rune) (changed bool, refused string) {
	most := l.Most
	if most == 0 {
		most = MaxTyped
	}
	for _, r := range runes {
		if r == '\n' || r == '\r' {
			return false, "not taken: it has more than one line"
		}
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return false, "not taken: it has " + safe.Line(string(r)) + ", a control character"
		}
	}
	if len(l.Text)+len(runes) > most {
		return false, "not taken: too long, " + draw.Count(most) + " characters at most"
	}
	text := make([]rune, 0, len(l.Text)+len(runes))
	text = append(append(append(text, l.Text[:l.At]...), runes...), l.Text[l.At:]...)
	l.Text, l.At = text, l.At+len(runes)
	return len(runes) > 0, ""
}

// cut takes away the characters from one place to another, as far as there are any.
func (l *Line) cut(from, to int) {
	from, to = max(0, from), min(to, len(l.Text))
	l.Text = append(append([]rune{}, l.Text[:from]...), l.Text[to:]...)
	l.At = from
}

func (l *Line) wordLeft() int {
	i := l.At
	for i > 0 && l.Text[i-1] == ' ' {
		i--
	}
	for i > 0 && l.Text[i-1] != ' ' {
		i--
	}
	return i
}

func (l *Line) wordRight() int {
	i := l.At
	for i < len(l.Text) && l.Text[i] == ' ' {
		i++
	}
	for i < len(l.Text) && l.Text[i] != ' ' {
		i++
	}
	return i
}

// Write lays the text out behind a gutter, on as many rows as it needs, with the
// cursor in it when the field has the focus.
func (l *Line) Write(p *draw.Paper, g draw.Gutter, focused bool) {
	p.TypedLine(g, string(l.Text[:l.At]), string(l.Text[l.At:]), focused)
}
