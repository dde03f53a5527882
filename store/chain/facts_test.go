package chain_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	_ "github.com/aoctl/aoctl/broker/brokertest/seeded" // rapid draws the same in every run
	"github.com/aoctl/aoctl/store/chain"
)

// Whatever part of a rule differs from what the log says, it is another rule; how
// often it was used is told elsewhere.
func TestSameRuleLooksAtEveryField(t *testing.T) {
	base := brokertest.NewRule("r")
	changed := base
	differ := map[string]bool{}
	eachField(&changed, func(name string) { differ[name] = !chain.SameRule(&base, &changed) })
	for name, is := range differ {
		if want := name != "Uses" && name != "LastUsedAt"; is != want {
			t.Errorf("another %s makes another rule: %t, want %t", name, is, want)
		}
	}
	if len(differ) < 20 {
		t.Errorf("only %d fields were looked at", len(differ))
	}
}

// A rule as the broker writes it into its event is the same rule when it is read again.
func TestSameRuleAfterATurnThroughTheLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		r := brokertest.NewRule(text.Draw(t, "id") + "x")
		r.Tool, r.Reason, r.Scope.Project = text.Draw(t, "tool"), text.Draw(t, "reason"), text.Draw(t, "project")
		r.Where = rapid.MapOfN(rapid.StringMatching(`[a-z]+`), text, 0, 3).Draw(t, "where")
		r.Uses = rapid.IntRange(0, 9).Draw(t, "uses")
		data, err := json.Marshal(broker.RuleSavedData{Rule: r})
		if err != nil {
			t.Fatal(err)
		}
		var d broker.RuleSavedData
		if err := json.Unmarshal(data, &d); err != nil {
			t.Fatal(err)
		}
		if !chain.SameRule(&r, &d.Rule) || !chain.SameRule(&d.Rule, &r) {
			t.Fatalf("%+v became %+v", r, d.Rule)
		}
		if _, err := chain.Check(brokertest.Saved(r)); err != nil {
			t.Fatal(err)
		}
		d.Rule.Reason += "!"
		if chain.SameRule(&r, &d.Rule) {
			t.Fatal("another reason makes no other rule")
		}
	})
}

// Each number has its own subject and seal, and no row has them.
func TestFactsAreTellable(t *testing.T) {
	seen := map[string]bool{chain.RequestSubject("1"): true, chain.GrantSubject("1"): true}
	seals := map[chain.Hash]bool{{}: true}
	for n := range int64(300) {
		if subject, seal := chain.FactSubject(n), chain.SealFact(n); seen[subject] || seals[seal] {
			t.Errorf("fact %d has the subject or seal of another", n)
		} else {
			seen[subject], seals[seal] = true, true
		}
	}
}
