package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// age is a span the way a table shows it: 12s, 3m, 2h, 5d.
func age(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d/time.Hour))
	default:
		return fmt.Sprintf("%dd", int(d/(24*time.Hour)))
	}
}

// countdown is the time left, as minutes and seconds.
func countdown(d time.Duration) string {
	d = max(d, 0)
	return fmt.Sprintf("%d:%02d", int(d/time.Minute), int(d/time.Second)%60)
}

// plural is "1 call" or "5 calls".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// minPrefix is the fewest characters of an id that a table shows.
const minPrefix = 8

// shortIDs maps every id to its shortest prefix that no other one shares.
func shortIDs(ids []string) map[string]string {
	sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
	short := make(map[string]string, len(sorted))
	for i, id := range sorted {
		n := minPrefix
		if i > 0 {
			n = max(n, commonPrefix(id, sorted[i-1])+1)
		}
		if i+1 < len(sorted) {
			n = max(n, commonPrefix(id, sorted[i+1])+1)
		}
		short[id] = id[:min(n, len(id))]
	}
	return short
}

// commonPrefix is the number of bytes at which a and b begin alike.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// sessionName is what people call s: its name, else its id.
func sessionName(s broker.Session) string {
	if s.Name != "" {
		return s.Name
	}
	return s.ID
}
