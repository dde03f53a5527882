package far

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/fleet/orders"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/history"
)

// ruleHomes are the machines that have a rule as it is drawn, each with what it is there.
func (f *fleet) ruleHomes(id string) map[string]ruleAt {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range share(f.all()) {
		if s.ID == id {
			return s.at
		}
	}
	return nil
}

// SaveRule saves a rule: one of a session on its machine, one that is there on the machines that have
// it, and a new one on all that are in reach, where it has one id. LaterError says which did not take
// it.
func (d ruleDesk) SaveRule(ctx context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error) {
	ids, homes := d.inReach(), d.ruleHomes(r.ID)
	switch {
	case r.Scope.Session != "":
		k, err := d.sessionAt(r.Scope.Session)
		if err != nil {
			return broker.SavedRule{}, err
		}
		ids, r.Scope.Session = []string{k.machine}, k.id
	case r.ID != "":
		ids = d.machines(func(p *peer) bool { _, ok := homes[p.member.ID()]; return ok })
	}
	if len(ids) == 0 {
		return broker.SavedRule{}, fmt.Errorf("%w: no machine of the fleet takes this rule now", ErrOut)
	}
	if r.ID == "" {
		r.ID = uuid.Must(uuid.NewV7()).String()
	}
	list := each(d.fleet, ids, func(id string) (broker.SavedRule, error) {
		mine := r
		if was, ok := homes[id]; ok {
			mine.ID, mine.Version = was.id, min(mine.Version, was.version)
		}
		s, err := d.on(id).SaveRule(ctx, mine, by)
		s.Decided = d.allOurs(id, s.Decided)
		return s, err
	})
	var saved broker.SavedRule
	for _, one := range list {
		if one.err == nil {
			if saved.Rule.ID == "" {
				saved.Rule = one.value.Rule
			}
			saved.Decided = append(saved.Decided, one.value.Decided...)
		}
	}
	if len(list) == 1 {
		return saved, list[0].err
	}
	return saved, outcome(list)
}

// RemoveRule ends a rule on the machines that have it.
func (d ruleDesk) RemoveRule(ctx context.Context, id string, by broker.Actor) error {
	homes := d.ruleHomes(id)
	ids := d.machines(func(p *peer) bool { _, ok := homes[p.member.ID()]; return ok })
	if len(ids) == 0 {
		return fmt.Errorf("%w: no machine of the fleet has rule %s", broker.ErrNotFound, broker.Clip(id))
	}
	return outcome(each(d.fleet, ids, func(at string) (struct{}, error) { return struct{}{}, d.on(at).RemoveRule(ctx, homes[at].id, by) }))
}

// againstShown is how many calls a preview shows.
const againstShown = 5

// Preview says what a rule would have done on the machines in reach.
func (d ruleDesk) Preview(ctx context.Context, r rules.Rule) (all broker.Preview, err error) {
	ids := d.inReach()
	if r.Scope.Session != "" {
		k, err := d.sessionAt(r.Scope.Session)
		if err != nil {
			return all, err
		}
		ids, r.Scope.Session = []string{k.machine}, k.id
	}
	list, err := said(each(d.fleet, ids, func(id string) (broker.Preview, error) {
		p, err := d.on(id).Preview(ctx, r)
		p.Against, p.Waiting = d.allOurs(id, p.Against), d.allOurs(id, p.Waiting)
		return p, err
	}))
	for _, one := range list {
		p := one.value
		all.Past, all.Matched, all.Allowed, all.Denied, all.Other = all.Past+p.Past, all.Matched+p.Matched, all.Allowed+p.Allowed, all.Denied+p.Denied, all.Other+p.Other
		all.Here, all.Passed = all.Here+p.Here, all.Passed+p.Passed
		all.Against, all.Waiting = append(all.Against, p.Against...), append(all.Waiting, p.Waiting...)
	}
	slices.SortStableFunc(all.Against, func(x, y broker.Request) int { return endOf(&y).Compare(endOf(&x)) })
	all.Against = all.Against[:min(len(all.Against), againstShown)]
	return all, err
}

