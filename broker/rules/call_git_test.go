package rules

import (
	"strings"
	"testing"

	"github.com/aoctl/aoctl/broker/risk"
)

// Attack: a repository in a folder of the project, or the settings of the project's own, make
// git run a program. A rule with a wildcard vouches for neither; one for exactly this line does,
// where the line says in which folder it works.
func TestGitOfAnotherPlace(t *testing.T) {
	w := newWorld(t)
	const hooks, setting, remote = "another repository", "a setting runs a program", "a remote runs a program"
	w.place.Git = func(dir string) risk.Git {
		switch {
		case strings.HasSuffix(dir, "/src"):
			return risk.Git{Foreign: hooks, Nested: true, Top: dir}
		case strings.HasSuffix(dir, "/secrets"):
			return risk.Git{Settings: setting, Top: dir}
		}
		return risk.Git{Remote: remote, Top: dir}
	}
	git := rule(Allow, "Bash", "command", "git *")
	exactly := func(line string) Rule { return rule(Allow, "Bash", "command", line) }
	for _, tc := range []struct {
		cwd, line string
		rule      Rule
		want      Verdict
		why       string
	}{
		{"", "git status", git, Allow, "allows it"},
		{"", "git fetch", git, Ask, remote},
		{"", "git fetch", exactly("git fetch"), Allow, "allows it"},
		{"", "git -C secrets status", git, Ask, setting},
		{"", "git -C secrets status", exactly("git -C secrets status"), Allow, "allows it"},
		{"", "git -C src status", git, Ask, hooks},
		{"", "cd src && git status", git, Ask, hooks},
		{"/src", "git status", git, Ask, hooks},
		{"/src", "git status", exactly("git status"), Ask, hooks},
		{"", "ls src", rule(Allow, "Bash", "command", "ls *"), Allow, "allows it"},
	} {
		q := w.bash(t, tc.line)
		q.Place.CWD += tc.cwd
		c := Prepare(q)
		rules := []Rule{tc.rule, rule(Allow, "Bash", "command", "cd *")}
		if a := judge(t, set(t, rules...), c); a.Verdict != tc.want || !strings.Contains(a.Reason, tc.why) {
			t.Errorf("%s in the project's %q by %q: %s, %s", tc.line, tc.cwd, tc.rule.ID, a.Verdict, a.Reason)
		}
		if got := len(c.Gits()); (got > 0) != strings.Contains(tc.line, "git") {
			t.Errorf("%s is known to use %d repositories", tc.line, got)
		}
	}
}

// A commit is granted as such. Where it runs hooks of the repository, it is a check besides.
func TestCommitRunsHooks(t *testing.T) {
	w := newWorld(t)
	for _, hooks := range []bool{false, true} {
		w.place.Git = func(dir string) risk.Git { return risk.Git{Top: dir, Hooks: hooks} }
		want := Allow
		if hooks {
			want = Ask
		}
		for line, want := range map[string]Verdict{"git commit -am x": want, "git status": Allow} {
			for _, granted := range []string{"look, commit", "look, commit, check"} {
				if granted == "look, commit, check" {
					want = Allow
				}
				if a := judge(t, set(t, about(Allow, granted)), w.trusted(t, line)); a.Verdict != want {
					t.Errorf("%s with hooks %t and %s: %s (%s)", line, hooks, granted, a.Verdict, a.Reason)
				}
			}
		}
	}
}
