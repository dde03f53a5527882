package main

import (
	"encoding/json"
	"time"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// verdict is what the broker says of a line.
type verdict struct {
	pass bool // when all that can be granted is
	set  effects.Set
	why  string
}

// granted are the built-in grant and one of all that can be granted.
func granted() (*rules.Set, error) {
	all := rules.Rule{ID: "all", Priority: rules.DefaultPriority, Enabled: true, Tool: rules.EffectsTool, Effects: effects.Grantable, Decision: rules.Allow}
	return rules.Compile([]rules.Rule{all, rules.LookGrant()})
}

// judge asks the rules about a line, as a console does that has just been started.
func (w *world) judge(line string) verdict {
	input, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		return verdict{}
	}
	c := rules.Prepare(rules.Question{
		Tool: "Bash", Input: input, Agent: "claude-code", SessionID: "1", Trusted: true,
		Exists: workspace.FileExists, Matches: workspace.Matches, Special: workspace.SpecialFile,
		Place: w.place(),
	})
	a := w.rules.Judge(c, time.Now())
	v := verdict{pass: a.Verdict == rules.Allow, why: a.Reason}
	for _, e := range a.Elements {
		v.set |= e.Effects
	}
	return v
}
