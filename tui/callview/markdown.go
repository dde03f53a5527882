package callview

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/aoctl/aoctl/tui/draw"
)

// maxMarkdown is the longest text that is taken apart as Markdown, in bytes; a longer
// one is drawn as it is. Some texts take time that grows with the square of it: a third
// of a second at most.
const maxMarkdown = 24 << 10

// saidMarkdown is the longest text of what an agent said that is drawn as Markdown, in bytes.
const saidMarkdown = 8 << 10

// SayIndent is how far words stand in from the left below who said them, in cells.
const SayIndent = 2

// maxNested is how many blocks inside each other are drawn as such.
const maxNested = 40

// markdown reads all of CommonMark but link definitions, which it would take out of the
// text: nothing that an agent wrote is left out of what is drawn.
var markdown = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(parser.DefaultInlineParsers()...),
)

// Markdown draws a text as Markdown: its words through package safe as all else, HTML
// as text, links with where they lead, lines as they were broken. What would not be
// drawn whole is drawn as plain text; ok is false then.
func (d *Doc) Markdown(source string) (ok bool) {
	p := d.Styles.Paper(d.Width)
	md := &markup{Paper: p, source: []byte(source)}
	if len(source) <= maxMarkdown {
		ok = md.draw()
	}
	if !ok {
		d.numbered(source, nil)
		return false
	}
	d.Rows = append(d.Rows, p.Rows...)
	return true
}

// markup is a Markdown text on its way to paper.
type markup struct {
	*draw.Paper
	source  []byte
	letters int     // that were drawn
	levels  []level // the blocks around, outermost first
	fresh   bool    // nothing stands above in the innermost block
	deep    bool    // blocks are nested deeper than can be drawn
}

// level is what one block puts before the rows inside it.
type level struct {
	first, next string // of its first row, and of the others; safe to draw
	used        bool
}

// draw reports whether every letter of the text was drawn.
func (m *markup) draw() (ok bool) {
	defer func() {
		if recover() != nil { // a parser's fault must not end the console
			ok = false
		}
	}()
	root := markdown.Parse(text.NewReader(m.source))
	m.fresh = true
	m.blocks(root)
	return !m.deep && len(m.Rows) > 0 && m.letters >= letters(string(m.source))
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

func (m *markup) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		m.block(n)
	}
}

func (m *markup) block(n ast.Node) {
	if len(m.levels) > maxNested || m.deep {
		m.deep = true
		return
	}
	switch n := n.(type) {
	case *ast.Heading:
		m.space(true)
		m.text(append([]draw.Piece{{Ink: draw.Faint, Raw: strings.Repeat("#", n.Level) + " "}}, m.inline(n, draw.Title)...))
	case *ast.List:
		m.space(!m.inList())
		m.list(n)
	case *ast.Blockquote:
		m.space(true)
		m.inside(level{first: "│ ", next: "│ "}, n)
	case *ast.FencedCodeBlock:
		m.space(true)
		if n.Info != nil {
			m.text([]draw.Piece{{Ink: draw.Muted, Raw: m.raw(n.Info.Segment)}})
		}
		m.code(m.lines(n))
	case *ast.CodeBlock:
		m.space(true)
		m.code(m.lines(n))
	case *ast.HTMLBlock:
		m.space(true)
		html := m.lines(n)
		if n.HasClosure() {
			html += m.raw(n.ClosureLine)
		}
		m.text([]draw.Piece{{Ink: draw.Text, Raw: strings.TrimSuffix(html, "\n")}})
	case *ast.ThematicBreak:
		m.space(true)
		m.text([]draw.Piece{{Ink: draw.Faint, Raw: strings.Repeat("─", 12)}})
	case *ast.Paragraph:
		m.space(true)
		m.text(m.inline(n, draw.Text))
	default: // a tight item's text
		m.text(m.inline(n, draw.Text))
	}
	m.fresh = false
}

// space puts an empty row between two blocks.
func (m *markup) space(wanted bool) {
	if !wanted || m.fresh || len(m.Rows) == 0 {
		return
	}
	_, next, _ := m.before()
	if strings.TrimSpace(next) == "" {
		m.Blank()
		return
	}
	m.Add(m.Styles.Row(m.Width).Put(draw.Faint, strings.TrimRight(next, " ")))
}

func (m *markup) inList() bool {
	return len(m.levels) > 0 && m.levels[len(m.levels)-1].next != "│ "
}

func (m *markup) list(n *ast.List) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		if item.PreviousSibling() != nil && !n.IsTight {
			m.fresh = false
			m.space(true)
		}
		if item.FirstChild() == nil {
			m.levels = append(m.levels, level{first: mark, next: draw.Spaces(draw.Cells(mark))})
			m.text(nil)
			m.levels = m.levels[:len(m.levels)-1]
			continue
		}
		m.inside(level{first: mark, next: draw.Spaces(draw.Cells(mark))}, item)
	}
}

