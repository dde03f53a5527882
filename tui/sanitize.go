package tui

import "github.com/aoctl/aoctl/tui/safe"

// Everything an agent sent is drawn by one of two ways, both through package safe:
// on one line by safeLine, and laid out over many by paper.write, which gives signs
// an ink of their own. Nothing else may hand such text to a row.

// maxSummary is how much of a text a summary shows, in cells: more than any screen is
// wide.
const maxSummary = 400

// safeLine is a short text on one line.
func safeLine(s string) string { return safe.Head(s, maxSummary) }

func safeWidth(drawn string) int { return safe.Width(drawn) }
