package draw

import "strings"

// CountLines is how many lines text has; a last line without a break counts.
func CountLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// LastOf is the last n characters of an id: those differ where the first ones tell
// only the time.
func LastOf(id string, n int) string {
	r := []rune(id)
	return string(r[max(0, len(r)-n):])
}
