package policy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

const (
	recordedMost  = 5000             // recorded calls that a preview looks at, the newest ones
	recordedBytes = 32 << 20         // of their inputs, at which there are fewer of them
	recordedFresh = 30 * time.Second // how long a preview goes on with the calls it has read
	shownMost     = 5                // calls that a preview shows
)

// Records are the calls, sessions and events on record.
type Records interface {
	Requests(ctx context.Context, f broker.RequestFilter) ([]broker.Request, error)
	Sessions(ctx context.Context, f broker.SessionFilter) ([]broker.Session, error)
	Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error)
}

// recordedCalls are calls, recorded and waiting ones, ready to be matched again and again
// while somebody types a rule. All but turn is for who has taken it.
type recordedCalls struct {
	turn    chan struct{}          // one preview at a time: agents' questions come first
	calls   []recordedCall         // recorded ones, newest first
	waiting map[string]*rules.Call // waiting ones, by request id
	readAt  time.Time
}

type recordedCall struct {
	req  broker.Request
	call *rules.Call
}

// recorded returns the recorded calls; it reads them when those it has are old. The caller has
// the turn. Calls that were prepared before are kept, so a rule that is being typed costs
// little.
func (p *Policy) recorded(ctx context.Context) ([]recordedCall, error) {
	h := &p.history
	if time.Since(h.readAt) < recordedFresh {
		return h.calls, nil
	}
	list, err := p.Store.Requests(ctx, broker.RequestFilter{Decided: true, Limit: recordedMost, MaxBytes: recordedBytes})
	if err != nil {
		return nil, fmt.Errorf("read the recorded calls: %w", err)
	}
	known := make(map[string]*rules.Call, len(h.calls))
	for _, old := range h.calls {
		known[old.req.ID] = old.call
	}
	projects := p.projects(ctx)
	calls := make([]recordedCall, len(list))
	workspace.InParallel(len(list), func(i int, f *workspace.Paths) {
		r := list[i]
		c, ok := known[r.ID]
		if !ok && ctx.Err() == nil {
			c = p.PrepareAt(f, r, cmp.Or(projects[r.SessionID], r.CWD), r.Vouched())
		}
		calls[i] = recordedCall{r, c}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	h.calls, h.waiting, h.readAt = calls, map[string]*rules.Call{}, time.Now()
	return calls, nil
}

// waitingCalls are the waiting calls as they were lately. The caller has the turn. They are
// prepared once, and forgotten when the recorded ones are read anew.
func (p *Policy) waitingCalls(ctx context.Context) ([]recordedCall, error) {
	h := &p.history
	list := p.Engine.Pending("")
	calls := make([]recordedCall, len(list))
	workspace.InParallel(len(list), func(i int, f *workspace.Paths) {
		r := list[i]
		c, ok := h.waiting[r.ID]
		if !ok && ctx.Err() == nil {
			c = p.PrepareAt(f, r, p.Engine.Look(&r).Project, r.Vouched())
		}
		calls[i] = recordedCall{r, c}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, c := range calls {
		h.waiting[c.req.ID] = c.call
	}
	return calls, nil
}

// projects maps session ids to their project's folder. Without the sessions a call's own folder
// has to do.
func (p *Policy) projects(ctx context.Context) map[string]string {
	list, err := p.Store.Sessions(ctx, broker.SessionFilter{Limit: 10 * recordedMost})
	if err != nil {
		p.Log.WarnContext(ctx, "sessions not read", "err", err)
	}
	m := make(map[string]string, len(list))
	for _, s := range list {
		m[s.ID] = s.ProjectDir
	}
	return m
}

// Preview says what r would have done to the recorded calls, and what it would do to those that
// wait. It may take a second on a long history. Errors: ErrInvalid.
func (p *Policy) Preview(ctx context.Context, r rules.Rule) (broker.Preview, error) {
	if r.ID == "" {
		r.ID = uuid.NewString()
	}
	if err := r.Check(); err != nil {
		return broker.Preview{}, broker.While(fmt.Errorf("%w: %w", broker.ErrInvalid, err), "preview")
	}
	select {
	case p.history.turn <- struct{}{}:
		defer func() { <-p.history.turn }()
	case <-ctx.Done():
		return broker.Preview{}, ctx.Err()
	}
	before := p.Engine.Rules().Set
	after, err := before.With(r)
	if err != nil {
		return broker.Preview{}, broker.While(fmt.Errorf("%w: %w", broker.ErrInvalid, err), "preview")
	}
	past, err := p.recorded(ctx)
	if err != nil {
		return broker.Preview{}, broker.While(err, "preview")
	}
	now := time.Now()
	decides := func(c *rules.Call) bool {
		was, _ := before.Verdict(c, now)
		is, by := after.Verdict(c, now)
		// The rule's own doing: the verdict changes with it, or it is the one that is named.
		return is == r.Decision && (was != is || by == r.ID)
	}
	found := broker.Preview{Past: len(past)}
	for _, pc := range past {
		if ctx.Err() != nil {
			return broker.Preview{}, ctx.Err()
		}
		if in := pc.call.Question().Place.Project; r.Scope.Project != "" && in != "" && workspace.Below(r.Scope.Project, in) {
			found.Here++
			if is, _ := after.Verdict(pc.call, now); is == rules.Allow {
				found.Passed++
			}
		}
		if decides(pc.call) {
			countRecorded(&found, pc.req, r.Decision)
		}
	}
	if r.Decision == rules.Ask || r.Decision == rules.Defer { // what waits already goes on waiting
		return found, nil
	}
	waiting, err := p.waitingCalls(ctx)
	if err != nil {
		return broker.Preview{}, broker.While(err, "preview")
	}
	for _, wc := range waiting {
		if decides(wc.call) {
			found.Waiting = append(found.Waiting, wc.req)
		}
	}
	return found, nil
}

// countRecorded adds to p one recorded call that the rule would have decided as v. Those that a
// person decided the other way are shown: they are what a rule gets wrong.
func countRecorded(p *broker.Preview, r broker.Request, v rules.Verdict) {
	p.Matched++
	byHand := r.Outcome != nil && (r.Outcome.By.Kind == broker.ByOperator || r.Outcome.By.Kind == broker.ByProcess)
	switch {
	case byHand && r.State == broker.Allowed:
		p.Allowed++
	case byHand && r.State == broker.Denied:
		p.Denied++
	default:
		p.Other++
		return
	}
	against := r.State == broker.Denied && v == rules.Allow || r.State == broker.Allowed && v == rules.Deny
	if against && len(p.Against) < shownMost {
		p.Against = append(p.Against, r)
	}
}

// Offer lists rules that would cover req's call from now on; see Rulings. The last one goes by what the
// call does, where there is such a one.
func (p *Policy) Offer(req broker.Request) []rules.Rule {
	project := p.Engine.Look(&req).Project
	call, _ := p.vetted(workspace.NewPaths(), req, project, req.Vouched(), p.Vet.Offer)
	drafts := rules.Offer(call)
	at := p.place(project, req.CWD)
	drafts = p.withSuggested(req, call, drafts, at.Project)
	if r, ok := rules.OfferEffects(call); ok {
		drafts = append(drafts, r)
	}
	for i := range drafts {
		drafts[i].CreatedFrom, drafts[i].Scope.Project = req.ID, at.Project
	}
	return slices.Clip(drafts)
}
