package shell

import (
	"os"
	"strings"
	"testing"
)

// comesTo is what is doubted first about a form with a word in the place of its %.
func comesTo(form, word string) string {
	l := Parse(strings.ReplaceAll(form, "%", word))
	if !l.Parsed {
		return "is not read"
	}
	for _, e := range l.Elements {
		switch {
		case e.Unsure != "":
			return "unsure, " + withoutWord(form, word, e.Unsure)
		case e.Exact != "":
			return "exact, " + withoutWord(form, word, e.Exact)
		}
	}
	return "no doubt"
}

// withoutWord is a reason with the form's own words again.
func withoutWord(form, word, reason string) string {
	fields := strings.Split(reason, " ")
	for i, f := range fields {
		for _, own := range strings.Fields(form) {
			if own, _, _ = strings.Cut(own, "="); strings.Contains(own, "%") && f == strings.ReplaceAll(own, "%", word) {
				fields[i] = own
			}
		}
		if f == word {
			fields[i] = "%"
		}
	}
	return strings.Join(fields, " ")
}

// Each word of a list that decides about a line is tried in one.
func TestWords(t *testing.T) {
	text, err := os.ReadFile("testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, line := range strings.Split(string(text), "\n") {
		form, rest, ok := strings.Cut(line, ": ")
		last := strings.LastIndex(rest, ": ")
		if !ok || last < 0 || strings.HasPrefix(line, "# ") {
			continue
		}
		for _, word := range strings.Fields(rest[last+2:]) {
			tried++
			if got := comesTo(form, word); got != rest[:last] {
				t.Errorf("%s with %s: %s\n\twant %s", form, word, got, rest[:last])
			}
		}
	}
	if tried < 1900 {
		t.Fatalf("only %d words", tried)
	}
}
