package patterns

import "strings"

// MayMeet reports whether some path fits both p and the absolute glob wide. It may say yes for
// globs that do not meet, never no for ones that do. wide is in lower case, by parts; project
// and home as in Match. It takes no memory, as it is asked for each rule and each path.
func (p *Path) MayMeet(wide []string, project, home string) bool {
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

// reach says, for each number of parts of a glob, whether the parts of the other one that were
// looked at so far may be just those. It is the row of a table that is filled part by part.
type reach [maxParts + 1]bool

// mayMeet compares two globs part by part, the first parts of its own being those of the folder
// that it starts in. src/** and /p/*.go do not meet for a project in /p, src/** and /p/** do.
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
			n[j+1] = PartsMeet(part, other)
		}
	}
	*r = n
	r.skip(wide)
}

// PartsMeet compares two globs of one part by the literal texts at their ends. What is between
// wildcards is not looked at, so it says yes too often.
func PartsMeet(a, b string) bool {
	if !strings.ContainsAny(a, wildcards) && !strings.ContainsAny(b, wildcards) {
		return a == b
	}
	return headsMeet(literalHead(a), literalHead(b)) && tailsMeet(literalTail(a), literalTail(b))
}

// headsMeet and tailsMeet: two literal ends agree when one is part of the other.
func headsMeet(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }
func tailsMeet(a, b string) bool { return strings.HasSuffix(a, b) || strings.HasSuffix(b, a) }

func literalHead(s string) string { return s[:FirstMeta(s)] }

// literalTail is what surely ends every text that a glob fits.
func literalTail(s string) string {
	if strings.ContainsAny(s, `\[{`) {
		return ""
	}
	return s[strings.LastIndexAny(s, "*?")+1:]
}

// SplitPath cuts an absolute path or glob into its parts; nil for the root.
func SplitPath(p string) []string {
	if p = strings.Trim(p, "/"); p == "" {
		return nil
	}
	return strings.Split(p, "/")
}
