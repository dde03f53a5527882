package broker

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// Rules is all that decides without a person.
func (b *Broker) Rules(context.Context) RuleBook {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ruleBook()
}

// SaveRule makes r hold and ends the waiting calls that it decides; see Console.
func (b *Broker) SaveRule(ctx context.Context, r rules.Rule, by Actor) (SavedRule, error) {
	saved, err := b.saveRule(ctx, r, by)
	if err != nil {
		return SavedRule{}, fmt.Errorf("save rule: %w", err)
	}
	return SavedRule{Rule: saved, Decided: b.reassess(&saved)}, nil
}

func (b *Broker) saveRule(ctx context.Context, r rules.Rule, by Actor) (rules.Rule, error) {
	k := &b.keeper
	k.changing.Lock()
	defer k.changing.Unlock()
	b.mu.Lock()
	old, known := k.own[r.ID]
	b.mu.Unlock()
	seen := r.Version
	r, err := nextVersion(r, old, known, by)
	switch {
	case err != nil:
		return r, err
	case !mayChange(by, old, known, r):
		return r, b.refuseRule(ctx, r, by)
	case known && seen != old.Version:
		return r, fmt.Errorf("%w: it has version %d by now, not %d", errVersion, old.Version, seen)
	}
	if err := b.fits(r, known); err != nil {
		return r, err
	}
	c := &Change{Sync: true, Rules: []rules.Rule{r}, Events: []*Event{newEvent(EventRuleSaved, Request{SessionID: r.Scope.Session}, RuleSavedData{Rule: withoutUses(r), By: by})}}
	if err := b.commit(ctx, c); err != nil {
		return r, fmt.Errorf("%w: %w", ErrNotRecorded, err)
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

// nextVersion completes r: what a caller leaves out, and what is not his to choose.
func nextVersion(r, old rules.Rule, known bool, by Actor) (rules.Rule, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	switch {
	case r.Source != "":
		return r, fmt.Errorf("%w: this rule stands in %s; change it there", ErrInvalid, r.Source)
	case r.ID == "":
		id, err := uuid.NewV7()
		if err != nil {
			return r, fmt.Errorf("make a rule's id: %w", err)
		}
		r.ID = id.String()
	case !known && !mayBeID(r.ID):
		return r, fmt.Errorf("%w: id %q is not one that a rule may have; leave it out, or give a random UUID", ErrInvalid, clip(r.ID))
	}
	r.Version, r.UpdatedAt = old.Version+1, now
	r.CreatedAt, r.CreatedBy, r.CreatedFrom, r.Uses, r.LastUsedAt = old.CreatedAt, old.CreatedBy, cmp.Or(old.CreatedFrom, r.CreatedFrom), old.Uses, old.LastUsedAt
	if !known {
		r.CreatedAt, r.CreatedBy = now, author(by)
	}
	if r.ExpiresAt = r.ExpiresAt.UTC().Truncate(time.Millisecond); r.ExpiresAt.Year() > 9999 {
		return r, fmt.Errorf("%w: expires_at: years have four digits", ErrInvalid)
	}
	if err := r.Check(); err != nil {
		return r, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return r, nil
}

// mayBeID reports whether a new rule may be called id: a UUID in its usual form, and
// none that is made from a name, as those of rules in files are.
func mayBeID(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && u.String() == id && (u.Version() == 4 || u.Version() == 7)
}

// author names who made a rule.
func author(by Actor) string {
	if by.Kind == ByOperator {
		return "operator"
	}
	return fmt.Sprintf("%s %d", by.Kind, by.PID)
}

// withoutUses is r as the log records it: counting goes on without new versions.
func withoutUses(r rules.Rule) rules.Rule {
	r.Uses, r.LastUsedAt = 0, time.Time{}
	return r
}

// mayChange reports whether by may put r in the place of old: the operator may all,
// others only what refuses more: a new rule that does not allow, or an allow rule
// switched off.
func mayChange(by Actor, old rules.Rule, known bool, r rules.Rule) bool {
	switch {
	case by.Kind == ByOperator:
		return true
	case !known:
		return r.Decision != rules.Allow
	}
	off := old
	off.Enabled = false
	return old.Decision == rules.Allow && !r.Enabled && sameRule(off, r)
}

// sameRule compares what two versions of a rule say.
func sameRule(x, y rules.Rule) bool {
	x.UpdatedAt, y.UpdatedAt = time.Time{}, time.Time{}
	return string(rules.FormatTOML([]rules.Rule{x})) == string(rules.FormatTOML([]rules.Rule{y}))
}

// fits tries r in the set, so that a rule that does not compile is refused before it
// is recorded.
func (b *Broker) fits(r rules.Rule, known bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !known && len(b.keeper.own) >= maxOwn {
		return fmt.Errorf("%w: there are %d rules already, the most that are kept", ErrInvalid, len(b.keeper.own))
	}
	if _, err := b.keeper.set.Load().With(r); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}

// refuseRule writes down who tried to change a rule that is not his to change.
func (b *Broker) refuseRule(ctx context.Context, r rules.Rule, by Actor) error {
	b.noteRefusal(ctx, Request{}, RefusedData{Wanted: "rule", Kind: NoOperator, Detail: ErrForbidden.Error(), By: by, Rule: ptr(withoutUses(r))})
	return ErrForbidden
}

// RemoveRule ends rule id; see Console. Anybody may remove a rule that allows.
func (b *Broker) RemoveRule(ctx context.Context, id string, by Actor) error {
	k := &b.keeper
	k.changing.Lock()
	defer k.changing.Unlock()
	b.mu.Lock()
	r, ok := k.own[id]
	b.mu.Unlock()
	switch {
	case !ok:
		return fmt.Errorf("remove rule %s: %w", clip(id), ErrNotFound)
	case by.Kind != ByOperator && r.Decision != rules.Allow:
		return fmt.Errorf("remove rule %s: %w", id, b.refuseRule(ctx, r, by))
	}
	c := &Change{Sync: true, Remove: []string{id}, Events: []*Event{newEvent(EventRuleRemoved, Request{}, RuleRemovedData{ID: id, By: by})}}
	if err := b.commit(ctx, c); err != nil {
		return fmt.Errorf("remove rule %s: %w: %w", id, ErrNotRecorded, err)
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
func (b *Broker) reassess(by *rules.Rule) []Request {
	var decided []Request
	for list := range slices.Chunk(b.Pending(""), lookedAt) {
		seen := make([]rules.Assessment, len(list))
		workspace.InParallel(len(list), func(i int, f *workspace.Paths) {
			b.mu.Lock()
			project := b.projectOf(list[i])
			b.mu.Unlock()
			seen[i] = b.assess(b.prepareAt(f, list[i], project, list[i].Vouched()), project, time.Now())
		})
		for i, req := range list {
			if by == nil || !speaks(seen[i], by.ID) {
				b.reassessed(req.ID, seen[i])
				continue
			}
			decided = append(decided, b.rejudge(req, by.ID)...)
		}
	}
	return decided
}

// rejudge ends a waiting call if rule id is one of those that decide it now.
func (b *Broker) rejudge(req Request, id string) []Request {
	b.mu.Lock()
	se := b.session(req.SessionID)
	project, moot := b.projectOf(req), b.moot(se)
	b.mu.Unlock()
	call := b.prepare(req, project, req.Vouched())
	decide := !moot && !b.overdue(req.ID) && speaks(b.assess(call, project, time.Now()), id)
	a, o := b.ruling(call, project, decide)
	if o == nil {
		b.reassessed(req.ID, a)
		return nil
	}
	done, err := b.endAll(context.Background(), []string{req.ID}, *o, &Change{Used: a.Rules})
	if err != nil {
		return nil // for the sweeper to record
	}
	if len(done) == 0 { // settled meanwhile, or held
		b.unspend(a.Rules)
	}
	return done
}

// speaks reports whether a ends its call, and rule id is one that speaks.
func speaks(a rules.Assessment, id string) bool {
	return ends(a) && (a.Rule == id || slices.Contains(a.Rules, id))
}

// reassessed puts what the rules say now on a waiting card.
func (b *Broker) reassessed(id string, a rules.Assessment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.requests[id]
	if ok {
		a = asWaits(a, e.req, e.headless)
	}
	if !ok || e.claimed || e.req.State != Pending || e.req.Assessment != nil && reflect.DeepEqual(*e.req.Assessment, a) {
		return // a card that says the same must not look changed
	}
	e.req.Assessment = &a
	b.publish(Update{Request: ptr(e.req)})
}