// Offer are rules that fit a call.
func (d ruleDesk) Offer(ctx context.Context, id string) ([]rules.Rule, error) {
	k, err := d.callAt(id)
	if err != nil {
		return nil, err
	}
	list, err := d.on(k.machine).Offer(ctx, k.id)
	m := d.machine(k.machine)
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range list {
		list[i] = d.here.rule(m, list[i])
	}
	return list, err
}

// Suggest are rules that would save questions. Errors: ErrOne in a fleet of several machines.
func (d ruleDesk) Suggest(ctx context.Context) (history.Suggestions, error) {
	id, err := d.only()
	if err != nil {
		return history.Suggestions{}, err
	}
	return d.on(id).Suggest(ctx)
}

// ProjectAt is what is known of a folder: the first machine in reach that knows a project there says.
func (d ruleDesk) ProjectAt(ctx context.Context, dir string) broker.Project {
	for _, r := range each(d.fleet, d.inReach(), func(id string) (broker.Project, error) { return d.on(id).ProjectAt(ctx, dir), nil }) {
		if r.value.Path != "" {
			return r.value
		}
	}
	return broker.Project{}
}

// TrustFile trusts a rules file on the machines that have it so.
func (d ruleDesk) TrustFile(ctx context.Context, path, digest string, by broker.Actor) error {
	ids := d.machines(func(p *peer) bool {
		return p.rules != nil && slices.ContainsFunc(p.rules.Files, func(f broker.RulesFile) bool {
			return f.Path == path && (digest == "" || f.Digest == digest)
		})
	})
	if len(ids) == 0 {
		return fmt.Errorf("%w: no machine of the fleet has %s so", broker.ErrNotFound, broker.Clip(path))
	}
	return outcome(each(d.fleet, ids, func(id string) (struct{}, error) {
		return struct{}{}, d.on(id).TrustFile(ctx, path, digest, by)
	}))
}

// Proposals are what processes ask to be granted, on the machines in reach. A screen asks every second, so the
// machines are asked whose beats say that there are any.
func (d ruleDesk) Proposals() (all []broker.Proposal) {
	now := d.now()
	ids := d.machines(func(p *peer) bool { boot, _ := p.mirror.Present(now); return boot != "" && p.mirror.Proposals() > 0 })
	for _, r := range each(d.fleet, ids, func(id string) ([]broker.Proposal, error) { return d.on(id).Proposals(), nil }) {
		d.mu.Lock()
		d.here.proposals.prune(func() map[at]bool { return nil })
		for _, p := range r.value {
			p.ID = d.here.proposals.out(r.machine, p.ID)
			all = append(all, p)
		}
		d.mu.Unlock()
	}
	slices.SortStableFunc(all, func(x, y broker.Proposal) int { return x.CreatedAt.Compare(y.CreatedAt) })
	return all
}

// AnswerProposal notes what became of one.
func (d ruleDesk) AnswerProposal(id string, saved *broker.SavedRule) {
	if k, err := d.home(d.here.proposals, "proposal", id); err == nil {
		d.on(k.machine).AnswerProposal(k.id, saved)
	}
}

// errTokens is why there are no tokens here.
var errTokens = fmt.Errorf("%w: tokens are made and taken back on their own machine", orders.ErrNoOrder)

// MintToken makes none: errors wrap orders.ErrNoOrder.
func (ruleDesk) MintToken(context.Context, broker.TokenKind, string, broker.Actor) (string, error) {
	return "", errTokens
}

// Tokens are none.
func (ruleDesk) Tokens(context.Context) []broker.Token { return nil }

// RevokeToken takes none back: errors wrap orders.ErrNoOrder.
func (ruleDesk) RevokeToken(context.Context, string, broker.Actor) error { return errTokens }
