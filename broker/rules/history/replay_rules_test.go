package history

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulestest/prepared"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// What a report says about each rule: how often it matches, whether or not it decides.
func TestReplayPerRule(t *testing.T) {
	lines := []string{"npm run test", "cat < src/a.go", "echo $(npm run x", "make", "make && npm run test"}
	for name, tt := range map[string]struct {
		rules []rules.Rule
		want  []string // id, hits and the last line that was hit
		dead  []string
	}{
		"none":                   {nil, []string{"builtin:read-only 1 1"}, nil},
		"in the raw text":        {[]rules.Rule{commandRule("a", rules.Deny, "Bash", "npm run x")}, []string{"a 1 2", "builtin:read-only 1 1"}, nil},
		"one does not decide":    {[]rules.Rule{commandRule("a", rules.Allow, "Bash", "make"), commandRule("b", rules.Deny, "Bash", "make")}, []string{"a 2 4", "b 2 4", "builtin:read-only 1 1"}, nil},
		"one hides the other":    {[]rules.Rule{commandRule("a", rules.Deny, "Bash", "cat"), commandRule("b", rules.Ask, "Bash", "*")}, []string{"a 1 1", "b 4 4", "builtin:read-only 1 1"}, nil},
		"never":                  {[]rules.Rule{commandRule("a", rules.Allow, "Bash", "yarn"), commandRule("b", rules.Allow, "Bash", "make")}, []string{"a 0 -", "b 2 4", "builtin:read-only 1 1"}, []string{"a"}},
		"never, as it is off":    {[]rules.Rule{changed(commandRule("a", rules.Allow, "Bash", "make"), func(r *rules.Rule) { r.Enabled = false })}, []string{"a 0 -", "builtin:read-only 1 1"}, nil},
		"never, as it has ended": {[]rules.Rule{changed(commandRule("a", rules.Allow, "Bash", "make"), func(r *rules.Rule) { r.ExpiresAt = prepared.Now })}, []string{"a 0 -", "builtin:read-only 1 1"}, []string{"a"}},
	} {
		var past []Past
		for i, line := range lines {
			past = append(past, Past{ID: fmt.Sprint(i), Call: prepared.Call(line), At: prepared.Now.Add(time.Duration(i) * time.Second)})
		}
		slices.Reverse(past) // the last hit is the latest, not the one that comes last
		r := Replay(prepared.Set(t, nil), prepared.Set(t, tt.rules), slices.Values(past), prepared.Now)
		var got []string
		for _, s := range r.PerRule {
			last := "-"
			if !s.LastHit.IsZero() {
				last = fmt.Sprint(s.LastHit.Sub(prepared.Now).Seconds())
			}
			got = append(got, fmt.Sprint(s.ID, " ", s.Hits, " ", last))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.dead, r.Dead, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s, the dead (-want +got):\n%s", name, diff)
		}
	}
}

// Who was asked: a question that is put off is one, too.
func TestReplayCountsPrompts(t *testing.T) {
	past := history(pastOf{"a", "expired"}, pastOf{"b", "expired"}, pastOf{"c", "expired"}, pastOf{"d", "expired"})
	before := prepared.Set(t, []rules.Rule{commandRule("a", rules.Defer, "Bash", "a"), commandRule("b", rules.Deny, "Bash", "b")})
	after := prepared.Set(t, []rules.Rule{commandRule("a", rules.Ask, "Bash", "a"), commandRule("b", rules.Defer, "Bash", "b|c"), commandRule("d", rules.Allow, "Bash", "d")})
	got := Replay(before, after, slices.Values(past), prepared.Now)
	if got.Before != (Counts{Deny: 1, Ask: 2, Defer: 1}) || got.After != (Counts{Allow: 1, Ask: 1, Defer: 2}) || got.PromptsBefore != 3 || got.PromptsAfter != 3 {
		t.Errorf("%+v", got)
	}
}

// Only a call that a person denied and that would be allowed makes rules worse.
func TestReplayIsWorse(t *testing.T) {
	for _, tt := range []struct {
		state, by string
		to        rules.Verdict
		worse     bool
		was       string
	}{
		{"denied", "operator", rules.Allow, true, "denied by a person"},
		{"denied", "process", rules.Allow, true, "denied by a person"},
		{"denied", "agent", rules.Allow, true, "denied by a person"},
		{"denied", "rule", rules.Allow, false, "denied by a rule"},
		{"denied", "deadline", rules.Allow, false, "denied"},
		{"denied", "operator", rules.Deny, false, "denied by a person"},
		{"allowed", "operator", rules.Allow, false, "allowed by a person"},
		{"allowed", "rule", rules.Allow, false, "allowed by a rule"},
		{"answered", "operator", rules.Allow, false, "answered"},
		{"cancelled", "operator", rules.Allow, false, "cancelled"},
		{"expired", "deadline", rules.Allow, false, "expired"},
	} {
		past := []Past{{ID: "1", Call: prepared.Call("make"), State: tt.state, ByKind: tt.by}}
		got := Replay(prepared.Set(t, nil), prepared.Set(t, []rules.Rule{commandRule("a", tt.to, "Bash", "make")}), slices.Values(past), prepared.Now).Changes[0]
		if got.Worse != tt.worse || got.Was != tt.was {
			t.Errorf("%+v: %+v", tt, got)
		}
	}
}

// Calls of one time are listed by their ids, the worse ones first, whatever the order in
// which they come.
func TestReplayListsInOrder(t *testing.T) {
	var past []Past
	for i, id := range []string{"b", "d", "a", "c", "e"} {
		p := history(pastOf{"make", "person allowed"})[0]
		if i == 3 {
			p.State = "denied"
		}
		p.ID, p.At = id, prepared.Now.Add(time.Duration(i/4)*time.Second)
		past = append(past, p)
	}
	got := ""
	for _, c := range Replay(prepared.Set(t, nil), prepared.Set(t, []rules.Rule{commandRule("a", rules.Allow, "Bash", "make")}), slices.Values(past), prepared.Now).Changes {
		got += c.PastID
	}
	if got != "ceabd" {
		t.Errorf("listed as %s", got)
	}
}

// A call is judged once, and not remembered for ever.
func TestReplayRemembersCalls(t *testing.T) {
	none := prepared.Set(t, nil)
	r := &replay{current: none, proposed: none, known: map[*rules.Call]replayed{}}
	c := rules.Prepare(rules.Question{Tool: "Tool"})
	r.known[c] = replayed{toRule: "x"}
	if r.judge(c).toRule != "x" {
		t.Error("a call was judged twice")
	}
	for range 2 * rules.MaxRemembered {
		other := *c
		r.judge(&other)
	}
	if n := len(r.known); n > rules.MaxRemembered || n < rules.MaxRemembered/2 {
		t.Errorf("it remembers %d calls", n)
	}
}
