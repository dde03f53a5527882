package rules

import "testing"

// A rule that names such a command allows it, and one with a wildcard does not.
func TestOnlyExactRulesBringFiles(t *testing.T) {
	for _, line := range []string{"git switch feature", "git checkout main", "git pull", "tar xf a.tar", "cp -r a b", "unzip a.zip", "git stash pop"} {
		for pattern, want := range map[string]Verdict{line: Allow, line[:3] + "*": Ask, line + " *": Ask, "re:" + line + ".*": Ask} {
			r := rule(Allow, "Bash", "command", pattern)
			if r.Check() != nil {
				continue // such a pattern cannot be written
			}
			if v, _ := mustCompile(t, []Rule{r}).Verdict(bashCall(line), testNow); v != want {
				t.Errorf("%q with a rule on %q: %s, want %s", line, pattern, v, want)
			}
		}
	}
}
