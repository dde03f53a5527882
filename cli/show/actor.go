package show

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
)

// builtinLook has a name of its own here, as the names of rules are called rules below.
const builtinLook = rules.BuiltinLook

// Actor is who did something, in the console's words. rules are names of rules by id, as
// RuleNames makes them; nil will do. It is not safe for a terminal.
func Actor(a broker.Actor, rules map[string]string) string {
	switch a.Kind {
	case broker.ByOperator:
		if a.Once() {
			return "a single-use token"
		}
		if a.Token() != "" {
			return "your token"
		}
		return a.You()
	case broker.ByProcess:
		if a.PID > 0 {
			return a.Program()
		}
	case broker.ByRule:
		return ruleActor(a.ID, rules)
	case broker.ByObserve:
		return "observing"
	case broker.ByAgent:
		if a.ID == broker.InterruptedID {
			return "an interrupt"
		}
	case broker.ByStop, broker.ByFreeze, broker.ByDeadline, broker.ByBroker:
	}
	return string(a.Kind)
}

// ruleActor is a rule that did something. The built-in grant is told by what it lets pass.
func ruleActor(id string, names map[string]string) string {
	if id == builtinLook {
		return "the built-in grant: only looks"
	}
	return "rule " + RuleName(id, names)
}

// RuleName is what a rule is called. One that is gone goes by the end of its id, as on the
// screen.
func RuleName(id string, rules map[string]string) string {
	if name, ok := rules[id]; ok {
		return name
	}
	if uuid.Validate(id) == nil {
		return id[len(id)-minPrefix:]
	}
	if id == builtinLook {
		return "look (built in)"
	}
	return strings.TrimPrefix(id, "builtin:")
}

// RuleNames is what the console calls each rule, by id: the pattern that tells most, in
// quotation marks, or the tool.
func RuleNames(list []rules.Rule) map[string]string {
	names := make(map[string]string, len(list))
	for _, r := range list {
		names[r.ID] = ruleTitle(r)
	}
	return names
}

// ruleTitle is the pattern of the telling field, else the first one in the order of the
// alphabet. A rule about effects is called by these.
func ruleTitle(r rules.Rule) string {
	if r.Effects != 0 {
		return r.Effects.String()
	}
	keys := slices.Sorted(maps.Keys(r.Where))
	if len(keys) == 0 {
		return rules.PatternWords(r.Tool)
	}
	key := keys[0]
	if telling := TellingField[r.Tool]; r.Where[telling] != "" {
		key = telling
	}
	return `"` + rules.PatternWords(r.Where[key]) + `"`
}
