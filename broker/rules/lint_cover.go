package rules

import (
	"slices"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// covers reports whether a certainly speaks about every call that b speaks about. It says no
// whenever that takes more than a look at the patterns: a wrong yes would tell somebody to
// delete a rule that is needed.
func covers(a, b *entry) bool {
	return outlives(&a.rule, &b.rule) && scopeCovers(a, b) &&
		effectsCover(a.rule.Effects, b.rule.Effects) && a.tool.Covers(b.tool, a.rule.Tool == b.rule.Tool) &&
		condsCover(a, b) && partsCover(a, b) && vouchesFor(a, b)
}

// effectsCover: rules about effects are compared with each other alone. One that refuses speaks where a
// call has any of its effects, one that allows where they are part of what is granted; in both a
// rule with more of them speaks wherever one with fewer does.
func effectsCover(a, b effects.Set) bool { return (a == 0) == (b == 0) && b.Within(a) }

// outlives: nothing but a person ends a before b. A rule with a number of uses may end at any
// call.
func outlives(a, b *Rule) bool {
	return a.MaxUses == 0 && (a.ExpiresAt.IsZero() || !b.ExpiresAt.IsZero() && !a.ExpiresAt.Before(b.ExpiresAt))
}

// scopeCovers: an empty scope covers all, and a project those below it.
func scopeCovers(a, b *entry) bool {
	sa, sb := &a.rule.Scope, &b.rule.Scope
	if sa.Project != sb.Project && (a.startsInProject() || b.startsInProject()) {
		return false // the same pattern means other files
	}
	return (sa.Session == "" || sa.Session == sb.Session) && (sa.Agent == "" || sa.Agent == sb.Agent) &&
		(sa.Project == "" || patterns.Below(sa.Project, sb.Project))
}

// startsInProject reports whether a path pattern of the rule is relative.
func (e *entry) startsInProject() bool {
	return e.read.Relative() || e.write.Relative() || slices.ContainsFunc(e.conds, func(c cond) bool { return c.path.Relative() })
}

// vouchesFor: among allow rules, an exact one may speak about calls that one with wildcards
// must leave to a person, and one that names a parameter about calls with that parameter. So
// "npm *" does not cover "npm install x", although its words fit.
func vouchesFor(a, b *entry) bool {
	if a.lenient {
		return true
	}
	if b.rule.Dangerous && !a.rule.Dangerous || len(a.conds) != len(b.conds) || a.parts != b.parts {
		return false
	}
	exact := b.exact() || b.command != nil && (b.command.Exact || b.command.SomeExact())
	return !exact || sameRule(&a.rule, &b.rule) || a.exact()
}

// condsCover: every condition of a is one that b makes too. A condition that only b makes
// narrows b.
func condsCover(a, b *entry) bool {
	for _, ca := range a.conds {
		i := slices.IndexFunc(b.conds, func(cb cond) bool { return cb.key == ca.key })
		if i < 0 || !condCovers(ca, b.conds[i], a.lenient, a.rule.Where[ca.key] == b.rule.Where[ca.key]) {
			return false
		}
	}
	return true
}

// condCovers compares patterns over one parameter, which are of one kind.
func condCovers(a, b cond, lenient, same bool) bool {
	switch {
	case a.path != nil:
		return a.path.Covers(b.path, same)
	case a.url != nil:
		return same || a.url.Covers(b.url, lenient)
	}
	return a.text.Covers(b.text, same)
}

// partsCover compares what the rules say about parts of command lines. Rules with several parts
// are only compared as texts: which part of a line meets which is not seen in the patterns.
func partsCover(a, b *entry) bool {
	switch {
	case a.parts == 0:
		return true
	case a.parts != 1 || b.parts != 1:
		return sameRule(&a.rule, &b.rule)
	case a.command != nil && b.command != nil:
		return a.commandKey == b.commandKey && commandCovers(a, b)
	case a.read != nil && b.read != nil:
		return a.read.Covers(b.read, a.rule.Where[readKey] == b.rule.Where[readKey])
	case a.write != nil && b.write != nil:
		return a.write.Covers(b.write, a.rule.Where[writeKey] == b.rule.Where[writeKey])
	case a.assign != nil && b.assign != nil:
		return a.assign.Covers(b.assign, a.rule.Where[assignKey] == b.rule.Where[assignKey])
	}
	return false
}

// commandCovers: equal texts need no look at the patterns.
func commandCovers(a, b *entry) bool {
	return a.rule.Where[a.commandKey] == b.rule.Where[b.commandKey] || a.command.Covers(b.command, a.lenient)
}
