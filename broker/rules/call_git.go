package rules

import (
	"cmp"

	"github.com/aoctl/aoctl/broker/risk"
)

// gitPlace takes from a git command what no wildcard may vouch for: a repository that
// is not the project's own, or settings of the project's that run a program.
func (r *lineReader) gitPlace(x *elem) {
	at := r.q.Place
	at.CWD = r.dir
	g := risk.GitUse(r.Line, x.at, x.dir, at)
	if g == (risk.Git{}) {
		return
	}
	r.gits = append(r.gits, g)
	x.exact = cmp.Or(x.exact, g.Foreign, g.Settings, g.Remote)
	if g.Foreign == "" {
		return
	}
	x.behind = true // the words of the command do not say where it runs
	if r.dir != r.q.Place.Project {
		x.unsure = cmp.Or(x.unsure, g.Foreign) // nor does the line
	}
}
