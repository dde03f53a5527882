package rules

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// A rule for exactly the line still speaks for it, and a refusing rule looks at all of it.
func TestExactRuleForALineThatShellsReadOtherwise(t *testing.T) {
	w := newWorld(t)
	const line = "[[ -f go.mod ]] && go test ./..."
	for _, c := range []struct {
		rules []Rule
		want  Verdict
	}{
		{[]Rule{rule(Allow, "Bash", "command", "go *")}, Ask},
		{[]Rule{rule(Allow, "Bash", "command", "go test ./...")}, Ask},
		{[]Rule{rule(Allow, "Bash", "command", "line:"+line)}, Allow},
		{[]Rule{rule(Allow, "Bash", "command", "line:"+line), rule(Deny, "Bash", "command", "go test *")}, Deny},
		{[]Rule{rule(Ask, "Bash", "command", "go *"), rule(Allow, "Bash", "command", "line:"+line)}, Ask},
	} {
		q := w.bash(t, line)
		q.Trusted = true
		a := judge(t, set(t, c.rules...), Prepare(q))
		if a.Verdict != c.want {
			t.Errorf("%+v: %s, %s; want %s", c.rules, a.Verdict, a.Reason, c.want)
		}
		if len(c.rules) == 1 && c.want == Ask && !strings.Contains(a.Reason, "a rule for exactly this line") {
			t.Errorf("it is not said what may allow it: %s", a.Reason)
		}
	}
}

// ordinary reads lines with the rules that somebody has who runs them every day.
func ordinary(t *testing.T) (lines []string, rules [][]string) {
	t.Helper()
	data, err := os.ReadFile("testdata/ordinary.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all, own []string
	for _, text := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		switch {
		case strings.HasPrefix(text, "\t\t"):
			lines[len(lines)-1] += "\n" + text[2:]
		case strings.HasPrefix(text, "\t"):
			lines, rules = append(lines, text[1:]), append(rules, own)
		case strings.HasPrefix(text, "+ "):
			all = strings.Split(text[2:], " ; ")
		case text != "" && text[0] != '#':
			own = append(strings.Split(text, " ; "), all...)
			slices.Sort(own)
			own = slices.Compact(own)
		}
	}
	return lines, rules
}

// Lines of every day run under rules that people have. The rules stand beside the lines; no
// reader of ours has made them.
func TestOrdinaryLines(t *testing.T) {
	w := newWorld(t)
	lines, rules := ordinary(t)
	if len(lines) < 300 {
		t.Fatalf("only %d lines", len(lines))
	}
	if err := os.WriteFile(w.project+"/dos.txt", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for i, line := range lines {
		list := []Rule{rule(Allow, "Write", "file_path", w.project+"/**")}
		for _, pattern := range rules[i] {
			list = append(list, rule(Allow, "Bash", "command", pattern))
		}
		q := w.bash(t, line)
		q.Trusted = true
		q.Place.Own = []string{q.Place.Home + "/.aoctl"}
		if a := judge(t, set(t, list...), Prepare(q)); a.Verdict != Allow {
			asked++
			t.Logf("%s\n\t%s", line, a.Reason)
		}
	}
	if asked*20 > len(lines) {
		t.Errorf("%d of %d lines ask", asked, len(lines))
	}
}

// What a substitution prints is no matter where it is only told, or is a commit; elsewhere it is.
func TestWhatASubstitutionPrints(t *testing.T) {
	w := newWorld(t)
	list := []Rule{rule(Allow, "Bash", "command", "echo *"), rule(Allow, "Bash", "command", "git *"), rule(Allow, "Bash", "command", "date *"), rule(Allow, "Bash", "command", "cat *")}
	for line, want := range map[string]Verdict{
		`echo "on $(git rev-parse --short HEAD), $(date +%F)"`: Allow,
		`git diff $(git merge-base main HEAD)..HEAD --stat`:    Allow,
		`git diff "$(git merge-base main HEAD)" -- a.txt`:      Allow,
		`echo "$(date)" | git hash-object --stdin`:             Ask,
		`echo $(date)`:                                         Ask,
		`echo "$(cat a.txt)"`:                                  Ask,
		`echo "$(date $(cat a.txt))"`:                          Ask,
		`git diff --output=$(git merge-base main HEAD)`:        Ask,
		`git diff $(git merge-base main HEAD)--output=x`:       Ask,
		`git diff $(git merge-base main HEAD > x)`:             Ask,
		`git diff $(git merge-base --fork-point HEAD)`:         Ask,
		`git diff $(git rev-parse --output=x)`:                 Ask,
		`env echo "$(date)"`:                                   Ask,
		`git() { cat a.txt; }; git diff $(git merge-base a b)`: Ask,
		`cat "$(git merge-base main HEAD)"`:                    Ask,
		`echo "$(git rev-parse HEAD; rm -r src)"`:              Ask,
	} {
		q := w.bash(t, line)
		q.Trusted = true
		if a := judge(t, set(t, list...), Prepare(q)); a.Verdict != want {
			t.Errorf("%s: %s, %s", line, a.Verdict, a.Reason)
		}
	}
}
