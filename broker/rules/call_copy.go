package rules

import (
	"path"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/brings"
	"github.com/aoctl/aoctl/broker/rules/patterns"
	"github.com/aoctl/aoctl/broker/shell"
)

// bringsFiles reports whether e, which works in dir, may put an agent's settings where an agent
// looks for them: a hook in such a file would answer for the operator. A copy that makes a new
// folder strictly below the project cannot: no agent works in a folder that is not there, and
// nothing in it leads elsewhere yet.
func (r *lineReader) bringsFiles(e *shell.Element, dir string) bool {
	return brings.Files(*e) && !r.makesFolder(e, dir)
}

// makesFolder reports whether e is a cp that makes a folder which is not there, by its target
// or in it. It says no when nobody looks at files, and when the line changes its folder.
func (r *lineReader) makesFolder(e *shell.Element, dir string) bool {
	from, to, ok := brings.CopiedFolder(*e)
	if !ok || r.q.Exists == nil || r.changesFolder() {
		return false
	}
	target, ok := r.folderBelow(to, dir)
	if !ok || !r.q.Exists(target) {
		return ok
	}
	// Into a folder that is there, cp puts the source under its own name.
	name := from[strings.LastIndexByte(from, '/')+1:]
	made, ok := r.folderBelow(to+"/"+name, dir) // that is there for x/. and x/
	return ok && !r.q.Exists(made)
}

// folderBelow is where a target of cp really is; ok: that is known, and strictly below the
// project, it is not the user's home nor above it or the session's folder, and no name begins
// with a dot, as those of agents' folders and of what holds them do. Each look costs one of the
// call's paths.
func (r *lineReader) folderBelow(to, dir string) (real string, ok bool) {
	if !r.more() {
		return "", false
	}
	p, at := r.shellPlace(to, dir), r.q.Place
	rest, inside := patterns.Within(at.Project, p.real)
	switch {
	case p.odd != "" || oddPath(p.real) != "":
	case !inside || rest == "" || strings.Contains("/"+rest, "/."):
	// In a project that holds the home folder, agents' own folders are inside.
	case at.Home == "" || patterns.Below(at.Project, at.Home):
	case r.startsIn(p.real):
	default:
		return p.real, true
	}
	return "", false
}

// startsIn reports whether the session or the line is, or may be, in folder real or below. A
// folder that is not known may be that one.
func (r *lineReader) startsIn(real string) bool {
	for _, dir := range []string{r.dir, r.q.Place.CWD} {
		if p := r.shellPlace(dir, ""); p.real == "" || patterns.Below(real, p.real) {
			return true
		}
	}
	return false
}

// changesFolder reports whether the line moves the agent's shell to another folder, which may
// be the one that it makes. The next call of the agent would start there.
func (r *lineReader) changesFolder() bool {
	for i := range r.Elements {
		e := &r.Elements[i]
		if e.Dir != "" || e.DirUnsure || changesFolder(e) {
			return true
		}
	}
	return false
}

// changesFolder reports whether e is the shell's command to go to another folder.
func changesFolder(e *shell.Element) bool {
	if e.Kind != shell.Command || len(e.Argv) == 0 {
		return false
	}
	switch path.Base(e.Argv[0]) {
	case "cd", "chdir", "pushd", "popd":
		return true
	}
	return false
}
