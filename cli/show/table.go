// Package show prints: lines, aligned tables and JSON, and the words for what they hold.
//
// Commands for people print a Table, or a Line; with --json they print an array of objects
// with JSON, or a single Object. Both forms are safe to look at: agents choose the names,
// paths and inputs that appear here, and no character of theirs reaches a terminal that
// could move its cursor, hide text or turn it around. A table does that for its cells and
// JSON for the whole document; a Line is printed as it is, so its caller uses safe.Line on
// what is not its own.
//
// Styles and Paper are for what the console's rooms draw, such as a whole call: in colours on a
// terminal, plain in a pipe.
//
// The words are those of every command: an Age in a table, a Plural, the shortest ids that
// still tell calls apart (ShortIDs), a call on one line (Call) and what a rule matches
// (Rule, Scope). Nothing here asks the console or reads a file.
package show

import (
	"bufio"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/aoctl/aoctl/tui/safe"
)

// Table is rows for people: aligned columns, everything made safe for the
// terminal, cut to its width. Into a pipe nothing is cut and nothing is coloured.
type Table struct {
	Head []string
	rows [][]string
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

const columnGap = 2

// Print writes t to w. The last column takes what the terminal's width leaves.
func (t *Table) Print(w io.Writer) error {
	width, styled := Terminal(w)
	rows := make([][]string, 0, len(t.rows)+1)
	rows = append(rows, t.Head)
	for _, r := range t.rows {
		clean := make([]string, len(r))
		for i, cell := range r {
			clean[i] = safe.Line(cell)
		}
		rows = append(rows, clean)
	}
	widths := columnWidths(rows)
	out := bufio.NewWriter(w)
	for i, r := range rows {
		line := layOut(r, widths)
		if width > 0 {
			line = safe.Cut(line, width)
		}
		if i == 0 && styled {
			line = "\x1b[1m" + line + "\x1b[0m"
		}
		_, _ = out.WriteString(line + "\n") // Flush reports it
	}
	return out.Flush()
}

func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], safe.Width(cell))
		}
	}
	return widths
}

// layOut pads every cell but the last to its column's width, in terminal cells.
func layOut(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		b.WriteString(cell)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-safe.Width(cell)+columnGap))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// Terminal tells the width of the terminal that w is, 0 when it is none, and
// whether styled text is welcome there.
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
