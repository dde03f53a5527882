package draw

import (
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// The cursor is a glyph of its own between two characters: it is seen without colour,
// and no character hides below it.
const (
	CursorMid = "▎"
	CursorEnd = "█"
)

// Typed lays out a text that is being written behind a gutter, and says on which row
// of p the cursor is: between before and after. Tabs and line breaks of it are what
// they are; anything that cannot be seen is a sign.
func (p *Paper) Typed(g Gutter, before, after string, focused bool) (cursor int) {
	return p.typing(g, before, after, focused, (*writing).typed)
}

// TypedLine is Typed for a text of one line: its line breaks are drawn as signs.
func (p *Paper) TypedLine(g Gutter, before, after string, focused bool) {
	p.typing(g, before, after, focused, (*writing).flat)
}

// typing draws both halves with the cursor between them. Without the focus there is no
// cursor, and the halves are one text.
func (p *Paper) typing(g Gutter, before, after string, focused bool, draw func(w *writing, raw string, cursorBehind bool)) (cursor int) {
	// While a text is typed a tab is always a sign: one cannot see what it would
	// become.
	w := writing{p: p, g: g, number: 1, r: p.Styles.Row(p.Width), signs: true}
	w.startLine()
	if !focused {
		draw(&w, before+after, false)
		p.Add(w.r)
		return 0
	}
	draw(&w, before, true)
	// The cursor takes a cell of its own, so a full row goes on below.
	if w.r.Width >= p.Width {
		w.continueLine()
	}
	cursor = len(p.Rows)
	if after == "" {
		w.r.Put(Key, CursorEnd)
	} else {
		w.r.Put(Key, CursorMid)
	}
	draw(&w, after, false)
	p.Add(w.r)
	return cursor
}

// typed draws a text that is being written: each line break as one, however many there
// are, and blanks right before the cursor as blanks. A blank that was just typed would
// otherwise turn into a sign and back with the next letter.
func (w *writing) typed(raw string, cursorBehind bool) {
	at := 0
	for t := range safe.Tokens(raw, safe.Lines) {
		at += len(t.Raw)
		blanks := cursorBehind && at == len(raw) && strings.Trim(t.Raw, " ") == ""
		switch {
		case t.Run():
			w.run(Text, t.Raw)
		case t.Kind == safe.Break:
			for range len(t.Raw) {
				w.p.Add(w.r)
				w.number++
				w.r = w.p.Styles.Row(w.p.Width)
				w.startLine()
			}
		case blanks && t.Width == len(t.Raw):
			w.run(Text, t.Raw)
		default:
			w.token(Text, t)
		}
	}
}

// flat draws a text whose line breaks are signs too.
func (w *writing) flat(text string, _ bool) {
	for t := range safe.Tokens(text, safe.OneLine) {
		switch {
		case t.Run():
			w.run(Text, t.Raw)
		case t.Kind == safe.Break:
			w.token(Sign, safe.Token{Drawn: t.Drawn, Width: t.Width, Kind: safe.Escape})
		default:
			w.token(Text, t)
		}
	}
}
