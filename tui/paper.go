package tui

import (
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// mark draws the bytes [from, to) of a text in an ink of its own.
type mark struct {
	from, to int
	ink      ink
}

// gutter is what stands left of a text: on the first row of each of its lines, and
// on rows that continue a line too long for the paper.
type gutter struct {
	width int // cells; both texts are filled up to it
	first func(number int) (ink, string)
	next  string
}

// fixed is a gutter with the same text on the first row, and blanks below.
func fixed(i ink, text string, width int) gutter {
	return gutter{width: width, first: func(n int) (ink, string) {
		if n == 1 {
			return i, text
		}
		return i, ""
	}}
}

// paper is a text laid out in rows of exactly a width, ready to be drawn.
type paper struct {
	st    *Styles
	width int
	rows  []string
}

// write lays raw text out below what is there. Marks are in order and do not overlap.
func (p *paper) write(g gutter, base ink, raw string, marks ...mark) {
	w := writing{p: p, g: g, number: 1, r: p.st.row(false)}
	w.startLine()
	at := 0
	for t := range safe.Tokens(raw, safe.Lines) {
		for len(marks) > 0 && marks[0].to <= at {
			marks = marks[1:]
		}
		i := base
		if len(marks) > 0 && marks[0].from <= at {
			i = marks[0].ink
		}
		w.token(i, t)
		at += len(t.Raw)
	}
	w.finish(raw)
}

// say adds a sentence that is safe to draw, broken between words. Rows after the first
// begin below its text.
func (p *paper) say(i ink, text string) { p.sayBehind(inkText, "", 0, i, text) }

// sayBehind is say with a label, or a bullet, of so many cells in front.
func (p *paper) sayBehind(lead ink, label string, width int, i ink, text string) {
	r := p.st.row(false).put(lead, label).to(width)
	for part := range strings.SplitAfterSeq(text, " ") {
		word := strings.TrimSuffix(part, " ")
		if r.width+cells(word) > p.width && r.width > width {
			p.add(r)
			r = p.st.row(false).to(width)
		}
		for cells(word) > p.width-width { // no blank to break at
			head := safe.Cut(word, max(2, p.width-width))
			p.add(r.put(i, strings.TrimSuffix(head, "…")))
			r = p.st.row(false).to(width)
			word = strings.TrimPrefix(word, strings.TrimSuffix(head, "…"))
		}
		r.put(i, word)
		if r.width < p.width && word != part {
			r.put(i, " ")
		}
	}
	p.add(r)
}

// add appends a finished row.
func (p *paper) add(r *row) { p.rows = append(p.rows, r.to(p.width).String()) }

// blank adds an empty row, unless there is one or none before it.
func (p *paper) blank() {
	if n := len(p.rows); n > 0 && p.rows[n-1] != spaces(p.width) {
		p.rows = append(p.rows, spaces(p.width))
	}
}

// writing is a text on its way to paper.
type writing struct {
	p      *paper
	g      gutter
	r      *row
	number int // of the text's line, from 1
	clean  bool
}

func (w *writing) startLine() {
	if w.g.first != nil {
		i, text := w.g.first(w.number)
		w.r.put(i, text)
	}
	w.r.to(w.g.width)
	w.clean = true
}

func (w *writing) continueLine() {
	w.p.add(w.r)
	w.r = w.p.st.row(false)
	w.r.put(inkFaint, w.g.next).to(w.g.width)
}

func (w *writing) token(i ink, t safe.Token) {
	drawn := t.Drawn
	switch t.Kind {
	case safe.Escape:
		i = inkSign
	case safe.Blank:
		i = inkBlank
	case safe.Break:
		w.breakLine(t)
		return
	case safe.Plain:
		if t.Width > 1 && drawn[0] == ' ' {
			w.blanks(i, t.Width)
			return
		}
	}
	if t.Width > 6 && t.Kind == safe.Blank { // a counted run: as visible as an escape
		i = inkSign
	}
	if w.r.width+t.Width > w.p.width && w.r.width > w.g.width {
		w.continueLine()
	}
	w.r.putWide(i, drawn, t.Width)
	w.clean = false
}

// blanks draws n blanks over as many rows as they need.
func (w *writing) blanks(i ink, n int) {
	for n > 0 {
		room := w.p.width - w.r.width
		if room <= 0 {
			w.continueLine()
			continue
		}
		part := min(n, room)
		w.r.putWide(i, spaces(part), part)
		n -= part
	}
	w.clean = false
}

func (w *writing) breakLine(t safe.Token) {
	if sign := strings.TrimSuffix(t.Drawn, "\n"); sign != "" {
		if w.r.width+t.Width > w.p.width {
			w.continueLine()
		}
		w.r.putWide(inkSign, sign, t.Width)
	}
	w.p.add(w.r)
	w.number += len(t.Raw)
	w.r = w.p.st.row(false)
	w.startLine()
}

// finish adds the last row; a text that ended in a line break has none.
func (w *writing) finish(raw string) {
	if w.clean && strings.HasSuffix(raw, "\n") {
		return
	}
	w.p.add(w.r)
}
