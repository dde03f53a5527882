package machine

import (
	"strconv"
	"strings"
)

// Shorten keeps a foreign text to what a line of a report can hold. It counts characters. It does
// not make the text safe for a terminal; who prints it does.
func Shorten(s string) string {
	const limit = 100
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}

// Count is n with what there are so many of: "1 hook", "2 hooks". It is for English words that
// take an s.
func Count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}
