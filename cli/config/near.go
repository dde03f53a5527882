package config

import (
	"slices"
	"strings"
)

// Near is the setting that was probably meant by a name, "" when none comes close.
func Near(name string) string {
	list := nearest(strings.ReplaceAll(strings.ToLower(name), "_", "-"), Names())
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// nearest are those of names that come close to name, the nearest first.
func nearest(name string, names []string) []string {
	name = strings.ToLower(name)
	near := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return distance(name, n) > max(1, len(n)/3)
	})
	slices.SortStableFunc(near, func(a, b string) int { return distance(name, a) - distance(name, b) })
	return near
}

// distance is how many letters must be added, dropped or replaced to make b of a; for a
// longer than any setting, too many.
func distance(a, b string) int {
	if len(a) > maxShown {
		return maxShown
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
