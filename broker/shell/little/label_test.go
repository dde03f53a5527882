package little

import (
	"slices"
	"strings"
	"testing"
)

// sedTells is what Sed says of a program, each thing once.
func sedTells(text string) string {
	acts, ok := Sed(text)
	var parts []string
	for _, a := range acts {
		part := "r(" + a.Path + ")"
		switch {
		case a.Runs != "":
			part = a.Runs
		case a.Write:
			part = "w(" + a.Path + ")"
		}
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if !ok {
		parts = append(parts, "unsure")
	}
	return strings.Join(parts, " ")
}

func sedSaid(t *testing.T, rows map[string]string) {
	t.Helper()
	for text, want := range rows {
		if got := sedTells(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Where a label ends is another place to GNU sed, to busybox and to that of macOS: what one of
// them takes for the text of a or a comment, the other runs.
func TestSedLabels(t *testing.T) {
	sedSaid(t, map[string]string{
		":x;a\\\nw out":          "w(out)",
		":x}a\\\nw out":          "w(out)",
		":x}a\\;w out":           "w(out)",
		":x a\\\nw out":          "w(out) unsure",
		"bx;a\\\nw out\n:x":      "w(out)",
		"tx;s/a\nw out\n/b/\n:x": "w(out)",
		"/a/{bx};a\\\nw out":     "w(out)",
		"Tx;e id":                "sed's command e",
		"b x;e":                  "sed's command e",
		"b\tx }e":                "sed's command e",
		"bx}e":                   "sed's command e",
		"b x\ne":                 "sed's command e",
		"b x p":                  "unsure",
		"bx;v":                   "unsure",
		":x\\\nw out":            "w(out)",
		":a;N;$!ba;s/\\n/ /g":    "",
		":a\ns/x/\\\n/\nta":      "",
	})
}
