package config

import (
	"slices"
	"strings"
	"testing"
)

// What "aoctl config edit" begins with is a file that sets nothing, and each of its
// comments is a line that may stand there.
func TestBlank(t *testing.T) {
	text := Blank(testActions)
	if list, p := parseSettings(text); p != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, p)
	}
	var lines []string
	for l := range strings.Lines(string(text)) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(l, "# "), " = "); ok && slices.Contains(Names(), name) {
			lines = append(lines, strings.TrimPrefix(l, "# "))
		}
	}
	list, p := parseSettings([]byte(strings.Join(lines, "")))
	if p != nil || len(list) != len(Keys()) {
		t.Errorf("%v, %v of %q", list, p, lines)
	}
}
