package risk

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
)

// ownProgram is what a program does that is named by a path: one inside the project is the project's
// own code. An interpreter there does what its words say.
func (j doesJudge) ownProgram(e shell.Element) (d effects.Doing, ok bool) {
	s := j.spotOf(e, false)
	s.tilde = true
	inside := j.inProject(j.resolve(e.Argv[0], s))
	switch {
	case slices.Contains(e.Argv, ""), !inside && !j.environment(e.Argv[0], s):
		return d, false
	case inside && e.Exact == "" && e.Program == "":
		return effects.Doing{Does: effects.Of(effects.Check), Files: e.Argv[1:]}, true
	}
	e.Argv = slices.Clone(e.Argv)
	e.Argv[0] = cmdline.Program(e.Argv[0])
	return effects.Known(cmdline.Of(e))
}

// pythons are names of the interpreter of Python, as environments link to it.
var pythons = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/bin/python[0-9.]*$`) })

// environment reports whether a program is the link to Python in an environment of the project.
func (j doesJudge) environment(name string, s spot) bool {
	to := j.resolve(name, s)
	s.entry = true
	link := j.resolve(name, s)
	return j.inProject(link) && pythons().MatchString(link.given) && len(to.reals) == 1 && pythons().MatchString(to.reals[0])
}

// ownModule reports whether "python -m" finds a module in the project before it looks elsewhere: in the
// folder that it works in, or in those of PYTHONPATH. A folder without __init__.py comes after all others.
func (j doesJudge) ownModule(name string, e shell.Element) bool {
	if j.at.Exists == nil {
		return false
	}
	dirs := []string{j.dirOf(e)}
	for _, set := range j.modules {
		if strings.Contains(e.Text, set.Text) {
			for dir := range strings.SplitSeq(set.Value, ":") {
				dirs = append(dirs, j.resolve(dir, spot{dir: j.dirOf(set)}).given)
			}
		}
	}
	top, _, _ := strings.Cut(name, ".")
	return slices.ContainsFunc(dirs, func(dir string) bool {
		for _, file := range []string{"/" + top + "/__init__.py", "/" + top + ".py"} {
			if t := j.resolve(dir+file, spot{}); j.inProject(t) && j.at.Exists(t.given) {
				return true
			}
		}
		return false
	})
}

// says is what a command does whose files lie where they should, by what the text of a program on the
// command line names as well: each text in quotes that may be a file is followed like one.
func (j doesJudge) says(e shell.Element, d effects.Doing) doing {
	out := doing{set: d.Does, each: d.Why}
	if d.Rewrites {
		edits := j.edits()
		if out.set |= edits.set; j.relinks {
			return does(effects.Unknown, "an earlier part of the line may have moved what a path leads to")
		}
		out.why = cmp.Or(out.why, edits.why)
	}
	s := j.spotOf(e, false)
	s.tilde = true
	for _, piece := range d.Says {
		s.glob = strings.ContainsAny(piece, "*?[")
		if effect, why := j.names(piece, s); why != "" {
			out.set |= effects.Of(effect)
			if out.each[effect] == "" {
				out.each[effect] = why
			}
		}
	}
	if d.Walks != "" && j.keepsSecrets() {
		out.set |= effects.Of(effects.Secrets)
		out.each[effects.Secrets] = cmp.Or(out.each[effects.Secrets], "its code goes through folders, and the project has keys or credentials")
	}
	return out
}

// keepsSecrets reports whether files with keys lie in the project, or may.
func (j doesJudge) keepsSecrets() bool {
	if j.at.Secrets == nil {
		return false
	}
	found, whole := j.at.Secrets(cmp.Or(j.at.Project, j.at.CWD))
	return !whole || len(found) > 0
}

// names is what it means that a program names a file: an effect beyond the project, or "".
func (j doesJudge) names(piece string, s spot) (effects.Effect, string) {
	t := j.resolve(piece, s)
	if _, ok := credential(t); ok {
		return effects.Secrets, "its code names a file with keys"
	}
	if _, ok := j.guarded(t, false, false); ok {
		return effects.Gate, "its code names a file of aoctl, or an agent's settings"
	}
	if _, ok := writes().Find(t.forms); ok || t.inGit() {
		return effects.Unknown, "its code names a file that may run something"
	}
	if _, ok := notes().Find(t.forms); ok {
		return effects.Unknown, "its code names a file that may run something"
	}
	if !j.inProject(t) {
		return effects.Outside, "its code names a file outside the project"
	}
	return 0, ""
}
