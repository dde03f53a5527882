package calls

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/risk"
)

// Decide ends request id with d. The first answer wins.
//
// Allowing a request that ended without a person's answer and is still late leaves a grant
// instead: the agent's next identical call passes once. With another input it cannot be: nobody
// allowed the call as it was asked.
//
// With another input the call is judged anew: what a rule refuses is refused, and what is
// dangerous, or touches aoctl's own files, takes d.Dangerous.
//
// Errors: ErrNotFound, ErrAlreadyDecided (the returned request says how), ErrStale (d.Digest is
// of another call), ErrChanged (a file of the call did), ErrTwo (it waits for a second operator, or
// d.By is not one of two), ErrInvalid, ErrNotRecorded (the agent was told no).
func (cs *Calls) Decide(ctx context.Context, id string, d broker.Decision) (broker.Request, error) {
	req, err := cs.decide(ctx, id, d)
	if err != nil {
		err = broker.While(err, "decide %s", id)
	}
	return req, err
}

// decide looks and sends until nothing changed in between. What it returns beside an error is the
// call as it is now, so that the caller can show why it came too late.
func (cs *Calls) decide(ctx context.Context, id string, d broker.Decision) (broker.Request, error) {
	if err := d.Validate(); err != nil {
		return broker.Request{}, err
	}
	for range mostLooks {
		req, err := cs.o.Records.Request(ctx, id)
		if err != nil {
			return broker.Request{}, err
		}
		if d.Digest != "" && d.Digest != req.Digest {
			return req, broker.ErrStale
		}
		pick, err := cs.pick(ctx, req, d)
		if err == nil {
			err = cs.firsts.enough(cs.o.Records.Latest(ctx, req), d, pick.Stamp) // of the card that the files were compared with
		}
		if errors.Is(err, broker.ErrTwo) {
			cs.lookAgain(id, assessing{}) // it says who did
		}
		if err != nil {
			return cs.o.Records.Latest(ctx, req), err
		}
		r := cs.o.Engine.Do(engine.Decide{Picks: []engine.Picked{pick}, Decision: d, NewID: uuid.NewString()})
		switch {
		case errors.Is(r.Err, engine.ErrLookAgain):
			continue
		// The engine forgets calls that ended; the store had it a moment ago.
		case errors.Is(r.Err, broker.ErrNotFound): // decided long ago
			return req, broker.ErrAlreadyDecided
		case r.Call.ID == "":
			r.Call = cs.o.Records.Latest(ctx, req)
		}
		return r.Call, r.Err
	}
	return broker.Request{}, broker.ErrChanged
}

// pick is req as it is looked at for d, or why d must not allow it as it was shown: its files
// changed, or it brings an input that must not run. The files of an input that was shown count in
// place of those of the call as it was asked.
func (cs *Calls) pick(ctx context.Context, req broker.Request, d broker.Decision) (p engine.Picked, err error) {
	p = engine.Picked{ID: req.ID, Digest: d.Digest}
	if d.Verdict != broker.Allow {
		return p, nil
	}
	if len(d.UpdatedInput) > 0 {
		if err := broker.TakesInput(req, d.UpdatedInput); err != nil {
			return p, err
		}
		// Judging an input may take a while. It is left out where the answer is no in any case.
		if req.State.Terminal() || cs.o.View.Look(&req).Stopped || cs.o.View.Held(req.SessionID) {
			return p, nil // the engine says what stands in the way
		}
		if p.Rules, err = cs.mayEdit(req, d); err != nil || d.Seal != "" {
			return p, err
		}
	}
	if !req.State.Terminal() && cs.o.View.Look(&req).Stopped || cs.o.View.Held(req.SessionID) {
		return p, nil
	}
	p.Stamp, err = cs.unchanged(ctx, req.ID)
	return p, err
}

// DecideAll ends several calls as one, or none of them: all must still be as they were shown.
// Dangerous calls are refused (ErrInvalid) unless they are alone. Errors: those of Decide.
func (cs *Calls) DecideAll(ctx context.Context, picks []broker.Pick, d broker.Decision) ([]broker.Request, error) {
	list, err := cs.decideAll(ctx, picks, d)
	if err != nil {
		err = broker.While(err, "decide %d calls", len(picks))
	}
	return list, err
}

