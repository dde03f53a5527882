package far

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
)

// What may be done, as consoles.Broker has it: each method finds out which machine it is about, and
// has that do it.
type (
	callDesk    struct{ *fleet }
	sessionDesk struct{ *fleet }
	ruleDesk    struct{ *fleet }
	figureDesk  struct{ *fleet }
	placeDesk   struct{ *fleet }
)

// Decide has the machine of a call decide it. A deny for a machine that is out of reach waits for it:
// then there is a LaterError.
func (d callDesk) Decide(ctx context.Context, id string, c broker.Decision) (broker.Request, error) {
	k, err := d.callAt(id)
	if err != nil {
		return broker.Request{}, err
	}
	r, err := d.on(k.machine).Decide(ctx, k.id, c)
	return d.ours(k.machine, r), err
}

// DecideAll has the machines of some calls decide them.
func (d callDesk) DecideAll(ctx context.Context, picks []broker.Pick, c broker.Decision) ([]broker.Request, error) {
	of := map[string][]broker.Pick{}
	var ids []string
	for _, p := range picks {
		k, err := d.callAt(p.ID)
		if err != nil {
			return nil, err
		}
		if of[k.machine] == nil {
			ids = append(ids, k.machine)
		}
		of[k.machine] = append(of[k.machine], broker.Pick{ID: k.id, Digest: p.Digest})
	}
	list := each(d.fleet, ids, func(id string) ([]broker.Request, error) {
		done, err := d.on(id).DecideAll(ctx, of[id], c)
		return d.allOurs(id, done), err
	})
	var all []broker.Request
	for _, r := range list {
		all = append(all, r.value...)
	}
	if len(list) == 1 {
		return all, list[0].err
	}
	return all, outcome(list)
}

// AssessEdited has a call judged with another input.
func (d callDesk) AssessEdited(ctx context.Context, id string, input json.RawMessage) (broker.Edited, error) {
	k, err := d.callAt(id)
	if err != nil {
		return broker.Edited{}, err
	}
	e, err := d.on(k.machine).AssessEdited(ctx, k.id, input)
	e.Request = d.ours(k.machine, e.Request)
	return e, err
}

// Defer puts a call off.
func (d callDesk) Defer(ctx context.Context, id string, by broker.Actor) (broker.Request, error) {
	k, err := d.callAt(id)
	if err != nil {
		return broker.Request{}, err
	}
	r, err := d.on(k.machine).Defer(ctx, k.id, by)
	return d.ours(k.machine, r), err
}

// Extend gives a call more time.
func (d callDesk) Extend(ctx context.Context, id string, by broker.Actor) (broker.Request, error) {
	k, err := d.callAt(id)
	if err != nil {
		return broker.Request{}, err
	}
	r, err := d.on(k.machine).Extend(ctx, k.id, by)
	return d.ours(k.machine, r), err
}

// Freeze freezes a session, or with "" every machine; or lets go on. LaterError says which machines
// confirmed.
func (d callDesk) Freeze(ctx context.Context, sessionID string, on bool, by broker.Actor) error {
	if sessionID != "" {
		k, err := d.sessionAt(sessionID)
		if err != nil {
			return err
		}
		return d.on(k.machine).Freeze(ctx, k.id, on, by)
	}
	return outcome(each(d.fleet, d.machines(everyone), func(id string) (struct{}, error) {
		return struct{}{}, d.on(id).Freeze(ctx, "", on, by)
	}))
}

// History are the calls that ended last, on the machines in reach, newest first.
func (d callDesk) History(ctx context.Context, limit int) ([]broker.Request, error) {
	list, err := said(each(d.fleet, d.inReach(), func(id string) ([]broker.Request, error) {
		past, err := d.on(id).History(ctx, limit)
		return d.allOurs(id, past), err
	}))
	var all []broker.Request
	for _, r := range list {
		all = append(all, r.value...)
	}
	slices.SortStableFunc(all, func(x, y broker.Request) int { return endOf(&y).Compare(endOf(&x)) })
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return all, err
}

// endOf is when a call ended, as far as that is known.
func endOf(r *broker.Request) time.Time {
	if r.Outcome != nil {
		return r.Outcome.At
	}
	return r.CreatedAt
}

// Story is what led to a call.
func (d callDesk) Story(ctx context.Context, id string) (story.Story, error) {
	k, err := d.callAt(id)
	if err != nil {
		return story.Story{}, err
	}
	s, err := d.on(k.machine).Story(ctx, k.id)
	for i := range s.Before {
		s.Before[i].Request = d.ours(k.machine, s.Before[i].Request)
	}
	return s, err
}
