package show

import (
	"bytes"
	"strings"
	"testing"
)

// Lines break between words, below their column; paths and commands stay whole.
func TestFit(t *testing.T) {
	for name, tt := range map[string]struct{ line, want string }{
		"short":      {"  mode  gate", "  mode  gate"},
		"column":     {"  also sends  PostToolUse, Stop, Start, End", "  also sends  PostToolUse, Stop,\n              Start, End"},
		"plain":      {"Running sessions of Claude use the hooks soon.", "Running sessions of Claude use\nthe hooks soon."},
		"long path":  {"  runs  /home/ana/a/very/long/path/to/aoctl hook", "  runs  /home/ana/a/very/long/path/to/aoctl\n        hook"},
		"one word":   {strings.Repeat("x", 40), strings.Repeat("x", 40)},
		"indented":   {"  run \"aoctl install --help\" for more help", "  run \"aoctl install --help\" for\n  more help"},
		"columns":    {"name   size   date  what it is for and who made it", "name   size   date  what it is\nfor and who made it"},
		"two gaps":   {"  mode  gate    every call    and then some more", "  mode  gate    every call\n        and then some more"},
		"indented 2": {"      three  words of a text that is long", "      three  words of a text\n             that is long"},
		"wide signs": {"日本 日本 日本 日本 日本 日本 日本 日本", "日本 日本 日本 日本 日本 日本\n日本 日本"},
	} {
		if got := fit(tt.line, 32); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tt.want)
		}
	}
	long := strings.Repeat("word ", 40)
	if got := Fit(&bytes.Buffer{}, long); got != long {
		t.Errorf("broken in a pipe: %q", got)
	}
}
