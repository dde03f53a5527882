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
	argv, changed, seen := append([]string(nil), e.Argv...), false, 0
	for i, w := range argv[1:] {
		if to := c.asElsewhere(w, x.dir, e.Glob, &seen); to != w {
			argv[i+1], changed = to, true
		}
	}
	if changed {
		exact, unsure := shell.Doubts(argv)
		x.exact, x.unsure = exact, unsure
	}
}

// asElsewhere is a word of a command in which the first path that leads out of the project begins
// with a folder that says so. glob: the word may be a pattern, which stands for other words.
// seen counts the paths of a command: one that is not looked at may lead anywhere.
func (c *Call) asElsewhere(w, dir string, glob bool, seen *int) string {
	head, value := optionValue(w)
	for _, p := range listedPaths(value) {
		to := "/" + p
		if *seen++; *seen <= maxOperands {
			to = c.outside(p, dir, glob)
		}
		if to != "" {
			return head + elsewhereAt + to
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
	case strings.HasPrefix(w, "@"):
		at = 1
	}
	return w[:at], w[at:]
}

// listedPaths are the paths that a value may be meant as: the whole of it, and each part of a list,
// such as a class path. An address is none, only what is listed behind it.
func listedPaths(value string) []string {
	var paths []string
	if value != "" && !isURL(value) {
		paths = append(paths, value)
	}
	for item := range strings.SplitSeq(value, ",") {
		parts := strings.FieldsFunc(item, func(r rune) bool { return r == ':' || r == '=' })
		if isURL(item) {
			parts = parts[min(2, len(parts)):] // behind https, and //host/page
		} else if item != "" && item != value {
			paths = append(paths, item)
		}
		for _, part := range parts {
			if part != item {
				paths = append(paths, part)
			}
		}
	}
	return paths
}

// isURL reports whether a value is the address of something on another machine, and no path for
// a program that takes the .. in it for the folder above.
func isURL(value string) bool {
	scheme, rest, ok := strings.Cut(value, "://")
	return ok && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz+") == "" && scheme != "file" && !strings.Contains(rest, "..")
}

// outside is where a path leads when that is out of the project, or not known, else "". glob: it
// may be a pattern, which stands for the files that it matches too.
func (c *Call) outside(p, dir string, glob bool) string {
	abs := join(dir, p)
	switch {
	case len(p) > maxOperandName && strings.Contains(p, "/"):
		return "/" + p // too long to follow
	case abs == "", nowhere[path.Clean(abs)], strings.HasPrefix(p, "/dev/") && strings.HasPrefix(path.Clean(p), "/dev/"): // package shell knows those of /dev
		return ""
	case glob && strings.ContainsAny(p, "*?["):
		return c.patternOutside(p, abs, dir)
	case c.q.Exists == nil:
	case !strings.Contains(p, "/") && p != ".." && !c.q.Exists(abs):
		return "" // a plain word, and no link
	case !c.q.Exists("/" + firstFolder(abs)):
		return "" // no path at all, as in grep /api/v1
	}
	return c.beyond(abs)
}

// firstFolder is the name of the folder of the root in which an absolute path lies.
func firstFolder(abs string) string {
	first, _, _ := strings.Cut(path.Clean(abs)[1:], "/")
	return first
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

// patternOutside is outside for a pattern, and abs that as an absolute path.
func (c *Call) patternOutside(p, abs, dir string) string {
	start := p[:strings.LastIndexByte(p[:firstMeta(p)], '/')+1]
	if start != "" {
		if real := c.outside(start, dir, false); real != "" {
			return path.Join(real, p[len(start):])
		}
	}
	if c.q.Matches == nil {
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
