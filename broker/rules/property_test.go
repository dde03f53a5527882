package rules

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
	"pgregory.net/rapid"
)

// The calls and patterns of the properties are few words, so that they meet often.
var (
	somePrograms = []string{"npm", "git", "cat", "rm", "/bin/rm", "sudo", "env", "cd", "x"}
	someWords    = []string{"run", "test", "push", "--force", ".env", "src/a", "*", "$X", "'a b'", "../y", "-c"}
	someGlue     = []string{" && ", "; ", " | ", " > ", " < ", "\n", " || "}
	somePatterns = []string{"*", "npm *", "npm run test", "git push *", "rm *", "cat .env", "cat|npm *", "re:npm .*", "re:.*force.*", "sudo *", "** --force **", "line:npm run", "sudo npm", "x", "cd *"}
	somePaths    = []string{"**", "src/**", "**/.env", "/**", ".env", "re:.*env", "src/a"}
	someTools    = []string{"Bash", "*", "Read", "Write", "Edit", "Write|Edit", "Bash|Read", "re:B.*"}
)

func genLine(t *rapid.T) string {
	line := ""
	for i := range rapid.IntRange(1, 3).Draw(t, "commands") {
		if i > 0 {
			line += rapid.SampledFrom(someGlue).Draw(t, "glue")
		}
		line += rapid.SampledFrom(somePrograms).Draw(t, "program")
		for range rapid.IntRange(0, 3).Draw(t, "words") {
			line += " " + rapid.SampledFrom(someWords).Draw(t, "word")
		}
	}
	return line
}

func genQuestion(t *rapid.T) Question {
	q := Question{
		Agent: rapid.SampledFrom([]string{"claude", "codex"}).Draw(t, "agent"), SessionID: rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "session"),
		Trusted: rapid.Bool().Draw(t, "trusted"),
		Place:   risk.Place{CWD: "/p", Project: "/p", Home: "/home/ana"},
	}
	if rapid.IntRange(0, 3).Draw(t, "kind") > 0 {
		q.Tool, q.Input = "Bash", fmt.Appendf(nil, `{"command":%q}`, genLine(t))
		return q
	}
	q.Tool = rapid.SampledFrom([]string{"Read", "Write", "Edit", "WebFetch", "Grep"}).Draw(t, "tool")
	q.Input = fmt.Appendf(nil, `{"file_path":%q,"path":%q}`, rapid.SampledFrom([]string{"/p/src/a", ".env", "/etc/x", "SRC/a", "src/../.env"}).Draw(t, "path"), "src")
	return q
}

func genRule(t *rapid.T, id int) Rule {
	r := Rule{
		ID: fmt.Sprint("r", id), Decision: rapid.SampledFrom([]Verdict{Allow, Deny, Ask, Defer}).Draw(t, "decision"),
		Tool: rapid.SampledFrom(someTools).Draw(t, "tool"), Enabled: rapid.IntRange(0, 9).Draw(t, "enabled") > 0,
		Priority: rapid.IntRange(1, 3).Draw(t, "priority"), MaxUses: rapid.IntRange(0, 2).Draw(t, "max"), Uses: rapid.IntRange(0, 1).Draw(t, "uses"),
		CreatedAt: made.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "age"))), Where: map[string]string{},
	}
	switch rapid.IntRange(0, 6).Draw(t, "where") {
	case 0, 1, 2:
		r.Where["command"] = rapid.SampledFrom(somePatterns).Draw(t, "command")
	case 3:
		r.Where["write"] = rapid.SampledFrom(somePaths).Draw(t, "write")
	case 4:
		r.Where["read"] = rapid.SampledFrom(somePaths).Draw(t, "read")
	case 5:
		r.Where["file_path"] = rapid.SampledFrom(somePaths).Draw(t, "file_path")
	}
	if rapid.IntRange(0, 4).Draw(t, "more") == 0 {
		r.Where["command"] = rapid.SampledFrom(somePatterns).Draw(t, "command 2")
	}
	switch rapid.IntRange(0, 6).Draw(t, "scope") {
	case 0:
		r.Scope.Session = "s1"
	case 1:
		r.Scope.Agent = "claude"
	case 2:
		r.Scope.Project = rapid.SampledFrom([]string{"/p", "/", "/q"}).Draw(t, "project")
	}
	r.Dangerous = rapid.Bool().Draw(t, "dangerous")
	if r.Check() != nil {
		r.Dangerous = false
	}
	if r.Check() != nil {
		r.Where, r.Tool = nil, "Bash"
	}
	return r
}