// inside draws n's blocks behind one more level.
func (m *markup) inside(l level, n ast.Node) {
	m.levels = append(m.levels, l)
	m.fresh = true
	m.blocks(n)
	m.levels = m.levels[:len(m.levels)-1]
	m.fresh = false
}

// before is what stands before the next row and before those that follow it. Where the
// levels leave too little room for words, the outer ones are not drawn.
func (m *markup) before() (first, next string, width int) {
	for i := len(m.levels) - 1; i >= 0; i-- {
		l := &m.levels[i]
		if width+draw.Cells(l.next) > m.Width/2 {
			break
		}
		width += draw.Cells(l.next)
		lead := l.next
		if !l.used {
			lead = l.first
		}
		first, next = lead+first, l.next+next
	}
	return first, next, width
}

// gutter is before as a gutter; the levels' first rows are drawn by it.
func (m *markup) gutter() draw.Gutter {
	first, next, width := m.before()
	for i := range m.levels {
		m.levels[i].used = true
	}
	return draw.Gutter{Width: width, Next: next, First: func(n int) (draw.Ink, string) {
		if n == 1 {
			return draw.Muted, first
		}
		return draw.Faint, next
	}}
}

// text draws pieces as words.
func (m *markup) text(pieces []draw.Piece) {
	for _, p := range pieces {
		m.letters += letters(p.Raw)
	}
	m.Prose(m.gutter(), pieces...)
}

// code draws lines as they are, behind a bar.
func (m *markup) code(lines string) {
	m.letters += letters(lines)
	m.levels = append(m.levels, level{first: "┊ ", next: "┊ "})
	m.Write(m.gutter(), draw.Quoted, lines)
	m.levels = m.levels[:len(m.levels)-1]
}

func (m *markup) raw(s text.Segment) string { return string(s.Value(m.source)) }

func (m *markup) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		b.WriteString(m.raw(n.Lines().At(i)))
	}
	return b.String()
}

// inline is what stands in n, in pieces.
func (m *markup) inline(n ast.Node, base draw.Ink) []draw.Piece {
	var out []draw.Piece
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, m.span(c, base)...)
	}
	return out
}

func (m *markup) span(n ast.Node, base draw.Ink) []draw.Piece {
	switch n := n.(type) {
	case *ast.Text:
		s := m.raw(n.Segment)
		if n.SoftLineBreak() || n.HardLineBreak() {
			s += "\n"
		}
		return []draw.Piece{{Ink: base, Raw: s}}
	case *ast.String:
		return []draw.Piece{{Ink: base, Raw: string(n.Value)}}
	case *ast.CodeSpan:
		return m.between("`", m.inline(n, draw.Quoted), "`", draw.Faint)
	case *ast.Emphasis:
		if n.Level > 1 {
			return m.inline(n, draw.Bold)
		}
		return m.between("*", m.inline(n, base), "*", draw.Faint)
	case *ast.Link:
		return append(m.inline(n, draw.Command), target(n.Destination, n.Title)...)
	case *ast.Image:
		return append(m.between("[image: ", m.inline(n, base), "]", draw.Muted), target(n.Destination, n.Title)...)
	case *ast.AutoLink:
		return []draw.Piece{{Ink: draw.Command, Raw: string(n.Label(m.source))}}
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			b.WriteString(m.raw(n.Segments.At(i)))
		}
		return []draw.Piece{{Ink: draw.Text, Raw: b.String()}}
	}
	return m.inline(n, base)
}

func (m *markup) between(open string, inner []draw.Piece, end string, i draw.Ink) []draw.Piece {
	return append(append([]draw.Piece{{Ink: i, Raw: open}}, inner...), draw.Piece{Ink: i, Raw: end})
}

// target is where a link leads.
func target(address, title []byte) []draw.Piece {
	s := " (" + string(address)
	if len(title) > 0 {
		s += ` "` + string(title) + `"`
	}
	return []draw.Piece{{Ink: draw.Muted, Raw: s + ")"}}
}

// Said draws what an agent said, as Markdown where it can be drawn whole.
func (d *Doc) Said(text string) {
	p := d.Styles.Paper(d.Width - SayIndent)
	if p.Width > d.Width-SayIndent { // too narrow for an indent
		p = d.Styles.Paper(d.Width)
	}
	md := &markup{Paper: p, source: []byte(text)}
	if len(text) > saidMarkdown || !md.draw() {
		d.Write(draw.Fixed(draw.Text, "", SayIndent), draw.Text, text)
		return
	}
	for _, r := range p.Rows {
		d.Rows = append(d.Rows, draw.Spaces(d.Width-p.Width)+r)
	}
}
