package risk

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
)

// Does is one effect of a call. Why is a few plain words of ours, or a phrase about the agent's
// words that says no more than the effect's name does; it may be empty.
type Does struct {
	Effect  effects.Effect `json:"effect"`
	Why     string         `json:"why,omitempty"`
	Element int            `json:"element,omitempty"` // its place among the elements of a command line, from 0
}

// doing is what one element does: effects, and why it does the worst of them.
type doing struct {
	set effects.Set
	why string
}

func does(e effects.Effect, why string) doing { return doing{effects.Of(e), why} }

// doesJudge says what the elements of a line do. It finds nothing. All that it takes for granted
// must hold for sure; what it cannot be sure of is unknown.
type doesJudge struct {
	*resolver
	touched bool // an earlier element may have changed a file, so what lies on the disk now says nothing
	relinks bool // an earlier element may have put links somewhere
	commits bool // an element may change what git has, before or beside others
}

// line is what each element of a line does.
func (j doesJudge) line(l *shell.Line) []doing {
	list := make([]doing, len(l.Elements))
	for i, e := range l.Elements {
		list[i] = j.element(l, i)
		j.relinks = j.relinks || e.Relinks
		j.commits = j.commits || list[i].set.Has(effects.Commit)
		removes := e.Kind == shell.Write && e.Deletes || len(e.Argv) > 0 && e.Argv[0] == "rm"
		j.touched = j.touched || !removes && !list[i].set.Within(effects.Of(effects.Look))
	}
	if j.commits && effects.Unordered(l.Raw) {
		for i := range list {
			if d := j.shown(l.Elements[i], list[i]); d.set != 0 {
				list[i] = d
			}
		}
	}
	return list
}

// shown is what git shows of contents after the line itself changed what it has: a key that lay about may be
// among it now. The zero doing for anything else.
func (j doesJudge) shown(e shell.Element, d doing) doing {
	if !j.commits || e.Kind != shell.Command || len(e.Argv) == 0 || e.Argv[0] != "git" || !d.set.Has(effects.Look) || effects.TellsNames(cmdline.Of(e)) {
		return doing{}
	}
	return does(effects.Secrets, "git may show what the line itself has it keep")
}

// beyond is what git does in a repository that is larger than the project: the zero doing when it keeps to
// names, or to the files that it is given.
func (j doesJudge) beyond(e shell.Element, g Git, d doing) doing {
	a := cmdline.Of(e)
	if g.Top == "" || below(j.at.Project, g.Top) || d.set.Has(effects.Look) && effects.TellsNames(a) || d.set.Has(effects.Commit) && !effects.TakesAll(a) {
		return doing{}
	}
	return does(effects.Outside, "git's repository is larger than the project")
}

// element is what one element does. What package shell doubts is unknown.
func (j doesJudge) element(l *shell.Line, at int) doing {
	e := l.Elements[at]
	switch {
	case j.at.Project == "":
		return does(effects.Unknown, "the session has no project")
	case e.Unsure != "":
		return does(effects.Unknown, e.Unsure)
	case e.Host != "":
		return does(effects.Network, "runs on another machine")
	// Elsewhere a relative path is none of the project's files.
	case e.DirUnsure || !j.inProject(j.resolve(j.dirOf(e), spot{})):
		return does(effects.Outside, "works outside the project")
	}
	// A repository with settings of its own can make "git status" run a program.
	g := GitUse(l, at, j.dirOf(e), j.at)
	if g.Foreign != "" || g.Settings != "" {
		return does(effects.Unknown, cmp.Or(g.Foreign, g.Settings))
	}
	through, ok := effects.Through(e.Via)
	if !ok {
		if d, ok := j.handed(l, at); ok {
			return d
		}
		return does(effects.Unknown, "runs through "+strings.Join(e.Via, ", "))
	}
	d := j.kind(l, at)
	d.set |= through
	if g.Hooks && d.set.Has(effects.Commit) {
		d.set |= effects.Of(effects.Check)
	}
	for _, worse := range []doing{j.shown(e, d), j.beyond(e, g, d)} {
		if worse.set != 0 {
			return worse
		}
	}
	return d
}

// kind is what an element does by itself.
func (j doesJudge) kind(l *shell.Line, at int) doing {
	e := l.Elements[at]
	switch e.Kind {
	case shell.Read:
		if e.Exact == "" && j.mayRead(j.resolve(e.Path, j.spotOf(e, false))) {
			return does(effects.Look, "")
		}
		return does(effects.Outside, "reads outside the project")
	case shell.Write:
		return j.write(l, at)
	case shell.Assign:
		return j.assigns(e)
	case shell.Command:
		if e.Neutral {
			return j.tells(e)
		}
		if j.searches(l, at) {
			return does(effects.Look, "")
		}
		return j.command(e, changesNames(l, at))
	case shell.Unknown:
	}
	return does(effects.Unknown, "cannot be read")
}

