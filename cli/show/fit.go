package show

import (
	"io"
	"regexp"
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// Fit breaks the lines of text between words where they are too wide for the terminal that w is; in a
// pipe it leaves them. Each line stands for itself, and keeps its runs of blanks. A word that is wider than a row stays whole: it is a
// path or a command, there to be copied.
func Fit(w io.Writer, text string) string {
	width, _ := Terminal(w)
	if width == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = fit(line, width)
	}
	return strings.Join(lines, "\n")
}

// column is a name and the gap behind it: what follows hangs below itself.
var column = regexp.MustCompile(`^ +\S+(?: \S+)*?  +`)

// fit is Fit for one line.
func fit(line string, width int) string {
	if safe.Width(line) <= width {
		return line
	}
	lead := column.FindString(line)
	if lead == "" {
		lead = line[:len(line)-len(strings.TrimLeft(line, " "))]
	}
	hang := strings.Repeat(" ", safe.Width(lead))
	if len(hang) > width/2 {
		hang = "    "
	}
	return strings.Join(Fold(lead, line[len(lead):], hang, width), "\n")
}

// wordBehindGap is a word and the blanks before it.
var wordBehindGap = regexp.MustCompile(`([ \t]*)([^ \t]+)`)

// Fold breaks text at blanks into rows of at most width cells. first stands before the first
// row and rest before the others. Blanks inside of a row are kept, as they may line columns
// up. A word that is wider than a row stays whole: it is a path or a command, there to be
// copied.
func Fold(first, text, rest string, width int) []string {
	var rows []string
	row, begun := first, false
	for _, m := range wordBehindGap.FindAllStringSubmatch(text, -1) {
		gap, word := m[1], m[2]
		if begun && safe.Width(row+gap+word) > width {
			rows = append(rows, row)
			row, gap, begun = rest, "", false
		}
		if begun || len(rows) == 0 {
			row += gap
		}
		row += word
		begun = true
	}
	return append(rows, row)
}
