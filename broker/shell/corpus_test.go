package shell

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// corpus reads the entries of a file in testdata: texts that end at lines of "%%",
// with comments that begin with "# " before them.
func corpus(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var entries, lines []string
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "%%":
			entries = append(entries, strings.Join(lines, "\n"))
			lines = nil
		case len(lines) == 0 && (line == "" || strings.HasPrefix(line, "# ")):
		default:
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		t.Fatalf("%s: the last entry has no end: %q", name, lines)
	}
	return entries
}

// Each line of the corpus has something in it that no rule with wildcards may speak for,
// whatever it is about. What harms as plainly as it is written stands in harm.txt, and what
// a rule only does not name in unnamed.txt; package rules tries all three.
func TestBypasses(t *testing.T) {
	entries := corpus(t, "bypass.txt")
	if len(entries) < 5700 {
		t.Fatalf("only %d entries", len(entries))
	}
	for _, entry := range entries {
		l := Parse(entry)
		if l.Parsed && !slices.ContainsFunc(l.Elements, func(e Element) bool { return e.Unsure != "" || e.Exact != "" }) {
			t.Errorf("nothing is suspicious about %q: %s", entry, show(l))
		}
	}
}

func TestEveryday(t *testing.T) {
	entries := corpus(t, "everyday.txt")
	if len(entries) < 120 {
		t.Fatalf("only %d entries", len(entries))
	}
	doubted := 0
	for _, entry := range entries {
		l := Parse(entry)
		for _, e := range l.Elements {
			if e.Unsure != "" {
				doubted++
				t.Logf("%q: %s", entry, e.Unsure)
				break
			}
		}
	}
	if doubted*20 > len(entries) {
		t.Errorf("%d of %d plain lines are in doubt", doubted, len(entries))
	}
}
