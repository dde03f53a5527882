package members

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
)

// Four eyes: dangerous calls of some projects need the allow of two operators. A project has another
// path on each machine, so the owners' list names it by what it is called; see CheckProject.

// EveryProject stands in Roster.FourEyes for all projects.
const EveryProject = "*"

// ErrProject means that something names no project.
var ErrProject = errors.New("this names no project")

// mostPath is how long a project's name or path may be, bytes.
const mostPath = 1024

// CheckProject says whether p may stand in Roster.FourEyes. "*" is all projects. An absolute path is
// the folder there, and all below it. Anything else is a name: a folder that is called so, wherever it
// lies, and all below it. Errors: ErrProject.
func CheckProject(p string) error {
	switch {
	case p == EveryProject:
		return nil
	case p == "" || len(p) > mostPath || strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("%w: %q", ErrProject, broker.Clip(p))
	case path.IsAbs(p) && path.Clean(p) == p, !strings.Contains(p, "/") && p != "." && p != "..":
		return nil
	}
	return fmt.Errorf("%w: %q is neither a name nor a whole path", ErrProject, broker.Clip(p))
}

// NeedsTwo reports whether dangerous calls of a project need two operators. folders are the paths that
// the project and its call are known by; one that is listed is enough.
func (r *Roster) NeedsTwo(folders ...string) bool {
	for _, p := range r.FourEyes {
		if p == EveryProject || slices.ContainsFunc(folders, func(f string) bool { return within(f, p) }) {
			return true
		}
	}
	return false
}

// within reports whether a folder is the project p, or lies below it.
func within(folder, p string) bool {
	folder = path.Clean(folder)
	if path.IsAbs(p) {
		return folder == p || strings.HasPrefix(folder, strings.TrimSuffix(p, "/")+"/")
	}
	return slices.Contains(strings.Split(folder, "/"), p)
}

// Operators are the members that may allow.
func (r *Roster) Operators() (list []Member) {
	for i := range r.Members {
		if r.Members[i].Role.Includes(Operator) {
			list = append(list, r.Members[i])
		}
	}
	return list
}
