package risk

import (
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/risk/cmdline"
	"github.com/aoctl/aoctl/broker/shell"
)

// movesFiles reports whether an element puts no link anywhere: it is none that might, or it is mv, or git mv, of
// plain files of the project that hold no keys. Then every path of the line leads where it led before,
// to what was moved, or to nothing.
func (j doesJudge) movesFiles(l *shell.Line, at int) bool {
	e := l.Elements[at]
	if !e.Relinks {
		return true
	}
	if e.Kind != shell.Command {
		by := commandOf(l, at)
		return by >= 0 && l.Elements[by].Relinks && j.movesFiles(l, by)
	}
	if len(e.Argv) < 3 || len(e.Via) > 0 || e.Glob || e.Unsure != "" || slices.Contains(e.Argv, "") {
		return false
	}
	words := e.Argv[1:]
	if e.Argv[0] == "git" && words[0] == "mv" {
		words = words[1:]
	} else if e.Argv[0] != "mv" {
		return false
	}
	files := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return cmdline.Matches("-f|-n|-v|-i", w) })
	return len(files) > 1 && !slices.ContainsFunc(files[:len(files)-1], func(w string) bool {
		return strings.HasPrefix(w, "-") || !j.plainFile(w, e)
	})
}

// plainFile reports whether a word of a command names a plain file of the project, by no link, that holds no
// keys and guards nothing.
func (j doesJudge) plainFile(w string, e shell.Element) bool {
	t := j.resolve(w, j.spotOf(e, false))
	if j.at.Below == nil || j.at.Matches == nil || !j.inProject(t) || len(t.reals) != 1 || t.reals[0] != t.given || strings.ContainsAny(t.given, `*?[\`) {
		return false
	}
	b := j.at.Below(t.given)
	inside, all := j.at.Matches(t.given + "/.")
	_, secret := credential(t)
	return b.Whole && !b.Special && len(b.Links) == 0 && all && len(inside) == 0 && !secret && !Guarded(t.given, j.at)
}
