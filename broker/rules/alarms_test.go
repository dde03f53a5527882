package rules

import "testing"

// everydayRules are rules of somebody who trusts plain programs.
func everydayRules(t *testing.T) *Set {
	t.Helper()
	var list []Rule
	for _, p := range []string{"go *", "./go *", "cp *", "mkdir *", "mv *", "git status", "ls *", "tr *", "xargs *", "rm *", "echo *", "cat *", "sort *"} {
		list = append(list, rule(Allow, "Bash", "command", p))
	}
	return set(t, list...)
}

// wants checks the verdicts of lines that a trusted session asks about.
func wants(t *testing.T, w world, want Verdict, lines ...string) {
	t.Helper()
	rules := everydayRules(t)
	for _, line := range lines {
		q := w.bash(t, line)
		q.Trusted = true
		if a := judge(t, rules, Prepare(q)); a.Verdict != want {
			t.Errorf("%s: %s, want %s: %s", line, a.Verdict, want, a.Reason)
		}
	}
}

// A subcommand of go is no file, though the project has a file of that name: here env
// is a link to .env.
func TestSubcommandOfGo(t *testing.T) {
	w := newWorld(t)
	wants(t, w, Allow, "go env GOPATH", "go env", "go version")
	wants(t, w, Ask, "go run env", "go vet env", "go doc .env", "./go env", "go .env", "go -C . env", "go envy .env")
}
