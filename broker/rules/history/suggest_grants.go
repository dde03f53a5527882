package history

import (
	"cmp"
	"maps"
	"slices"

	"github.com/aoctl/aoctl/broker/effects"
	"github.com/aoctl/aoctl/broker/rules"
)

// rare are effects that reach beyond the files of the project. They are suggested only where a person
// has allowed them rareLeast times.
var rare = effects.Of(effects.Fetch, effects.Serve)

const rareLeast = 3

// grants gathers what the calls of each project did that a grant could have allowed.
type grants map[string]*projectDoes

// projectDoes is what calls of one project did, by the effects that each of them would have needed.
type projectDoes struct {
	prompts map[effects.Set]int
}

// add takes in an open group.
func (m *grants) add(g *group) {
	project := g.call.Question().Place.Project
	r, ok := rules.OfferEffects(g.call)
	if !ok || project == "" {
		return
	}
	if *m == nil {
		*m = grants{}
	}
	if (*m)[project] == nil {
		(*m)[project] = &projectDoes{prompts: map[effects.Set]int{}}
	}
	(*m)[project].prompts[r.Effects] += g.prompts
}

// candidates are the grants to try: for each project what single calls needed, and all that several of
// them needed between them. There are six effects, so they are few.
func (m grants) candidates() (list []*candidate) {
	for _, project := range slices.Sorted(maps.Keys(m)) {
		does := m[project]
		for _, set := range does.unions() {
			r := rules.Rule{Enabled: true, Priority: rules.DefaultPriority, Tool: rules.EffectsTool, Effects: set, Decision: rules.Allow, Scope: rules.Scope{Project: project}}
			list = append(list, &candidate{rule: r, support: does.support(set)})
		}
	}
	return list
}

// autoAccept is what nobody should grant in passing: an agent can run what it writes.
var autoAccept = effects.Of(effects.Edit, effects.Check)

// unions are the sets of effects that calls needed, and what these come to together, in a fixed order.
// Edits and checks are put together only where some call needed both: else each is a choice of its own.
func (d *projectDoes) unions() []effects.Set {
	seldom := d.seldom()
	all := map[effects.Set]bool{}
	// Those that need both come first, so that what is built on them is found.
	sets := slices.SortedFunc(maps.Keys(d.prompts), func(a, b effects.Set) int {
		return cmp.Or(trueFirst(autoAccept.Within(a), autoAccept.Within(b)), cmp.Compare(a, b))
	})
	for _, set := range sets {
		if set&seldom != 0 {
			continue
		}
		for _, other := range slices.Collect(maps.Keys(all)) {
			if both := other | set; !autoAccept.Within(both) || autoAccept.Within(other) || autoAccept.Within(set) {
				all[both] = true
			}
		}
		all[set] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// seldom are the rare effects that were allowed too few times here.
func (d *projectDoes) seldom() (set effects.Set) {
	for _, e := range rare.List() {
		n := 0
		for does, prompts := range d.prompts {
			if does.Has(e) {
				n += prompts
			}
		}
		if n < rareLeast {
			set |= effects.Of(e)
		}
	}
	return set
}

// support is how many prompts a grant would have been enough for.
func (d *projectDoes) support(set effects.Set) (n int) {
	for does, prompts := range d.prompts {
		if does.Within(set) {
			n += prompts
		}
	}
	return n
}
