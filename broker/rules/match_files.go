package rules

import "strings"

// files tries the rules about a tool that does what the element does: what a command
// line reads and writes is as if Read and Write had done it. With refusing, only rules
// that refuse are tried.
func (f *search) files(s *Set, tool string, refusing bool) {
	if h := s.tools[tool]; h != nil {
		f.tryFiles(h.whole, "", refusing)
	}
	f.tryFiles(s.wild.whole, tool, refusing)
}

func (f *search) tryFiles(list []*entry, tool string, refusing bool) {
	for _, e := range list {
		if f.passed(e) || refusing && !e.lenient || tool != "" && !e.tool.match(tool) || !e.live(f.c, f.now) {
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

// overlaps reports whether a wildcard or a folder on the command line may reach files
// of a refusing rule. For a rule that asks or defers that is a match, for a deny rule a reason to ask:
// "rm *" is refused only if it says so, and not let through either.
func (f *search) overlaps(e *entry, p *pathPattern) bool {
	wide := f.x.path.wide
	if !e.lenient || len(wide) == 0 || !p.mayMeet(wide, e.start(f.c, 1), f.c.home[1]) {
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

// mayMeet reports whether some path fits both p and the absolute glob wide. It may say
// yes for globs that do not meet, never no for ones that do.
func (p *pathPattern) mayMeet(wide []string, project, home string) bool {
	if p.re != nil {
		return true
	}
	for i := range p.alts {
		a := &p.alts[i]
		from := ""
		switch a.from {
		case fromProject:
			from = project
		case fromHome:
			from = home
		case fromRoot, fromAnywhere:
			from = "/"
		}
		if from != "" && a.mayMeet(wide, from) {
			return true
		}
	}
	return false
}

// maxParts is the depth to which globs are compared; deeper ones are taken to meet.
const maxParts = 64

// reach says, for each number of parts of a glob, whether the parts of the other one
// that were looked at so far may be just those.
type reach [maxParts + 1]bool

// mayMeet compares two globs part by part, the first parts of its own being those of
// the folder that it starts in.
func (a *pathAlt) mayMeet(wide []string, from string) bool {
	if len(wide) > maxParts {
		return true
	}
	var r reach
	r[0] = true
	r.skip(wide)
	for rest := strings.Trim(from, "/"); rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		r.next(wide, part, true)
	}
	for _, part := range a.parts {
		if part == "**" {
			r.any(wide)
		} else {
			r.next(wide, part, false)
		}
	}
	return r[len(wide)]
}

// skip goes on over each ** that stands for no part.
func (r *reach) skip(wide []string) {
	for j, part := range wide {
		if r[j] && part == "**" {
			r[j+1] = true
		}
	}
}

// any goes on by any number of parts.
func (r *reach) any(wide []string) {
	for j := range wide {
		r[j+1] = r[j+1] || r[j]
	}
}

// next goes on by one part, which is a name or a glob.
func (r *reach) next(wide []string, part string, literal bool) {
	var n reach
	for j, other := range wide {
		switch {
		case !r[j]:
		case other == "**":
			n[j] = true
		case literal && !strings.ContainsAny(other, wildcards):
			n[j+1] = other == part
		default:
			n[j+1] = partsMeet(part, other)
		}
	}
	*r = n
	r.skip(wide)
}

// partsMeet compares two globs of one part by the literal texts at their ends.
func partsMeet(a, b string) bool {
	if !strings.ContainsAny(a, wildcards) && !strings.ContainsAny(b, wildcards) {
		return a == b
	}
	return headsMeet(literalHead(a), literalHead(b)) && tailsMeet(literalTail(a), literalTail(b))
}

func headsMeet(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }
func tailsMeet(a, b string) bool { return strings.HasSuffix(a, b) || strings.HasSuffix(b, a) }

func literalHead(s string) string { return s[:firstMeta(s)] }

// literalTail is what surely ends every text that a glob fits.
func literalTail(s string) string {
	if strings.ContainsAny(s, `\[{`) {
		return ""
	}
	return s[strings.LastIndexAny(s, "*?")+1:]
}
