package calls

import (
	"context"
	"errors"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/rules"
)

// Freeze holds every agent, or one session's, at its next call, or lets them go on; "" means all.
// Nothing is denied or ended: what a lifted freeze held is judged as if it came now, and what nothing
// decides stays as cards. Lifting takes an operator. Errors: ErrNotFound, ErrForbidden,
// ErrNotRecorded (a freeze holds all the same, until the console ends).
func (cs *Calls) Freeze(ctx context.Context, sessionID string, on bool, by broker.Actor) error {
	// A session that was silent for long is brought back first, so that its next call finds the
	// freeze.
	what := map[bool]string{true: "freeze", false: "unfreeze"}[on]
	if on && sessionID != "" {
		if _, err := cs.o.Records.Recall(ctx, sessionID); err != nil {
			return broker.While(err, "freeze")
		}
	}
	r := cs.o.Engine.Do(engine.SetFreeze{SessionID: sessionID, On: on, By: by})
	if errors.Is(r.Err, broker.ErrForbidden) {
		cs.o.Records.NoteRefusal(broker.Request{SessionID: sessionID}, broker.RefusedData{Wanted: broker.WantsUnfreeze, Kind: broker.NoOperator, Detail: broker.ErrForbidden.Error(), By: by})
	}
	if r.Err != nil {
		return broker.While(r.Err, "%s", what)
	}
	// What rules would have decided meanwhile is decided now, by the rules as they are now.
	cs.reassess(r.Unheld, assessing{ends: true})
	return nil
}

// Extend gives request id the standard time to answer anew, from now on, or as much of it as whoever
// asks would wait. Errors: ErrNotFound, ErrAlreadyDecided, ErrForbidden (by is no operator),
// ErrNoMoreTime (its text says why), ErrNotRecorded (the deadline is as it was). The log says
// what holds: the row keeps the deadline that it was sealed with.
func (cs *Calls) Extend(ctx context.Context, id string, by broker.Actor) (broker.Request, error) {
	r := cs.onCall(ctx, id, engine.Extend{ID: id, By: by})
	if r.Err != nil {
		if r.Call.ID == "" {
			r.Call = cs.o.Records.Latest(ctx, broker.Request{ID: id})
		}
		return r.Call, broker.While(r.Err, "more time for %s", broker.Clip(id))
	}
	return r.Call, nil
}

// Defer puts request id off: its agent's process ends cleanly, and the request waits for an answer
// as long as it takes. Errors: ErrNotFound, ErrAlreadyDecided, ErrCannotDefer (its text says why),
// ErrNotRecorded.
func (cs *Calls) Defer(ctx context.Context, id string, by broker.Actor) (broker.Request, error) {
	r := cs.onCall(ctx, id, engine.PutOff{ID: id, By: by})
	if r.Err != nil {
		if r.Call.ID == "" {
			r.Call = cs.o.Records.Latest(ctx, broker.Request{ID: id})
		}
		return r.Call, broker.While(r.Err, "defer %s", broker.Clip(id))
	}
	return r.Call, nil
}

// putOffByRule puts a waiting call off because a rule says so. Where it cannot be, it waits for a
// person, and its card says why.
func (cs *Calls) putOffByRule(ctx context.Context, req broker.Request, j engine.Judged) broker.Request {
	// Rules are named with the version that spoke, so that a rule which changed in between is
	// asked once more.
	a := j.Assessment
	r := cs.o.Engine.Do(engine.PutOff{ID: req.ID, By: broker.Actor{Kind: broker.ByRule, ID: a.Rule}, Used: a.Rules, Rules: j.Rules})
	if r.Err == nil {
		return r.Call
	}
	x, ok := cs.o.View.Seen(req.ID, time.Now())
	if ok && !errors.Is(r.Err, engine.ErrLookAgain) && a.Verdict == rules.Defer {
		j.Assessment = broker.AskInstead(a, a.Reason+"; but "+r.Err.Error())
		cs.o.Engine.Do(engine.Assess{ID: req.ID, Judged: j, Was: x.Stamp})
	}
	return cs.o.Records.Latest(ctx, req)
}
