package far

import (
	"maps"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/members"
	"github.com/aoctl/aoctl/broker/rules"
)

// A machine that tells another one's rule with words of its own has a rule of its own: what a person
// does with one of the two reaches the other nowhere.
func TestRulesOfOneIDAreDrawnApart(t *testing.T) {
	peerOf := func(seed byte, name string, r rules.Rule) *peer {
		return &peer{member: members.Member{Public: key(t, seed).Public(), Name: name, Role: members.Machine}, rules: &broker.RuleBook{Rules: []rules.Rule{r}}}
	}
	rule := rules.Rule{ID: "r1", Version: 2, Tool: "Bash", Where: map[string]string{"command": "ls"}, Decision: rules.Allow}
	newer := rule
	newer.Version, newer.Uses, newer.CreatedBy = 3, 9, "somebody"
	forged := rule
	forged.Version, forged.Where = 999, map[string]string{"command": "*"}
	a, b, c := peerOf(1, "a", rule), peerOf(2, "b", newer), peerOf(3, "c", forged)
	all := share([]*peer{a, b, c})
	if len(all) != 2 || all[0].ID != "r1" || all[0].Version != 3 || all[1].ID != "r1@c" {
		t.Fatalf("drawn: %+v", all)
	}
	if want := map[string]ruleAt{a.member.ID(): {"r1", 2}, b.member.ID(): {"r1", 3}}; !maps.Equal(all[0].at, want) {
		t.Errorf("the one is at %v", all[0].at)
	}
	if want := map[string]ruleAt{c.member.ID(): {"r1", 999}}; !maps.Equal(all[1].at, want) {
		t.Errorf("the other is at %v", all[1].at)
	}
}
