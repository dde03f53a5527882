package policy

import (
	"context"
	"iter"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules/history"
)

// suggestFrom is how many calls suggestions go by, the newest ones. What was refused before that
// still speaks against a rule.
const suggestFrom = 500

// Suggest finds rules that would have saved a person's decisions about the recorded calls; see
// history.Suggest. None of them would have allowed what somebody refused, nor what is dangerous or
// what nobody knows. It may take a second on a long history, and waits for previews.
func (p *Policy) Suggest(ctx context.Context) (history.Suggestions, error) {
	select {
	case p.history.turn <- struct{}{}:
		defer func() { <-p.history.turn }()
	case <-ctx.Done():
		return history.Suggestions{}, ctx.Err()
	}
	recorded, err := p.recorded(ctx)
	if err != nil {
		return history.Suggestions{}, broker.While(err, "suggest rules")
	}
	past := suggestible{Policy: p, ctx: ctx, recorded: recorded}
	found := history.Suggestions{List: history.Suggest(past.each(), p.Engine.Rules().Set, time.Now(), history.SuggestOptions{Known: true})}
	if ctx.Err() != nil {
		return history.Suggestions{}, ctx.Err()
	}
	found.Prompts, found.Observed = past.prompts, past.observed
	for _, s := range found.List {
		found.Saved += s.Saves
	}
	return found, nil
}

// suggestible is the recorded calls as suggestions see them, with what was counted on the way.
type suggestible struct {
	*Policy
	ctx               context.Context //nolint:containedctx // an iterator gets nothing else
	recorded          []recordedCall
	prompts, observed int
}

// each yields the calls, newest first. It ends early when nobody waits any more.
func (s *suggestible) each() iter.Seq[history.Past] {
	return func(yield func(history.Past) bool) {
		for i, rc := range s.recorded {
			if s.ctx.Err() != nil || !yield(s.past(rc, i < suggestFrom)) {
				return
			}
		}
	}
}

// past is one call; an older one only speaks against rules.
func (s *suggestible) past(rc recordedCall, lately bool) history.Past {
	r := rc.req
	p := history.Past{ID: r.ID, SessionID: r.SessionID, Call: rc.call, At: r.CreatedAt, State: string(r.State)}
	if r.Outcome == nil {
		return p
	}
	by := r.Outcome.By.Kind
	p.ByKind = string(by)
	if !lately {
		return p
	}
	// With another input something else was allowed than what was asked.
	p.Prompted = by != broker.ByRule && by != broker.ByObserve && len(r.Outcome.UpdatedInput) == 0
	p.Observed = s.letRun(r)
	switch {
	case p.Observed:
		s.observed++
	case (by == broker.ByOperator || by == broker.ByProcess) && (r.State == broker.Allowed || r.State == broker.Denied):
		s.prompts++
	}
	return p
}

// letRun reports whether the agent's user, or that user's settings, let a call run that was only
// observed.
func (s *suggestible) letRun(r broker.Request) bool {
	if !broker.MayBeLetRun(r) {
		return false
	}
	list, err := s.Store.Events(s.ctx, broker.EventFilter{Ran: r.ID, Limit: 1})
	return err == nil && broker.RanWell(r, list)
}