func genRules(t *rapid.T) []Rule {
	var list []Rule
	for i := range rapid.IntRange(0, 8).Draw(t, "rules") {
		list = append(list, genRule(t, i))
	}
	return list
}

func verdictOf(t *rapid.T, list []Rule, c *Call) Verdict {
	s, err := Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	a := s.Judge(c, now)
	v, id := s.Verdict(c, now)
	if v != a.Verdict || id != a.Rule {
		t.Fatalf("Judge says %s by %q, Verdict %s by %q", a.Verdict, a.Rule, v, id)
	}
	if a.Verdict != Ask && a.Rule == "" || a.Verdict == Ask && a.Rules != nil || len(a.Elements) == 0 {
		t.Fatalf("%+v", a)
	}
	worst := Allow
	for _, e := range a.Elements {
		switch {
		case e.Verdict == Deny, (e.Verdict == Ask || e.Verdict == Defer) && worst == Allow:
			worst = e.Verdict
		}
	}
	if bad := map[Verdict]int{Allow: 0, Ask: 1, Defer: 1, Deny: 2}; bad[a.Verdict] < bad[worst] || a.Verdict == Allow && worst != Allow {
		t.Fatalf("the line is %s, its worst element %s", a.Verdict, worst)
	}
	return a.Verdict
}

func TestMoreDenyRulesNeverAllow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, list := Prepare(genQuestion(t)), genRules(t)
		before := verdictOf(t, list, c)
		deny := genRule(t, 99)
		deny.Decision, deny.Dangerous = Deny, false
		after := verdictOf(t, append(list, deny), c)
		if after == Allow && before != Allow || before == Deny && after != Deny {
			t.Fatalf("from %s to %s by %+v", before, after, deny)
		}
	})
}

// A rule that puts calls off never lets one run, takes no refusal back, and takes the place
// of no question that a rule of the same priority asks.
func TestMoreDeferRulesNeverAllow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, list := Prepare(genQuestion(t)), genRules(t)
		before := verdictOf(t, list, c)
		rule := genRule(t, 99)
		rule.Decision, rule.Dangerous = Defer, false
		after := verdictOf(t, append(list, rule), c)
		if after == Allow && before != Allow || (before == Deny) != (after == Deny) {
			t.Fatalf("from %s to %s by %+v", before, after, rule)
		}
		rule.Priority = 3 // the last that a rule here has
		if after := verdictOf(t, append(list, rule), c); before == Ask && after == Defer && askedBy(t, list, c) != "" {
			t.Fatalf("from %s to %s by %+v", before, after, rule)
		}
	})
}

// askedBy is the rule for which a person is asked, "" when none asks.
func askedBy(t *rapid.T, list []Rule, c *Call) string {
	s, err := Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	if a := s.Judge(c, now); a.Verdict == Ask {
		return a.Rule
	}
	return ""
}

