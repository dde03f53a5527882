package rulesfile

import (
	"testing"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulestest"
	"github.com/aoctl/aoctl/broker/rules/rulestest/prepared"
)

// What some shell reads otherwise than the reader is allowed by no wildcard, by no template
// and not as safe.
func TestNoWildcardVouchesForHiddenCommands(t *testing.T) {
	w := rulestest.New(t)
	list := []rules.Rule{{Tool: "Bash", Decision: rules.Allow, Enabled: true}, {Tool: "Bash", Where: map[string]string{"command": "re:.*"}, Decision: rules.Allow}}
	for _, name := range Templates() {
		more, err := Template(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, more...)
	}
	for _, program := range []string{"ls", "cat", "echo", "git", "export", "command export", "builtin export", "'export'", "declare", "typeset", "readonly", "read", "printf"} {
		list = append(list, rules.Rule{Tool: "Bash", Where: map[string]string{"command": program + " *"}, Decision: rules.Allow})
	}
	for i := range list {
		list[i].Enabled = true
	}
	set := prepared.Set(t, list)
	entries := rulestest.Corpus(t, "../../shell/testdata", "hidden.txt")
	if len(entries) < 50 {
		t.Fatalf("only %d lines", len(entries))
	}
	for _, line := range entries {
		q := rules.Question{
			Tool: "Bash", Input: rulestest.Input(t, map[string]any{"command": line}), Agent: "claude", SessionID: "s1", Place: w.Place,
			Exists: rulestest.Exists, Special: rulestest.Special, Trusted: true,
		}
		a := set.Judge(rules.Prepare(q), prepared.Now)
		if a.Verdict != rules.Ask || a.Class == risk.Safe {
			t.Errorf("%s, %s: %s\n\t%s", a.Verdict, a.Class, line, a.Reason)
		}
	}
}
