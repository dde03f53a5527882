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

// leastPaper is the least width of a paper. A pane that is narrower cuts its rows; it
// is in a window too small to decide anything.
const leastPaper = 30

func (s *Styles) paper(width int) *paper { return &paper{st: s, width: max(width, leastPaper)} }

// write lays raw text out below what is there. Marks are in order and do not overlap.
func (p *paper) write(g gutter, base ink, raw string, marks ...mark) {
	w := writing{p: p, g: g, number: 1, r: p.st.row(p.width)}
	w.startLine()
	at := 0
	for t := range safe.Tokens(raw, safe.Lines) {
		for rest := t.Raw; t.Run() && rest != ""; {
			i, n := inkAt(&marks, base, at, len(rest))
			w.run(i, rest[:n])
			at, rest = at+n, rest[n:]
		}
		if t.Run() {
			continue
		}
		i, _ := inkAt(&marks, base, at, len(t.Raw))
		w.token(i, t)
		at += len(t.Raw)
	}
	w.finish(raw)
}

// inkAt is the ink of the byte at offset at, and for how many of the next n bytes it
// holds. Marks that end before are dropped.
func inkAt(marks *[]mark, base ink, at, n int) (ink, int) {
	for len(*marks) > 0 && (*marks)[0].to <= at {
		*marks = (*marks)[1:]
	}
	if len(*marks) == 0 {
		return base, n
	}
	m := (*marks)[0]
	if m.from > at {
		return base, min(n, m.from-at)
	}
	return m.ink, min(n, m.to-at)
}

// writeNamed writes a parameter's pattern behind its name. A name that is longer than
// the gutter has a row of its own: a rule is never shown with half a name.
func (p *paper) writeNamed(width int, name, pattern string) {
	label := safeLine(name)
	if cells(label) < width {
		p.write(fixed(inkLabel, label, width), inkText, pattern)
		return
	}
	p.write(gutter{}, inkLabel, name)
	p.write(fixed(inkLabel, "", width), inkText, pattern)
}

// say adds a sentence that is safe to draw, broken between words. Rows after the first
// begin below its text.
func (p *paper) say(i ink, text string) { p.sayBehind(inkText, "", 0, i, text) }

// sayBehind is say with a label, or a bullet, of so many cells in front.
func (p *paper) sayBehind(lead ink, label string, width int, i ink, text string) {
	width = min(width, p.width-leastPaper/4)
	p.sayAfter(p.st.row(p.width).put(lead, label).to(width), i, text)
}

// sayAfter is say for a row that has begun already.
func (p *paper) sayAfter(r *row, i ink, text string) {
	width := r.width
	for part := range strings.SplitAfterSeq(text, " ") {
		word := strings.TrimSuffix(part, " ")
		if r.width+cells(word) > p.width && r.width > width {
			p.add(r)
			r = p.st.row(p.width).to(width)
		}
		for cells(word) > p.width-width { // no blank to break at
			var head string
			head, word = split(word, p.width-width)
			p.add(r.put(i, head))
			r = p.st.row(p.width).to(width)
		}
		r.put(i, word)
		if r.width < p.width && word != part {
			r.put(i, " ")
		}
	}
	p.add(r)
}

// split takes as many characters of a safe text as fit room, and at least one.
func split(text string, room int) (head, rest string) {
	width := 0
	for i, r := range text {
		if width += cells(string(r)); width > room && i > 0 {
			return text[:i], text[i:]
		}
	}
	return text, ""
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
	w.r = w.p.st.row(w.p.width)
	w.r.put(inkFaint, w.g.next).to(w.g.width)
}

func (w *writing) token(i ink, t safe.Token) {
	drawn := t.Drawn
	switch t.Kind {
	case safe.Escape:
		i = inkSign
	case safe.Blank:
		i = blankInk(i)
	case safe.Break:
		w.breakLine(t)
		return
	case safe.Plain:
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

// run draws plain ASCII over as many rows as it needs.
func (w *writing) run(i ink, text string) {
	for text != "" {
		room := w.p.width - w.r.width
		if room <= 0 {
			w.continueLine()
			continue
		}
		n := min(len(text), room)
		w.r.putWide(i, text[:n], n)
		text = text[n:]
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
	w.r = w.p.st.row(w.p.width)
	w.startLine()
}

// finish adds the last row; a text that ended in a line break has none.
func (w *writing) finish(raw string) {
	if w.clean && strings.HasSuffix(raw, "\n") {
		return
	}
	w.p.add(w.r)
}
