package draw

import (
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// Piece is a part of a text with an ink of its own. Its text is raw.
type Piece struct {
	Ink Ink
	Raw string
}

// Prose lays pieces out as write does, but breaks rows between words. The one blank at
// such a break is not drawn: in prose it says nothing. More than one blank stays,
// since somebody meant it to be there.
func (p *Paper) Prose(g Gutter, pieces ...Piece) {
	raw, marks := joined(pieces)
	w := writing{p: p, g: g, number: 1, r: p.Styles.Row(p.Width), signs: g.signs(raw)}
	w.startLine()
	var word, blank []inked
	width := 0
	// A word is put when its end is known, with the blanks before it.
	flush := func() {
		if len(word) == 0 {
			return
		}
		if gap := widthOf(blank); w.r.Width+gap+width > p.Width && w.r.Width > g.Width {
			if gap != 1 {
				w.put(blank)
			}
			w.continueLine()
		} else {
			w.put(blank)
		}
		w.put(word)
		word, blank, width = word[:0], blank[:0], 0
	}
	at := 0
	for t := range safe.Tokens(raw, safe.Lines) {
		i, _ := inkAt(&marks, Text, at, len(t.Raw))
		switch {
		case t.Kind == safe.Break:
			flush()
			w.put(blank)
			blank = blank[:0]
			w.token(i, t)
		case t.Raw[0] == ' ', t.Kind == safe.Blank:
			flush()
			blank = append(blank, inked{i, t})
		case t.Run(): // may be split, where the ink changes
			for rest := t.Raw; rest != ""; {
				i, n := inkAt(&marks, Text, at+len(t.Raw)-len(rest), len(rest))
				word = append(word, inked{i, safe.Token{Raw: rest[:n], Drawn: rest[:n], Width: n}})
				rest = rest[n:]
			}
			width += t.Width
		default:
			word = append(word, inked{i, t})
			width += t.Width
		}
		at += len(t.Raw)
	}
	flush()
	w.put(blank)
	w.finish(raw)
}

// joined is the text of pieces as one, and where which ink holds. It is made safe as a
// whole: what a sign means depends on what stands beside it.
func joined(pieces []Piece) (raw string, marks []Mark) {
	var b strings.Builder
	for _, p := range pieces {
		marks = append(marks, Mark{b.Len(), b.Len() + len(p.Raw), p.Ink})
		b.WriteString(p.Raw)
	}
	return b.String(), marks
}

// inked is a token with its ink.
type inked struct {
	ink   Ink
	token safe.Token
}

// widthOf is how many cells a list takes.
func widthOf(list []inked) int {
	n := 0
	for _, t := range list {
		n += t.token.Width
	}
	return n
}

// put draws tokens with their inks, breaking only where a run may be broken.
func (w *writing) put(list []inked) {
	for _, t := range list {
		if t.token.Run() {
			w.run(t.ink, t.token.Drawn)
		} else {
			w.token(t.ink, t.token)
		}
	}
}
