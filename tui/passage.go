package tui

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/safe"
)

// passage is a text of several lines being edited. It takes line breaks and tabs; all else
// that is no plain character is refused, as a line refuses it.
type passage struct{ line }

func newPassage(s string, most int) passage {
	t := passage{newLine(s)}
	t.most = most
	return t
}

// textKeys are the keys that only a text of several lines has.
type textKeys struct{ Break, Up, Down key.Binding }

func defaultTextKeys() textKeys {
	return textKeys{
		Break: bind("alt+enter", "a new line; also ctrl+j", "alt+enter", "ctrl+j"),
		Up:    bind("↑", "up", "up"),
		Down:  bind("↓", "down", "down"),
	}
}

// edit takes a key. refused says why its text was not taken, in words that are safe to
// draw.
func (t *passage) edit(msg tea.KeyMsg, keys lineKeys, more textKeys) (refused string) {
	switch {
	case msg.Paste:
		return t.insert(msg.Runes)
	case key.Matches(msg, more.Break):
		return t.insert([]rune{'\n'})
	case key.Matches(msg, more.Up):
		t.up()
	case key.Matches(msg, more.Down):
		t.down()
	case key.Matches(msg, keys.Start):
		t.at = t.lineStart(t.at)
	case key.Matches(msg, keys.End):
		t.at = t.lineEnd(t.at)
	case key.Matches(msg, keys.EraseLeft):
		t.cut(t.lineStart(t.at), t.at)
	case key.Matches(msg, keys.EraseRight):
		t.cut(t.at, max(t.lineEnd(t.at), min(t.at+1, len(t.text))))
	case key.Matches(msg, keys.WordLeft):
		t.at = t.wordLeft()
	case key.Matches(msg, keys.WordRight):
		t.at = t.wordRight()
	case key.Matches(msg, keys.EraseWord):
		t.cut(t.wordLeft(), t.at)
	case msg.Type == tea.KeyRunes && !msg.Alt, msg.Type == tea.KeySpace:
		return t.insert(msg.Runes)
	default:
		_, refused = t.line.edit(msg, keys)
	}
	return refused
}

// insert takes runes in at the cursor, all or none. The breaks of other systems become
// plain ones.
func (t *passage) insert(runes []rune) (refused string) {
	plain := []rune(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(runes)))
	for _, r := range plain {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == unicode.ReplacementChar {
			return "not taken: it has " + safe.Line(string(r)) + ", a control character"
		}
	}
	if len(t.text)+len(plain) > t.most {
		return "not taken: too long, " + draw.Count(t.most) + " characters at most"
	}
	all := make([]rune, 0, len(t.text)+len(plain))
	all = append(append(append(all, t.text[:t.at]...), plain...), t.text[t.at:]...)
	t.text, t.at = all, t.at+len(plain)
	return ""
}

func (t *passage) lineStart(at int) int {
	for at > 0 && t.text[at-1] != '\n' {
		at--
	}
	return at
}

func (t *passage) lineEnd(at int) int {
	for at < len(t.text) && t.text[at] != '\n' {
		at++
	}
	return at
}

// onFirst reports whether the cursor is on the first line, and onLast whether it is on the last.
func (t *passage) onFirst() bool { return t.lineStart(t.at) == 0 }
func (t *passage) onLast() bool  { return t.lineEnd(t.at) == len(t.text) }

func (t *passage) wordLeft() int {
	at := t.at
	for at > 0 && unicode.IsSpace(t.text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(t.text[at-1]) {
		at--
	}
	return at
}

func (t *passage) wordRight() int {
	at := t.at
	for at < len(t.text) && unicode.IsSpace(t.text[at]) {
		at++
	}
	for at < len(t.text) && !unicode.IsSpace(t.text[at]) {
		at++
	}
	return at
}

// up goes to the line before, and from the first one to its start.
func (t *passage) up() {
	start := t.lineStart(t.at)
	if start == 0 {
		t.at = 0
		return
	}
	before := t.lineStart(start - 1)
	t.at = min(before+t.at-start, start-1)
}

// down goes to the next line, and from the last one to its end.
func (t *passage) down() {
	end := t.lineEnd(t.at)
	if end == len(t.text) {
		t.at = end
		return
	}
	t.at = min(end+1+t.at-t.lineStart(t.at), t.lineEnd(end+1))
}

// write lays the text out behind a gutter, and says on which row of p the cursor is.
func (t *passage) write(p *draw.Paper, g draw.Gutter, focused bool) (cursor int) {
	return p.Typed(g, string(t.text[:t.at]), string(t.text[t.at:]), focused)
}