// decideAll finds the files of all calls unchanged before it sends any of them; the engine then
// takes all picks in one step.
func (cs *Calls) decideAll(ctx context.Context, picks []broker.Pick, d broker.Decision) ([]broker.Request, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if len(d.UpdatedInput) > 0 {
		return nil, fmt.Errorf("%w: a call with another input is decided by itself", broker.ErrInvalid)
	}
	for range mostLooks {
		in := engine.Decide{Decision: d}
		for _, p := range picks {
			// An empty digest fits no call here: several calls are decided only as they were
			// drawn.
			picked, err := cs.stillAsShown(ctx, p, d, len(picks) > 1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.ID, err)
			}
			in.Picks = append(in.Picks, picked)
		}
		r := cs.o.Engine.Do(in)
		if errors.Is(r.Err, engine.ErrLookAgain) {
			continue
		}
		// With one pick the engine answers as to a single decision.
		if len(r.Calls) == 0 && r.Done && r.Call.ID != "" {
			r.Calls = []broker.Request{r.Call}
		}
		return r.Calls, r.Err
	}
	return nil, broker.ErrChanged
}

// stillAsShown is p as it is looked at, or why it cannot be part of decision d.
func (cs *Calls) stillAsShown(ctx context.Context, p broker.Pick, d broker.Decision, several bool) (engine.Picked, error) {
	picked := engine.Picked{ID: p.ID, Digest: p.Digest}
	req, err := cs.o.Records.Request(ctx, p.ID)
	switch {
	case err != nil:
		return picked, err
	case p.Digest != req.Digest:
		return picked, broker.ErrStale
	case req.State.Terminal():
		return picked, broker.ErrAlreadyDecided
	case d.Verdict != broker.Deny && cs.o.Policy.NeedsTwo(&req):
		return picked, fmt.Errorf("%w: it is decided by itself", broker.ErrTwo)
	case d.Verdict != broker.Allow || cs.o.View.Held(req.SessionID):
		return picked, nil
	case several && req.Assessment != nil && req.Assessment.Class == risk.Dangerous:
		return picked, fmt.Errorf("%w: a dangerous call is decided by itself", broker.ErrInvalid)
	}
	picked.Stamp, err = cs.unchanged(ctx, p.ID)
	// The card may be another one than above, and the files are compared with that.
	if now := cs.o.Records.Latest(ctx, req); err == nil && cs.o.Policy.NeedsTwo(&now) {
		err = fmt.Errorf("%w: it is decided by itself", broker.ErrTwo)
	}
	return picked, err
}

// RevokeGrant takes back a grant before it is used. Errors: ErrNotFound, ErrGrantUsed,
// ErrNotRecorded. A grant that is used in the same moment stays used: the engine takes one input
// after the other.
func (cs *Calls) RevokeGrant(_ context.Context, id string, by broker.Actor) error {
	if err := cs.o.Engine.Do(engine.RevokeGrant{ID: id, By: by}).Err; err != nil {
		return broker.While(err, "revoke grant %s", broker.Clip(id))
	}
	return nil
}

// Withdraw ends request id because whoever asked does not want to know any more. It can
// only refuse, so it is open to every process of the user. by is that process.
//
// A call that was withdrawn before is returned as it ended. Errors: ErrNotFound,
// ErrAlreadyDecided (the returned request says how), ErrPutOff, ErrInvalid, ErrNotRecorded (the
// agent was told no).
func (cs *Calls) Withdraw(ctx context.Context, id, reason string, by broker.Actor) (broker.Request, error) {
	if len(reason) > broker.MaxReason {
		return broker.Request{}, fmt.Errorf("%w: reason is longer than %d bytes", broker.ErrInvalid, broker.MaxReason)
	}
	r := cs.onCall(ctx, id, engine.Withdraw{ID: id, Reason: reason, By: by})
	if errors.Is(r.Err, broker.ErrAlreadyDecided) && r.Call.Outcome != nil && r.Call.Outcome.Withdrawn() {
		r.Err = nil
	}
	if r.Err != nil {
		return r.Call, broker.While(r.Err, "withdraw %s", broker.Clip(id))
	}
	return r.Call, nil
}

// onCall sends in, which is about call id. When the engine does not have the call, it ended long
// ago, was never asked, or was being recorded just then; the store says which.
func (cs *Calls) onCall(ctx context.Context, id string, in engine.Input) engine.Reply {
	r := cs.o.Engine.Do(in)
	if !errors.Is(r.Err, broker.ErrNotFound) {
		return r
	}
	old, err := cs.o.Store.Request(ctx, id)
	switch {
	case err != nil:
		return engine.Reply{Err: err}
	case old.State.Terminal():
		return engine.Reply{Call: old, Err: broker.ErrAlreadyDecided}
	}
	if r = cs.o.Engine.Do(in); errors.Is(r.Err, broker.ErrNotFound) { // it ended meanwhile, and is forgotten
		r = engine.Reply{Call: old, Err: broker.ErrAlreadyDecided}
	}
	return r
}
