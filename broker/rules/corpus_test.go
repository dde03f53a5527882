package rules

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/rules/rulestest"
	"github.com/aoctl/aoctl/broker/shell"
)

// firstWords are allow rules on the first words of a line alone, behind assignments.
func firstWords(line string) []Rule {
	var list []Rule
	words := strings.Fields(line)
	for len(words) > 1 && strings.Contains(words[0], "=") {
		words = words[1:]
	}
	for n := 1; n <= 2 && n <= len(words); n++ {
		if r := rule(Allow, "Bash", "command", patterns.Quote(words[:n])+" *"); r.Check() == nil {
			list = append(list, r)
		}
	}
	return list
}

// whatever are rules of somebody who allows all that a wildcard can allow, and beside that
// what the line begins with.
func whatever(line string) []Rule {
	return append(firstWords(line), rule(Allow, "Bash"), rule(Allow, "Bash", "command", "**"), rule(Allow, "Bash", "assign", "*"),
		rule(Allow, "Bash", "read", "re:.*"), rule(Allow, "Bash", "write", "re:.*"))
}

// trusted asks about a line in a session that may read the project.
func (w world) trusted(t *testing.T, line string) *Call {
	t.Helper()
	q := w.bash(t, line)
	q.Trusted = true
	return Prepare(q)
}

// What rules with wildcards would allow as far as they go, each line of the corpora asks
// all the same, for what it hides or does. That the rules do go so far is looked at too.
func TestBypassCorpus(t *testing.T) {
	w := newWorld(t)
	for name, least := range map[string]int{"bypass.txt": 5700, "harm.txt": 1050} {
		entries := rulestest.Corpus(t, "../shell/testdata", name)
		if len(entries) < least {
			t.Errorf("only %d entries in %s", len(entries), name)
		}
		for i, line := range entries {
			if testing.Short() && i%8 != 0 {
				continue
			}
			a := judge(t, set(t, whatever(line)...), w.trusted(t, line))
			if a.Verdict != Ask {
				t.Errorf("%s, %d: %s: %s\n%s", name, i+1, a.Verdict, line, a.Reason)
			}
			for _, j := range a.Elements {
				if j.Kind != string(shell.Unknown) && len(j.Matches)+len(j.Idle) == 0 {
					t.Errorf("%s, %d: no rule is about %q in %s", name, i+1, j.Text, line)
				}
			}
		}
	}
}

// The same rules allow lines that hide nothing.
func TestWhateverAllows(t *testing.T) {
	w := newWorld(t)
	for _, line := range []string{
		"rm x", "id", "evil a b", "ls > x", "ls > ~/x", "cat < src/a.go", "ls && rm x; id | evil", "cat ../x", "git status", "make",
	} {
		if a := judge(t, set(t, whatever(line)...), w.trusted(t, line)); a.Verdict != Allow {
			t.Errorf("%s: %s, %s", line, a.Verdict, a.Reason)
		}
	}
}

// bites reports whether a pattern is about a program of the line, or about what somebody
// would take for one who knows of no wrappers and functions: without the protection that
// an entry is about, its rule would then allow all that is seen.
func bites(t *testing.T, pattern string, c *Call) bool {
	t.Helper()
	p, err := patterns.ParseCommand(pattern, false)
	if err != nil {
		t.Fatal(err)
	}
	fits := func(s patterns.Spoken) bool { return p.MatchStrict(&s) }
	for _, x := range c.elems {
		if x.kind == shell.Command && (fits(x.spoken) || slices.ContainsFunc(x.others, fits)) {
			return true
		}
	}
	for _, part := range strings.FieldsFunc(c.line.Raw, func(r rune) bool { return strings.ContainsRune("|&;\n(){}", r) }) {
		if words := strings.Fields(part); len(words) > 0 && fits(patterns.Speak(words)) {
			return true
		}
	}
	return false
}

// A rule allows what it names, and no line that has more in it; what a rule denies is found
// however it is written. Each entry begins with its rule.
func TestUnnamedCorpus(t *testing.T) {
	w := newWorld(t)
	entries := rulestest.Corpus(t, "../shell/testdata", "unnamed.txt")
	if len(entries) < 535 {
		t.Errorf("only %d entries", len(entries))
	}
	for i, entry := range entries {
		head, line, _ := strings.Cut(entry, "\n")
		word, pattern, _ := strings.Cut(head, " ")
		list, want := []Rule{rule(Verdict(word), "Bash", "command", pattern)}, Ask
		if Verdict(word) == Deny {
			list, want = append(list, whatever(line)...), Deny
		} else {
			for p := range strings.SplitSeq(pattern, "|") {
				if !bites(t, p, w.trusted(t, line)) {
					t.Errorf("entry %d: %q is about nothing in %s", i+1, p, line)
				}
			}
		}
		if a := judge(t, set(t, list...), w.trusted(t, line)); a.Verdict != want {
			t.Errorf("entry %d with %s: %s: %s\n%s", i+1, head, a.Verdict, line, a.Reason)
		}
	}
}

// ownRules are the rules of testdata/everyday_rules.txt, and one about redirections into the
// project.
func ownRules(t *testing.T) *Set {
	t.Helper()
	data, err := os.ReadFile("testdata/everyday_rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := []Rule{rule(Allow, "Write", "file_path", "**")}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, rule(Allow, "Bash", "command", line))
		}
	}
	return set(t, list...)
}

// Everyday lines run under the rules of somebody who works. What they read by < is there,
// as the built-in rule speaks for no file that may be a link once it is made.
func TestEverydayCorpus(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a.txt", "list.txt"} {
		if err := os.WriteFile(w.project+"/"+name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entries := rulestest.Corpus(t, "../shell/testdata", "everyday.txt")
	if len(entries) < 1100 {
		t.Errorf("only %d everyday lines", len(entries))
	}
	rules := ownRules(t)
	var asked []string
	for _, line := range entries {
		if a := judge(t, rules, w.trusted(t, line)); a.Verdict != Allow {
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
	for _, line := range rulestest.Corpus(t, "../shell/testdata", "asked.txt") {
		if a := judge(t, set(t, firstWords(line)...), w.trusted(t, line)); a.Verdict != Ask {
			t.Errorf("%s: %s, %s", line, a.Verdict, a.Reason)
		}
	}
}
