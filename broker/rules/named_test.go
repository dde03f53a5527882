package rules

import "testing"

// A rule that spells out a project's tool behind npx leaves its words open; one that
// begins with npx alone, or an option that makes the tool run something, asks.
func TestRuleNamesToolOfRunner(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		pattern, line string
		want          Verdict
	}{
		{"npx jest *", "npx jest src/a.test.ts --watch", Allow},
		{"npx tsc *", "CI=true npx tsc --noEmit", Allow},
		{"npx tsc|npx jest *", "npx jest x", Allow},
		{"npx jest x", "npx jest x", Allow},
		{"npx jest a|npx * x", "npx jest x", Ask},
		{"npx *", "npx jest x", Ask},
		{"npx j*", "npx jest x", Ask},
		{"npx ** x", "npx jest x", Ask},
		{"re:npx jest .*", "npx jest x", Ask},
		{"jest *", "npx jest x", Ask},
		{"npx evil *", "npx evil x", Ask},
		{"npx jest@latest *", "npx jest@latest x", Ask},
		{"npx -y *", "npx -y jest x", Ask},
		{"npx jest *", "npx jest --globalSetup=./x", Ask},
		{"npx jest *", "npx jest ../evil", Ask},
		{"npx eslint *", "npx eslint --rulesdir x .", Ask},
		{"npx jest *", "npx jest $X", Ask},
		{"npx jest *", "npx jest x | xargs npx jest", Ask},
		{"npx tsc *", "npx tsc --outDir ~/.ssh", Ask},
		{"npx jest *", "cd .. && npx jest x", Ask},
		{"npx jest *", "env -C .. npx jest x", Ask},
	} {
		got := judge(t, set(t, rule(Allow, "Bash", "command", c.pattern)), Prepare(w.bash(t, c.line)))
		if got.Verdict != c.want {
			t.Errorf("%s by %s: %s, want %s (%s)", c.line, c.pattern, got.Verdict, c.want, got.Reason)
		}
	}
}
