package patterns

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A path pattern is a glob: * and ? stay within a part of the path, ** is any number
// of folders, [a-z] a class, {a,b} alternatives as a|b is. One that begins with "/" is
// absolute, one with "~/" starts in the user's home folder, any other in the project.
// On the lenient side a pattern that begins with the part "**" starts anywhere.
//
// An allow rule is matched against where the path really leads, a refusing one against
// every way to write it, in any case of letters.

// maxBraces is how many ways to choose from the braces of a path pattern there may be:
// they are tried one after the other.
const maxBraces = 64

// base is where a path pattern starts. fromAnywhere is on the lenient side alone.
type base int

const (
	fromProject base = iota
	fromRoot
	fromHome
	fromAnywhere
)

// Path is a pattern of paths, made for one side. The zero Path fits nothing; a nil one may be
// asked only whether it is Relative.
type Path struct {
	alts    []pathAlt
	re      *regexp.Regexp
	lenient bool
	Exact   bool
}

// pathAlt is one alternative, with what saves most calls of the matcher.
type pathAlt struct {
	from    base
	pattern string // below from, as doublestar reads it; in lower case on the lenient side
	head    string // the literal text that pattern begins with, up to a "/"
	literal string // the whole path when nothing in it is a wildcard
	exact   bool
	parts   []string // of pattern
}

// ParsePath reads a pattern of paths. lenient: of a rule that does not allow. An expression
// sees the whole absolute path.
func ParsePath(s string, lenient bool) (*Path, error) {
	if body, ok := strings.CutPrefix(s, Expression); ok {
		flags := ""
		if lenient {
			flags = "(?si)"
		}
		re, err := compileRE(body, flags)
		return &Path{re: re, lenient: lenient}, err
	}
	p := &Path{lenient: lenient, Exact: true}
	for _, alt := range splitAlternatives(s) {
		a, err := parsePathAlt(alt, lenient)
		if err != nil {
			return nil, err
		}
		p.alts = append(p.alts, a)
		p.Exact = p.Exact && a.exact
	}
	return p, nil
}

// parsePathAlt reads one alternative. Another user's home is refused, as nobody here knows
// where it is.
func parsePathAlt(s string, lenient bool) (pathAlt, error) {
	var a pathAlt
	if s == "" {
		return a, errNoAlt
	}
	switch {
	case strings.HasPrefix(s, "/"):
		a.from, s = fromRoot, strings.TrimLeft(s, "/")
	case s == "~":
		a.from, s = fromHome, ""
	case strings.HasPrefix(s, "~/"):
		a.from, s = fromHome, s[2:]
	case strings.HasPrefix(s, "~"):
		return a, errors.New(`begins with another user's home; write ~/ for your own or the absolute path`)
	// A deny for "**/.env" means every such file, and not only those of a project.
	case lenient && (s == "**" || strings.HasPrefix(s, "**/")):
		a.from = fromAnywhere
	default:
		s = strings.TrimPrefix(s, "./")
	}
	if s == "." {
		s = ""
	}
	s = strings.TrimSuffix(s, "/")
	if err := checkGlob(s); err != nil {
		return a, err
	}
	if lenient {
		s = strings.ToLower(s)
	}
	a.pattern, a.parts = s, SplitPath(s)
	a.literal, a.exact = literalPath(s)
	a.head = s[:strings.LastIndexByte(s[:FirstMeta(s)], '/')+1]
	if a.exact {
		a.head = ""
	}
	return a, nil
}

// checkGlob refuses what doublestar cannot read and what could never fit a clean path. Such a
// pattern would be a rule that silently never speaks.
func checkGlob(s string) error {
	if !doublestar.ValidatePattern(s) {
		return errors.New("is no valid glob")
	}
	for _, part := range strings.Split(s, "/") {
		switch part {
		case ".", "..":
			return fmt.Errorf("has the part %q; write the path that it leads to", part)
		case "":
			if s != "" {
				return errors.New("has an empty part between two slashes")
			}
		}
	}
	// An upper bound: braces in braces are counted as if they stood side by side.
	ways, options := 1, 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			ways, options = ways*options, 1
		case ',':
			options++
		}
		if ways*options > maxBraces {
			return fmt.Errorf("has braces with more than %d choices; use several rules", maxBraces)
		}
	}
	if strings.Count(s, "{") > 6 {
		return errors.New("has more than 6 braces; use several rules")
	}
	return nil
}

// wildcards are the characters of a glob that do not stand for themselves.
const wildcards = `*?[{\`

// FirstMeta is where the first wildcard of a glob stands.
func FirstMeta(s string) int {
	if i := strings.IndexAny(s, wildcards); i >= 0 {
		return i
	}
	return len(s)
}

// literalPath takes the escapes out of a glob without wildcards; ok is false for any other.
func literalPath(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*', '?', '[', '{':
			return "", false
		case '\\':
			i++ // checkGlob saw that something follows
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

// EscapePath is the path pattern that fits path and nothing else. path is clean and absolute;
// "" gives a pattern that is refused.
func EscapePath(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if strings.IndexByte(`\*?[]{},|`, path[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// Match fits one clean absolute path. project and home are clean and absolute, or "" when there
// is none; then patterns that start there fit nothing. On the lenient side all three are in
// lower case. It does not look at the disk.
func (p *Path) Match(name, project, home string) bool {
	if p.re != nil {
		return p.re.MatchString(name)
	}
	for i := range p.alts {
		if p.alts[i].match(name, project, home) {
			return true
		}
	}
	return false
}

// match fits one alternative: first the folder that it starts in, then what is literal, and the
// matcher last.
func (a *pathAlt) match(name, project, home string) bool {
	rest, ok := "", false
	switch a.from {
	case fromProject:
		rest, ok = Within(project, name)
	case fromHome:
		rest, ok = Within(home, name)
	case fromRoot, fromAnywhere:
		rest, ok = Within("/", name)
	}
	switch {
	case !ok:
		return false
	case a.exact:
		return rest == a.literal
	case a.head != "" && !strings.HasPrefix(rest, a.head) && rest != a.head[:len(a.head)-1]:
		return false
	}
	return doublestar.MatchUnvalidated(a.pattern, rest)
}

// Within returns path as seen from dir: "" for dir itself. Both are clean and absolute. ok is
// false for an empty dir, so that a project that is not known has no files.
func Within(dir, path string) (rest string, ok bool) {
	switch {
	case dir == "":
		return "", false
	case path == dir:
		return "", true
	}
	if rest, ok = strings.CutPrefix(path, dir); ok && dir != "/" {
		rest, ok = strings.CutPrefix(rest, "/")
	}
	if !ok {
		return "", false
	}
	return rest, true
}

// Below reports whether path is dir or lies in it.
func Below(dir, path string) bool {
	_, ok := Within(dir, path)
	return ok
}
