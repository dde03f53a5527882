package service

import (
	"cmp"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

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
		a = broker.AskInstead(a, "no rule may allow anything: "+doubt)
	case alarm != "":
		a = broker.AskInstead(a, alarm)
	case problem != "":
		a = broker.AskInstead(a, "the project's "+RulesFileName+" cannot be read: "+problem)
	case workspace.ChangesLinked(c):
		a = broker.AskInstead(a, "the file has another name elsewhere (a hard link), and changes under both")
	}
	return a, set
}

// maxJudged is how often a call is judged anew because the rules change meanwhile.
const maxJudged = 20

// ruling is the end that the rules give to a call; none when a person must answer.
// With decide, what rests on rules with a number of uses spends one of each; without,
// nothing ends.
func (b *Broker) ruling(c *rules.Call, project string, decide bool) (rules.Assessment, *broker.Outcome) {
	now := time.Now()
	for range maxJudged {
		a, set := b.judge(c, project, now)
		if !decide || !broker.EndsCall(a) {
			return a, nil
		}
		if !b.spend(set, a.Rules, now) {
			continue // the last use went to another call, or the rules are others by now
		}
		by := broker.Actor{Kind: broker.ByRule, ID: a.Rule}
		if a.Verdict == rules.Deny {
			return a, &broker.Outcome{State: broker.Denied, By: by, Reason: b.denyReason(a)}
		}
		return a, &broker.Outcome{State: broker.Allowed, By: by, Reason: a.Reason}
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

// projectOf is the folder of the project that req is about. Caller holds mu.
func (b *Broker) projectOf(req broker.Request) string {
	if se, ok := b.sessions[req.SessionID]; ok && se.s.ProjectDir != "" {
		return se.s.ProjectDir
	}
	return broker.FolderOf(req)
}
