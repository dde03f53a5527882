package main

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// The size of a cell and of the margin around the screen, in pixels. The font is whatever the
// reader's machine has; textLength holds each piece to its cells.
const (
	cellWidth  = 8.4
	cellHeight = 16.5
	margin     = 14.0
	fontSize   = 14
	baseline   = 13.0
	fonts      = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
)

// painter writes screens as SVG in the colours of one terminal.
type painter struct{ text, back string }

// run is a piece of a row in one style.
type run struct {
	x, cells int
	wide     bool // one wide character: fonts draw those as wide as they like
	text     strings.Builder
	style    uv.Style
}

// snapshot is what a screen showed: each row as SVG, at the top left.
type snapshot []string

// snap takes the screen as it is.
func (p painter) snap(t *terminal) snapshot {
	var rows snapshot
	for y := range t.height {
		rows = append(rows, p.row(t, y))
	}
	return rows
}

func (p painter) row(t *terminal, y int) string {
	var b strings.Builder
	for _, r := range runs(t, y) {
		p.write(&b, r)
	}
	return b.String()
}

// runs cuts a row where its style changes, and around wide characters.
func runs(t *terminal, y int) []*run {
	var list []*run
	for x := 0; x < t.width; {
		cell := t.screen.CellAt(x, y)
		content, width, style := " ", 1, uv.Style{}
		if cell != nil {
			content, width, style = cell.Content, max(cell.Width, 1), cell.Style
		}
		if content == "" {
			content = " "
		}
		last := len(list) - 1
		if last < 0 || width > 1 || list[last].wide || !list[last].style.Equal(&style) {
			list = append(list, &run{x: x, wide: width > 1, style: style})
			last++
		}
		list[last].text.WriteString(content)
		list[last].cells += width
		x += width
	}
	return list
}

func (p painter) write(b *strings.Builder, r *run) {
	ink, ground := p.hex(r.style.Fg, p.text), p.hex(r.style.Bg, "")
	if r.style.Attrs&uv.AttrReverse != 0 {
		ink, ground = p.hex(r.style.Bg, p.back), p.hex(r.style.Fg, p.text)
	}
	x, width := float64(r.x)*cellWidth, float64(r.cells)*cellWidth
	if ground != "" {
		fmt.Fprintf(b, `<path fill="%s" d="M%s 0h%sv%gh-%sz"/>`, ground, short(x), short(width), cellHeight, short(width))
	}
	text := strings.TrimRight(r.text.String(), " ")
	cells := r.cells - (r.text.Len() - len(text))
	lead := len(text) - len(strings.TrimLeft(text, " "))
	if text = text[lead:]; text == "" {
		return
	}
	x, width = x+float64(lead)*cellWidth, float64(cells-lead)*cellWidth
	fmt.Fprintf(b, `<text x="%s" y="%g" textLength="%s"%s>%s</text>`, short(x), baseline, short(width), p.look(ink, r.style), words(text))
}

// words is a text for SVG. Programs that read SVG disagree about blanks in a row; all keep this one.
func words(text string) string { return strings.ReplaceAll(html.EscapeString(text), " ", "\u00a0") }

// look is the attributes of a text that differ from those of the whole picture.
func (p painter) look(ink string, style uv.Style) string {
	var b strings.Builder
	if ink != p.text {
		fmt.Fprintf(&b, ` fill="%s"`, ink)
	}
	if style.Attrs&uv.AttrBold != 0 {
		b.WriteString(` class="b"`)
	}
	if style.Attrs&uv.AttrItalic != 0 {
		b.WriteString(` font-style="italic"`)
	}
	if style.Underline != 0 {
		b.WriteString(` text-decoration="underline"`)
	}
	return b.String()
}

// hex is a colour as CSS writes it.
func (p painter) hex(c color.Color, none string) string {
	if c == nil {
		return none
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// short is a length with one digit at most behind the point.
func short(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// picture is one screen as a whole SVG.
func (p painter) picture(s snapshot, columns int) string {
	width, height := float64(columns)*cellWidth+2*margin, float64(len(s))*cellHeight+2*margin
	var b strings.Builder
	p.begin(&b, width, height, "")
	for y, row := range s {
		if row != "" {
			fmt.Fprintf(&b, `<g transform="translate(%g %s)">%s</g>`+"\n", margin, short(margin+float64(y)*cellHeight), row)
		}
	}
	b.WriteString("</g></svg>\n")
	return b.String()
}

// begin opens an SVG with a ground of its own, so that it reads on light and dark pages alike.
func (p painter) begin(b *strings.Builder, width, height float64, css string) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s">`+"\n", short(width), short(height), short(width), short(height))
	fmt.Fprintf(b, "<style>text{font:%dpx %s}.b{font-weight:bold}%s</style>\n", fontSize, fonts, css)
	fmt.Fprintf(b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/><g fill="%s">`+"\n", p.back, p.text)
}
