package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/rules"
)

// Stop denies the pending calls of a session at once and its later ones until its user speaks
// again. Stopping a session that is stopping or stopped changes nothing.
//
// Errors: ErrNotFound, ErrSessionEnded, ErrNotRecorded (the stop holds in memory: calls are
// denied, but a restart would forget it).
func (b *Broker) Stop(ctx context.Context, sessionID string, by broker.Actor) (broker.Session, error) {
	r := b.loop.Do(engine.Stop{SessionID: sessionID, By: by})
	if errors.Is(r.Err, broker.ErrNotFound) {
		if _, err := b.Session(ctx, sessionID); err != nil {
			return broker.Session{}, fmt.Errorf("stop: %w", err)
		}
		r.Err = broker.ErrSessionEnded
	}
	if r.Err != nil {
		return r.Session, fmt.Errorf("stop %s: %w", sessionID, r.Err)
	}
	return r.Session, nil
}

// StopAll stops every session that has not ended: all of them in one transaction. It returns how
// many sessions it stopped and how many pending calls it denied.
func (b *Broker) StopAll(_ context.Context, by broker.Actor) (sessions, denied int, err error) {
	r := b.loop.Do(engine.Stop{All: true, By: by})
	return r.Sessions, len(r.Calls), r.Err
}

// StopRequested reports whether the session was asked to stop and has not been spoken to since;
// ErrNotFound.
func (b *Broker) StopRequested(ctx context.Context, sessionID string) (bool, error) {
	s, err := b.Session(ctx, sessionID)
	return err == nil && s.State.UnderStop(), err
}

// noteTurnStopped is called when an answer that ends a turn has been delivered: to the main agent
// for subagentID "", else to that sub-agent. No event of the agent's own tells of such an end.
func (b *Broker) noteTurnStopped(ctx context.Context, sessionID, subagentID string) {
	if err := b.loop.Do(engine.TurnStopped{SessionID: sessionID, SubagentID: subagentID}).Err; err != nil {
		b.log.ErrorContext(ctx, "end of a stopped turn not recorded", "session_id", sessionID, "err", err)
	}
}

// Freeze holds calls, or lets them go on; see Console. What a lifted freeze held is judged as if
// it came now. Those that nothing decides stay as cards.
func (b *Broker) Freeze(ctx context.Context, sessionID string, on bool, by broker.Actor) error {
	what := map[bool]string{true: "freeze", false: "unfreeze"}[on]
	if on && sessionID != "" {
		if _, err := b.recall(ctx, sessionID); err != nil {
			return fmt.Errorf("freeze: %w", err)
		}
	}
	r := b.loop.Do(engine.SetFreeze{SessionID: sessionID, On: on, By: by})
	if errors.Is(r.Err, broker.ErrForbidden) {
		b.noteRefusal(broker.Request{SessionID: sessionID}, broker.RefusedData{Wanted: broker.WantsUnfreeze, Kind: broker.NoOperator, Detail: broker.ErrForbidden.Error(), By: by})
	}
	if r.Err != nil {
		return fmt.Errorf("%s: %w", what, r.Err)
	}
	b.reassess(r.Unheld, assessing{ends: true})
	return nil
}

// Extend gives request id the standard time anew; see Console.
func (b *Broker) Extend(ctx context.Context, id string, by broker.Actor) (broker.Request, error) {
	r := b.loop.Do(engine.Extend{ID: id, By: by})
	if errors.Is(r.Err, broker.ErrNotFound) { // it ended long ago, or was never asked
		if r.Call, r.Err = b.store.Request(ctx, id); r.Err == nil {
			r.Err = broker.ErrAlreadyDecided
		}
	}
	if r.Err != nil {
		if r.Call.ID == "" {
			r.Call = b.now(ctx, broker.Request{ID: id})
		}
		return r.Call, fmt.Errorf("more time for %s: %w", broker.Clip(id), r.Err)
	}
	return r.Call, nil
}

// Defer puts a call off; see Console.
func (b *Broker) Defer(ctx context.Context, id string, by broker.Actor) (broker.Request, error) {
	r := b.loop.Do(engine.PutOff{ID: id, By: by})
	if errors.Is(r.Err, broker.ErrNotFound) {
		if r.Call, r.Err = b.store.Request(ctx, id); r.Err == nil {
			r.Err = broker.ErrAlreadyDecided
		}
	}
	if r.Err != nil {
		if r.Call.ID == "" {
			r.Call = b.now(ctx, broker.Request{ID: id})
		}
		return r.Call, fmt.Errorf("put off %s: %w", broker.Clip(id), r.Err)
	}
	return r.Call, nil
}

// putOffByRule puts a waiting call off because a rule says so. Where it cannot be, it waits for a
// person, and its card says why.
func (b *Broker) putOffByRule(ctx context.Context, req broker.Request, j engine.Judged) broker.Request {
	a := j.Assessment
	r := b.loop.Do(engine.PutOff{ID: req.ID, By: broker.Actor{Kind: broker.ByRule, ID: a.Rule}, Used: a.Rules, Rules: j.Rules})
	if r.Err == nil {
		return r.Call
	}
	x, ok := b.view.Seen(req.ID, time.Now())
	if ok && !errors.Is(r.Err, engine.ErrLookAgain) && a.Verdict == rules.Defer {
		j.Assessment = broker.AskInstead(a, a.Reason+"; but "+r.Err.Error())
		b.loop.Do(engine.Assess{ID: req.ID, Judged: j, Was: x.Stamp})
	}
	return b.now(ctx, req)
}

// Observe switches observing on or off; see Console.
func (b *Broker) Observe(_ context.Context, sessionID string, on bool, by broker.Actor) error {
	r := b.loop.Do(engine.Observe{SessionID: sessionID, On: on, By: by})
	if errors.Is(r.Err, broker.ErrForbidden) {
		b.noteRefusal(broker.Request{SessionID: sessionID}, broker.RefusedData{Wanted: "observe", Kind: broker.NoOperator, Detail: broker.ErrForbidden.Error(), By: by})
	}
	if r.Err != nil {
		return fmt.Errorf("observe: %w", r.Err)
	}
	return nil
}

// Acknowledge takes note of a session's alarm; see Console.
func (b *Broker) Acknowledge(_ context.Context, sessionID string, by broker.Actor) error {
	if err := b.loop.Do(engine.Acknowledge{SessionID: sessionID, By: by}).Err; err != nil {
		return fmt.Errorf("acknowledge %s: %w", broker.Clip(sessionID), err)
	}
	return nil
}
