package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/rules/patterns"
)

// maxPath is the longest path, in bytes, that rules vouch for; systems refuse longer ones.
const maxPath = 4096

// toolPlace is a path as a tool's parameter gives it.
func (c *Call) toolPlace(given string) located {
	p := located{given: given, odd: oddPath(given)}
	c.locate(&p, join(c.q.Place.CWD, given))
	if rest, ok := strings.CutPrefix(strings.TrimSpace(given), "~"); ok && (rest == "" || rest[0] == '/') {
		c.addForm(&p, join(c.q.Place.Home, "."+rest))
	}
	if trimmed := strings.TrimSpace(given); trimmed != given {
		c.addForm(&p, join(c.q.Place.CWD, trimmed))
	}
	if trimmed := strings.TrimPrefix(given, "@"); trimmed != given {
		c.addForm(&p, join(c.q.Place.CWD, trimmed)) // some agents write a file's name so
	}
	p.finish()
	return p
}

// shellPlace is a path that a command line names, of an element that works in dir.
func (c *Call) shellPlace(given, dir string) located {
	p := located{given: given, odd: oddPath(given)}
	c.locate(&p, join(dir, given))
	p.finish()
	return p
}

// homePlace is a path of a command line that begins with an unquoted tilde.
func (c *Call) homePlace(given string) located {
	rest := strings.TrimPrefix(given, "~")
	p := located{given: given, odd: oddPath("." + rest)}
	if c.q.Place.Home == "" {
		p.odd = "is in a home folder that is not known"
	}
	if rest == "" || rest[0] == '/' {
		c.locate(&p, join(c.q.Place.Home, "."+rest))
	}
	p.finish()
	return p
}

// join makes a path absolute without cleaning it: dots after a link mean the folder
// above the link's target. It is "" when dir would be needed and is not known.
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

// locate follows an absolute path. Where the folder above a link's target and the
// folder above the link differ, programs disagree, and nobody vouches.
func (c *Call) locate(p *located, abs string) {
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
	p.real = c.addForm(p, abs)
	if p.real == "" {
		p.doubt("leads nobody knows where")
	}
	if patterns.Climbs(abs) && c.addForm(p, p.abs) != p.real {
		p.doubt("is read differently by different programs")
		p.real = ""
	}
}

// addForm adds a way to read the path, and where that leads, which it returns.
func (c *Call) addForm(p *located, abs string) (real string) {
	if abs == "" || len(abs) > maxPath || strings.ContainsRune(abs, 0) {
		return ""
	}
	p.forms = append(p.forms, path.Clean(abs))
	real = path.Clean(abs)
	if c.q.Place.Real != nil {
		var err error
		if real, err = c.q.Place.Real(abs); err != nil || !strings.HasPrefix(real, "/") {
			return ""
		}
	}
	p.forms = append(p.forms, real)
	return real
}

func (p *located) doubt(why string) {
	if p.odd == "" {
		p.odd = why
	}
}

func (p *located) finish() {
	slices.Sort(p.forms)
	p.forms, p.low = slices.Compact(p.forms), nil
	for _, f := range p.forms {
		p.low = append(p.low, strings.ToLower(f))
	}
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
