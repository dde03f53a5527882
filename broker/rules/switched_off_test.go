package rules

import (
	"fmt"
	"testing"
	"time"
)

// off is a rule that is switched off.
func off(id string, r Rule) Rule {
	r.ID, r.Enabled = id, false
	return r
}

func but(r Rule, change func(*Rule)) Rule {
	change(&r)
	return r
}

// Only a rule that would let the call pass now, alone, is named.
func TestSwitchedOff(t *testing.T) {
	makes := rule(Allow, "Bash", "command", "make *")
	for name, tc := range map[string]struct {
		line  string
		rules []Rule
		want  string
	}{
		"it would allow":              {"make x", []Rule{off("m", makes)}, "m"},
		"by a pattern of tools":       {"make x", []Rule{off("m", rule(Allow, "B*", "command", "make *"))}, "m"},
		"another program":             {"npm x", []Rule{off("m", makes)}, ""},
		"no rule is off":              {"npm x", []Rule{makes}, ""},
		"a part of the line only":     {"make x && npm x", []Rule{off("m", makes)}, ""},
		"the other part is allowed":   {"make x && foo x", []Rule{off("m", makes), rule(Allow, "Bash", "command", "foo *")}, "m"},
		"two that would do together":  {"make x && foo x", []Rule{off("m", makes), off("n", rule(Allow, "Bash", "command", "foo *"))}, ""},
		"the first that would":        {"make x", []Rule{off("n", rule(Allow, "Bash", "command", "make y")), off("m", makes), off("o", makes)}, "m"},
		"a refusing rule that is off": {"make x", []Rule{off("m", rule(Deny, "Bash", "command", "make *"))}, ""},
		"an asking rule comes before": {"make x", []Rule{off("m", makes), rule(Ask, "Bash", "command", "make *")}, ""},
		"it comes before that":        {"make x", []Rule{off("m", but(makes, func(r *Rule) { r.Priority = 1 })), rule(Ask, "Bash", "command", "make *")}, "m"},
		"a dangerous call":            {"sudo make x", []Rule{off("m", makes)}, ""},
		"it has expired":              {"make x", []Rule{off("m", but(makes, func(r *Rule) { r.ExpiresAt = testNow.Add(-time.Minute) }))}, ""},
		"it is used up":               {"make x", []Rule{off("m", but(makes, func(r *Rule) { r.MaxUses, r.Uses = 1, 1 }))}, ""},
		"of a project's file":         {"make x", []Rule{off("m", but(makes, func(r *Rule) { r.Source = "/home/me/src/api/.aoctl/rules.toml" }))}, ""},
		"of another session":          {"make x", []Rule{off("m", but(makes, func(r *Rule) { r.Scope.Session = "s-2" }))}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustCompile(t, numberedOf(tc.rules))
			c := bashCall(tc.line)
			if got := s.SwitchedOff(c, testNow); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if v, _ := s.Verdict(c, testNow); v != Ask {
				t.Errorf("the verdict is %q", v)
			}
		})
	}
}

// numberedOf gives rules without an id one, and an age in their order.
func numberedOf(list []Rule) []Rule {
	for i := range list {
		if list[i].ID == "" || list[i].Enabled {
			list[i].ID = fmt.Sprintf("r%d", i)
		}
		list[i].CreatedAt = testNow.Add(time.Duration(i-100) * time.Minute)
	}
	return list
}

// Thousands of rules that are switched off cost a call next to nothing.
func BenchmarkSwitchedOff(b *testing.B) {
	var list []Rule
	for i := range 5000 {
		list = append(list, off(fmt.Sprintf("m%d", i), rule(Allow, "Bash", "command", fmt.Sprintf("make%d *", i))))
	}
	s, c := mustCompile(b, numberedOf(list)), bashCall("make4000 x && npm test | tee log")
	for b.Loop() {
		s.SwitchedOff(c, testNow)
	}
}
