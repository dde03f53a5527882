package safe

import "strings"

// Ambiguous reports whether tabs that begin the lines of a text cannot be told from
// blanks once each is drawn as four of them: some line begins with a tab, and some
// line has four blanks where it begins, or a blank before a tab. A text of one line is
// ambiguous as well: nothing says what its tab is for. In a Makefile or in Python the
// difference is one of meaning.
func Ambiguous(text string) bool {
	tabs, blanks, lines := false, false, 0
	for line := range strings.Lines(text) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		tabs = tabs || strings.Contains(indent, "\t")
		blanks = blanks || strings.Contains(indent, "    ") || strings.Contains(indent, " \t")
		if lines++; tabs && blanks {
			return true
		}
	}
	return tabs && lines < 2
}
