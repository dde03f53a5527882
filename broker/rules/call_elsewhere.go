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
	if e.Kind != shell.Command || e.Host != "" || x.exact != "" || x.unsure != "" || c.q.Place.Project == "" || len(e.Argv) < 2 {
		return
	}
	if wordsAreCode[path.Base(e.Argv[0])] {
		return
	}
	argv, changed := append([]string(nil), e.Argv...), false
	for i, w := range argv[1:] {
		if to := c.asElsewhere(w, x.dir, e.Glob, i >= maxOperands); to != w {
			argv[i+1], changed = to, true
		}
	}
	if changed {
		exact, unsure := shell.Doubts(argv)
		x.exact, x.unsure = exact, unsure
	}
}

// asElsewhere is a word of a command in which each path that leads out of the project begins
// with a folder that says so. glob: the word may be a pattern, which stands for other words.
// unseen: where it leads is not looked at, as of a word that is too long, so that it may lead
// anywhere.
func (c *Call) asElsewhere(w, dir string, glob, unseen bool) string {
	head, value := optionValue(w)
	glob = glob && strings.ContainsAny(value, "*?[")
	switch {
	case value == "", isURL(value):
		return w
	case unseen, len(w) > maxOperandName && strings.Contains(value, "/"):
		return head + elsewhereAt + "/" + value
	case glob:
		if real := c.patternOutside(value, dir); real != "" {
			return head + elsewhereAt + real
		}
	case strings.HasPrefix(value, "/"), dir != "" && strings.Contains(value, "/"), c.linked(value, dir):
		if real := c.outside(value, dir); real != "" {
			return head + elsewhereAt + real
		}
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ':' || r == ',' || r == '=' }) { // a list, such as a class path
		real := ""
		switch {
		case strings.HasPrefix(part, elsewhereAt+"/"):
			real = c.beyond(part)
		case strings.HasPrefix(part, "/"), strings.HasPrefix(part, ".."):
			real = c.outside(part, dir)
		}
		if real != "" {
			return head + elsewhereAt + real
		}
	}
	return w
}

// optionValue cuts a word behind an option's name, or behind the sign before the name of a file
// with options. A value stands right behind the name only where the name is that of short
// options and the value begins as a path that leads out of a folder does.
func optionValue(w string) (head, value string) {
	const letters = 4 // of short options, with the dash
	at := 0
	switch {
	case strings.HasPrefix(w, "-"):
		equals, root, up := strings.IndexByte(w, '='), strings.IndexByte(w, '/'), strings.Index(w, "..")
		switch {
		case up > 0 && up <= letters && (root < 0 || up < root):
			at = up
		case root > 0 && root <= letters:
			at = root
		case equals > 0:
			at = equals + 1
		default:
			at = len(w)
		}
	case strings.HasPrefix(w, "@"), strings.HasPrefix(w, "+"):
		at = 1
	}
	return w[:at], w[at:]
}

// isURL reports whether a value is the address of something on another machine, and no path for
// a program that takes the .. in it for the folder above.
func isURL(value string) bool {
	scheme, rest, ok := strings.Cut(value, "://")
	return ok && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz+") == "" && scheme != "file" && !strings.Contains(rest, "..")
}

// linked reports whether a plain name is there, and may so be a link.
func (c *Call) linked(name, dir string) bool {
	return dir != "" && c.q.Exists != nil && c.q.Exists(path.Join(dir, name))
}

// outside is where a path leads when that is out of the project, or not known, else "".
func (c *Call) outside(p, dir string) string {
	abs := join(dir, p)
	first, _, _ := strings.Cut(strings.TrimPrefix(abs, "/"), "/")
	if strings.HasPrefix(p, elsewhereAt+"/") || abs == "" || nowhere[path.Clean(abs)] || c.q.Exists != nil && !c.q.Exists("/"+first) {
		return "" // no path at all, as in grep /api/v1
	}
	if real := c.beyond(abs); !path.IsAbs(p) || !strings.HasPrefix(real, "/dev/") {
		return real
	}
	return ""
}

// beyond is where an absolute path leads when that is out of the project, or not known, else "".
func (c *Call) beyond(abs string) string {
	real := path.Clean(abs)
	if c.q.Place.Real != nil {
		var err error
		if real, err = c.q.Place.Real(abs); err != nil {
			return path.Clean(abs)
		}
	}
	if below(c.q.Place.Project, real) {
		return ""
	}
	return real
}

// patternOutside is where a pattern leads, or one of the files that it matches, when that is out
// of the project, or not known, else "".
func (c *Call) patternOutside(p, dir string) string {
	start := p[:strings.LastIndexByte(p[:firstMeta(p)], '/')+1]
	if start != "" {
		if real := c.outside(start, dir); real != "" {
			return path.Join(real, p[len(start):])
		}
	}
	abs := join(dir, p)
	if abs == "" || c.q.Matches == nil {
		return ""
	}
	matches, all := c.q.Matches(abs)
	if !all {
		return abs
	}
	for _, m := range matches {
		if real := c.beyond(m); real != "" {
			return real
		}
	}
	return ""
}
