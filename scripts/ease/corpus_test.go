package main

import (
	"strings"
	"testing"
)

// A call goes on until the next one begins, and a comment before the first is none.
func TestEntries(t *testing.T) {
	list := entries("# a comment\n\n$ cat > f <<'EOF'\na\n\nEOF\n@Read {\"file_path\":\"{dir}/f\"}\n$ ls\n")
	if len(list) != 3 {
		t.Fatalf("%d calls in %q, want 3", len(list), list)
	}
	first, err := parseCall(list[0])
	if want := "cat > f <<'EOF'\na\n\nEOF"; err != nil || first.tool != "Bash" || first.text("command") != want {
		t.Errorf("%+v, %v; want the command %q", first, err, want)
	}
	second, err := parseCall(list[1])
	if err != nil || second.tool != "Read" || second.text("file_path") != "{dir}/f" {
		t.Errorf("%+v, %v; want a Read of {dir}/f", second, err)
	}
	if _, err := parseCall("@Read nothing"); err == nil {
		t.Error("input that is no JSON was taken")
	}
}

// What is measured is as long as it is said to be, and every call can be put by every agent.
func TestCorpora(t *testing.T) {
	o := options{data: "testdata"}
	for name, least := range map[string]int{"go": 100, "node": 100, "python": 100, "second": 300, "rare": 1} {
		calls, err := o.corpus(name, "/project")
		if err != nil {
			t.Error(err)
		}
		if len(calls) < least {
			t.Errorf("%s.txt has %d calls, want %d", name, len(calls), least)
		}
		for _, c := range calls {
			for _, g := range guests {
				if w := g.words(c); w.line() == w.tool || strings.Contains(w.line(), "{dir}") {
					t.Errorf("%s.txt: %s cannot put %v", name, g.title, c)
				}
			}
		}
	}
}
