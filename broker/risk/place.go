package risk

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

// target is a path of a call, in all the ways in which it can be read.
type target struct {
	given string   // absolute and clean; "" when the folder it starts in is not known
	reals []string // where given leads; two when a .. comes after a link, none when it cannot be said
	lost  bool     // the folder it starts in, or where it leads, is not known
	rel   bool     // as given it starts in a folder, not in the root
	glob  bool     // some of its names are patterns
	forms []pathtable.Form
}

// spot is where a path of a call is written.
type spot struct {
	dir   string // the folder that it starts in, absolute; "" when not known
	tilde bool   // a leading tilde stands for the home folder
	glob  bool
	entry bool // the folder's entry is meant, not what a link of that name leads to
}

// maxFollowed caps how many paths of one call are followed on the disk.
const maxFollowed = 2000

// resolve reads p, which starts in s.
func (j *judge) resolve(p string, s spot) target {
	t := target{glob: s.glob && pathtable.HasGlob(p), rel: !path.IsAbs(p)}
	full := "" // not cleaned: after a link, .. leads elsewhere than the text says
	switch {
	case s.tilde && (p == "~" || strings.HasPrefix(p, "~/")):
		t.rel = false
		if j.at.Home != "" {
			full = j.at.Home + p[1:]
		}
	case path.IsAbs(p):
		full = p
	case s.tilde && strings.HasPrefix(p, "~"): // another user's home: not known
	case s.dir != "":
		full = s.dir + "/" + p
	}
	if full == "" {
		t.lost = true
		t.forms = []pathtable.Form{j.looseForm(p, t.glob)}
		return t
	}
	t.given = path.Clean(full)
	t.forms = []pathtable.Form{j.newForm(t.given, t.glob)}
	j.followBoth(&t, full, s.entry)
	return t
}

// followBoth fills in where t leads, as the disk walks the path and as its text reads.
func (j *judge) followBoth(t *target, full string, entry bool) {
	walked, ok := j.follow(full, t.glob, entry)
	read, ok2 := walked, ok
	if strings.Contains(full+"/", "/../") {
		read, ok2 = j.follow(t.given, t.glob, entry)
	}
	t.lost = !ok || !ok2
	for _, r := range []string{walked, read} {
		if r != "" && !slices.Contains(t.reals, r) {
			t.reals = append(t.reals, r)
			if r != t.given {
				t.forms = append(t.forms, j.newForm(r, t.glob))
			}
		}
	}
}

// follow says where an absolute path leads: of a pattern, its folder without
// wildcards; of an entry, the folder that it is in.
func (j *judge) follow(p string, glob, entry bool) (string, bool) {
	head, tail := p, ""
	if i := strings.LastIndexByte(p, '/'); entry && p[i+1:] != "" && p[i+1:] != ".." {
		head, tail = p[:i], p[i:]
	}
	if i := strings.IndexAny(p, "*?[{"); glob && i >= 0 {
		i = strings.LastIndexByte(p[:i], '/')
		head, tail = p[:i], p[i:]
	}
	real, ok := j.real(head)
	if !ok || strings.Contains(tail+"/", "/../") {
		return "", false
	}
	return path.Join(real, tail), true
}

// real asks the place where a path leads, each path once.
func (j *judge) real(p string) (string, bool) {
	if p == "" {
		p = "/"
	}
	if j.at.Real == nil {
		return p, true
	}
	if r, ok := j.followed[p]; ok {
		return r, r != ""
	}
	if len(j.followed) >= maxFollowed || strings.ContainsRune(p, 0) {
		j.lost = true
		return "", false
	}
	r, err := j.at.Real(p)
	if err != nil || !path.IsAbs(r) {
		r, j.lost = "", true
	}
	j.followed[p] = r
	return r, r != ""
}

func (j *judge) newForm(p string, glob bool) pathtable.Form {
	f := pathtable.Form{Names: pathtable.Split(p), Root: true, Home: -1, Glob: glob}
	if j.at.Home != "" && len(f.Names) > len(j.home) && pathtable.SamePrefix(j.home, f.Names) {
		f.Home = len(j.home)
		return f
	}
	switch {
	case len(f.Names) > 1 && f.Names[0] == "root":
		f.Home = 1
	case len(f.Names) > 2 && (f.Names[0] == "home" || f.Names[0] == "users"):
		f.Home = 2
	}
	return f
}

// looseForm is the form of a path that starts nobody knows where.
func (j *judge) looseForm(p string, glob bool) pathtable.Form {
	f := pathtable.Form{Names: pathtable.Split(path.Clean("/" + p)), Home: -1, Loose: true, Glob: glob}
	if strings.HasPrefix(p, "~") && len(f.Names) > 1 {
		f.Names, f.Home, f.Loose = f.Names[1:], 0, false
	}
	return f
}

// below reports whether p is dir or lies in it. Both are clean absolute paths.
func below(dir, p string) bool {
	return dir != "" && (p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/"))
}

// inProject reports whether t leads below the project's folder, however it is read.
func (j *judge) inProject(t target) bool {
	return t.within(func(p string) bool { return below(j.at.Project, p) })
}

// within reports whether where t leads is known and all of it is fine.
func (t target) within(fine func(string) bool) bool {
	for _, r := range t.reals {
		if !fine(r) {
			return false
		}
	}
	return !t.lost && len(t.reals) > 0
}

// temporary are folders for things that nobody keeps.
var temporary = []string{
	"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm",
}

func inTemporary(p string) bool {
	for _, dir := range temporary {
		if below(dir, p) {
			return true
		}
	}
	return false
}
