package far

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
)

// health is how all machines are, and the way to them.
func (o *Options) health(list []*peer) broker.Health {
	h := mergeHealth(list)
	if o.Out != nil {
		h.Servers = cmp.Or(o.Out(), broker.ServersUp)
	}
	return h
}

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

// ruleAt is a rule as a machine has it.
type ruleAt struct {
	id      string // there
	version int
}

// shared is a rule as it is drawn, and the machines that have it so.
type shared struct {
	rules.Rule

	at map[string]ruleAt // by the machine's id
}

// share puts rules of one id together that say the same, under the newest version. Where a machine has
// something else under that id, it is drawn apart, with the machine's name: a machine may say
// anything, and what is saved or removed here goes to those machines alone that had it as it was drawn.
func share(list []*peer) (all []shared) {
	of := map[string][]int{} // by id: places in all
	for _, p := range list {
		if p.rules == nil {
			continue
		}
		for _, r := range p.rules.Rules {
			here := ruleAt{r.ID, r.Version}
			i := slices.IndexFunc(of[r.ID], func(i int) bool { return sayTheSame(all[i].Rule, r) })
			if i >= 0 {
				s := &all[of[r.ID][i]]
				s.at[p.member.ID()], s.Version = here, max(s.Version, r.Version)
				continue
			}
			of[here.id] = append(of[here.id], len(all))
			if len(of[here.id]) > 1 {
				r.ID += "@" + p.member.Name
				if slices.ContainsFunc(all, func(s shared) bool { return s.ID == r.ID }) {
					r.ID = here.id + "@" + p.member.ID()
				}
			}
			all = append(all, shared{r, map[string]ruleAt{p.member.ID(): here}})
		}
	}
	return all
}

// sayTheSame reports whether two rules do the same, whatever they are called and whoever made them.
func sayTheSame(x, y rules.Rule) bool {
	for _, r := range []*rules.Rule{&x, &y} {
		r.ID, r.Version, r.Uses, r.LastUsedAt = "", 0, 0, time.Time{}
		r.CreatedBy, r.CreatedFrom, r.CreatedAt, r.UpdatedAt = "", "", time.Time{}, time.Time{}
		if len(r.Where) == 0 {
			r.Where = nil
		}
	}
	return reflect.DeepEqual(x, y)
}

// mergeRules are the rules of all machines.
func mergeRules(list []*peer) (all broker.RuleBook) {
	for _, s := range share(list) {
		all.Rules = append(all.Rules, s.Rule)
	}
	for _, p := range list {
		if p.rules == nil {
			continue
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
