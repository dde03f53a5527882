package service

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Rules is all that decides without a person.
func (b *Broker) Rules(context.Context) broker.RuleBook {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ruleBook()
}

// SaveRule makes r hold and ends the waiting calls that it decides; see Console.
func (b *Broker) SaveRule(ctx context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error) {
	saved, err := b.saveRule(ctx, r, by)
	if err != nil {
		return broker.SavedRule{}, fmt.Errorf("save rule: %w", err)
	}
	return broker.SavedRule{Rule: saved, Decided: b.reassess(&saved)}, nil
}

func (b *Broker) saveRule(ctx context.Context, r rules.Rule, by broker.Actor) (rules.Rule, error) {
	k := &b.keeper
	k.changing.Lock()
	defer k.changing.Unlock()
	b.mu.Lock()
	old, known := k.own[r.ID]
	b.mu.Unlock()
	seen := r.Version
	r, err := broker.NextVersion(now(), newID(), r, old, known, by)
	switch {
	case err != nil:
		return r, err
	case !broker.MayChange(by, old, known, r):
		return r, b.refuseRule(ctx, r, by)
	case known && seen != old.Version:
		return r, fmt.Errorf("%w: it has version %d by now, not %d", broker.ErrVersion, old.Version, seen)
	}
	if err := b.fits(r, known); err != nil {
		return r, err
	}
	c := &broker.Change{Sync: true, Rules: []rules.Rule{r}, Events: []*broker.Event{broker.NewEvent(now(), broker.EventRuleSaved, broker.Request{SessionID: r.Scope.Session}, broker.RuleSavedData{Rule: broker.WithoutUses(r), By: by})}}
	if err := b.commit(ctx, c); err != nil {
		return r, fmt.Errorf("%w: %w", broker.ErrNotRecorded, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if now, ok := k.own[r.ID]; ok { // uses go on counting while the change is being recorded
		r.Uses, r.LastUsedAt = now.Uses, now.LastUsedAt
	}
	k.own[r.ID] = r
	b.keep(r)
	b.publishRules()
	return r, nil
}

// fits tries r in the set, so that a rule that does not compile is refused before it
// is recorded.
func (b *Broker) fits(r rules.Rule, known bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !known && len(b.keeper.own) >= maxOwn {
		return fmt.Errorf("%w: there are %d rules already, the most that are kept", broker.ErrInvalid, len(b.keeper.own))
	}
	if _, err := b.keeper.set.Load().With(r); err != nil {
		return fmt.Errorf("%w: %w", broker.ErrInvalid, err)
	}
	return nil
}

// refuseRule writes down who tried to change a rule that is not his to change.
func (b *Broker) refuseRule(ctx context.Context, r rules.Rule, by broker.Actor) error {
	b.noteRefusal(ctx, broker.Request{}, broker.RefusedData{Wanted: "rule", Kind: broker.NoOperator, Detail: broker.ErrForbidden.Error(), By: by, Rule: new(broker.WithoutUses(r))})
	return broker.ErrForbidden
}

// RemoveRule ends rule id; see Console. Anybody may remove a rule that allows.
func (b *Broker) RemoveRule(ctx context.Context, id string, by broker.Actor) error {
	k := &b.keeper
	k.changing.Lock()
	defer k.changing.Unlock()
	b.mu.Lock()
	r, ok := k.own[id]
	b.mu.Unlock()
	switch {
	case !ok:
		return fmt.Errorf("remove rule %s: %w", broker.Clip(id), broker.ErrNotFound)
	case by.Kind != broker.ByOperator && r.Decision != rules.Allow:
		return fmt.Errorf("remove rule %s: %w", id, b.refuseRule(ctx, r, by))
	}
	c := &broker.Change{Sync: true, Remove: []string{id}, Events: []*broker.Event{broker.NewEvent(now(), broker.EventRuleRemoved, broker.Request{}, broker.RuleRemovedData{ID: id, By: by})}}
	if err := b.commit(ctx, c); err != nil {
		return fmt.Errorf("remove rule %s: %w: %w", id, broker.ErrNotRecorded, err)
	}
	b.mu.Lock()
	delete(k.own, id)
	b.drop(id)
	b.publishRules()
	b.mu.Unlock()
	b.reassess(nil)
	return nil
}

// lookedAt is how many waiting calls are looked at before those that are decided end.
const lookedAt = 256

// reassess looks at all waiting calls anew. Those that rule by decides are ended and
// returned; without a rule nothing ends, only what the cards say is brought up to date.
//
// The look at many calls shares what is known of the disk; a call that seems decided is
// judged once more, alone.
func (b *Broker) reassess(by *rules.Rule) []broker.Request {
	var decided []broker.Request
	for list := range slices.Chunk(b.Pending(""), lookedAt) {
		seen := make([]rules.Assessment, len(list))
		workspace.InParallel(len(list), func(i int, f *workspace.Paths) {
			b.mu.Lock()
			project := b.projectOf(list[i])
			b.mu.Unlock()
			seen[i] = b.assess(b.prepareAt(f, list[i], project, list[i].Vouched()), project, time.Now())
		})
		for i, req := range list {
			if by == nil || !broker.Speaks(seen[i], by.ID) {
				b.reassessed(req.ID, seen[i])
				continue
			}
			decided = append(decided, b.rejudge(req, by.ID)...)
		}
	}
	return decided
}

// rejudge ends a waiting call if rule id is one of those that decide it now.
func (b *Broker) rejudge(req broker.Request, id string) []broker.Request {
	b.mu.Lock()
	se := b.session(req.SessionID)
	project, moot := b.projectOf(req), b.moot(se)
	b.mu.Unlock()
	call := b.prepare(req, project, req.Vouched())
	decide := !moot && !b.overdue(req.ID) && broker.Speaks(b.assess(call, project, time.Now()), id)
	a, o := b.ruling(call, project, decide)
	if o == nil {
		b.reassessed(req.ID, a)
		return nil
	}
	done, err := b.endAll(context.Background(), []string{req.ID}, *o, &broker.Change{Used: a.Rules})
	if err != nil {
		return nil // for the sweeper to record
	}
	if len(done) == 0 { // settled meanwhile, or held
		b.unspend(a.Rules)
	}
	return done
}

// reassessed puts what the rules say now on a waiting card.
func (b *Broker) reassessed(id string, a rules.Assessment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.requests[id]
	if ok {
		a = broker.AsWaiting(a, e.req, e.headless)
	}
	if !ok || e.claimed || e.req.State != broker.Pending || e.req.Assessment != nil && reflect.DeepEqual(*e.req.Assessment, a) {
		return // a card that says the same must not look changed
	}
	e.req.Assessment = &a
	b.publish(broker.Update{Request: new(e.req)})
}
