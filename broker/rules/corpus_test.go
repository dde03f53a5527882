package rules

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/shell"
)

// corpus reads lines of the shell's corpora: entries that end at lines of "%%", with
// comments that begin with "# " before them.
func corpus(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("../shell/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var entries, lines []string
	for _, line := range strings.Split(string(data), "\n") {
		switch {
		case line == "%%":
			entries, lines = append(entries, strings.Join(lines, "\n")), nil
		case len(lines) == 0 && (line == "" || strings.HasPrefix(line, "# ")):
		default:
			lines = append(lines, line)
		}
	}
	return entries
}

// broad are allow rules on the first word and the first two words of everything in a
// line that looks like a command.
func broad(line string) []Rule {
	var list []Rule
	seen := map[string]bool{}
	add := func(argv []string) {
		for n := 1; n <= 2 && n <= len(argv); n++ {
			pattern := quoteWords(argv[:n]) + " *"
			r := rule(Allow, "Bash", "command", pattern)
			if !seen[pattern] && r.Check() == nil {
				seen[pattern] = true
				list = append(list, r)
			}
		}
	}
	for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|&;\n(){}", r) }) {
		words := strings.Fields(part)
		for len(words) > 0 && strings.Contains(words[0], "=") {
			words = words[1:]
		}
		add(words)
	}
	for _, e := range shell.Parse(line).Elements {
		if e.Kind == shell.Command && len(e.Argv) > 0 && e.Argv[0] != "" {
			add(e.Argv)
			for _, w := range e.Via {
				add(strings.Fields(w))
			}
		}
	}
	return list
}

// firstWords are allow rules on the first words of a line alone, behind assignments.
func firstWords(line string) []Rule {
	var list []Rule
	words := strings.Fields(line)
	for len(words) > 1 && strings.Contains(words[0], "=") {
		words = words[1:]
	}
	for n := 1; n <= 2 && n <= len(words); n++ {
		if r := rule(Allow, "Bash", "command", quoteWords(words[:n])+" *"); r.Check() == nil {
			list = append(list, r)
		}
	}
	return list
}

// plainDeletes are lines of the corpus whose only harm is that files of the project are
// deleted, which is what their programs are for.
var plainDeletes = map[string]bool{"rsync --delete a/ b/": true, "shred x": true}

// No line that hides something is let through by rules about the commands it begins with.
func TestBypassCorpus(t *testing.T) {
	w := newWorld(t)
	entries := append(corpus(t, "bypass.txt"), corpus(t, "harm.txt")...)
	if len(entries) < 3000 {
		t.Errorf("only %d bypasses", len(entries))
	}
	for i, line := range entries {
		q := w.bash(t, line)
		q.Trusted = true
		if a := judge(t, set(t, firstWords(line)...), Prepare(q)); a.Verdict == Allow && !plainDeletes[line] {
			t.Errorf("%d is allowed: %s\n%s", i+1, line, a.Reason)
		}
	}
}

// Everyday lines run when there are rules about the commands in them. What they read by <
// is there, as the built-in rule speaks for no file that may be a link once it is made.
func TestEverydayCorpus(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a.txt", "list.txt"} {
		if err := os.WriteFile(w.project+"/"+name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entries := corpus(t, "everyday.txt")
	if len(entries) < 100 {
		t.Errorf("only %d everyday lines", len(entries))
	}
	var asked []string
	for _, line := range entries {
		q := w.bash(t, line)
		q.Trusted = true
		if a := judge(t, set(t, broad(line)...), Prepare(q)); a.Verdict != Allow {
			asked = append(asked, fmt.Sprintf("%s\n\t%s", line, a.Reason))
		}
	}
	if len(asked)*20 > len(entries) {
		t.Errorf("%d of %d everyday lines ask:\n%s", len(asked), len(entries), strings.Join(asked, "\n"))
	}
}

// What asks although people run it every day does so on purpose.
func TestAskedCorpus(t *testing.T) {
	w := newWorld(t)
	for _, line := range corpus(t, "asked.txt") {
		q := w.bash(t, line)
		q.Trusted = true
		if a := judge(t, set(t, firstWords(line)...), Prepare(q)); a.Verdict != Ask {
			t.Errorf("%s: %s, %s", line, a.Verdict, a.Reason)
		}
	}
}
