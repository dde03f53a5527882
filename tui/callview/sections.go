package callview

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aoctl/aoctl/tui/change"
	"github.com/aoctl/aoctl/tui/diff"
	"github.com/aoctl/aoctl/tui/draw"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
	"github.com/aoctl/aoctl/tui/syntax"
)

const (
	leastSide = 40 // cells that one of two sides needs
	sideGap   = 3  // cells between them
	// LeastPair is from how many cells on two sides fit.
	LeastPair = 2*leastSide + sideGap
)

// Changes draws what a call does to files.
func (d *Doc) Changes(list []change.Section, v DiffView) {
	added, gone, whole := 0, 0, 0
	d.several = len(list) > 1
	overview{d}.list(list)
	for i := range list {
		s := &list[i]
		d.sections = i
		if i > 0 {
			d.Blank()
		}
		d.section(s, v)
		a, g := diff.Tally(s.Lines)
		added, gone = added+a, gone+g
		if s.Whole {
			whole++
		}
	}
	switch {
	case len(list) == 1 && whole == 1:
		d.Note = figures.Plural(added, "line")
	default:
		d.Note = fmt.Sprintf("+%s −%s", figures.Count(added), figures.Count(gone))
	}
	if len(list) > 1 && list[len(list)-1].Path != list[0].Path {
		d.Note = figures.Plural(len(list), "change") + " " + d.Note
	}
}

func (d *Doc) section(s *change.Section, v DiffView) {
	d.heading(s)
	if s.Title != "" {
		d.Say(draw.Muted, s.Title)
	}
	for _, say := range s.Says {
		if say.Ink == draw.Warn {
			d.SayBehind(draw.Warn, "!", 2, draw.Warn, strings.TrimPrefix(say.Text, "! "))
			continue
		}
		d.Say(say.Ink, say.Text)
	}
	switch {
	case s.Whole:
		d.numbered(s.Fresh, s.InFresh)
	case s.Verb == "delete" && !s.Numbered: // what the file holds is not known here
	case s.Old == "" && s.Fresh == "" && len(s.Lines) == 0:
		d.Say(draw.Muted, "(empty)")
	default:
		d.Comparison(s, v)
	}
	d.fields(s.Rest)
}

// heading names the file that a section is about.
func (d *Doc) heading(s *change.Section) {
	if !s.Named || d.pathInTitle {
		return
	}
	label := "file"
	if s.Verb != "" {
		label = s.Verb
	}
	d.Write(draw.Fixed(draw.Label, label, draw.Cells(label)+2), draw.Bold, Within(s.Path, d.folder))
	if s.MoveTo != "" {
		d.Write(draw.Fixed(draw.Label, "to", draw.Cells(label)+2), draw.Bold, Within(s.MoveTo, d.folder))
	}
}

// Comparison draws the lines of a section; their glyphs say what their colours say.
func (d *Doc) Comparison(s *change.Section, v DiffView) {
	context := -1 // what is not placed in a file is drawn whole
	if s.Numbered {
		context = v.Context(d.Width)
	}
	p := diffPainter{d: d, s: s, tabs: tabsOf(s.Lines)}
	if s.Numbered {
		p.digits = DigitsOf(s.Lines)
	}
	if v.Sides && d.Width >= LeastPair {
		p.half = (d.Width - sideGap) / 2
	}
	parts := diff.Fold(s.Lines, context)
	for i, part := range parts {
		if part.Folded && (d.small() || d.several) && v.More == 0 && len(parts) > 1 && (i == 0 || i == len(parts)-1) {
			continue // the numbers of the lines tell
		}
		if part.Folded {
			p.anchor(part.From)
			p.foldedRow(part.To - part.From)
			continue
		}
		p.draw(p.beats(part.From, part.To))
	}
}

// DigitsOf is how many digits the highest number among lines has.
func DigitsOf(lines []diff.Line) int {
	most := 0
	for i := range lines {
		most = max(most, lines[i].Old, lines[i].Fresh)
	}
	return len(strconv.Itoa(most))
}

