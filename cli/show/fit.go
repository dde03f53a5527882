package show

import (
	"io"
	"regexp"
	"strings"

	"github.com/aoctl/aoctl/tui/safe"
)

// Fit breaks the lines of text between words where they are too wide for the terminal that w is; in a
// pipe it leaves them. Each line stands for itself. A word that is wider than a row stays whole: it is a
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
	var rows []string
	row, begun := lead, false
	for word := range strings.FieldsSeq(line[len(lead):]) {
		switch {
		case !begun:
			row += word
		case safe.Width(row)+1+safe.Width(word) > width:
			rows = append(rows, row)
			row = hang + word
		default:
			row += " " + word
		}
		begun = true
	}
	return strings.Join(append(rows, row), "\n")
}
