package rules

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk"
)

// What some shell reads otherwise than the reader is allowed by no wildcard, by no template
// and not as safe.
func TestNoWildcardVouchesForHiddenCommands(t *testing.T) {
	w := newWorld(t)
	list := []Rule{{Tool: "Bash", Decision: Allow, Enabled: true}, rule(Allow, "Bash", "command", "re:.*")}
	for _, name := range Templates() {
		more, err := Template(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, more...)
	}
	for _, program := range []string{"ls", "cat", "echo", "git", "export", "command export", "builtin export", "'export'", "declare", "typeset", "readonly", "read", "printf"} {
		list = append(list, rule(Allow, "Bash", "command", program+" *"))
	}
	for i := range list {
		list[i].Enabled = true
	}
	entries := corpus(t, "hidden.txt")
	if len(entries) < 50 {
		t.Fatalf("only %d lines", len(entries))
	}
	for _, line := range entries {
		q := w.bash(t, line)
		q.Trusted = true
		a := judge(t, set(t, list...), Prepare(q))
		if a.Verdict != Ask || a.Class == risk.Safe {
			t.Errorf("%s, %s: %s\n\t%s", a.Verdict, a.Class, line, a.Reason)
		}
	}
}

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
