package rules

import "github.com/aoctl/aoctl/broker/rules/patterns"

// files tries the rules about a tool that does what the element does: what a command line reads
// and writes is as if Read and Write had done it. With refusing, only rules that refuse are
// tried: an Edit that is allowed says nothing about a shell that writes the file anew.
func (f *search) files(s *Set, tool string, refusing bool) {
	if h := s.tools[tool]; h != nil {
		f.tryFiles(h.whole, "", refusing)
	}
	f.tryFiles(s.wild.whole, tool, refusing)
}

// tryFiles tries such rules. tool is "" where the rules are about that very tool.
func (f *search) tryFiles(list []*entry, tool string, refusing bool) {
	for _, e := range list {
		if f.passed(e) || refusing && !e.lenient || tool != "" && !e.tool.Match(tool) || !e.live(f.c, f.now) {
			continue
		}
		if f.fitsFile(e) && f.eligible(e) {
			f.take(e)
		}
	}
}

// fitsFile matches the path alone. A rule about the tool as a whole vouches for no
// file of a command line, but refuses all that are files at all.
func (f *search) fitsFile(e *entry) bool {
	switch len(e.conds) {
	case 0:
		return e.lenient && !f.x.neutral
	case 1:
		// A second condition would be about a parameter that a line does not have.
		d := &e.conds[0]
		return d.key == pseudoParam && (e.matchPath(d.path, f.x.path, f.c) || f.overlaps(e, d.path))
	}
	return false
}

// reaches is overlaps for rules about parts of the line.
func (f *search) reaches(e *entry) bool {
	return e.read != nil && f.x.kind == "read" && f.overlaps(e, e.read) ||
		e.write != nil && f.x.kind == "write" && f.overlaps(e, e.write)
}

// overlaps reports whether a wildcard or a folder on the command line may reach files of a
// refusing rule. For a rule that asks or defers that is a match, for a deny rule a reason to
// ask: "rm *" is refused only if it says so, and not let through either. The deny rule that
// comes first is the one that is told.
func (f *search) overlaps(e *entry, p *patterns.Path) bool {
	wide := f.x.path.wide
	if !e.lenient || len(wide) == 0 || !p.MayMeet(wide, e.start(f.c, 1), f.c.roots.home[1]) {
		return false
	}
	if e.rule.Decision == Ask || e.rule.Decision == Defer {
		return true
	}
	if f.maybe == nil || e.rank < f.maybe.rank {
		f.maybe = e
	}
	return false
}
