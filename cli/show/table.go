// Package show prints: lines, aligned tables and JSON, and the words for what they hold.
//
// Commands for people print a Table, or a Line; for programs package output prints arrays
// with JSON and a single Object. Both forms are safe to look at: agents choose the names,
// paths and inputs that appear here, and no character of theirs reaches a terminal that
// could move its cursor, hide text or turn it around. A table does that for its cells and
// JSON for the whole document; a Line is printed as it is, so its caller uses safe.Line on
// what is not its own.
//
// Styles and Paper are for what the console's rooms draw, such as a whole call: in colours
// on a terminal, plain in a pipe.
//
// The words are those of every command: the shortest ids that still tell calls apart
// (ShortIDs), sessions and rules (IDEnds), what sessions are called (SessionNames), a call on one line (Call) and what a
// rule matches (Rule, Scope). Nothing here asks the console or reads a file.
package show

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/aoctl/aoctl/tui/safe"
)

// Table is rows for people, everything made safe for the terminal. On a terminal it has a
// head and aligned columns, and fits the window: the widest columns are cut, with a mark, until
// a row fits on one line, and spare ones are left out where that is not enough. No head is cut
// as long as that can be helped, and the first column, which names the row, is the last to be.
// Into a pipe goes a line for each row, uncut, without head or colour, and with a tab between two
// cells.
type Table struct {
	Head  []string
	Spare []string // heads of columns that a narrow window does without, the first to go first
	rows  [][]string
	dim   map[int]bool // rows that are drawn faint, by their place
}

// Add appends a row. It should have as many cells as the head; a shorter one leaves the
// rest of its line empty.
func (t *Table) Add(cells ...string) {
	clean := make([]string, len(cells))
	for i, cell := range cells {
		clean[i] = safe.Line(cell)
	}
	t.rows = append(t.rows, clean)
}

// AddDim is Add for a row that is drawn faint, as it is always there.
func (t *Table) AddDim(cells ...string) {
	if t.dim == nil {
		t.dim = map[int]bool{}
	}
	t.dim[len(t.rows)] = true
	t.Add(cells...)
}

const (
	columnGap   = 2
	leastColumn = 6  // cells that a column keeps when it is cut
	leastLast   = 12 // the same of the last one, which says most
)

// Print writes t to w. It may be called again after more rows were added.
func (t *Table) Print(w io.Writer) error {
	width, styled := Terminal(w)
	out := bufio.NewWriter(w)
	if width == 0 {
		for _, r := range t.rows {
			_, _ = out.WriteString(strings.Join(r, "\t") + "\n") // Flush reports it
		}
		return out.Flush()
	}
	t.draw(out, width, styled)
	return out.Flush()
}

// draw writes t for a window of so many cells. Columns that are empty in every row go
// first, then spare ones, then the widest are cut. The row is cut once more at the end, so
// that none ever wraps.
func (t *Table) draw(out *bufio.Writer, width int, styled bool) {
	rows := t.rows
	if len(t.Head) > 0 {
		rows = append([][]string{t.Head}, t.rows...)
	}
	widths := t.columnWidths(rows)
	t.leaveOut(widths, width)
	t.fit(widths, width)
	for i, r := range rows {
		line := safe.Cut(layOut(r, widths), width)
		switch row := i - len(rows) + len(t.rows); {
		case !styled:
		case row < 0:
			line = "\x1b[1m" + line + "\x1b[0m"
		case t.dim[row]:
			line = "\x1b[2m" + line + "\x1b[0m"
		}
		_, _ = out.WriteString(line + "\n") // the caller's Flush reports it
	}
}

// columnWidths is how wide each column wants to be: 0 for one in which no row has anything.
// A head alone does not keep a column.
func (t *Table) columnWidths(rows [][]string) []int {
	var widths []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], safe.Width(cell))
		}
	}
	for i := range widths {
		if !slices.ContainsFunc(t.rows, func(r []string) bool { return i < len(r) && r[i] != "" }) {
			widths[i] = 0
		}
	}
	return widths
}

// leaveOut takes spare columns away until the others fit, cut as they may be. It stops at
// the first one after which they do.
func (t *Table) leaveOut(widths []int, width int) {
	for _, head := range t.Spare {
		// There is one gap less than columns.
		least := -columnGap
		for i, n := range widths {
			switch {
			case n == 0:
				continue
			case i == len(widths)-1:
				n = min(n, leastLast)
			case i > 0:
				n = min(n, t.least(i))
			}
			least += n + columnGap
		}
		if i := slices.Index(t.Head, head); least > width && i >= 0 {
			widths[i] = 0
		}
	}
}

// least is how many cells a column keeps when it is cut: its head is read to its end. What
// has a shorter head keeps leastColumn.
func (t *Table) least(i int) int {
	if i < len(t.Head) {
		return max(leastColumn, safe.Width(t.Head[i]))
	}
	return leastColumn
}

// fit takes what is too much from the widest columns, a cell at a time, so that they end up
// about as wide as each other. The first column gives when no other can, down to half the
// window. What still does not fit is cut with the row.
func (t *Table) fit(widths []int, width int) {
	total := -columnGap
	for _, n := range widths {
		if n > 0 {
			total += n + columnGap
		}
	}
	for ; total > width; total-- {
		widest := 0
		for i := 1; i < len(widths); i++ {
			if widths[i] > t.least(i) && (widest == 0 || widths[i] >= widths[widest]) {
				widest = i
			}
		}
		if widest == 0 && (len(widths) == 0 || widths[0] <= max(leastColumn, width/2)) {
			return // the row itself is cut
		}
		widths[widest]--
	}
}

// layOut cuts and pads every cell to its column's width. A column of width 0 is left out,
// and its gap too.
func layOut(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		if widths[i] == 0 {
			continue
		}
		cell = safe.Cut(cell, widths[i])
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", widths[i]-safe.Width(cell)+columnGap))
	}
	return strings.TrimRight(b.String(), " ")
}

// Terminal tells the width of the terminal that w is, 0 when it is none, and whether styled
// text is welcome there. A terminal that does not know its width, or names one that no
// table fits into, counts as 80 cells.
func Terminal(w io.Writer) (width int, styled bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return 0, false
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil || width < 20 {
		width = 80
	}
	return width, os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
