package service

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/workspace"
)

// A hook whose connection broke asks again under the same id, and gets the answer that is
// on record. A refusal is given again for ever. That a call may run is given again only
// while nothing says that it ran already or would be answered otherwise now: allowed once
// is not allowed for ever.

const (
	againFor = time.Minute // how long after its decision an allow is given again
	maxAgain = 16          // how often
)

// giveAgain is the answer to a question that was answered before: req's, or
// ErrAnsweredBefore. e is req's entry, nil when an earlier broker, or this one long ago,
// answered.
func (b *Broker) giveAgain(ctx context.Context, req broker.Request, e *entry, q broker.Question) (broker.Request, error) {
	byObserve := req.State == broker.Answered && req.Outcome != nil && req.Outcome.By.Kind == broker.ByObserve
	if req.State != broker.Allowed && !byObserve || !q.Bound { // who does not wait is told an id and no answer
		return req, nil
	}
	if b.withholds(req) {
		return broker.KeptBack(req), nil
	}
	why := b.outlived(ctx, req, e, byObserve)
	if why == "" {
		ev := broker.NewEvent(now(), broker.EventAnsweredAgain, req, broker.AnsweredAgainData{ToolUseID: req.ToolUseID, PID: q.Asker.PID})
		if err := b.commit(ctx, &broker.Change{Events: []*broker.Event{ev}}); err != nil {
			return broker.Request{}, fmt.Errorf("%w: %w", broker.ErrNotRecorded, err)
		}
		if why = b.stoppedMeanwhile(req, e); why == "" {
			b.mu.Lock()
			e.heardLate(b)
			b.mu.Unlock()
		}
	}
	switch {
	case b.withholds(req):
		return broker.KeptBack(req), nil
	case why == "":
		return req, nil
	}
	by := broker.Actor{Kind: broker.ByAgent, PID: q.Asker.PID}
	if by.PID != 0 {
		by.Exe, by.TTY = peers.Describe(by.PID)
	}
	b.noteRefusal(ctx, req, broker.RefusedData{Wanted: broker.WantsAgain, Kind: broker.Replayed, Detail: why, By: by})
	return broker.Request{}, fmt.Errorf("%w (%s)", broker.ErrAnsweredBefore, why)
}

// outlived says why an answer that let req run does not hold any more; "" when it does.
func (b *Broker) outlived(ctx context.Context, req broker.Request, e *entry, byObserve bool) string {
	if why := b.stoppedMeanwhile(req, e); why != "" {
		return why
	}
	b.mu.Lock()
	se := b.session(req.SessionID)
	observing := b.observing || se.s.Observed
	doubt := cmp.Or(b.keeper.doubt, b.keeper.unread, b.keeper.stuck)
	_, alarm := b.alarms.open[req.SessionID]
	project, stamp := b.projectOf(req), ""
	given := req.Outcome.At
	if e != nil {
		stamp = e.stamp
		if !e.givenAt.IsZero() {
			given = e.givenAt
		}
	}
	b.mu.Unlock()
	away := time.Since(given)
	switch {
	case byObserve && observing:
		return "" // a new call would not be held either
	case byObserve:
		return "calls are held by now"
	case away > againFor || away < -againFor:
		return "its answer is too old"
	case doubt != "":
		return "nothing is allowed without a person now: " + doubt
	case alarm:
		return "its session has an alarm that nobody has acknowledged"
	}
	if why := b.heardSince(ctx, req); why != "" {
		return why
	}
	call, _ := b.read(req, project, req.Vouched(), b.opts.Vet.Call)
	if a := b.assess(call, project, time.Now()); a.Verdict == rules.Deny {
		return "a rule denies it now: " + b.denyReason(a)
	}
	if req.Outcome.By.Kind == broker.ByRule { // whatever the files hold
		return ""
	}
	changed := workspace.TouchedSince(call, req.Outcome.At)
	if e != nil {
		changed = workspace.CallStamp(call) != stamp
	}
	if changed {
		return "a file that it names changed"
	}
	return ""
}

// stoppedMeanwhile says what this broker knows in memory to have come after req's answer.
func (b *Broker) stoppedMeanwhile(req broker.Request, e *entry) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session(req.SessionID).s.State.UnderStop() {
		return "its session is stopped"
	}
	if e != nil {
		return e.over
	}
	return ""
}

// heardSince says what the log has after req's decision that ends its answer.
func (b *Broker) heardSince(ctx context.Context, req broker.Request) string {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	events, err := b.store.Events(ctx, broker.EventFilter{
		SessionID: req.SessionID, Since: req.Outcome.At,
		Types: []string{broker.EventRequestDecided, broker.EventPostTool, broker.EventTurnEnd, broker.EventUser, broker.EventStopRequested, broker.EventAnsweredAgain, broker.EventTakenUpAgain, broker.EventAnswerWithheld},
	})
	if err != nil {
		return "what came since cannot be read"
	}
	again := 0
	for _, e := range events { // newest first
		switch e.Type {
		case broker.EventRequestDecided:
			if e.RequestID == req.ID {
				return ""
			}
		case broker.EventTakenUpAgain:
			if e.RequestID == req.ID {
				return "" // its answer was given then
			}
		case broker.EventPostTool:
			if broker.RanCall(e, req.ToolUseID) {
				return "the call has already run"
			}
		case broker.EventTurnEnd, broker.EventUser:
			return "its turn is over"
		case broker.EventStopRequested:
			return "its session was stopped meanwhile"
		case broker.EventAnswerWithheld:
			if e.RequestID == req.ID {
				return "its asker was refused when it was made"
			}
		case broker.EventAnsweredAgain:
			if e.RequestID == req.ID {
				if again++; again >= maxAgain {
					return "it was answered too often"
				}
			}
		}
	}
	return "too much happened since" // its decision is further back than is looked
}

// noteOver notes in memory what h ends: the log does not have what comes too fast.
func (b *Broker) noteOver(h agents.Hook) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch h.Kind {
	case agents.ToolDone:
		if e, ok := b.byKey[broker.CallKey(h, broker.GateOf(h.Agent))]; ok {
			e.over = "the call has already run"
		}
	case agents.TurnEnd, agents.Prompt, agents.SessionEnd:
		if h.FromApp {
			return // it may be anybody's; the log has it
		}
		for _, e := range b.requests {
			if e.req.SessionID == h.SessionID && e.req.State.Terminal() && e.req.Checkpoint == nil {
				e.over = "its turn is over"
			}
		}
	case agents.Gate, agents.Observe, agents.SessionStart, agents.SubagentStart, agents.SubagentStop, agents.Notify, agents.Settings:
	}
}
