package tui

import (
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// row draws one line of the screen, piece by piece, and knows how many cells it has
// taken. Its text must be safe to draw already.
type row struct {
	b        strings.Builder
	st       *Styles
	selected bool
	width    int
	max      int // cells that there are
	last     ink
	open     bool // an ink is switched on
}

// row starts a row that never takes more than width cells: what is too much is cut.
func (s *Styles) row(width int) *row { return &row{st: s, max: max(width, 1)} }

// choose draws the row as the selected one.
func (r *row) choose(chosen bool) *row {
	r.selected = chosen
	return r
}

// put appends text in ink.
func (r *row) put(i ink, text string) *row { return r.putWide(i, text, cells(text)) }

// putWide is put for a text whose cells were counted before.
func (r *row) putWide(i ink, text string, width int) *row {
	if r.width+width > r.max {
		text = safe.Cut(text, r.max-r.width)
		width = cells(text)
	}
	if text == "" {
		return r
	}
	on := r.st.plain[i]
	if r.selected {
		on = r.st.selected[i]
	}
	switch {
	case r.open && r.last == i:
	case on == "":
		r.off()
	default:
		r.off()
		r.b.WriteString(on)
		r.open, r.last = true, i
	}
	r.b.WriteString(text)
	r.width += width
	return r
}

func (r *row) off() {
	if r.open {
		r.b.WriteString(r.st.reset)
		r.open = false
	}
}

// fit appends text, cut to at most width cells.
func (r *row) fit(i ink, text string, width int) *row {
	if n := cells(text); n <= width {
		return r.putWide(i, text, n)
	}
	return r.put(i, safe.Cut(text, width))
}

// to fills with blanks up to column col.
func (r *row) to(col int) *row {
	col = min(col, r.max)
	if n := col - r.width; n > 0 {
		if !r.selected { // blanks need no ink
			r.off()
			r.b.WriteString(spaces(n))
			r.width += n
			return r
		}
		r.putWide(inkText, spaces(n), n)
	}
	return r
}

// line fills with the rune up to column col.
func (r *row) line(i ink, fill string, col int) *row {
	if n := col - r.width; n > 0 {
		r.putWide(i, strings.Repeat(fill, n), n)
	}
	return r
}

// right appends text so that it ends at column col, when there is room for it.
func (r *row) right(i ink, text string, col int) *row {
	if start := col - cells(text); start >= r.width {
		r.to(start).put(i, text)
	}
	return r
}

// String is the line, closed and ready.
func (r *row) String() string {
	r.off()
	return r.b.String()
}

const someSpaces = "                                                                                "

func spaces(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(someSpaces) {
		return someSpaces[:n]
	}
	return strings.Repeat(" ", n)
}

// cells counts the cells of safe text.
func cells(text string) int {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return safe.Width(text)
		}
	}
	return len(text)
}
