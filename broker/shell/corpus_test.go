package shell

import (
	"os"
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

// innocent reports whether somebody who allows a line's first word, with whatever
// words behind it, has allowed all that the line does. What the program's own words
// delete, or write outside of the project, is left to the risk of the call.
func innocent(entry string, l Line) bool {
	word := strings.Fields(entry)[0]
	for _, e := range l.Elements {
		switch {
		case e.Unsure != "" || e.Exact != "" || !l.Parsed:
			return false
		case e.Kind == Write && (e.Deletes || e.Home || strings.HasPrefix(e.Path, "/") || strings.Contains(e.Path, "..") || strings.HasPrefix(e.Path, ".git/")):
			return false
		case e.Neutral || e.Operand:
		case e.Kind != Command || e.Argv[0] != word:
			return false
		}
	}
	return true
}

func TestBypasses(t *testing.T) {
	entries := corpus(t, "bypass.txt")
	if len(entries) < 220 {
		t.Fatalf("only %d entries", len(entries))
	}
	for _, entry := range entries {
		if l := Parse(entry); innocent(entry, l) {
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
