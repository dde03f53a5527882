package broker

import (
	"cmp"
	"path/filepath"
	"time"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// RuleReadOnly is the id of the built-in rule.
const RuleReadOnly = rules.BuiltinReadOnly

// place is where a call of this project would run.
func (b *Broker) place(project, cwd string) risk.Place {
	return workspace.PlaceOf(project, cwd, b.home, b.guarded)
}

// assess says what the rules say about a call now. What makes the rules themselves
// doubtful turns an allow into a question; a refusal stands.
func (b *Broker) assess(c *rules.Call, project string, now time.Time) rules.Assessment {
	a, _ := b.judge(c, project, now)
	return a
}

// judge is assess, with the set of rules that spoke.
func (b *Broker) judge(c *rules.Call, project string, now time.Time) (rules.Assessment, *rules.Set) {
	problem := b.projectRules(project)
	b.mu.Lock()
	doubt, set := cmp.Or(b.keeper.doubt, b.keeper.unread, b.keeper.stuck, b.notRecording()), b.keeper.set.Load()
	alarm := b.alarmed(c)
	b.mu.Unlock()
	a := set.Judge(c, now)
	switch {
	case a.Verdict != rules.Allow:
	case doubt != "":
		a = askInstead(a, "no rule may allow anything: "+doubt)
	case alarm != "":
		a = askInstead(a, alarm)
	case problem != "":
		a = askInstead(a, "the project's "+RulesFileName+" cannot be read: "+problem)
	case workspace.ChangesLinked(c):
		a = askInstead(a, "the file has another name elsewhere (a hard link), and changes under both")
	}
	return a, set
}

// askInstead takes an allow back.
func askInstead(a rules.Assessment, why string) rules.Assessment {
	a.Verdict, a.Rule, a.Rules, a.Reason = rules.Ask, "", nil, why
	return a
}

// ends reports whether a ends its call: what asks, or is put off, waits for a person.
func ends(a rules.Assessment) bool { return a.Verdict == rules.Allow || a.Verdict == rules.Deny }

// maxJudged is how often a call is judged anew because the rules change meanwhile.
const maxJudged = 20

// ruling is the end that the rules give to a call; none when a person must answer.
// With decide, what rests on rules with a number of uses spends one of each; without,
// nothing ends.
func (b *Broker) ruling(c *rules.Call, project string, decide bool) (rules.Assessment, *Outcome) {
	now := time.Now()
	for range maxJudged {
		a, set := b.judge(c, project, now)
		if !decide || !ends(a) {
			return a, nil
		}
		if !b.spend(set, a.Rules, now) {
			continue // the last use went to another call, or the rules are others by now
		}
		by := Actor{Kind: ByRule, ID: a.Rule}
		if a.Verdict == rules.Deny {
			return a, &Outcome{State: Denied, By: by, Reason: b.denyReason(a)}
		}
		return a, &Outcome{State: Allowed, By: by, Reason: a.Reason}
	}
	a := b.assess(c, project, now)
	a.Verdict, a.Rule, a.Rules, a.Reason = rules.Ask, "", nil, "the rules keep changing"
	return a, nil
}

// denyReason is what the agent is told of a rule's refusal: the operator's words when
// the rule has some.
func (b *Broker) denyReason(a rules.Assessment) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, _ := b.keeper.rule(a.Rule)
	return cmp.Or(r.Reason, a.Reason)
}

// observed says what would have happened to a call that nobody held.
func observed(a rules.Assessment) string {
	switch a.Verdict {
	case rules.Allow:
		return "the rules would have allowed it: " + a.Reason
	case rules.Deny:
		return "the rules would have denied it: " + a.Reason
	case rules.Ask, rules.Defer:
	}
	return "a person would have been asked: " + a.Reason
}

// projectOf is the folder of the project that req is about. Caller holds mu.
func (b *Broker) projectOf(req Request) string {
	if se, ok := b.sessions[req.SessionID]; ok && se.s.ProjectDir != "" {
		return se.s.ProjectDir
	}
	return folderOf(req)
}

// nowhereInside is a folder that is no project, for it is too wide.
const nowhereInside = string(filepath.Separator)

// folderOf stands in for the project of a session that has not told of one: the folder
// of the call, unless that is the model's choice, by which it would choose its project.
func folderOf(req Request) string {
	if agents.TraitsOf(req.Agent).CallFolder {
		return nowhereInside
	}
	return req.CWD
}
