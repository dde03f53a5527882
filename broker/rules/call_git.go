package rules

import (
	"github.com/aoctl/aoctl/broker/risk"
)

// gitPlace takes from a git command what no wildcard may vouch for: a repository that
// is not the project's own, or settings of the project's that run a program.
func (c *Call) gitPlace(x *elem) {
	at := c.q.Place
	at.CWD = c.dir
	g := risk.GitUse(c.line, x.at, x.dir, at)
	if g == (risk.Git{}) {
		return
	}
	c.gits = append(c.gits, g)
	x.exact = first(x.exact, first(g.Foreign, first(g.Settings, g.Remote)))
	if g.Foreign == "" {
		return
	}
	x.behind = true // the words of the command do not say where it runs
	if c.dir != c.q.Place.Project {
		x.unsure = first(x.unsure, g.Foreign) // nor does the line
	}
}

// Gits is what is known of the repositories that the call's git commands would use, for
// noticing whether one of them becomes another while the call waits.
func (c *Call) Gits() []risk.Git { return c.gits }
