package risk

import (
	"path"
	"slices"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/risk/pathtable"
	"github.com/aoctl/aoctl/broker/shell"
)

// brought is what a git command does that puts other files into the work tree, when the repository says
// that all of them are plain files that an edit may change. ok is false in doubt: another part of the line
// may have changed what git has, or what lies on the disk, or do so meanwhile.
func (j doesJudge) brought(l *shell.Line, at int, g Git) (d doing, ok bool) {
	e := l.Elements[at]
	b, ok := effects.BroughtBy(cmdline.Of(e))
	if !ok || e.Exact != "" || j.touched || j.commits || j.relinks || j.at.Brings == nil || g.Top == "" || !pathtable.Below(j.at.Project, g.Top) || !j.alone(l, at) {
		return doing{}, false
	}
	files, ok := j.at.Brings(g.Top, b)
	if !ok || slices.ContainsFunc(files, func(name string) bool { return !j.mayEdit(path.Join(g.Top, name)) }) {
		return doing{}, false
	}
	return doing{set: effects.Of(effects.Commit, effects.Edit)}, true
}

// alone reports whether nothing that may run beside an element does more than look.
func (j doesJudge) alone(l *shell.Line, at int) bool {
	beside := effects.Unordered(l.Raw)
	return !slices.ContainsFunc(l.Elements, func(o shell.Element) bool {
		switch o.Kind {
		case shell.Assign:
			return true
		case shell.Write: // by a redirection, before its command runs
			return !o.Operand && !pathtable.HarmlessDevice(o.Path)
		case shell.Command:
			d, known := effects.Known(cmdline.Of(o))
			return beside && o.Text != l.Elements[at].Text && !o.Neutral && (!known || d.Does != effects.Of(effects.Look))
		case shell.Read, shell.Unknown:
		}
		return false
	})
}

// mayEdit reports whether an absolute path is one of the project that an edit of its name would find nothing
// about, and no key.
func (j doesJudge) mayEdit(file string) bool {
	t := j.resolve(file, spot{entry: true})
	own := fileJudge{scene{j.resolver, &findings{}}}
	own.writePath(t, change{})
	own.names(t, true)
	return len(own.list) == 0 && j.inProject(t) && !t.inGit()
}