// numbered draws a text as it is, with numbers.
func (d *Doc) numbered(text string, spans []syntax.Span) {
	if text == "" {
		d.Say(draw.Muted, "(empty)")
		return
	}
	digits := len(strconv.Itoa(draw.CountLines(text)))
	d.Write(draw.Gutter{Width: digits + 1, Next: draw.Spaces(digits-1) + "↪", First: func(n int) (draw.Ink, string) {
		return draw.Faint, fmt.Sprintf("%*d", digits, n)
	}}, draw.Text, text, draw.MarksOf(spans, draw.GroundPlain)...)
	if !strings.HasSuffix(text, "\n") {
		d.Write(draw.Fixed(draw.Muted, draw.Spaces(digits-1)+"⌁", digits+1), draw.Muted, "no line break at the end")
	}
}

// anchor is the first row of a line of a comparison.
type anchor struct{ Row, section, Line int }

// diffPainter draws the lines of one section.
type diffPainter struct {
	d      *Doc
	s      *change.Section
	digits int // of a line's number; 0 without numbers
	half   int // cells of one side; 0 when lines stand one below the other
	tabs   draw.Tabs
}

// tabsOf says how tabs that begin a line of a comparison are drawn: as signs where they could not be
// told from blanks, such as when a change makes one of the other.
func tabsOf(lines []diff.Line) draw.Tabs {
	var b strings.Builder
	for i := range lines {
		text := lines[i].Text
		b.WriteString(text[:len(text)-len(strings.TrimLeft(text, " \t"))])
		b.WriteString("x\n")
	}
	if safe.Ambiguous(b.String() + "x\n") {
		return draw.TabsSigns
	}
	return draw.TabsBlank
}

func (p *diffPainter) anchor(line int) {
	p.d.Anchors = append(p.d.Anchors, anchor{len(p.d.Rows), p.d.sections, line})
}

// gutterWidth is what stands left of a line: its number, its glyph and a blank.
func (p *diffPainter) gutterWidth() int {
	if p.digits == 0 {
		return 2
	}
	return p.digits + 3
}

func (p *diffPainter) foldedRow(n int) {
	indent := p.gutterWidth() - 2
	p.d.Write(draw.Fixed(draw.Muted, draw.Spaces(indent)+"⋯", indent+2), draw.Muted, figures.Plural(n, "unchanged line"))
}

// beat is what is drawn on one row, or more where it is too long: a line, or two beside
// each other. One of two may be nil.
type beat struct {
	left, right *diff.Line
	line        int // of the comparison
}

// beats pairs lines [from, to): those that go stand beside those that come in their place.
func (p *diffPainter) beats(from, to int) []beat {
	lines := p.s.Lines
	list := make([]beat, 0, to-from)
	for at := from; at < to; {
		l := &lines[at]
		if p.half == 0 || l.Kind != diff.Goes && l.Kind != diff.Comes {
			list = append(list, beat{l, l, at})
			at++
			continue
		}
		mid := at
		for mid < to && lines[mid].Kind == diff.Goes {
			mid++
		}
		end := mid
		for end < to && lines[end].Kind == diff.Comes {
			end++
		}
		for i := range max(mid-at, end-mid) {
			b := beat{line: min(at+i, end-1)}
			if at+i < mid {
				b.left = &lines[at+i]
			}
			if mid+i < end {
				b.right, b.line = &lines[mid+i], max(b.line, mid+i)
			}
			list = append(list, b)
		}
		at = end
	}
	return list
}

// drawnAtOnce is how many lines are drawn together when one of them is looked at.
const drawnAtOnce = 64

// draw draws beats: those whose rows can be counted when they are first looked at, the
// others now.
func (p *diffPainter) draw(list []beat) {
	for len(list) > 0 {
		some := list[:min(len(list), drawnAtOnce)]
		list = list[len(some):]
		heights, ok := p.heights(some)
		row := len(p.d.Rows)
		for i, b := range some {
			if !ok {
				p.anchor(b.line)
				p.beat(&p.d.Paper, b)
				continue
			}
			p.d.Anchors = append(p.d.Anchors, anchor{row, p.d.sections, b.line})
			row += heights[i]
		}
		if ok {
			p.d.later(row-len(p.d.Rows), func(to *draw.Paper) {
				for _, b := range some {
					p.beat(to, b)
				}
			})
		}
	}
}

