package draw

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// Mark draws the bytes [from, to) of a text in an ink of its own.
type Mark struct {
	From, To int
	Ink      Ink
}

// Gutter is what stands left of a text: on the first row of each of its lines, and on
// rows that continue a line too long for the paper. First gets the line's number, from
// 1, and may be nil. Its texts must be safe to draw.
type Gutter struct {
	Width int // cells; both texts are filled up to it
	First func(number int) (Ink, string)
	Next  string
	Tabs  Tabs // how tabs are drawn that begin a line
	Words bool // rows break between words; a word longer than a row breaks where the row ends
}

// Tabs says how tabs are drawn that begin a line. All others are signs.
type Tabs uint8

// The ways to draw them.
const (
	TabsJudged Tabs = iota // as blanks, unless that would hide what the text begins its lines with
	TabsBlank              // as blanks: who draws has judged
	TabsSigns              // as signs
)

// signs reports whether all tabs of a text are drawn as signs.
func (g Gutter) signs(raw string) bool {
	return g.Tabs == TabsSigns || g.Tabs == TabsJudged && safe.Ambiguous(raw)
}

// Fixed is a gutter with the same text on the first row, and blanks below.
func Fixed(i Ink, text string, width int) Gutter {
	return Gutter{Width: width, First: func(n int) (Ink, string) {
		if n == 1 {
			return i, text
		}
		return i, ""
	}}
}

// Paper is a text laid out in rows of exactly a width, ready to be drawn. Rows may be
// appended to by hand when they have that width. It grows only; it is made anew when
// something changes.
type Paper struct {
	Styles *Styles
	Width  int
	Rows   []string
}

// LeastPaper is the least width of a paper. A pane that is narrower cuts its rows; it
// is in a window too small to decide anything.
const LeastPaper = 30

// Paper is empty paper of a width.
func (s *Styles) Paper(width int) *Paper { return &Paper{Styles: s, Width: max(width, LeastPaper)} }

// Write lays raw text out below what is there. Marks are in order and do not overlap.
//
// raw may be anything that an agent wrote. It is cut into tokens by package safe, each
// drawn whole or as a sign, so no byte of it reaches the terminal as it is unless it
// is plain. Marks may begin and end anywhere; a sign has one ink, that of its first
// byte.
func (p *Paper) Write(g Gutter, base Ink, raw string, marks ...Mark) {
	w := writing{p: p, g: g, number: 1, r: p.Styles.Row(p.Width), signs: g.signs(raw)}
	w.startLine()
	at := 0
	put := func(t safe.Token) {
		// Only a run of plain ASCII may change its ink in the middle.
		for rest := t.Raw; t.Run() && rest != ""; {
			i, n := inkAt(&marks, base, at, len(rest))
			w.run(i, rest[:n])
			at, rest = at+n, rest[n:]
		}
		if t.Run() {
			return
		}
		i, _ := inkAt(&marks, base, at, len(t.Raw))
		w.token(i, t)
		at += len(t.Raw)
	}
	if g.Words {
		w.words(slices.Collect(safe.Tokens(raw, safe.Lines)), put)
	} else {
		for t := range safe.Tokens(raw, safe.Lines) {
			put(t)
		}
	}
	w.finish(raw)
}

// inkAt is the ink of the byte at offset at, and for how many of the next n bytes it
// holds. Marks that end before are dropped, so a text is gone through once.
func inkAt(marks *[]Mark, base Ink, at, n int) (Ink, int) {
	for len(*marks) > 0 && (*marks)[0].To <= at {
		*marks = (*marks)[1:]
	}
	if len(*marks) == 0 {
		return base, n
	}
	m := (*marks)[0]
	if m.From > at {
		return base, min(n, m.From-at)
	}
	return m.Ink, min(n, m.To-at)
}

// WriteNamed writes a parameter's pattern behind its name. A name that is longer than
// the gutter has a row of its own: a rule is never shown with half a name.
func (p *Paper) WriteNamed(width int, name, pattern string) {
	label := SafeLine(name)
	if Cells(label) < width {
		p.Write(Fixed(Label, label, width), Text, pattern)
		return
	}
	p.Write(Gutter{}, Label, name)
	p.Write(Fixed(Label, "", width), Text, pattern)
}

// Say adds a sentence that is safe to draw, broken between words. Rows after the first
// begin below its text.
func (p *Paper) Say(i Ink, text string) { p.SayBehind(Text, "", 0, i, text) }

// SayBehind is say with a label, or a bullet, of so many cells in front. A label that
// would leave no room for the text is cut.
func (p *Paper) SayBehind(lead Ink, label string, width int, i Ink, text string) {
	width = min(width, p.Width-LeastPaper/4)
	p.SayAfter(p.Styles.Row(p.Width).Put(lead, label).To(width), i, text)
}

// SayAfter is say for a row that has begun already. The rows that follow are set in as
// far as it was.
func (p *Paper) SayAfter(r *Row, i Ink, text string) {
	width := r.Width
	for part := range strings.SplitAfterSeq(text, " ") {
		word := strings.TrimSuffix(part, " ")
		if r.Width+Cells(word) > p.Width && r.Width > width {
			p.Add(r)
			r = p.Styles.Row(p.Width).To(width)
		}
		for Cells(word) > p.Width-width { // no blank to break at
			var head string
			head, word = split(word, p.Width-width)
			p.Add(r.Put(i, head))
			r = p.Styles.Row(p.Width).To(width)
		}
		r.Put(i, word)
		if r.Width < p.Width && word != part {
			r.Put(i, " ")
		}
	}
	p.Add(r)
}

