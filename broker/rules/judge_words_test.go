package rules

import "testing"

func TestPatternWords(t *testing.T) {
	for pattern, want := range map[string]string{
		"go test *|npm run lint": "go test * or npm run lint",
		`a \| b`:                 `a \| b`,
		"re:a|b":                 "re:a|b",
		"Bash":                   "Bash",
	} {
		if got := PatternWords(pattern); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}
