// Package diff compares two texts, line by line and inside the lines that changed, and says
// which lines to draw. It takes no longer than it is told to: what it has not found by then counts
// as going and coming.
package diff
