package far

import (
	"cmp"
	"slices"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
)

// mergeHealth is how all machines are. What is wrong on one says on which; what is so for all is only
// so when it is on each. The log is each machine's own, so there is none to show but that of a fleet
// of one.
func mergeHealth(list []*peer) (all broker.Health) {
	known := slices.DeleteFunc(slices.Clone(list), func(p *peer) bool { return p.health == nil })
	if len(list) == 1 && len(known) == 1 {
		return *known[0].health
	}
	all.Observing, all.Frozen = len(known) > 0, len(known) > 0
	var floods []broker.Flood
	for _, p := range known {
		h := p.health
		say := func(to *string, what string) {
			if what != "" {
				*to = cmp.Or(*to, broker.Clip(p.member.Name)+": "+what)
			}
		}
		say(&all.StoreErr, h.StoreErr)
		say(&all.SocketErr, h.SocketErr)
		say(&all.LogBroken, h.LogBroken)
		say(&all.LogUnread, h.LogUnread)
		all.Observing = all.Observing && h.Observing
		if all.Frozen = all.Frozen && h.Frozen; all.FrozenBy == (broker.Actor{}) {
			all.FrozenBy = h.FrozenBy
		}
		floods = append(floods, h.Floods...)
		all.MoreFloods += h.MoreFloods
		for _, s := range h.Settings {
			all.NoteSettings(s, false)
		}
	}
	if !all.Frozen {
		all.FrozenBy = broker.Actor{}
	}
	more := all.MoreFloods
	all.NoteFloods(floods)
	all.MoreFloods += more
	return all
}

// mergeRules are the rules of all machines. One that several have is there once, in its newest
// version.
func mergeRules(list []*peer) (all broker.RuleBook) {
	place := map[string]int{}
	for _, p := range list {
		if p.rules == nil {
			continue
		}
		for _, r := range p.rules.Rules {
			i, known := place[r.ID]
			switch {
			case !known:
				place[r.ID] = len(all.Rules)
				all.Rules = append(all.Rules, r)
			case r.Version > all.Rules[i].Version:
				all.Rules[i] = r
			}
		}
		all.Files = append(all.Files, p.rules.Files...)
		if p.rules.Problem != "" {
			all.Problem = cmp.Or(all.Problem, broker.Clip(p.member.Name)+": "+p.rules.Problem)
		}
	}
	slices.SortFunc(all.Rules, func(x, y rules.Rule) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), x.CreatedAt.Compare(y.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
	return all
}
