package rules

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// maxPlaces is how many paths of one call are followed.
const maxPlaces = 200

// maxPath is the longest path, in bytes, that rules vouch for; systems refuse longer ones.
const maxPath = 4096

// paths follows the paths of one call, at most maxPlaces of those that somebody wrote. Each may
// cost a walk over the disk, and the agent decides how many there are.
type paths struct {
	q        *Question
	followed int
}

// located is a path that a call names. forms are all the ways in which some program may read
// it, and where these lead; an allow rule looks at real alone.
type located struct {
	given string
	abs   string // absolute and clean, as given; "" when there is no telling
	real  string // where it leads; "" when there is no telling
	odd   string // not empty: why no rule may vouch for it
	forms []string
	low   []string // forms in lower case, for refusing rules
	wide  []string // a glob in lower case, by parts, over all that a wildcard or a tree may reach; none for one file
}

// more counts one more path; false: there were too many.
func (ps *paths) more() bool {
	ps.followed++
	return ps.followed <= maxPlaces
}

// toolPlace is a path as a tool's parameter gives it. Agents expand a tilde, trim blanks and
// drop an "@" by rules of their own; a refusal holds for whatever comes out, and oddPath keeps
// allow rules away from such names.
func (ps *paths) toolPlace(given string) located {
	p := located{given: given, odd: oddPath(given)}
	ps.locate(&p, join(ps.q.Place.CWD, given))
	if rest, ok := strings.CutPrefix(strings.TrimSpace(given), "~"); ok && (rest == "" || rest[0] == '/') {
		ps.addForm(&p, join(ps.q.Place.Home, "."+rest))
	}
	if trimmed := strings.TrimSpace(given); trimmed != given {
		ps.addForm(&p, join(ps.q.Place.CWD, trimmed))
	}
	if trimmed := strings.TrimPrefix(given, "@"); trimmed != given {
		ps.addForm(&p, join(ps.q.Place.CWD, trimmed)) // some agents write a file's name so
	}
	p.finish()
	return p
}

// shellPlace is a path that a command line names, of an element that works in dir; "" for a
// folder that is not known. The shell has taken quotes and a tilde away already.
func (ps *paths) shellPlace(given, dir string) located {
	p := located{given: given, odd: oddPath(given)}
	ps.locate(&p, join(dir, given))
	p.finish()
	return p
}

// homePlace is a path of a command line that begins with an unquoted tilde.
func (ps *paths) homePlace(given string) located {
	rest := strings.TrimPrefix(given, "~")
	p := located{given: given, odd: oddPath("." + rest)}
	if ps.q.Place.Home == "" {
		p.odd = "is in a home folder that is not known"
	}
	if rest == "" || rest[0] == '/' {
		ps.locate(&p, join(ps.q.Place.Home, "."+rest))
	}
	p.finish()
	return p
}

// join makes a path absolute without cleaning it: dots after a link mean the folder above the
// link's target. It is "" when dir would be needed and is not known. An empty p is dir itself.
func join(dir, p string) string {
	switch {
	case strings.HasPrefix(p, "/"):
		return p
	case !strings.HasPrefix(dir, "/"):
		return ""
	case p == "":
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + p
}

// locate follows an absolute path. Where the folder above a link's target and the folder above
// the link differ, programs disagree, and nobody vouches. Refusing rules still get both forms.
func (ps *paths) locate(p *located, abs string) {
	if abs == "" {
		p.doubt("is relative to a folder that is not known")
		return
	}
	p.abs = path.Clean(abs)
	if len(abs) > maxPath {
		p.doubt("is too long")
		p.forms = append(p.forms, p.abs)
		return
	}
	p.real = ps.addForm(p, abs)
	if p.real == "" {
		p.doubt("leads nobody knows where")
	}
	if patterns.Climbs(abs) && ps.addForm(p, p.abs) != p.real {
		p.doubt("is read differently by different programs")
		p.real = ""
	}
}

// addForm adds a way to read the path, and where that leads, which it returns; "" when nobody
// knows. Without a Place.Real, as in tests of rules, every path leads to itself.
func (ps *paths) addForm(p *located, abs string) (real string) {
	if abs == "" || len(abs) > maxPath || strings.ContainsRune(abs, 0) {
		return ""
	}
	p.forms = append(p.forms, path.Clean(abs))
	real = path.Clean(abs)
	if ps.q.Place.Real != nil {
		var err error
		if real, err = ps.q.Place.Real(abs); err != nil || !strings.HasPrefix(real, "/") {
			return ""
		}
	}
	p.forms = append(p.forms, real)
	return real
}

// doubt keeps the first reason.
func (p *located) doubt(why string) {
	if p.odd == "" {
		p.odd = why
	}
}

// finish sorts the forms and makes them ready for rules that refuse. It comes last.
func (p *located) finish() {
	slices.Sort(p.forms)
	p.forms, p.low = slices.Compact(p.forms), nil
	for _, f := range p.forms {
		p.low = append(p.low, strings.ToLower(f))
	}
}

// temporary are the folders that anybody may fill.
var temporary = []string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"}

// leads reports whether a path leads out of the project, or of the folder that the call is in
// when there is none, to other than temporary files. What lies beside a project that is
// temporary itself is no such file. A path that leads nobody knows where leads out.
func (ps *paths) leads(p *located) bool {
	if p.real == "" {
		return true
	}
	project := cmp.Or(ps.q.Place.Project, ps.q.Place.CWD)
	return !patterns.Below(project, p.real) && !slices.ContainsFunc(temporary, func(dir string) bool {
		return patterns.Below(dir, p.real) && !patterns.Below(dir, project)
	})
}

// beyond is where an absolute path leads when that is out of the project, or not known, else
// "". Programs disagree about the folder above a link, so both count. An error counts as out.
func (ps *paths) beyond(abs string) string {
	ways := []string{abs}
	if patterns.Climbs(abs) {
		ways = append(ways, path.Clean(abs))
	}
	for _, way := range ways {
		real := path.Clean(way)
		if ps.q.Place.Real != nil {
			var err error
			if real, err = ps.q.Place.Real(way); err != nil {
				return path.Clean(abs)
			}
		}
		if !patterns.Below(ps.q.Place.Project, real) {
			return real
		}
	}
	return ""
}

// oddPath says why not everybody reads path as the same file, if so. Agents expand a
// leading "~" and trim blanks before they open a path, and some file systems fold
// characters beyond ASCII; a folder of that very name must not vouch for them.
func oddPath(p string) string {
	switch {
	case strings.HasPrefix(p, "~"):
		return "begins with a tilde, which only some programs expand"
	case strings.TrimSpace(p) != p:
		return "begins or ends with a blank, which some programs drop"
	case strings.ContainsAny(p, "$\\"):
		return "has a character that some programs expand"
	case len(p) > maxPath:
		return "is too long"
	}
	for _, r := range p {
		if r < ' ' || r >= 0x7f {
			return "has characters that file systems read differently"
		}
	}
	return ""
}
