package text

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// MaxTyped is how much may be typed, in characters, unless a text has a limit of its
// own.
const MaxTyped = 2000

// Line is a text being edited. It keeps every character that it was given, also line
// breaks and signs that are drawn as escapes: a pattern must stay the one that was
// offered. What is typed and pasted has no control characters. The zero value is empty
// and ready.
type Line struct {
	text []rune
	At   int // place of the cursor, from 0 to len(text)
	Most int // characters that may be typed; 0: MaxTyped
}

// Keys are the keys that edit a text: those of a shell's command line, which people
// have in their fingers.
type Keys struct {
	Left, Right           key.Binding
	wordLeft, wordRight   key.Binding
	start, end            key.Binding
	erase, eraseNext      key.Binding
	eraseWord             key.Binding
	eraseLeft, eraseRight key.Binding
}

// DefaultKeys are those that aoctl comes with.
func DefaultKeys() Keys {
	return Keys{
		Left:       bind("←", "cursor, or choice before", "left", "ctrl+b"),
		Right:      bind("→", "cursor, or next choice", "right", "ctrl+f"),
		wordLeft:   bind("alt+←", "a word back", "alt+left", "ctrl+left", "alt+b"),
		wordRight:  bind("alt+→", "a word on", "alt+right", "ctrl+right", "alt+f"),
		start:      bind("ctrl+a", "start of the text", "home", "ctrl+a"),
		end:        bind("ctrl+e", "end of the text", "end", "ctrl+e"),
		erase:      bind("backspace", "erase", "backspace", "ctrl+h"),
		eraseNext:  bind("del", "erase the next character", "delete", "ctrl+d"),
		eraseWord:  bind("ctrl+w", "erase the word", "ctrl+w", "alt+backspace"),
		eraseLeft:  bind("ctrl+u", "erase to the start", "ctrl+u"),
		eraseRight: bind("ctrl+k", "erase to the end", "ctrl+k"),
	}
}

// bind makes a binding with its name and help.
func bind(name, help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(name, help))
}

// NewLine is a text with the cursor at its end. It may be longer than Most, which
// bounds typing only.
func NewLine(s string) Line {
	text := []rune(s)
	return Line{text: text, At: len(text)}
}

// String is the text as it is.
func (l *Line) String() string { return string(l.text) }

// Blank reports whether the text has nothing but blanks.
func (l *Line) Blank() bool { return strings.TrimSpace(l.String()) == "" }

// Edit takes a key. refused says why its text was not taken, in words that are safe to
// draw. changed reports whether the text is another one; moving the cursor is no
// change.
func (l *Line) Edit(msg tea.KeyMsg, keys Keys) (changed bool, refused string) {
	before := len(l.text)
	switch {
	case msg.Paste:
		return l.insert(trimBreaks(msg.Runes))
	case key.Matches(msg, keys.Left):
		l.At = max(0, l.At-1)
	case key.Matches(msg, keys.Right):
		l.At = min(len(l.text), l.At+1)
	case key.Matches(msg, keys.wordLeft):
		l.At = l.wordLeft()
	case key.Matches(msg, keys.wordRight):
		l.At = l.wordRight()
	case key.Matches(msg, keys.start):
		l.At = 0
	case key.Matches(msg, keys.end):
		l.At = len(l.text)
	case key.Matches(msg, keys.erase):
		l.cut(l.At-1, l.At)
	case key.Matches(msg, keys.eraseNext):
		l.cut(l.At, l.At+1)
	case key.Matches(msg, keys.eraseWord):
		l.cut(l.wordLeft(), l.At)
	case key.Matches(msg, keys.eraseLeft):
		l.cut(0, l.At)
	case key.Matches(msg, keys.eraseRight):
		l.cut(l.At, len(l.text))
	// Alt and a letter is a key of its own and no text.
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

// insert takes runes in at the cursor, all or none. A paste of several lines is
// refused: its second line may be a command that nobody meant to be part of this text.
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
	if len(l.text)+len(runes) > most {
		return false, "not taken: too long, " + figures.Count(most) + " characters at most"
	}
	text := make([]rune, 0, len(l.text)+len(runes))
	text = append(append(append(text, l.text[:l.At]...), runes...), l.text[l.At:]...)
	l.text, l.At = text, l.At+len(runes)
	return len(runes) > 0, ""
}

// cut takes away the characters from one place to another, as far as there are any.
// The cursor goes to where they were.
func (l *Line) cut(from, to int) {
	from, to = max(0, from), min(to, len(l.text))
	l.text = append(append([]rune{}, l.text[:from]...), l.text[to:]...)
	l.At = from
}

// wordLeft and wordRight are the cursor's place a word away; words are parted by
// blanks.
func (l *Line) wordLeft() int {
	i := l.At
	for i > 0 && l.text[i-1] == ' ' {
		i--
	}
	for i > 0 && l.text[i-1] != ' ' {
		i--
	}
	return i
}

func (l *Line) wordRight() int {
	i := l.At
	for i < len(l.text) && l.text[i] == ' ' {
		i++
	}
	for i < len(l.text) && l.text[i] != ' ' {
		i++
	}
	return i
}

// Write lays the text out behind a gutter, on as many rows as it needs, with the
// cursor in it when the field has the focus.
func (l *Line) Write(p *draw.Paper, g draw.Gutter, focused bool) {
	p.TypedLine(g, string(l.text[:l.At]), string(l.text[l.At:]), focused)
}
