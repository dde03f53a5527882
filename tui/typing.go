package tui

import (
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// The cursor is a glyph of its own between two characters: it is seen without colour,
// and no character hides below it.
const (
	cursorMid = "▎"
	cursorEnd = "█"
)

// typed lays out a text that is being written behind a gutter, and says on which row of p the
// cursor is: between before and after.
func (p *paper) typed(g gutter, before, after string, focused bool) (cursor int) {
	return p.typing(g, before, after, focused, (*writing).typed)
}

// typedLine is typed for a text of one line: its line breaks are drawn as signs.
func (p *paper) typedLine(g gutter, before, after string, focused bool) {
	p.typing(g, before, after, focused, (*writing).flat)
}

func (p *paper) typing(g gutter, before, after string, focused bool, draw func(w *writing, raw string, cursorBehind bool)) (cursor int) {
	w := writing{p: p, g: g, number: 1, r: p.st.row(p.width)}
	w.startLine()
	if !focused {
		draw(&w, before+after, false)
		p.add(w.r)
		return 0
	}
	draw(&w, before, true)
	if w.r.width >= p.width {
		w.continueLine()
	}
	cursor = len(p.rows)
	if after == "" {
		w.r.put(inkKey, cursorEnd)
	} else {
		w.r.put(inkKey, cursorMid)
	}
	draw(&w, after, false)
	p.add(w.r)
	return cursor
}

// typed draws a text that is being written: each line break as one, however many there
// are, and blanks right before the cursor as blanks.
func (w *writing) typed(raw string, cursorBehind bool) {
	at := 0
	for t := range safe.Tokens(raw, safe.Lines) {
		at += len(t.Raw)
		blanks := cursorBehind && at == len(raw) && strings.Trim(t.Raw, " ") == ""
		switch {
		case t.Run():
			w.run(inkText, t.Raw)
		case t.Kind == safe.Break:
			for range len(t.Raw) {
				w.p.add(w.r)
				w.number++
				w.r = w.p.st.row(w.p.width)
				w.startLine()
			}
		case blanks && t.Width == len(t.Raw):
			w.run(inkText, t.Raw)
		default:
			w.token(inkText, t)
		}
	}
}

// flat draws a text whose line breaks are signs too.
func (w *writing) flat(text string, _ bool) {
	for t := range safe.Tokens(text, safe.OneLine) {
		switch {
		case t.Run():
			w.run(inkText, t.Raw)
		case t.Kind == safe.Break:
			w.token(inkSign, safe.Token{Drawn: t.Drawn, Width: t.Width, Kind: safe.Escape})
		default:
			w.token(inkText, t)
		}
	}
}
