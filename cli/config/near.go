package config

import "strings"

// Near is the setting that was probably meant by a name, "" when none comes close.
func Near(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	best, least := "", maxShown
	for _, k := range Keys() {
		if d := distance(name, k.Name); d < least && d <= max(1, len(k.Name)/3) {
			best, least = k.Name, d
		}
	}
	return best
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