// split takes as many characters of a safe text as fit room, and at least one, or a
// wide sign in a narrow room would never end.
func split(text string, room int) (head, rest string) {
	width := 0
	for i, r := range text {
		if width += Cells(string(r)); width > room && i > 0 {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// Add appends a finished row, filled up to the paper's width.
func (p *Paper) Add(r *Row) { p.Rows = append(p.Rows, r.To(p.Width).String()) }

// Narrow is the width in cells below which sentences are brief.
const Narrow = 60

// Either is the long text, or the brief one on narrow paper.
func (p *Paper) Either(long, brief string) string {
	if p.Width < Narrow {
		return brief
	}
	return long
}

// Blank adds an empty row, unless there is one or none before it.
func (p *Paper) Blank() {
	if n := len(p.Rows); n > 0 && p.Rows[n-1] != Spaces(p.Width) {
		p.Rows = append(p.Rows, Spaces(p.Width))
	}
}

// writing is a text on its way to paper.
type writing struct {
	p      *Paper
	g      Gutter
	r      *Row
	number int // of the text's line, from 1
	clean  bool
	signs  bool // tabs that begin a line are signs too
}

// startLine begins the row of a line of the text, with its gutter.
func (w *writing) startLine() {
	if w.g.First != nil {
		i, text := w.g.First(w.number)
		w.r.Put(i, text)
	}
	w.r.To(w.g.Width)
	w.clean = true
}

// continueLine begins another row for a line that is too long, behind the gutter's
// mark for that.
func (w *writing) continueLine() {
	w.p.Add(w.r)
	w.r = w.p.Styles.Row(w.p.Width)
	w.r.Put(Faint, w.g.Next).To(w.g.Width)
}

// words puts tokens and begins a row before each word that the row has no room for.
// The blank before it stays at the end of the row: a row that ends in a letter is one
// that broke within a word.
func (w *writing) words(tokens []safe.Token, put func(safe.Token)) {
	between := true
	for i, t := range tokens {
		if blank := endsWord(t); between && !blank {
			w.makeRoom(wordWidth(tokens[i:]))
			between = false
		} else if blank {
			between = true
		}
		put(t)
	}
}

// makeRoom begins a row for a word that fits on one, and not on what is left of this
// one. A word that fits on none is broken where the row ends.
func (w *writing) makeRoom(width int) {
	if left := w.p.Width - w.r.Width; width > left && width <= w.p.Width-w.g.Width {
		w.continueLine()
	}
}

// endsWord reports whether a row may break before what follows t.
func endsWord(t safe.Token) bool {
	return t.Kind == safe.Blank || t.Kind == safe.Break || t.Raw[0] == ' '
}

// wordWidth is how many cells the word takes that tokens begin with.
func wordWidth(tokens []safe.Token) int {
	width := 0
	for _, t := range tokens {
		if endsWord(t) {
			break
		}
		width += t.Width
	}
	return width
}

// token draws a sign or a character. Signs have an ink of their own, whatever the text
// around them has: a text must not be able to colour its own escapes away.
func (w *writing) token(i Ink, t safe.Token) {
	drawn := t.Drawn
	switch t.Kind {
	case safe.Escape:
		i = Sign
	case safe.Blank:
		i = blankInk(i)
		if t.Indent && !w.signs {
			drawn = Spaces(t.Width)
		}
	case safe.Break:
		w.breakLine(t)
		return
	case safe.Plain:
	}
	if t.Width > 6 && t.Kind == safe.Blank { // a counted run: as visible as an escape
		i = Sign
	}
	// A token is never split. One that is wider than an empty row is cut by the row,
	// with a mark.
	if w.r.Width+t.Width > w.p.Width && w.r.Width > w.g.Width {
		w.continueLine()
	}
	w.r.putWide(i, drawn, t.Width)
	w.clean = false
}

// run draws plain ASCII over as many rows as it needs.
func (w *writing) run(i Ink, text string) {
	for text != "" {
		room := w.p.Width - w.r.Width
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

// breakLine ends a line of the text. Breaks that were counted are drawn as a sign
// before it, and the line numbers go on by as many.
func (w *writing) breakLine(t safe.Token) {
	if sign := strings.TrimSuffix(t.Drawn, "\n"); sign != "" {
		if w.r.Width+t.Width > w.p.Width {
			w.continueLine()
		}
		w.r.putWide(Sign, sign, t.Width)
	}
	w.p.Add(w.r)
	w.number += len(t.Raw)
	w.r = w.p.Styles.Row(w.p.Width)
	w.startLine()
}

// finish adds the last row; a text that ended in a line break has none.
func (w *writing) finish(raw string) {
	if w.clean && strings.HasSuffix(raw, "\n") {
		return
	}
	w.p.Add(w.r)
}

// RowAt is row i, and blanks where p ends before it.
func (p *Paper) RowAt(i int) string {
	if i < len(p.Rows) {
		return p.Rows[i]
	}
	return Spaces(p.Width)
}
