package risk

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/risk/said"
)

// fileJudge judges files that are read, written and removed. It looks at where a path leads and
// at what it says, and the worse of the two counts.
type fileJudge struct{ scene }

// readPath judges that t is read. A wide read takes everything below t as well. Some folders of
// keys count only then; what else lies below a folder is for secretJudge to look up.
func (j fileJudge) readPath(t target, wide bool) {
	if why, ok := j.guarded(t, wide, false); ok && (wide && !j.checkedOut(t) || !j.onlySeen(t)) {
		j.guard(why)
	}
	if why, ok := credential(t); ok && (wide || !t.isFolder(".ssh")) {
		j.dangerIn(why, says(why, t))
	}
	if wide && (t.isFolder(".aws") || t.isFolder(".kube") || t.isFolder(".docker")) {
		j.danger("reads keys or credentials")
	}
	// bash opens a connection for these names.
	if slices.ContainsFunc(t.places(), func(p string) bool { return belowAny([]string{"/dev/tcp", "/dev/udp"}, p) }) {
		j.danger("talks to the network")
	}
	if wide && j.aboveHome(t) {
		j.danger("reads all of the home folder")
	}
}

// change is what happens to a file. The zero change is that it is created or overwritten.
type change struct {
	deletes bool
	moves   bool // deletes, but keeps it elsewhere
	wide    bool // with everything below
}

// writePath judges that t is created, changed or removed. A removal is judged by deletePath for
// where it is, and here for what it is.
func (j fileJudge) writePath(t target, c change) {
	if why, ok := j.guarded(t, c.wide || c.deletes, true); ok {
		j.guard(why)
	}
	if e, ok := writes().Find(t.forms); ok {
		j.dangerIn(e.Why, says(e.Why, t))
	} else if j.reachesHooks(t, c) {
		j.danger(changesHooks)
	} else if e, ok := notes().Find(t.forms); ok {
		j.note(e.Why)
	}
	j.writeSystem(t)
	if c.deletes {
		j.deletePath(t, c)
		return
	}
	switch {
	case t.given == "":
		j.note("writes to a folder that is not known")
	case c.wide && j.aboveHome(t):
		j.danger("may overwrite all of the home folder")
	case !j.inProject(t) && !t.within(pathtable.Temporary) && !t.within(pathtable.HarmlessDevice):
		j.note("writes outside the project")
	}
}

// writeSystem judges both where t leads and, unless it was written as a path that starts in a
// folder of the project, what it says. A link inside the project may be named like a folder of
// the system without harm.
func (j fileJudge) writeSystem(t target) {
	if j.inProject(t) && (t.rel || pathtable.Below(j.at.Project, t.given)) {
		return
	}
	for _, p := range t.places() {
		if why, ok := pathtable.System(p); ok && !pathtable.Below(j.at.Home, p) {
			j.dangerIn(why, says(why, t))
		}
	}
}

// deletePath judges that t is removed, or moved away. Inside the project a removal is everyday
// work, but for the whole of it and for git's own files.
func (j fileJudge) deletePath(t target, c change) {
	switch {
	case t.given == "" && c.wide && !c.moves:
		j.danger("deletes in a folder that is not known")
	case t.given == "":
		j.note("removes from a folder that is not known")
	case c.moves && t.within(pathtable.Temporary):
		j.note("moves files from a temporary folder")
	case !j.inProject(t) && c.moves:
		j.danger("moves files from outside the project")
	case !j.inProject(t):
		j.dangerIn("deletes outside the project", j.deletesOutside(pathOf(t)))
	case c.wide && j.allOfProject(t):
		j.danger("deletes the whole project")
	case c.wide && t.inGit():
		j.danger("deletes git's own files")
	}
}

// deletesOutside says which file is deleted. An agent that names no project has nothing inside of it.
func (j fileJudge) deletesOutside(p string) string {
	if j.at.Project == "" {
		return said.Sentence("deletes "+p+"; the agent named no project", p)
	}
	return said.Sentence("deletes "+p+", outside the project", p)
}

// allOfProject reports whether t is the project's folder, or a pattern for all in it: one with
// hardly a letter of its own.
func (r *resolver) allOfProject(t target) bool {
	return slices.ContainsFunc(t.places(), func(p string) bool {
		return p == r.at.Project || t.glob && path.Dir(p) == r.at.Project && !pathtable.Literals(path.Base(p), 2)
	})
}

// aboveHome reports whether t is the home folder or one that holds it. Nobody is above a home
// that is not known.
func (r *resolver) aboveHome(t target) bool {
	return r.at.Home != "" && slices.ContainsFunc(t.places(), func(p string) bool { return pathtable.Below(p, r.at.Home) })
}

// places are the absolute paths that t may be: as it is given and as it leads. None when the
// folder it starts in is not known.
func (t target) places() []string {
	if t.given == "" {
		return nil
	}
	out := []string{t.given}
	for _, r := range t.reals {
		if r != t.given {
			out = append(out, r)
		}
	}
	return out
}

// isFolder reports whether the last name of t is this one, however it is read.
func (t target) isFolder(name string) bool {
	return !slices.ContainsFunc(t.forms, func(f pathtable.Form) bool { return len(f.Names) == 0 || f.Names[len(f.Names)-1] != name })
}

// inGit reports whether t lies in a .git folder, or may by its pattern.
func (t target) inGit() bool {
	return slices.ContainsFunc(t.forms, func(f pathtable.Form) bool {
		return slices.ContainsFunc(f.Names, func(n string) bool {
			return n == ".git" || f.Glob && strings.HasPrefix(n, ".") && pathtable.HasGlob(n) && pathtable.Meet(n, ".git")
		})
	})
}

// reading are folders outside a project that nobody minds being read: they are the same on
// every machine.
var reading = []string{
	"/usr/share", "/usr/include", "/usr/lib", "/usr/local/go",
	"/etc/os-release", "/proc/cpuinfo", "/proc/meminfo", "/proc/version",
}

// mayRead reports whether t may be read without a question.
func (r *resolver) mayRead(t target) bool {
	if r.at.Project == "" {
		return false
	}
	return t.within(func(p string) bool {
		return pathtable.Below(r.at.Project, p) || pathtable.HarmlessDevice(p) || belowAny(reading, p) || r.ownOutput(p)
	})
}

// taskOutput is where Claude Code keeps what its background commands print: by user, folder and session.
var taskOutput = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:/private)?/tmp/claude-[0-9]+/([A-Za-z0-9-]+)/(?:[0-9a-f-]{36}/)?tasks/[A-Za-z0-9_-]+\.output$`)
})

// ownOutput reports whether a real path is such a file, of a command that ran in the project.
func (r *resolver) ownOutput(file string) bool {
	m := taskOutput().FindStringSubmatch(file)
	return m != nil && (m[1] == folderName(r.at.Project) || m[1] == folderName(r.at.CWD))
}

// folderName is a folder as Claude Code calls it: each character but letters and digits is a dash.
func folderName(dir string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '-'
	}, dir)
}