// heights are how many rows each beat takes; false when that is not known beforehand.
func (p *diffPainter) heights(list []beat) ([]int, bool) {
	left, right := p.d.Width, 0
	if p.half > 0 {
		left, right = p.half, p.d.Width-p.half-sideGap
	}
	heights := make([]int, len(list))
	for i, b := range list {
		for side, l := range []*diff.Line{b.left, b.right} {
			room := left
			if side == 1 {
				room = right
			}
			if l == nil || room == 0 {
				continue
			}
			n, ok := rowsOf(strings.TrimSuffix(l.Text, "\n"), room-p.gutterWidth())
			if !ok || l.Kind == diff.Sought {
				return nil, false
			}
			if l.NoBreak {
				n++
			}
			heights[i] = max(heights[i], n)
		}
	}
	return heights, true
}

// rowsOf is how many rows of so many cells a line takes; false when it holds anything but
// plain ASCII, tabs and single blanks, which only drawing tells.
func rowsOf(text string, room int) (rows int, ok bool) {
	rows, col, blanks, tabs := 1, 0, 0, 0
	for i := range len(text) {
		c := text[i]
		blanks, tabs = blanks+1, tabs+1
		if c != ' ' {
			blanks = 0
		}
		if c != '\t' {
			tabs = 0
		}
		width := 1
		switch {
		case tabs > 0 && tabs < 8:
			width = 4
		case c < ' ' || c >= 0x7f || c == '\\' || blanks == 40:
			return 0, false
		}
		if col+width > room && col > 0 {
			rows, col = rows+1, 0
		}
		col += width
	}
	return rows, blanks == 0
}

func (p *diffPainter) beat(to *draw.Paper, b beat) {
	if p.half == 0 {
		p.line(to, b.left, b.left.Fresh)
		return
	}
	l, r := draw.Paper{Styles: to.Styles, Width: p.half}, draw.Paper{Styles: to.Styles, Width: to.Width - p.half - sideGap}
	if b.left != nil {
		p.line(&l, b.left, b.left.Old)
	}
	if b.right != nil {
		p.line(&r, b.right, b.right.Fresh)
	}
	bar := to.Styles.Row(sideGap).Put(draw.Faint, " │ ").String()
	for i := range max(len(l.Rows), len(r.Rows)) {
		to.Rows = append(to.Rows, l.RowAt(i)+bar+r.RowAt(i))
	}
}

// line draws one line with its number, its glyph and its colours.
func (p *diffPainter) line(to *draw.Paper, l *diff.Line, number int) {
	kind, glyph, on := draw.Muted, " ", draw.GroundPlain
	spans := p.s.InFresh
	switch l.Kind {
	case diff.Comes:
		kind, glyph, on = draw.Added, "+", draw.GroundAdded
	case diff.Goes:
		kind, glyph, on = draw.Removed, "−", draw.GroundRemoved
		number, spans = l.Old, p.s.InOld
	case diff.Sought:
		kind, glyph, spans = draw.Muted, "@", nil
	case diff.Stays:
	}
	head, indent := glyph, p.gutterWidth()-2
	if p.digits > 0 {
		head = fmt.Sprintf("%*d %s", p.digits, number, glyph)
	}
	text := strings.TrimSuffix(l.Text, "\n")
	if l.Kind == diff.Sought && text == "" {
		text = "(to the end of the file)"
	}
	to.Write(draw.Gutter{Tabs: p.tabs, Width: indent + 2, Next: draw.Spaces(indent) + "↪", First: func(int) (draw.Ink, string) {
		return kind, head
	}}, draw.SyntaxInk(syntax.Text, on), text, paint(l, len(text), spans, on)...)
	if l.NoBreak {
		to.Write(draw.Fixed(draw.Muted, draw.Spaces(indent)+"⌁", indent+2), draw.Muted, "no line break at the end")
	}
}
