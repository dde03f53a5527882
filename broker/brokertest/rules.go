package brokertest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// Doubt makes every later Load say that the log's facts are in doubt, as after another
// program changed them; "" that all is well. Then no fact may allow anything. The facts are still
// returned, as a real store does.
func (m *Memory) Doubt(why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.doubt = why
}

// countUses notes the rules that spoke once more. Caller holds mu. The time is that of the newest
// event of the change, since a use has no event of its own.
func (m *Memory) countUses(c *broker.Change) {
	var last time.Time
	for _, e := range c.Events {
		if at := round(e.At); at.After(last) {
			last = at
		}
	}
	for _, id := range c.Used {
		m.uses[id] = plus(m.uses[id], broker.RuleUse{Uses: 1, Last: last})
	}
}

// plus is a with b's uses after it. The later of the two times counts, whichever came first.
func plus(a, b broker.RuleUse) broker.RuleUse {
	a.Uses += b.Uses
	if b.Last.After(a.Last) {
		a.Last = b.Last
	}
	return a
}

// ruleUse is how often rules spoke: what was counted, and no less than the calls that they
// decided. Caller holds mu. The two counts overlap, so they are not added up: the larger one
// holds.
func (m *Memory) ruleUse() map[string]broker.RuleUse {
	uses := map[string]broker.RuleUse{}
	// Every request that a rule ended is a use, counted or not.
	for _, r := range m.requests {
		if o := r.Outcome; o != nil && o.By.Kind == broker.ByRule {
			uses[o.By.ID] = plus(uses[o.By.ID], broker.RuleUse{Uses: 1, Last: o.At})
		}
	}
	for id, counted := range m.uses {
		most := plus(uses[id], broker.RuleUse{Last: counted.Last})
		// plus has taken the later of the two times.
		most.Uses = max(most.Uses, counted.Uses)
		uses[id] = most
	}
	return uses
}

// listFacts lists the events that hold. Caller holds mu.
func (m *Memory) listFacts() []broker.Event {
	var list []broker.Event
	for _, e := range m.events {
		if chain.IsFact(e.Type) {
			list = append(list, copyEvent(e))
		}
	}
	return list
}

// unused lists unused grants, oldest first. Caller holds mu. The id decides where two were made
// in the same moment.
func (m *Memory) unused() []broker.Grant {
	var list []broker.Grant
	for _, g := range m.grants {
		if g.UsedBy == "" {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b broker.Grant) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Grants implements broker.Store. A grant that expires in this very moment is no longer good.
func (m *Memory) Grants(ctx context.Context) ([]broker.Grant, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := round(time.Now())
	return slices.DeleteFunc(m.unused(), func(g broker.Grant) bool { return !g.ExpiresAt.After(now) }), nil
}

// ended lists the decided requests of a session, or of all for "", that were decided
// since a time, oldest decision first. It takes the lock itself and returns copies, so that a
// caller may use the store in between.
func (m *Memory) ended(sessionID string, since time.Time) []broker.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []broker.Request
	f := broker.RequestFilter{Decided: true, SessionID: sessionID, Since: since}
	for _, id := range m.order {
		if r := m.requests[id]; selects(f, &r.Request) {
			list = append(list, copyRequest(r.Request))
		}
	}
	slices.SortStableFunc(list, func(a, b broker.Request) int { return a.Outcome.At.Compare(b.Outcome.At) })
	return list
}

// EachRequest implements broker.Store. No lock is held while fn runs.
func (m *Memory) EachRequest(ctx context.Context, since time.Time, fn func(broker.Request) error) error {
	for _, r := range m.ended("", since) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Stats implements broker.Store. Of an even number of times the median is the lower one, as in
// package store.
func (m *Memory) Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error) {
	if err := ctx.Err(); err != nil {
		return broker.Stats{}, err
	}
	var s broker.Stats
	var took []time.Duration
	for _, r := range m.ended(sessionID, since) {
		s.Calls++
		*counter(&s, r.Outcome)++
		if r.Outcome.By.Kind == broker.ByRule && !r.Outcome.At.After(r.CreatedAt) {
			s.Saved++
		}
		if answered(r.Outcome) {
			took = append(took, max(0, r.Outcome.At.Sub(r.CreatedAt)))
		}
	}
	// Without an answer there is no median, and it stays 0.
	if slices.Sort(took); len(took) > 0 {
		s.Median = took[(len(took)-1)/2]
	}
	return s, nil
}

// counter is the number of s that counts calls which ended like o. The order of the cases
// matters: what was only observed counts as that, however it ended.
func counter(s *broker.Stats, o *broker.Outcome) *int {
	allowed, denied, by := o.State == broker.Allowed, o.State == broker.Denied, o.By.Kind
	switch {
	case by == broker.ByObserve:
		return &s.Observed
	case by == broker.ByRule && allowed:
		return &s.ByRule
	case by == broker.ByRule && denied:
		return &s.RuleDeny
	case by == broker.ByOperator && allowed:
		return &s.ByHand
	case denied:
		return &s.Denied
	case o.State == broker.Expired:
		return &s.Expired
	}
	return &s.Other
}

// answered reports whether a person answered the call when it was asked: one that a
// grant let through was answered before.
func answered(o *broker.Outcome) bool {
	return o.By.Kind == broker.ByOperator && o.By.ID == "" && (o.State == broker.Allowed || o.State == broker.Denied)
}
