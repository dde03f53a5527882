package rules

import (
	"strings"

	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// letters is how many letters of short options a value may stand behind, with the dash:
// -xzf/srv/a. With more, nearly every word would have a path in it.
const letters = 4

// piece is a part of a word that may be meant as a path.
type piece struct {
	at   int // where it begins
	text string
}

// separators stand between the parts of a list, or before a file's name, in one program or
// another.
const separators = "=:,;@&|+%#<>(){}'\" \t\r\n"

// partsOf are the paths that a word may be meant as: the whole of it, and what begins behind a
// separator or behind the letters of short options, up to the next separator and up to the end.
// The address of something on another machine is none, only what is listed behind it. Of
// --out=a:/b there are a, a:/b and /b; of https://h/x there is none.
func partsOf(w string) []piece {
	var found []piece
	add := func(from, to int) {
		if from < to {
			found = append(found, piece{from, w[from:to]})
		}
	}
	option := strings.HasPrefix(w, "-")
	for start := 0; start < len(w); {
		if n := patterns.AddressIn(w[start:]); n > 0 {
			start += n
			continue
		}
		end := len(w)
		if i := strings.IndexAny(w[start:], separators); i >= 0 {
			end = start + i
		}
		starts := []int{start}
		// An option's own letters are no path; a value may stand behind any of the first few.
		if option && start == 0 {
			starts = nil
			for at := 2; at <= min(letters, end-1) && w[1] != '-'; at++ {
				starts = append(starts, at)
			}
			if i := strings.IndexByte(w[:end], '/'); i > letters {
				starts = append(starts, i)
			}
		}
		for _, at := range starts {
			add(at, end)
			if end < len(w) {
				add(at, len(w))
			}
		}
		start = end + 1
	}
	return found
}