// tells is what a command does that does nothing by itself: it may tell all the same which files there are
// beyond the project, by how it ends or by what a pattern stands for.
func (j doesJudge) tells(e shell.Element) doing {
	s := j.spotOf(e, false)
	s.tilde, s.glob = true, e.Glob
	for _, p := range effects.Tested(e.Argv) {
		if p == "" {
			return does(effects.Unknown, "tests a file that is not known")
		}
		if !j.mayRead(j.resolve(p, s)) {
			return does(effects.Outside, "tests for a file outside the project")
		}
	}
	if e.Glob && slices.ContainsFunc(e.Argv, func(w string) bool {
		return strings.ContainsAny(w, "*?[") && w != "[" && !j.mayRead(j.resolve(w, s))
	}) {
		return does(effects.Outside, "names files outside the project")
	}
	return doing{}
}

// write is what happens to a file that is written. What is moved is still there, and git rm takes
// away nothing that git does not have.
func (j doesJudge) write(l *shell.Line, at int) doing {
	e := l.Elements[at]
	by := ""
	if i := commandOf(l, at); i >= 0 {
		by = l.Elements[i].Argv[0]
	}
	t := j.resolve(e.Path, j.spotOf(e, e.Deletes))
	switch {
	case e.Exact != "":
		return does(effects.Unknown, e.Exact)
	case !e.Deletes && harmlessDevice(e.Path):
		return doing{}
	case !j.inProject(t):
		return does(effects.Outside, "writes outside the project")
	case e.Deletes && by != "mv" && by != "git" && (j.touched || !j.kept(t)):
		return does(effects.Delete, "git could not bring back what it deletes")
	}
	return j.edits()
}

// kept reports whether git could bring back whatever t leads to.
func (j doesJudge) kept(t target) bool {
	return j.at.Kept != nil && !t.glob && t.within(j.at.Kept)
}

// edits is a write inside the project.
func (j doesJudge) edits() doing {
	if j.at.Git != nil && j.at.Git(j.at.Project).Top == "" {
		return does(effects.Delete, "no git could bring the file back")
	}
	return does(effects.Edit, "")
}

// command is what a command does, when its words are known and every file among them lies where it
// should. A program of the project is the project's own code.
// moved: the line may have put other names in its folder before.
func (j doesJudge) command(e shell.Element, moved bool) doing {
	if len(e.Argv) == 0 {
		return does(effects.Unknown, "has no words")
	}
	name := e.Argv[0]
	known := e
	known.Glob = e.Glob && (!handedLookers.Has(name) || moved || j.dashes(e))
	d, ok := effects.Known(cmdline.Of(known))
	if strings.Contains(name, "/") {
		s := j.spotOf(e, false)
		s.tilde = true
		ok = e.Exact == "" && !slices.Contains(e.Argv, "") && j.inProject(j.resolve(name, s))
		d = effects.Doing{Does: effects.Of(effects.Check), Files: e.Argv[1:]}
	}
	switch {
	case !ok:
		return does(effects.Unknown, cmp.Or(e.Exact, "aoctl does not know what "+path.Base(name)+" does here"))
	case !d.Does.Within(effects.Grantable):
		return doing{d.Does, ""}
	// What only looks is known with all its options; the others say which of them they stand for.
	case e.Exact != "" && d.Does == effects.Of(effects.Look):
		return does(effects.Unknown, e.Exact)
	case j.relinks && (strings.Contains(name, "/") || d.Does == effects.Of(effects.Look) && slices.ContainsFunc(d.Files, func(w string) bool { return !strings.HasPrefix(w, "-") })):
		return does(effects.Unknown, "an earlier part of the line may have moved what a path leads to")
	case d.Tool != "" && !j.installed(d.Tool, e):
		return does(effects.Network, "the project has no "+path.Base(d.Tool)+" installed, so it would be fetched")
	case !j.filesInside(e, d):
		return does(effects.Outside, "names a file outside the project")
	}
	return doing{set: d.Does}
}

// installed reports whether a tool of the project is there, as the link that package managers
// make. One that is no link may be there or not, and counts as missing.
func (j doesJudge) installed(tool string, e shell.Element) bool {
	t := j.resolve(tool, j.spotOf(e, false))
	return j.inProject(t) && !slices.Contains(t.reals, t.given)
}

// dashes reports whether a pattern of an element may stand for a name that begins with a dash, which its
// program would take for an option. Package effects asks this only of patterns that nothing stands
// before, so the names in the folder are all. To other programs than handedLookers a name may be a
// program or a variable, as to awk and make.
func (j doesJudge) dashes(e shell.Element) bool {
	t := j.resolve(j.dirOf(e), spot{})
	return j.at.Dashes == nil || t.lost || len(t.reals) != 1 || j.at.Dashes(t.reals[0])
}

// filesInside reports whether no word that may name a file leads outside. The line's own elements say
// which files are read; this does not rely on them. What only looks may also look where
// nobody minds.
func (j doesJudge) filesInside(e shell.Element, d effects.Doing) bool {
	s := j.spotOf(e, false)
	s.tilde = true
	fine := j.inProject
	if d.Does == effects.Of(effects.Look) {
		fine = j.mayRead
	}
	for _, w := range d.Files {
		// What a check writes there is gone; what edits might put a file in its place.
		if w == "/dev/null" && d.Does.Within(effects.Of(effects.Look, effects.Check)) {
			continue
		}
		// An option may have a path behind its letter, or behind an equals sign.
		for _, p := range append(cmdline.Pieces(w), w) {
			if t := j.resolve(p, s); !fine(t) || t.inGit() && d.Does != effects.Of(effects.Look) {
				return false
			}
		}
	}
	return true
}
