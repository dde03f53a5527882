package history

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker/rules"
)

// Suggestions are the rules that Suggest found for a history, and what they come to.
type Suggestions struct {
	List     []Suggestion `json:"suggestions"`
	Prompts  int          `json:"prompts"`            // calls that a person was asked about and decided
	Observed int          `json:"observed,omitempty"` // calls that ran while a session was only observed
	Saved    int          `json:"saved"`              // of both, by all suggestions together
}

// prompts is how often a person was asked about the calls of some groups.
func prompts(groups []*group) int {
	n := 0
	for _, g := range groups {
		n += g.prompts
	}
	return n
}

// suggestion tells what r saves. It sorts saved: the most frequent question first, then the
// latest.
func suggestion(r rules.Rule, saved []*group) Suggestion {
	out := Suggestion{Rule: r, Saves: prompts(saved)}
	slices.SortStableFunc(saved, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.prompts, a.prompts), b.last.Compare(a.last))
	})
	sessions := map[string]bool{}
	for _, g := range saved {
		out.Observed += g.observed
		for id := range g.sessions {
			sessions[id] = true
		}
		if g.last.After(out.Last) {
			out.Last = g.last
		}
		if text := g.call.About(); len(out.Examples) < maxExamples && !slices.Contains(out.Examples, text) {
			out.Examples = append(out.Examples, text)
		}
	}
	out.Sessions = len(sessions)
	return out
}

// narrower orders rules by how little they allow, as far as their looks tell: bound to a
// project, of fewer effects, without wildcards, with more parameters, with longer patterns. The tool's name comes
// last, so that the order is always the same.
func narrower(a, b rules.Rule) int {
	wild := func(r rules.Rule) (n, literal int) {
		for _, p := range r.Where {
			n += strings.Count(p, "*") + strings.Count(p, "|")
			literal += len(p)
		}
		return n, literal
	}
	aWild, aLen := wild(a)
	bWild, bLen := wild(b)
	return cmp.Or(
		trueFirst(a.Scope.Project != "", b.Scope.Project != ""),
		cmp.Compare(len(a.Effects.List()), len(b.Effects.List())),
		cmp.Compare(aWild, bWild), cmp.Compare(len(b.Where), len(a.Where)), cmp.Compare(bLen, aLen),
		strings.Compare(a.Tool, b.Tool), cmp.Compare(a.Effects, b.Effects), strings.Compare(a.Scope.Project, b.Scope.Project),
	)
}
