package rules

import (
	"path"
	"strings"

	"github.com/aoctl/aoctl/broker/shell"
)

// Package shell knows the folders of a system, but neither the project nor where links lead:
// /home/me/other/x and a link in the project to it look to it like files of the project. Here
// such words are given to it as what they are, files elsewhere.

// elsewhereAt is a folder that package shell takes for no part of a project.
const elsewhereAt = "/tmp"

// wordsAreCode are programs that are given code in which slashes are no paths.
var wordsAreCode = map[string]bool{"sed": true, "gsed": true}

// readsElsewhere takes from a command what no wildcard may vouch for, should some of its
// words lead out of the project.
func (c *Call) readsElsewhere(x *elem, e *shell.Element) {
	if e.Kind != shell.Command || e.Host != "" || x.exact != "" || x.unsure != "" || c.q.Place.Project == "" || len(e.Argv) > maxOperands || len(e.Argv) < 2 {
		return
	}
	if wordsAreCode[path.Base(e.Argv[0])] {
		return
	}
	argv, changed := append([]string(nil), e.Argv...), false
	for i, w := range argv[1:] {
		if to := c.asElsewhere(w, x.dir); to != w {
			argv[i+1], changed = to, true
		}
	}
	if changed {
		exact, unsure := shell.Doubts(argv)
		x.exact, x.unsure = exact, unsure
	}
}

// asElsewhere is a word of a command in which each path that leads out of the project begins
// with a folder that says so.
func (c *Call) asElsewhere(w, dir string) string {
	if len(w) > maxOperandName || strings.Contains(w, "://") {
		return w
	}
	head, value, ok := strings.Cut(w, "=")
	switch {
	case ok && strings.HasPrefix(w, "-"):
		head += "="
	case strings.HasPrefix(w, "@"):
		head, value = "@", w[1:]
	case strings.HasPrefix(w, "-") && len(w) > 3 && w[2] == '/':
		head, value = w[:2], w[2:]
	case strings.HasPrefix(w, "-"):
		return w
	default:
		head, value = "", w
	}
	if strings.HasPrefix(value, "/") || dir != "" && strings.Contains(value, "/") || c.linked(value, dir) {
		if real := c.outside(value, dir); real != "" {
			return head + elsewhereAt + real
		}
	}
	return w
}

// linked reports whether a plain name is there, and may so be a link.
func (c *Call) linked(name, dir string) bool {
	return dir != "" && name != "" && c.q.Exists != nil && c.q.Exists(path.Join(dir, name))
}

// outside is where a path leads when that is out of the project, else "".
func (c *Call) outside(p, dir string) string {
	if strings.HasPrefix(p, elsewhereAt+"/") || strings.ContainsAny(p, "*?[{\x00") {
		return ""
	}
	abs := join(dir, p)
	first, _, _ := strings.Cut(strings.TrimPrefix(abs, "/"), "/")
	if abs == "" || nowhere[path.Clean(abs)] || c.q.Exists != nil && !c.q.Exists("/"+first) {
		return "" // no path at all, as in grep /api/v1
	}
	real := path.Clean(abs)
	if c.q.Place.Real != nil {
		var err error
		if real, err = c.q.Place.Real(abs); err != nil {
			return ""
		}
	}
	if below(c.q.Place.Project, real) || path.IsAbs(p) && strings.HasPrefix(real, "/dev/") {
		return ""
	}
	return real
}
