package risk

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/risk/said"
	"github.com/aoctl/aoctl/broker/shell"
	"github.com/aoctl/aoctl/broker/shell/command"
	"github.com/aoctl/aoctl/broker/shell/wordset"
)

// Does is one effect of a call. Why is a few plain words of ours, or a phrase about the agent's
// words that says no more than the effect's name does; it may be empty.
type Does struct {
	Effect  effects.Effect `json:"effect"`
	Why     string         `json:"why,omitempty"`
	Element int            `json:"element,omitempty"` // its place among the elements of a command line, from 0
}

// doing is what one element does: effects, and why it does the worst of them, or each.
type doing struct {
	set  effects.Set
	why  string
	each map[effects.Effect]string
}

func does(e effects.Effect, why string) doing { return doing{set: effects.Of(e), why: why} }

// doesJudge says what the elements of a line do. It finds nothing. All that it takes for granted
// must hold for sure; what it cannot be sure of is unknown.
type doesJudge struct {
	*resolver
	touched bool            // an earlier element may have changed a file, so what lies on the disk now says nothing
	relinks bool            // an earlier element may have put links somewhere
	moves   bool            // some element of the line may, or moves more than files
	ran     bool            // an earlier element ran code, which may have put links anywhere
	commits bool            // an element may change what git has, before or beside others
	modules []shell.Element // what sets PYTHONPATH, for one command or for all
}

