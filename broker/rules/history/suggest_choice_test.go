package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulestest/prepared"
	"github.com/google/go-cmp/cmp"
)

// Only what a person was asked about and allowed counts as a prompt.
func TestSuggestCountsPrompts(t *testing.T) {
	for name, tt := range map[string]struct {
		state, by string
		asked     bool
		want      int
	}{
		"a person allowed it":        {"allowed", "operator", true, 4},
		"a program of theirs":        {"allowed", "process", true, 4},
		"a rule came meanwhile":      {"allowed", "rule", true, 3},
		"nobody was asked":           {"allowed", "operator", false, 3},
		"a person answered it":       {"answered", "operator", true, 3},
		"a person cancelled it":      {"cancelled", "operator", true, 3},
		"a deadline, with no answer": {"denied", "deadline", true, 3},
	} {
		past := history(repeat(4, "make", "person allowed")...)
		last := &past[3]
		last.State, last.ByKind, last.Prompted, last.SessionID = tt.state, tt.by, tt.asked, "other"
		got := Suggest(slices.Values(past), prepared.Set(t, nil), prepared.Now, SuggestOptions{wordsOnly: true})
		if len(got) != 1 || got[0].Saves != tt.want || got[0].Sessions != tt.want-1 || !got[0].Last.Equal(past[tt.want-1].At) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What nobody allowed has no part in a suggestion, wherever it was asked.
func TestSuggestIsOfWhatWasAllowed(t *testing.T) {
	past := history(repeat(3, "npm run test a", "person allowed")...)
	past = append(past, history(repeat(3, "npm run test b", "person allowed")...)...)
	for i, how := range []string{"allowed", "expired"} {
		elsewhere := Past{SessionID: "x", Call: rules.Prepare(prepared.Question(fmt.Sprint("npm run test c", i), "/home/me/other")), State: how, ByKind: "rule", At: prepared.Now}
		past = append(past, elsewhere)
	}
	got := Suggest(slices.Values(past), prepared.Set(t, nil), prepared.Now, SuggestOptions{wordsOnly: true, Max: 1})
	want := []string{"npm run test a", "npm run test b"}
	if len(got) != 1 || told(got[0]) != "allow Bash command=npm run test * /home/me/src/api saves 6 in 2" || !slices.Equal(got[0].Examples, want) {
		t.Errorf("%+v", got)
	}
}

// A rule that only helps to save a call, beside one that nobody may suggest, is no better
// for it.
func TestSuggestCountsWholeCalls(t *testing.T) {
	past := history(slices.Concat(
		repeat(3, "make a", "person allowed"), repeat(4, "make a && make x", "person allowed"), repeat(1, "make x", "person denied"), repeat(6, "make b", "person allowed"),
	)...)
	got := Suggest(slices.Values(past), prepared.Set(t, nil), prepared.Now, SuggestOptions{wordsOnly: true, Max: 1})
	if len(got) != 1 || got[0].Rule.Where["command"] != "make b" || got[0].Saves != 6 {
		t.Errorf("%+v", got)
	}
}

// Without options there are five suggestions at most.
func TestSuggestFive(t *testing.T) {
	var past []Past
	for i := range 7 {
		past = append(past, history(repeat(3, fmt.Sprint("make x", i), "person allowed")...)...)
	}
	if got := Suggest(slices.Values(past), prepared.Set(t, nil), prepared.Now, SuggestOptions{wordsOnly: true}); len(got) != 5 {
		t.Errorf("%d suggestions", len(got))
	}
}

// Beside as many rules as there may be none is suggested.
func TestSuggestBesideTheMost(t *testing.T) {
	past := history(slices.Concat(repeat(3, "npm run test x", "person allowed"), repeat(3, "npm run test y", "person allowed"), repeat(1, "npm run test z", "person denied"))...)
	for _, d := range []rules.Verdict{rules.Allow, rules.Deny} {
		full := prepared.Set(t, slices.Repeat([]rules.Rule{{Enabled: true, Tool: "T", Decision: d}}, rules.MaxRules))
		if got := Suggest(slices.Values(past), full, prepared.Now, SuggestOptions{wordsOnly: true}); len(got) != 0 {
			t.Errorf("%s: %+v", d, got)
		}
	}
}

// allowedIn is a call that a person allowed in a project, or denied there.
func allowedIn(line, project, state string) Past {
	return Past{SessionID: "s", Call: rules.Prepare(prepared.Question(line, project)), At: prepared.Now, State: state, ByKind: "operator", Prompted: true}
}

// A rule saves what it allows together with those that were suggested before it. One rule for
// both commands would allow what was denied elsewhere.
func TestSuggestBesideTheChosen(t *testing.T) {
	past := []Past{allowedIn("npm run test", "/c", "denied")}
	for range 3 {
		past = append(past, allowedIn("make a", "/a", "allowed"), allowedIn("make a", "/b", "allowed"), allowedIn("make a && npm run test", "/a", "allowed"))
	}
	past = append(past, allowedIn("npm run test", "/a", "allowed"), allowedIn("npm run test", "/a", "allowed"))
	var got []string
	for _, s := range Suggest(slices.Values(past), prepared.Set(t, nil), prepared.Now, SuggestOptions{wordsOnly: true}) {
		got = append(got, told(s))
	}
	want := []string{"allow Bash command=make a  saves 6 in 1", "allow Bash command=npm run test /a saves 5 in 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Calls that offer the same rule offer it together, and those that ask the same are one.
func TestSuggestPutsTogether(t *testing.T) {
	s := &suggester{now: prepared.Now, least: 1, words: true, opts: SuggestOptions{wordsOnly: true}}
	for _, project := range []string{"/a", "/b", "/b"} {
		s.add(allowedIn("make x", project, "allowed"))
	}
	if !s.candidates() || len(s.order) != 2 || len(s.cands) == 0 {
		t.Fatalf("%d calls, %d candidates", len(s.order), len(s.cands))
	}
	for _, c := range s.cands {
		if c.support != 3 || len(c.groups) != 2 {
			t.Errorf("%s: offered by %d prompts of %d calls", short(c.rule), c.support, len(c.groups))
		}
	}
}

// Of two that seem to save the same the narrower is the best, wherever it stands.
func TestSuggestPrefersTheNarrower(t *testing.T) {
	saves := func(n int) []*group { return []*group{{prompts: n}} }
	narrow := &candidate{rule: where(rules.Allow, "Bash", "command", "make a"), groups: saves(3)}
	wide := &candidate{rule: where(rules.Allow, "Bash", "command", "make *"), groups: saves(3)}
	wider := &candidate{rule: where(rules.Allow, "Bash", "command", "* *"), groups: saves(4)}
	for _, tt := range []struct {
		cands []*candidate
		want  *candidate
	}{
		{[]*candidate{narrow, wide}, narrow},
		{[]*candidate{wide, narrow}, narrow},
		{[]*candidate{wide, narrow, wider}, wider},
		{[]*candidate{wider, narrow, wide}, wider},
	} {
		s := &suggester{least: 3, words: true, cands: tt.cands}
		if got := s.best(); got != tt.want {
			t.Errorf("%+v", got)
		}
	}
}

// Of very many candidates those are kept that most calls offer.
func TestSuggestKeepsTheBestOfMany(t *testing.T) {
	var past []Past
	for i := range maxCandidates + 9 {
		past = append(past, history(pastOf{fmt.Sprint("make x", i), "person allowed"})...)
	}
	past = append(past, history(repeat(3, "just y", "person allowed")...)...)
	s := &suggester{now: prepared.Now, least: 1, words: true, opts: SuggestOptions{wordsOnly: true}}
	for _, p := range past {
		s.add(p)
	}
	if !s.candidates() || len(s.cands) != maxCandidates || s.cands[0].support != 3 || s.cands[1].support != 1 {
		t.Errorf("%d candidates", len(s.cands))
	}
	if n := s.estimate(s.cands[0]); n != 3 {
		t.Errorf("it seems to save %d", n)
	}
	if c, _ := s.pick(); c == nil || c.rule.Where["command"] != "just y" {
		t.Errorf("%+v", c)
	}
}

// The narrower of two rules comes first.
func TestNarrower(t *testing.T) {
	in := func(p string) func(*rules.Rule) { return func(r *rules.Rule) { r.Scope.Project = p } }
	for _, tt := range []struct{ a, b rules.Rule }{
		{changed(where(rules.Allow, "Bash", "command", "a *"), in("/p")), where(rules.Allow, "Bash", "command", "a b")},
		{where(rules.Allow, "Bash", "command", "a b"), where(rules.Allow, "Bash", "command", "a *")},
		{where(rules.Allow, "Bash", "command", "a"), where(rules.Allow, "Bash", "command", "long|b")},
		{where(rules.Allow, "Bash", "command", "a *"), where(rules.Allow, "Bash", "command", "long * b *")},
		{where(rules.Allow, "Bash", "command", "a", "write", "b"), where(rules.Allow, "Bash", "command", "a long one")},
		{where(rules.Allow, "Bash", "command", "a long one"), where(rules.Allow, "Bash", "command", "a")},
		{where(rules.Allow, "A", "command", "a"), where(rules.Allow, "B", "command", "b")},
	} {
		if narrower(tt.a, tt.b) >= 0 || narrower(tt.b, tt.a) <= 0 || narrower(tt.a, tt.a) != 0 {
			t.Errorf("%s is not narrower than %s", short(tt.a), short(tt.b))
		}
	}
}

// What a suggestion tells: the calls that it saves, those asked most often first, then the
// latest, three at most and each once.
func TestSuggestionTells(t *testing.T) {
	at := func(n int) time.Time { return prepared.Now.Add(time.Duration(n) * time.Second) }
	asked := func(line string, prompts, last int, sessions ...string) *group {
		g := &group{call: prepared.Call(line), prompts: prompts, last: at(last), sessions: map[string]bool{}}
		for _, s := range sessions {
			g.sessions[s] = true
		}
		return g
	}
	got := suggestion(rules.Rule{ID: "x"}, []*group{
		asked("old", 1, 1, "s"), asked("late", 1, 9, "s", "t"), asked("often", 5, 2), asked("often", 4, 3, "t"), asked("mid", 1, 5, "u"),
	})
	want := Suggestion{Rule: rules.Rule{ID: "x"}, Saves: 12, Sessions: 3, Last: at(9), Examples: []string{"often", "late", "mid"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A rule is for one project, when all calls that it saves are of one that is known.
func TestOneProject(t *testing.T) {
	for list, want := range map[string]string{"": "", "/a": "/a", "/a /a": "/a", "/a /b": "", "/a -": "", "- /a": "", "-": "", "/b /a /a": ""} {
		var groups []*group
		for _, p := range strings.Fields(list) {
			groups = append(groups, &group{call: rules.Prepare(prepared.Question("x", strings.TrimPrefix(p, "-")))})
		}
		if got := oneProject(groups); got != want {
			t.Errorf("%s: %q", list, got)
		}
	}
}
