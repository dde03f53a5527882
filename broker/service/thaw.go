package service

import (
	"context"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// judgeHeld judges the calls of a session, or of all for "", that no freeze holds any
// more, as if they came now. Those that nothing decides stay as cards.
//
// As in reassess, many are looked at together, and what seems decided once more alone.
func (b *Broker) judgeHeld(sessionID string) {
	for list := range slices.Chunk(b.Pending(sessionID), lookedAt) {
		seen := make([]rules.Assessment, len(list))
		workspace.InParallel(len(list), func(i int, f *workspace.Paths) {
			b.mu.Lock()
			project := b.projectOf(list[i])
			b.mu.Unlock()
			seen[i] = b.assess(b.prepareAt(f, list[i], project, list[i].Vouched()), project, time.Now())
		})
		for i, req := range list {
			if seen[i].Verdict == rules.Ask && !b.passesUnasked(req) {
				b.reassessed(req.ID, seen[i])
				continue
			}
			b.judgeAgain(req)
		}
	}
}

// passesUnasked reports whether a call that the rules leave open may still need nobody.
func (b *Broker) passesUnasked(req broker.Request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, granted := b.grants[grantKey{req.SessionID, req.SubagentID, req.Digest}]
	return granted || b.observing || b.session(req.SessionID).s.Observed || broker.AsksElsewhere(req)
}

// judgeAgain gives a waiting call the end that it would have if it came now, if any.
func (b *Broker) judgeAgain(req broker.Request) {
	b.mu.Lock()
	se := b.session(req.SessionID)
	project, moot := b.projectOf(req), b.moot(se)
	b.mu.Unlock()
	if b.overdue(req.ID) {
		return // its time is over, and its timer says so
	}
	call := b.prepare(req, project, req.Vouched())
	a, ruled := b.ruling(call, project, !moot)
	stamp := workspace.CallStamp(call)
	req.Assessment = &a
	b.mu.Lock()
	end, grant := b.firstEnd(se, req, stamp, ruled)
	b.mu.Unlock()
	if ruled != nil && end != ruled {
		b.unspend(a.Rules)
	}
	if end == nil {
		b.reassessed(req.ID, a)
		if a.Verdict == rules.Defer && req.Deferrable && req.Checkpoint == nil && b.heldNow(req.SessionID) == "" {
			b.putOffByRule(context.Background(), req, a)
		}
		return
	}
	c := &broker.Change{}
	if end == ruled {
		c.Used = a.Rules
	}
	if grant != nil {
		c.UseGrant = &broker.GrantUse{ID: grant.ID, By: req.ID}
		c.Events = append(c.Events, broker.NewEvent(now(), broker.EventGrantUsed, req, map[string]string{"grant": grant.ID}))
	}
	end.At = time.Now()
	done, err := b.endAll(context.Background(), []string{req.ID}, *end, c)
	switch {
	case err != nil || len(done) == 0:
		b.giveBack(grant, err)
		if err == nil { // settled meanwhile, or held again
			b.unspend(c.Used)
		}
	case end.State == broker.Answered && end.By.Kind == broker.ByAgent:
		b.mu.Lock()
		b.session(req.SessionID).s.Asks = broker.AsksOf(done[0])
		b.publishSession(b.session(req.SessionID))
		b.mu.Unlock()
	}
}

// stampLate stamps a call that a person will look at after all.
func (b *Broker) stampLate(e *entry, call *rules.Call) {
	stamp := workspace.CallStamp(call)
	b.mu.Lock()
	defer b.mu.Unlock()
	e.stamp = stamp
}
