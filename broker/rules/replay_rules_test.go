package rules

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a report says about each rule: how often it matches, whether or not it decides.
func TestReplayPerRule(t *testing.T) {
	lines := []string{"npm run test", "cat < src/a.go", "echo $(npm run x", "make", "make && npm run test"}
	for name, tt := range map[string]struct {
		rules []Rule
		want  []string // id, hits and the last line that was hit
		dead  []string
	}{
		"none":                   {nil, []string{"builtin:read-only 1 1"}, nil},
		"in the raw text":        {[]Rule{commandRule("a", Deny, "Bash", "npm run x")}, []string{"a 1 2", "builtin:read-only 1 1"}, nil},
		"one does not decide":    {[]Rule{commandRule("a", Allow, "Bash", "make"), commandRule("b", Deny, "Bash", "make")}, []string{"a 2 4", "b 2 4", "builtin:read-only 1 1"}, nil},
		"one hides the other":    {[]Rule{commandRule("a", Deny, "Bash", "cat"), commandRule("b", Ask, "Bash", "*")}, []string{"a 1 1", "b 4 4", "builtin:read-only 1 1"}, nil},
		"never":                  {[]Rule{commandRule("a", Allow, "Bash", "yarn"), commandRule("b", Allow, "Bash", "make")}, []string{"a 0 -", "b 2 4", "builtin:read-only 1 1"}, []string{"a"}},
		"never, as it is off":    {[]Rule{changed(commandRule("a", Allow, "Bash", "make"), func(r *Rule) { r.Enabled = false })}, []string{"a 0 -", "builtin:read-only 1 1"}, nil},
		"never, as it has ended": {[]Rule{changed(commandRule("a", Allow, "Bash", "make"), func(r *Rule) { r.ExpiresAt = testNow })}, []string{"a 0 -", "builtin:read-only 1 1"}, []string{"a"}},
	} {
		var past []Past
		for i, line := range lines {
			past = append(past, Past{ID: fmt.Sprint(i), Call: bashCall(line), At: testNow.Add(time.Duration(i) * time.Second)})
		}
		slices.Reverse(past) // the last hit is the latest, not the one that comes last
		r := Replay(mustCompile(t, nil), mustCompile(t, tt.rules), slices.Values(past), testNow)
		var got []string
		for _, s := range r.PerRule {
			last := "-"
			if !s.LastHit.IsZero() {
				last = fmt.Sprint(s.LastHit.Sub(testNow).Seconds())
			}
			got = append(got, fmt.Sprint(s.ID, " ", s.Hits, " ", last))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.dead, r.Dead); diff != "" {
			t.Errorf("%s, the dead (-want +got):\n%s", name, diff)
		}
	}
}

// Who was asked: a question that is put off is one, too.
func TestReplayCountsPrompts(t *testing.T) {
	past := history(pastOf{"a", "expired"}, pastOf{"b", "expired"}, pastOf{"c", "expired"}, pastOf{"d", "expired"})
	before := mustCompile(t, []Rule{commandRule("a", Defer, "Bash", "a"), commandRule("b", Deny, "Bash", "b")})
	after := mustCompile(t, []Rule{commandRule("a", Ask, "Bash", "a"), commandRule("b", Defer, "Bash", "b|c"), commandRule("d", Allow, "Bash", "d")})
	got := Replay(before, after, slices.Values(past), testNow)
	if got.Before != (Counts{Deny: 1, Ask: 2, Defer: 1}) || got.After != (Counts{Allow: 1, Ask: 1, Defer: 2}) || got.PromptsBefore != 3 || got.PromptsAfter != 3 {
		t.Errorf("%+v", got)
	}
}

// Only a call that a person denied and that would be allowed makes rules worse.
func TestReplayIsWorse(t *testing.T) {
	for _, tt := range []struct {
		state, by string
		to        Verdict
		worse     bool
		was       string
	}{
		{"denied", "operator", Allow, true, "denied by a person"},
		{"denied", "process", Allow, true, "denied by a person"},
		{"denied", "agent", Allow, true, "denied by a person"},
		{"denied", "rule", Allow, false, "denied by a rule"},
		{"denied", "deadline", Allow, false, "denied"},
		{"denied", "operator", Deny, false, "denied by a person"},
		{"allowed", "operator", Allow, false, "allowed by a person"},
		{"allowed", "rule", Allow, false, "allowed by a rule"},
		{"answered", "operator", Allow, false, "answered"},
		{"cancelled", "operator", Allow, false, "cancelled"},
		{"expired", "deadline", Allow, false, "expired"},
	} {
		past := []Past{{ID: "1", Call: bashCall("make"), State: tt.state, ByKind: tt.by}}
		got := Replay(mustCompile(t, nil), mustCompile(t, []Rule{commandRule("a", tt.to, "Bash", "make")}), slices.Values(past), testNow).Changes[0]
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
		p.ID, p.At = id, testNow.Add(time.Duration(i/4)*time.Second)
		past = append(past, p)
	}
	got := ""
	for _, c := range Replay(mustCompile(t, nil), mustCompile(t, []Rule{commandRule("a", Allow, "Bash", "make")}), slices.Values(past), testNow).Changes {
		got += c.PastID
	}
	if got != "ceabd" {
		t.Errorf("listed as %s", got)
	}
}

// A call is judged once, and not remembered for ever.
func TestReplayRemembersCalls(t *testing.T) {
	none := mustCompile(t, nil)
	r := &replay{current: none, proposed: none, known: map[*Call]replayed{}}
	c := &Call{elems: []elem{{kind: toolKind}}}
	r.known[c] = replayed{toRule: "x"}
	if r.judge(c).toRule != "x" {
		t.Error("a call was judged twice")
	}
	for range 2 * maxPrepared {
		r.judge(&Call{elems: c.elems})
	}
	if n := len(r.known); n > maxPrepared || n < maxPrepared/2 {
		t.Errorf("it remembers %d calls", n)
	}
}

// A full memory loses a quarter, and one that is not full loses nothing.
func TestThin(t *testing.T) {
	m := map[int]bool{}
	for i := range maxPrepared - 1 {
		m[i] = true
	}
	thin(m)
	if len(m) != maxPrepared-1 {
		t.Errorf("%d are left of one less than the most", len(m))
	}
	m[maxPrepared] = true
	thin(m)
	if len(m) != maxPrepared*3/4 {
		t.Errorf("%d are left of the most", len(m))
	}
}