// Without rules about it a call that is put off asks.
func TestDeferBeatsWhatNoRuleAsks(t *testing.T) {
	for _, tc := range []struct {
		line string
		list []Rule
		want Verdict
	}{
		{"make x", []Rule{{ID: "d", Enabled: true, Tool: "Bash", Decision: Defer}}, Defer},
		{"make x && rm y", []Rule{{ID: "d", Enabled: true, Tool: "Bash", Where: map[string]string{"command": "make *"}, Decision: Defer}}, Defer},
		{"make x && rm y", []Rule{
			{ID: "d", Enabled: true, Tool: "Bash", Where: map[string]string{"command": "make *"}, Decision: Defer},
			{ID: "a", Enabled: true, Tool: "Bash", Where: map[string]string{"command": "rm *"}, Decision: Ask},
		}, Ask},
		{"make x && rm y", []Rule{
			{ID: "d", Enabled: true, Tool: "Bash", Where: map[string]string{"command": "make *"}, Decision: Defer},
			{ID: "n", Enabled: true, Tool: "Bash", Where: map[string]string{"command": "rm *"}, Decision: Deny},
		}, Deny},
		{"make x", []Rule{
			{ID: "d", Enabled: true, Tool: "Bash", Where: map[string]string{"command": "make *"}, Decision: Defer},
			{ID: "a", Enabled: true, Tool: "Bash", Where: map[string]string{"command": "make *"}, Decision: Allow},
		}, Defer},
		{"make x", []Rule{
			{ID: "d", Enabled: true, Priority: 2, Tool: "Bash", Where: map[string]string{"command": "make *"}, Decision: Defer},
			{ID: "a", Enabled: true, Priority: 1, Tool: "Bash", Where: map[string]string{"command": "make *"}, Decision: Allow},
		}, Allow},
	} {
		s, err := Compile(tc.list)
		if err != nil {
			t.Fatal(err)
		}
		c := Prepare(Question{Tool: "Bash", Input: fmt.Appendf(nil, `{"command":%q}`, tc.line), Agent: "claude", Place: risk.Place{CWD: "/p", Project: "/p"}})
		if a := s.Judge(c, now); a.Verdict != tc.want {
			t.Errorf("%s with %d rules: %s (%s), want %s", tc.line, len(tc.list), a.Verdict, a.Reason, tc.want)
		}
	}
}

func TestMoreAllowRulesNeverChangeADeny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, list := Prepare(genQuestion(t)), genRules(t)
		allow := genRule(t, 99)
		allow.Decision = Allow
		if allow.Check() != nil {
			t.Skip()
		}
		if before, after := verdictOf(t, list, c), verdictOf(t, append(list, allow), c); (before == Deny) != (after == Deny) {
			t.Fatalf("from %s to %s by %+v", before, after, allow)
		}
	})
}

// Whatever the rules, what cannot be known before it runs is not allowed.
func TestUnsureIsNeverAllowed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, list := Prepare(genQuestion(t)), genRules(t)
		v := verdictOf(t, list, c)
		for _, e := range c.elems {
			if (e.unsure != "" || c.unsure != "" || c.risk.Guarded) && v == Allow {
				t.Fatalf("allowed: %s", c.q.Input)
			}
		}
	})
}

func TestOrderOfRulesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, list := Prepare(genQuestion(t)), genRules(t)
		mixed := append([]Rule(nil), list...)
		seed := rapid.Uint64().Draw(t, "seed")
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		a, err := Compile(list)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Compile(mixed)
		if err != nil {
			t.Fatal(err)
		}
		one := a
		for _, r := range mixed { // each taken out and put back alone
			if one, err = one.Without(r.ID).With(r); err != nil {
				t.Fatal(err)
			}
		}
		first := a.Judge(c, now)
		for _, other := range []*Set{b, one} {
			if got := other.Judge(c, now); !reflect.DeepEqual(got, first) {
				t.Fatalf("%+v\n%+v", first, got)
			}
		}
	})
}

func TestDisabledIsAsIfRemoved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, list := Prepare(genQuestion(t)), genRules(t)
		if len(list) == 0 {
			t.Skip()
		}
		i := rapid.IntRange(0, len(list)-1).Draw(t, "which")
		without := append(append([]Rule(nil), list[:i]...), list[i+1:]...)
		list[i].Enabled = false
		if a, b := verdictOf(t, list, c), verdictOf(t, without, c); a != b {
			t.Fatalf("disabled %s, removed %s", a, b)
		}
	})
}

// Everything that is offered allows the call, and nothing is offered for calls that no
// rule may allow.
func TestOffersAllowTheCall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Prepare(genQuestion(t))
		for i, r := range Offer(c) {
			s, err := Compile([]Rule{r})
			if err != nil {
				t.Fatalf("offer %d %+v: %v", i, r, err)
			}
			if v, _ := s.Verdict(c, now); v != Allow {
				t.Fatalf("offer %d %+v for %s: %s", i, r, c.q.Input, v)
			}
			if c.risk.Class == risk.Dangerous && !r.Dangerous {
				t.Fatalf("offer %d %+v for a dangerous call", i, r)
			}
		}
	})
}
