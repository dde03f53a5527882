package draw

import "github.com/aoctl/aoctl/tui/safe"

// MaxSummary is how much of a text a summary shows, in cells: more than any screen is
// wide.
const MaxSummary = 400

// SafeLine is a short text on one line.
func SafeLine(s string) string { return safe.Head(s, MaxSummary) }