// line is what each element of a line does.
func (j doesJudge) line(l *shell.Line) []doing {
	list := make([]doing, len(l.Elements))
	l, sourced := j.sourced(l)
	for i := range l.Elements {
		j.moves = j.moves || !j.movesFiles(l, i)
	}
	for i, e := range l.Elements {
		list[i] = j.element(l, i)
		if sourced {
			list[i].set |= effects.Of(effects.Check)
		}
		j.relinks = j.relinks || e.Relinks && j.moves
		j.ran = j.ran || !list[i].set.Within(effects.Of(effects.Look, effects.Edit, effects.Commit))
		if e.Kind == shell.Assign && e.Name == "PYTHONPATH" && list[i].set == effects.Of(effects.Check) {
			j.modules = append(j.modules, e)
		}
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

// sourced is a line that begins with reading in the project's environment, with the folders of its elements as if
// that left them alone. What it changes, PATH and functions, the project's own code does, so each of them is a check as
// well. ok is false for any other line, and for one that changes its folder itself.
func (j doesJudge) sourced(l *shell.Line) (same *shell.Line, ok bool) {
	if len(l.Elements) == 0 {
		return l, false
	}
	first := l.Elements[0]
	if !readsIn(first.Argv) || len(first.Via) > 0 || first.Pipe != 0 || first.Dir != "" || j.element(l, 0).set != effects.Of(effects.Check) {
		return l, false
	}
	settled := *l
	settled.Elements = slices.Clone(l.Elements)
	for i, e := range settled.Elements {
		if e.Relinks || i > 0 && readsIn(e.Argv) || len(e.Argv) > 0 && changesFolder.Has(e.Argv[0]) {
			return l, false
		}
		if len(e.Via) == 0 && e.Dir == "" && !e.Glob {
			settled.Elements[i].DirUnsure = false
		}
	}
	return &settled, true
}

// changesFolder are the builtins of shells that go to another folder.
var changesFolder = wordset.New("cd chdir pushd popd")

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
	if g.Top == "" || pathtable.Below(j.at.Project, g.Top) || d.set.Has(effects.Look) && effects.TellsNames(a) || d.set.Has(effects.Commit) && !effects.TakesAll(a) {
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
	case e.Unsure != "" && e.Program == "" && !e.Shown && !e.Names:
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
	d, ok := j.brought(l, at, g)
	if !ok {
		d = j.kind(l, at)
	}
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
	if e.Unsure != "" && e.Kind != shell.Command && (j.moves || j.ran) {
		return does(effects.Unknown, e.Unsure)
	}
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
	for _, p := range tested(e.Argv) {
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
// away nothing that git does not have, nor rmdir any file.
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
	case !e.Deletes && pathtable.HarmlessDevice(e.Path):
		return doing{}
	case !j.inProject(t):
		return does(effects.Outside, "writes outside the project")
	case e.Deletes && by != "mv" && by != "git" && by != "rmdir" && (j.touched || !j.kept(t)):
		return does(effects.Delete, "git could not bring back what it deletes")
	}
	return j.edits()
}

// kept reports whether git could bring back whatever t leads to.
func (j doesJudge) kept(t target) bool {
	if j.at.Kept == nil || !t.glob {
		return j.at.Kept != nil && t.within(j.at.Kept)
	}
	return j.at.Matches != nil && t.within(func(pattern string) bool {
		files, all := j.at.Matches(pattern)
		return all && !slices.ContainsFunc(files, func(f string) bool {
			one := j.resolve(f, spot{entry: true})
			return !j.inProject(one) || !one.within(j.at.Kept)
		})
	})
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
	known.Glob = e.Glob && (!takesNames(e) || moved || j.dashes(e))
	d, ok := effects.Known(cmdline.Of(known))
	if strings.Contains(name, "/") {
		d, ok = j.ownProgram(known)
	}
	switch {
	case !ok:
		return does(effects.Unknown, cmp.Or(e.Unsure, e.Exact, "aoctl does not know what "+path.Base(name)+" does here"))
	case !d.Does.Within(effects.Grantable):
		return j.says(e, d)
	// What only looks is known with all its options; the others say which of them they stand for.
	case e.Exact != "" && d.Does == effects.Of(effects.Look) && !fullFolder(e):
		return does(effects.Unknown, e.Exact)
	case j.touched && readsIn(e.Argv):
		return does(effects.Unknown, "the line may have written what it reads in")
	case j.relinks && (strings.Contains(name, "/") || d.Does == effects.Of(effects.Look) && slices.ContainsFunc(d.Files, func(w string) bool { return !strings.HasPrefix(w, "-") })):
		return does(effects.Unknown, "an earlier part of the line may have moved what a path leads to")
	case d.Tool != "" && !j.installed(d.Tool, e):
		return does(effects.Network, "the project has no "+path.Base(d.Tool)+" installed, so it would be fetched")
	case d.Module != "" && !j.ownModule(d.Module, e):
		return does(effects.Unknown, "the project has no package "+said.Quoted(d.Module))
	case d.New != "" && (j.touched || j.at.Exists == nil || j.at.Exists(j.resolve(d.New, j.spotOf(e, true)).given)):
		return does(effects.Unknown, "what is there already would run, or be written through")
	case !j.filesInside(e, d):
		return does(effects.Outside, "names a file outside the project")
	case strings.HasSuffix(e.Unsure, command.FollowsLinks) && (moved || !j.followsWithin(e)):
		return does(effects.Unknown, e.Unsure)
	case d.Deep && !j.linksStay(feed{Search: effects.Search{Starts: startsOf(d.Files)}, from: e}):
		return does(effects.Outside, "goes through links that lead elsewhere")
	case name == "curl" && j.at.Port != "" && slices.ContainsFunc(e.Argv, func(w string) bool { return strings.Contains(w, ":"+j.at.Port) }):
		return does(effects.Gate, "talks to aoctl")
	}
	return j.says(e, d)
}

// followsWithin reports whether links below the folders that a command goes through lead elsewhere in the same folder.
func (j doesJudge) followsWithin(e shell.Element) bool {
	starts, ok := effects.Folders(e.Argv)
	return ok && !e.Glob && j.linksStay(feed{Search: effects.Search{Starts: starts}, from: e})
}

// startsOf are the files and folders that a program goes through, which may read patterns itself.
func startsOf(files []string) (starts []string) {
	for _, w := range files {
		if i := strings.IndexAny(w, "*?[{("); i >= 0 {
			w = path.Dir(w[:i] + "x")
		}
		starts = append(starts, w)
	}
	if len(starts) == 0 {
		return []string{"."}
	}
	return starts
}

// fullFolder reports whether the only doubt about a git command is where it works, and its words name that in
// full: the path of the folder tells.
func fullFolder(e shell.Element) bool {
	i := slices.Index(e.Argv, "-C")
	return e.Exact == command.GitElsewhere && i >= 0 && i+1 < len(e.Argv) && path.IsAbs(e.Argv[i+1])
}

// installed reports whether a tool of the project is there, as the link that package managers
// make. One that is no link may be there or not, and counts as missing.
func (j doesJudge) installed(tool string, e shell.Element) bool {
	t := j.resolve(tool, j.spotOf(e, false))
	return j.inProject(t) && !slices.Contains(t.reals, t.given)
}

// dashes reports whether a pattern of an element may stand for a name that begins with a dash, which its
// program would take for an option. Package effects asks this only of patterns that nothing stands
// before, so the names in the folder are all.
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
