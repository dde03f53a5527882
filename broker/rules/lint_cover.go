package rules

import (
	"slices"
	"strings"
)

// covers reports whether a certainly speaks about every call that b speaks about. It
// says no whenever that takes more than a look at the patterns.
func covers(a, b *entry) bool {
	return outlives(&a.rule, &b.rule) && scopeCovers(a, b) &&
		textCovers(a.tool, b.tool, a.rule.Tool == b.rule.Tool) &&
		condsCover(a, b) && partsCover(a, b) && vouchesFor(a, b)
}

// outlives: nothing but a person ends a before b.
func outlives(a, b *Rule) bool {
	return a.MaxUses == 0 && (a.ExpiresAt.IsZero() || !b.ExpiresAt.IsZero() && !a.ExpiresAt.Before(b.ExpiresAt))
}

func scopeCovers(a, b *entry) bool {
	sa, sb := &a.rule.Scope, &b.rule.Scope
	if sa.Project != sb.Project && (a.startsInProject() || b.startsInProject()) {
		return false // the same pattern means other files
	}
	return (sa.Session == "" || sa.Session == sb.Session) && (sa.Agent == "" || sa.Agent == sb.Agent) &&
		(sa.Project == "" || below(sa.Project, sb.Project))
}

// startsInProject reports whether a path pattern of the rule is relative.
func (e *entry) startsInProject() bool {
	relative := func(p *pathPattern) bool {
		return p != nil && slices.ContainsFunc(p.alts, func(a pathAlt) bool { return a.from == fromProject })
	}
	return relative(e.read) || relative(e.write) || slices.ContainsFunc(e.conds, func(c cond) bool { return relative(c.path) })
}

// vouchesFor: among allow rules, an exact one may speak about calls that one with
// wildcards must leave to a person, and one that names a parameter about calls with
// that parameter.
func vouchesFor(a, b *entry) bool {
	if a.lenient {
		return true
	}
	if b.rule.Dangerous && !a.rule.Dangerous || len(a.conds) != len(b.conds) || a.parts != b.parts {
		return false
	}
	exact := b.exact() || b.command != nil && (b.command.exact || slices.ContainsFunc(b.command.alts, func(w words) bool { return w.exact }))
	return !exact || sameRule(&a.rule, &b.rule) || a.exact()
}

// condsCover: every condition of a is one that b makes too.
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
		return pathCovers(a.path, b.path, same)
	case a.url != nil:
		return same || urlCovers(a.url, b.url, lenient)
	}
	return textCovers(a.text, b.text, same)
}

// partsCover compares what the rules say about parts of command lines.
func partsCover(a, b *entry) bool {
	switch {
	case a.parts == 0:
		return true
	case a.parts != 1 || b.parts != 1:
		return sameRule(&a.rule, &b.rule)
	case a.command != nil && b.command != nil:
		return a.commandKey == b.commandKey && commandCovers(a, b)
	case a.read != nil && b.read != nil:
		return pathCovers(a.read, b.read, a.rule.Where[readKey] == b.rule.Where[readKey])
	case a.write != nil && b.write != nil:
		return pathCovers(a.write, b.write, a.rule.Where[writeKey] == b.rule.Where[writeKey])
	case a.assign != nil && b.assign != nil:
		return textCovers(a.assign, b.assign, a.rule.Where[assignKey] == b.rule.Where[assignKey])
	}
	return false
}

func textCovers(a, b *text, same bool) bool {
	if b.re != nil {
		return same
	}
	return each(a.alts, b.alts, globCovers)
}

// globCovers knows equal globs, and a literal beginning and end with anything between.
func globCovers(a, b glob) bool {
	switch {
	case slices.Equal(a, b):
		return true
	case b.exact():
		return a.match(b[0])
	case len(a) == 2:
		return strings.HasPrefix(b[0], a[0]) && strings.HasSuffix(b[len(b)-1], a[1])
	}
	return false
}

func commandCovers(a, b *entry) bool {
	pa, pb := a.rule.Where[a.commandKey], b.rule.Where[b.commandKey]
	if pa == pb {
		return true
	}
	if b.command.alts == nil {
		return false // an expression or a whole line
	}
	return each(a.command.alts, b.command.alts, func(v, w words) bool { return wordsCover(v, w, a.lenient) })
}

// wordsCover knows patterns of which only the last word may stand for many.
func wordsCover(a, b words, lenient bool) bool {
	if a.name == "" || a.list[0].glob[0] != b.first(lenient) {
		return false
	}
	for i, w := range a.list {
		if w.many {
			return i == len(a.list)-1
		}
		if i >= len(b.list) || b.list[i].many || i > 0 && !wordCovers(w, b.list[i], lenient) {
			return false
		}
	}
	return len(a.list) == len(b.list)
}

// first is the literal name of the program as the other side has it, "" for a wildcard.
func (w *words) first(lenient bool) string {
	switch {
	case w.name == "":
		return ""
	case lenient:
		return w.name
	}
	return w.list[0].glob[0]
}

// wordCovers: an allow rule does not let a wildcard climb out of a path, so it covers
// another path only when they are the same.
func wordCovers(a, b word, lenient bool) bool {
	if !lenient && !a.exact() && countSlashes(a.glob) > 0 {
		return slices.Equal(a.glob, b.glob)
	}
	return globCovers(a.glob, b.glob)
}

// pathCovers knows equal globs, and a folder with all below it. A refusing rule has its
// pattern in lower case, so it covers that of an allow rule only if that is too.
func pathCovers(a, b *pathPattern, same bool) bool {
	if b.re != nil {
		return same
	}
	return each(a.alts, b.alts, altCovers)
}

func altCovers(a, b pathAlt) bool {
	pb := b.pattern
	if a.from == fromAnywhere && (a.pattern == "**" || a.pattern == pb) {
		return true
	}
	if a.from != b.from {
		return false
	}
	dir, tree := strings.CutSuffix(a.pattern, "/**")
	return a.pattern == "**" || a.pattern == pb ||
		tree && firstMeta(dir) == len(dir) && (pb == dir || strings.HasPrefix(pb, dir+"/"))
}

func urlCovers(a, b *urlPattern, lenient bool) bool {
	if b.re != nil {
		return false
	}
	return each(a.alts, b.alts, func(x, y urlAlt) bool {
		return x.whole == "" && y.whole == "" && (lenient || x.scheme == "" || x.scheme == y.scheme) &&
			(x.sub == y.sub && slices.Equal(x.host, y.host) || !y.sub && globCovers(x.host, y.host)) &&
			(x.path == "**" || x.path == y.path)
	})
}

// each reports whether every alternative of b is covered by one of a, which has none when it is
// an expression.
func each[T any](a, b []T, covers func(a, b T) bool) bool {
	for i := range b {
		found := false
		for j := 0; j < len(a) && !found; j++ {
			found = covers(a[j], b[i])
		}
		if !found {
			return false
		}
	}
	return true
}
