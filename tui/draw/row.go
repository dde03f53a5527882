package draw

import (
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// Row draws one line of the screen, piece by piece, and knows how many cells it has
// taken. Its text must be safe to draw already. Its methods return the row, so that a
// line reads as it is drawn.
type Row struct {
	b        strings.Builder
	st       *Styles
	selected bool
	Width    int
	max      int // cells that there are
	last     Ink
	open     bool // an ink is switched on
}

// Row starts a row that never takes more than width cells: what is too much is cut.
func (s *Styles) Row(width int) *Row { return &Row{st: s, max: max(width, 1)} }

// Choose draws the row as the selected one. It has to come before anything is put.
func (r *Row) Choose(chosen bool) *Row {
	r.selected = chosen
	return r
}

// Put appends text in ink. What does not fit is cut with a mark; the inks of what is
// not drawn are not switched on.
func (r *Row) Put(i Ink, text string) *Row { return r.putWide(i, text, Cells(text)) }

// putWide is put for a text whose cells were counted before.
func (r *Row) putWide(i Ink, text string, width int) *Row {
	if r.Width+width > r.max {
		text = safe.Cut(text, r.max-r.Width)
		width = Cells(text)
	}
	if text == "" {
		return r
	}
	on := r.st.Plain[i]
	if r.selected {
		on = r.st.selected[i]
	}
	switch {
	// Switching an ink off and on again for each piece would double what a frame
	// sends.
	case r.open && r.last == i:
	case on == "":
		r.off()
	default:
		r.off()
		r.b.WriteString(on)
		r.open, r.last = true, i
	}
	r.b.WriteString(text)
	r.Width += width
	return r
}

// off switches the ink off that is on.
func (r *Row) off() {
	if r.open {
		r.b.WriteString(r.st.reset)
		r.open = false
	}
}

// Fit appends text, cut to at most width cells.
func (r *Row) Fit(i Ink, text string, width int) *Row {
	if n := Cells(text); n <= width {
		return r.putWide(i, text, n)
	}
	return r.Put(i, safe.Cut(text, width))
}

// To fills with blanks up to column col. A column that was passed already changes
// nothing.
func (r *Row) To(col int) *Row {
	col = min(col, r.max)
	if n := col - r.Width; n > 0 {
		// On the selected row blanks have its ground, or the row would have holes.
		if !r.selected { // blanks need no ink
			r.off()
			r.b.WriteString(Spaces(n))
			r.Width += n
			return r
		}
		r.putWide(Text, Spaces(n), n)
	}
	return r
}

// Line fills with the rune up to column col. The rune must be one cell wide.
func (r *Row) Line(i Ink, fill string, col int) *Row {
	if n := col - r.Width; n > 0 {
		r.putWide(i, strings.Repeat(fill, n), n)
	}
	return r
}

// Right appends text so that it ends at column col, when there is room for it. Without
// room it is left out: half a number would be a wrong one.
func (r *Row) Right(i Ink, text string, col int) *Row {
	if start := col - Cells(text); start >= r.Width {
		r.To(start).Put(i, text)
	}
	return r
}

// String is the line, closed and ready: no ink of it is still on behind it.
func (r *Row) String() string {
	r.off()
	return r.b.String()
}

// someSpaces is what Spaces hands out parts of, so that the blanks of most rows cost
// no memory.
const someSpaces = "                                                                                "

// Spaces is n blanks, none for less than 1.
func Spaces(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(someSpaces) {
		return someSpaces[:n]
	}
	return strings.Repeat(" ", n)
}

// Cells counts the cells of safe text. Most texts are ASCII, which is counted without
// a table.
func Cells(text string) int {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return safe.Width(text)
		}
	}
	return len(text)
}
