package show

import (
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
)

func TestActorsGoByTheConsolesWords(t *testing.T) {
	const saved, gone = "01a21758-351e-7e40-ba7e-d8da748aa10b", "01a21999-351e-7e40-ba7e-d8da748aa10b"
	names := RuleNames([]rules.Rule{{ID: saved, Tool: "Bash", Where: map[string]string{"command": "npm run *", "a": "b"}}, {ID: "all", Tool: "Read|Grep"}, {ID: "grant", Tool: rules.EffectsTool, Effects: effects.Of(effects.Look, effects.Edit)}})
	for _, tc := range []struct {
		a    broker.Actor
		want string
	}{
		{broker.Actor{Kind: broker.ByOperator}, "you"},
		{broker.Actor{Kind: broker.ByOperator, ID: broker.TokenActorPrefix + "x"}, "your token"},
		{broker.Actor{Kind: broker.ByRule, ID: saved}, `rule "npm run *"`},
		{broker.Actor{Kind: broker.ByRule, ID: "all"}, "rule Read or Grep"},
		{broker.Actor{Kind: broker.ByRule, ID: "grant"}, "rule look, edit"},
		{broker.Actor{Kind: broker.ByRule, ID: rules.BuiltinLook}, "the built-in grant: only looks"},
		{broker.Actor{Kind: broker.ByRule, ID: gone}, "rule 748aa10b"},
		{broker.Actor{Kind: broker.ByRule, ID: rules.BuiltinReadOnly}, "rule read-only"},
		{broker.Actor{Kind: broker.ByProcess, PID: 7}, "process 7"},
		{broker.Actor{Kind: broker.ByStop}, "stop"},
	} {
		if got := Actor(tc.a, names); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.a, got, tc.want)
		}
	}
}

func TestBuiltInGrantIsNamedAsOne(t *testing.T) {
	if got := RuleName(rules.BuiltinLook, nil); got != "look (built in)" {
		t.Errorf("it is called %q", got)
	}
}
