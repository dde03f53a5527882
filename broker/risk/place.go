package risk

import (
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/pathtable"
)

// target is a path of a call, in all the ways in which it can be read. It is made by resolve;
// forms are never empty.
type target struct {
	given string   // absolute and clean; "" when the folder it starts in is not known
	reals []string // where given leads; two when a .. comes after a link, none when it cannot be said
	lost  bool     // the folder it starts in, or where it leads, is not known
	rel   bool     // as given it starts in a folder, not in the root
	glob  bool     // some of its names are patterns
	forms []pathtable.Form
}

// spot is where a path of a call is written, and how it is meant there. The zero spot is for
// absolute paths.
type spot struct {
	dir   string // the folder that it starts in, absolute; "" when not known
	tilde bool   // a leading tilde stands for the home folder
	glob  bool
	entry bool // the folder's entry is meant, not what a link of that name leads to
}

// resolver says where the paths of one call lead, and which files are guarded. It belongs to
// one judgement and remembers what it asked, so that one call sees one state of the disk.
type resolver struct {
	at       Place
	project  []string // folded names of at.Project
	blank    []int    // of these, what mask blanks
	home     []string // folded names of at.Home
	own      [][]string
	followed map[string]string
	lost     bool // some path could not be followed
}

func newResolver(at Place) *resolver {
	project := pathtable.Split(at.Project)
	return &resolver{at: at, project: project, blank: agentFolders(project), home: pathtable.Split(at.Home), own: ownPaths(at), followed: map[string]string{}}
}

// maxFollowed caps how many paths of one call are followed on the disk.
const maxFollowed = 2000

// resolve reads p, which starts in s. It never fails: a path that cannot be followed is lost,
// and has the forms of its text. A lost path is never inside the project.
func (r *resolver) resolve(p string, s spot) target {
	t := target{glob: s.glob && pathtable.HasGlob(p), rel: !path.IsAbs(p)}
	full := "" // not cleaned: after a link, .. leads elsewhere than the text says
	switch {
	case s.tilde && (p == "~" || strings.HasPrefix(p, "~/")):
		t.rel = false
		if r.at.Home != "" {
			full = r.at.Home + p[1:]
		}
	case path.IsAbs(p):
		full = p
	case s.tilde && strings.HasPrefix(p, "~"): // another user's home: not known
	case s.dir != "":
		full = s.dir + "/" + p
	}
	if full == "" {
		t.lost = true
		t.forms = []pathtable.Form{r.looseForm(p, t.glob)}
		return t
	}
	t.given = path.Clean(full)
	t.forms = []pathtable.Form{r.newForm(t.given, t.glob)}
	r.followBoth(&t, full, s.entry)
	return t
}

// followBoth fills in where t leads, as the disk walks the path and as its text reads. Both
// count, since programs do either.
func (r *resolver) followBoth(t *target, full string, entry bool) {
	walked, ok := r.follow(full, t.glob, entry)
	read, ok2 := walked, ok
	// After a link, ".." leads above its target on the disk and above the link in the text.
	if strings.Contains(full+"/", "/../") {
		read, ok2 = r.follow(t.given, t.glob, entry)
	}
	t.lost = !ok || !ok2
	for _, to := range []string{walked, read} {
		if to != "" && !slices.Contains(t.reals, to) {
			t.reals = append(t.reals, to)
			// The form of the path as given is there already.
			if to != t.given {
				t.forms = append(t.forms, r.newForm(to, t.glob))
			}
		}
	}
}

// follow says where an absolute path leads: of a pattern, its folder without wildcards; of an
// entry, the folder that it is in. ok is false when nobody can say.
func (r *resolver) follow(p string, glob, entry bool) (string, bool) {
	head, tail := p, ""
	if i := strings.LastIndexByte(p, '/'); entry && p[i+1:] != "" && p[i+1:] != ".." {
		head, tail = p[:i], p[i:]
	}
	if i := strings.IndexAny(p, "*?[{"); glob && i >= 0 {
		i = strings.LastIndexByte(p[:i], '/')
		head, tail = p[:i], p[i:]
	}
	real, ok := r.real(head)
	if !ok || strings.Contains(tail+"/", "/../") {
		return "", false
	}
	return path.Join(real, tail), true
}

// real asks the place where a path leads, each path once. Beyond maxFollowed, and after any
// error, it says that it does not know.
func (r *resolver) real(p string) (string, bool) {
	if p == "" {
		p = "/"
	}
	if r.at.Real == nil {
		return p, true
	}
	if to, ok := r.followed[p]; ok {
		r.lost = r.lost || to == ""
		return to, to != ""
	}
	if len(r.followed) >= maxFollowed || strings.ContainsRune(p, 0) {
		r.lost = true
		return "", false
	}
	to, err := r.at.Real(p)
	if err != nil || !path.IsAbs(to) {
		to, r.lost = "", true
	}
	r.followed[p] = to
	return to, to != ""
}

// guess looks at what may be no path at all. That it cannot be followed says nothing then, unless
// there were too many to follow: what an element is known to do is asked elsewhere, and there
// each path that leads nobody knows where counts as one that leads outside.
func (r *resolver) guess(look func()) {
	lost := r.lost
	look()
	r.lost = lost || len(r.followed) >= maxFollowed
}

// newForm is the form of an absolute path. Home folders are known by the user's own, and by
// where systems keep those of others: a key is a key in anybody's home.
func (r *resolver) newForm(p string, glob bool) pathtable.Form {
	f := pathtable.Form{Names: pathtable.Split(p), Root: true, Home: -1, Glob: glob}
	if r.at.Home != "" && len(f.Names) > len(r.home) && pathtable.SamePrefix(r.home, f.Names) {
		f.Home = len(r.home)
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

// looseForm is the form of a path that starts nobody knows where. Of another user's home the
// names behind it are known, and count as names in a home.
func (r *resolver) looseForm(p string, glob bool) pathtable.Form {
	f := pathtable.Form{Names: pathtable.Split(path.Clean("/" + p)), Home: -1, Loose: true, Glob: glob}
	if strings.HasPrefix(p, "~") && len(f.Names) > 1 {
		f.Names, f.Home, f.Loose = f.Names[1:], 0, false
	}
	return f
}

// belowAny reports whether p is one of dirs or lies in one.
func belowAny(dirs []string, p string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return pathtable.Below(dir, p) })
}

// inProject reports whether t leads below the project's folder, however it is read. Without a
// project nothing does.
func (r *resolver) inProject(t target) bool {
	return t.within(func(p string) bool { return pathtable.Below(r.at.Project, p) })
}

// within reports whether where t leads is known and all of it is fine. It is the "surely" of
// paths.
func (t target) within(fine func(string) bool) bool {
	return !t.lost && len(t.reals) > 0 && !slices.ContainsFunc(t.reals, func(p string) bool { return !fine(p) })
}
