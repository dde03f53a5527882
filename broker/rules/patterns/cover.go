package patterns

import (
	"slices"
	"strings"
)

// Whether a pattern certainly fits all that another one fits. It is no whenever that takes
// more than a look at both; same says that they are written alike.

// Covers knows equal alternatives, and expressions that are written alike.
func (t *Text) Covers(b *Text, same bool) bool {
	if b.RE != nil {
		return same
	}
	return each(t.Alts, b.Alts, globCovers)
}

// globCovers knows equal globs, and a literal beginning and end with anything between: a*c
// covers abc and ab*c. Of another glob with wildcards, one with more parts covers nothing but
// its like.
func globCovers(a, b Glob) bool {
	switch {
	case slices.Equal(a, b):
		return true
	case b.Exact():
		return a.match(b[0])
	case len(a) == 2:
		return strings.HasPrefix(b[0], a[0]) && strings.HasSuffix(b[len(b)-1], a[1])
	}
	return false
}

// wordsCover knows patterns of which only the last word may stand for many. The first words
// must be the same name.
func wordsCover(a, b words, lenient bool) bool {
	if a.name == "" || a.list[0].Glob[0] != b.first(lenient) {
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
	return w.list[0].Glob[0]
}

// wordCovers: an allow rule does not let a wildcard climb out of a path, so it covers
// another path only when they are the same.
func wordCovers(a, b word, lenient bool) bool {
	if !lenient && !a.Exact() && countSlashes(a.Glob) > 0 {
		return slices.Equal(a.Glob, b.Glob)
	}
	return globCovers(a.Glob, b.Glob)
}

// Covers knows equal globs, and a folder with all below it. A refusing rule has its
// pattern in lower case, so it covers that of an allow rule only if that is too.
func (p *Path) Covers(b *Path, same bool) bool {
	if b.re != nil {
		return same
	}
	return each(p.alts, b.alts, altCovers)
}

// altCovers compares two paths that start at the same place.
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
		tree && FirstMeta(dir) == len(dir) && (pb == dir || strings.HasPrefix(pb, dir+"/"))
}

// Covers knows equal hosts and paths, and a domain with all below it.
func (p *URL) Covers(b *URL, lenient bool) bool {
	if b.re != nil {
		return false
	}
	return each(p.alts, b.alts, func(x, y urlAlt) bool {
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

// Covers does not know expressions and whole lines: for these it says no. A pattern that is
// written alike covers, but the caller sees that.
func (c *Command) Covers(b *Command, lenient bool) bool {
	return b.alts != nil && each(c.alts, b.alts, func(v, w words) bool { return wordsCover(v, w, lenient) })
}

// SomeExact reports whether one of the alternatives is exact.
func (c *Command) SomeExact() bool {
	return slices.ContainsFunc(c.alts, func(w words) bool { return w.exact })
}

// Relative reports whether the pattern has a path that starts in the project.
func (p *Path) Relative() bool {
	return p != nil && slices.ContainsFunc(p.alts, func(a pathAlt) bool { return a.from == fromProject })
}

// Second is the second word in lower case, "" when it may be several.
func (c *Command) Second() string {
	if len(c.alts) != 1 || len(c.alts[0].list) < 2 {
		return ""
	}
	w := c.alts[0].list[1]
	if !w.Exact() {
		return ""
	}
	return strings.ToLower(w.Glob[0])
}

// Programs are the names of all programs that the pattern is about, nil when it does not say
// them.
func (c *Command) Programs() []string {
	var names []string
	for _, w := range c.alts {
		if w.name == "" {
			return nil
		}
		names = append(names, w.name)
	}
	return names
}

// Alike reports whether only the very same pattern is about the same commands: it is an
// expression or a whole line.
func (c *Command) Alike() bool { return c.alts == nil }

// Sample is words that the first alternative fits: its own, and one for those at its end. ok is
// false when a wildcard stands elsewhere, and for an expression. It is for showing what a
// pattern would do, and the words are never run.
func (c *Command) Sample() (list []string, ok bool) {
	if len(c.alts) == 0 {
		return nil, false
	}
	w := &c.alts[0]
	n := w.literal()
	for _, x := range w.list[:n] {
		list = append(list, x.Glob[0])
	}
	switch rest := w.list[n:]; {
	case n == 0:
		return nil, false
	case len(rest) == 0:
		return list, true
	case len(rest) == 1 && rest[0].many:
		return append(list, "x"), true
	}
	return nil, false
}
