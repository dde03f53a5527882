package broker

import (
	"path/filepath"
	"slices"

	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
)

// RuleReadOnly is the id of the built-in rule.
const RuleReadOnly = rules.BuiltinReadOnly

// AskInstead takes an allow back. The class of danger and what was found stay; only who decides
// changes. The rules that had spoken are cleared, so none of them counts a use.
func AskInstead(a rules.Assessment, why string) rules.Assessment {
	a.Verdict, a.Rule, a.Rules, a.Reason = rules.Ask, "", nil, why
	return a
}

// EndsCall reports whether a ends its call: what asks, or is put off, waits for a person.
func EndsCall(a rules.Assessment) bool { return a.Verdict == rules.Allow || a.Verdict == rules.Deny }

// Ruled is the end that a gives to a call, where it ends it. denyReason is what its agent is told of
// a refusal.
func Ruled(a rules.Assessment, denyReason string) *Outcome {
	by := Actor{Kind: ByRule, ID: a.Rule}
	if a.Verdict == rules.Deny {
		return &Outcome{State: Denied, By: by, Reason: denyReason}
	}
	return &Outcome{State: Allowed, By: by, Reason: a.Reason}
}

// ObservedReason says what would have happened to a call that nobody held. It is recorded as the
// reason of a call that passed while aoctl only observed, so that a person can see what rules
// would do before they count.
func ObservedReason(a rules.Assessment) string {
	switch a.Verdict {
	case rules.Allow:
		return "the rules would have allowed it: " + a.Reason
	case rules.Deny:
		return "the rules would have denied it: " + a.Reason
	case rules.Ask, rules.Defer:
	}
	return "a person would have been asked: " + a.Reason
}

// nowhereInside is a folder that is no project, for it is too wide.
const nowhereInside = string(filepath.Separator)

// FolderOf stands in for the project of a session that has not told of one: the folder
// of the call, unless that is the model's choice, by which it would choose its project.
func FolderOf(req Request) string {
	if agents.TraitsOf(req.Agent).CallFolder {
		return nowhereInside
	}
	return req.CWD
}

// Speaks reports whether a ends its call, and rule id is one that speaks. With several rules of
// one verdict all of them speak, since one that has few uses must count each.
func Speaks(a rules.Assessment, id string) bool {
	return EndsCall(a) && (a.Rule == id || slices.Contains(a.Rules, id))
}
