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

// Area is a text of several lines being edited. It takes line breaks and tabs; all
// else that is no plain character is refused, as a line refuses it. It has no width:
// rows are made where it is drawn, and up and down go by its own lines.
type Area struct{ Line }

// NewArea is a text of at most so many characters, with the cursor at its end.
func NewArea(s string, most int) Area {
	t := Area{NewLine(s)}
	t.Most = most
	return t
}

// AreaKeys are the keys that only a text of several lines has. Enter is not among
// them: in most forms it sends.
type AreaKeys struct{ Break, Up, Down key.Binding }

// DefaultAreaKeys are those that aoctl comes with.
func DefaultAreaKeys() AreaKeys {
	return AreaKeys{
		Break: bind("alt+enter", "a new line; also ctrl+j", "alt+enter", "ctrl+j"),
		Up:    bind("↑", "up", "up"),
		Down:  bind("↓", "down", "down"),
	}
}

// Edit takes a key. refused says why its text was not taken, in words that are safe to
// draw. A key that it does not know goes to the line; one that neither knows does
// nothing.
func (t *Area) Edit(msg tea.KeyMsg, keys Keys, more AreaKeys) (refused string) {
	switch {
	case msg.Paste:
		return t.Insert(msg.Runes)
	case key.Matches(msg, more.Break):
		return t.Insert([]rune{'\n'})
	case key.Matches(msg, more.Up):
		t.up()
	case key.Matches(msg, more.Down):
		t.down()
	case key.Matches(msg, keys.start):
		t.At = t.lineStart(t.At)
	case key.Matches(msg, keys.end):
		t.At = t.lineEnd(t.At)
	case key.Matches(msg, keys.eraseLeft):
		t.cut(t.lineStart(t.At), t.At)
	case key.Matches(msg, keys.eraseRight):
		// At the end of a line the break itself goes, so that the key always takes
		// something away.
		t.cut(t.At, max(t.lineEnd(t.At), min(t.At+1, len(t.text))))
	case key.Matches(msg, keys.wordLeft):
		t.At = t.wordLeft()
	case key.Matches(msg, keys.wordRight):
		t.At = t.wordRight()
	case key.Matches(msg, keys.eraseWord):
		t.cut(t.wordLeft(), t.At)
	case msg.Type == tea.KeyRunes && !msg.Alt, msg.Type == tea.KeySpace:
		return t.Insert(msg.Runes)
	default:
		_, refused = t.Line.Edit(msg, keys)
	}
	return refused
}

// Insert takes runes in at the cursor, all or none. The breaks of other systems become
// plain ones. Half of a paste would be a text that nobody wrote.
func (t *Area) Insert(runes []rune) (refused string) {
	plain := []rune(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(runes)))
	for _, r := range plain {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == unicode.ReplacementChar {
			return "not taken: it has " + safe.Line(string(r)) + ", a control character"
		}
	}
	if len(t.text)+len(plain) > t.Most {
		return "not taken: too long, " + figures.Count(t.Most) + " characters at most"
	}
	all := make([]rune, 0, len(t.text)+len(plain))
	all = append(append(append(all, t.text[:t.At]...), plain...), t.text[t.At:]...)
	t.text, t.At = all, t.At+len(plain)
	return ""
}

// lineStart and lineEnd are the ends of the line that a place is in, its break not
// counted.
func (t *Area) lineStart(at int) int {
	for at > 0 && t.text[at-1] != '\n' {
		at--
	}
	return at
}

func (t *Area) lineEnd(at int) int {
	for at < len(t.text) && t.text[at] != '\n' {
		at++
	}
	return at
}

// OnFirst reports whether the cursor is on the first line.
func (t *Area) OnFirst() bool { return t.lineStart(t.At) == 0 }

// OnLast reports whether the cursor is on the last line.
func (t *Area) OnLast() bool { return t.lineEnd(t.At) == len(t.text) }

// wordLeft and wordRight are the cursor's place a word away; breaks count as blanks
// here.
func (t *Area) wordLeft() int {
	at := t.At
	for at > 0 && unicode.IsSpace(t.text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(t.text[at-1]) {
		at--
	}
	return at
}

func (t *Area) wordRight() int {
	at := t.At
	for at < len(t.text) && unicode.IsSpace(t.text[at]) {
		at++
	}
	for at < len(t.text) && !unicode.IsSpace(t.text[at]) {
		at++
	}
	return at
}

// up goes to the line before, and from the first one to its start.
func (t *Area) up() {
	start := t.lineStart(t.At)
	if start == 0 {
		t.At = 0
		return
	}
	before := t.lineStart(start - 1)
	// The column is kept as far as the line before goes.
	t.At = min(before+t.At-start, start-1)
}

// down goes to the next line, and from the last one to its end. It keeps the column as
// far as that line goes.
func (t *Area) down() {
	end := t.lineEnd(t.At)
	if end == len(t.text) {
		t.At = end
		return
	}
	t.At = min(end+1+t.At-t.lineStart(t.At), t.lineEnd(end+1))
}

// Write lays the text out behind a gutter, and says on which row of p the cursor is.
func (t *Area) Write(p *draw.Paper, g draw.Gutter, focused bool) (cursor int) {
	return p.Typed(g, string(t.text[:t.At]), string(t.text[t.At:]), focused)
}
