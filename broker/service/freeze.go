package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/aoctl/aoctl/broker"
)

// A freeze holds every agent, or one session's, at its next call. Anybody may freeze, for
// it only makes things safer: it is true in memory at once, and recorded then. To lift it
// takes an operator, and the record comes first. While it holds, a call waits whatever
// rules, grants and observing would say; it still ends by a person's no, by a stop, by its
// deadline, and when its asker leaves.

// freeze is one that holds.
type freeze struct {
	by       broker.Actor
	recorded bool // the log has it; while it has not, a restart would forget it
	lifting  bool // its end is being recorded
}

// maxFreezes is how many sessions may be frozen one by one: the log keeps each for good.
const maxFreezes = 1024

// held says why nothing of a session may pass now: a freeze; "" when there is none.
// Caller holds mu.
func (b *Broker) held(sessionID string) string {
	if b.freezes[""] != nil {
		return broker.HeldByAll
	}
	if b.freezes[sessionID] != nil {
		return broker.HeldByOne
	}
	return ""
}

// heldNow is held for those who do not hold mu.
func (b *Broker) heldNow(sessionID string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held(sessionID)
}

// notFrozen is ErrFrozen when a freeze keeps req from being allowed. What is under a stop
// is denied all the same, and what is long over stays as it ended.
func (b *Broker) notFrozen(req broker.Request) error {
	late := b.Late(req)
	b.mu.Lock()
	defer b.mu.Unlock()
	why := b.held(req.SessionID)
	if why == "" || req.State.Terminal() && !late {
		return nil
	}
	if se, ok := b.sessions[req.SessionID]; ok && se.s.State.UnderStop() && !req.State.Terminal() {
		return nil
	}
	return broker.FrozenError(why)
}

// Freeze holds calls, or lets them go on; see Console.
func (b *Broker) Freeze(ctx context.Context, sessionID string, on bool, by broker.Actor) error {
	if on {
		if err := b.freeze(ctx, sessionID, by); err != nil {
			return fmt.Errorf("freeze: %w", err)
		}
		return nil
	}
	if by.Kind != broker.ByOperator {
		b.noteRefusal(ctx, broker.Request{SessionID: sessionID}, broker.RefusedData{Wanted: broker.WantsUnfreeze, Kind: broker.NoOperator, Detail: broker.ErrForbidden.Error(), By: by})
		return fmt.Errorf("unfreeze: %w", broker.ErrForbidden)
	}
	if err := b.unfreeze(ctx, sessionID, by); err != nil {
		return fmt.Errorf("unfreeze: %w", err)
	}
	return nil
}

func (b *Broker) freeze(ctx context.Context, sessionID string, by broker.Actor) error {
	if sessionID != "" {
		if _, err := b.Session(ctx, sessionID); err != nil {
			return err
		}
	}
	f, passing, err := b.hold(sessionID, by)
	if err != nil {
		return err
	}
	err = b.recordFreeze(ctx, sessionID, f)
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	for _, e := range passing { // what was on its way before is over before the freeze is said to hold
		select {
		case <-e.done:
		case <-wait.Done():
		}
	}
	return err
}

// hold makes a freeze true. It returns the calls that are just being allowed, or ended by
// a rule: for them it comes too late.
func (b *Broker) hold(sessionID string, by broker.Actor) (f *freeze, passing []*entry, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f = b.freezes[sessionID]
	switch {
	case b.closed:
		return nil, nil, broker.ErrClosed
	case f == nil && sessionID != "" && len(b.freezes) >= maxFreezes:
		return nil, nil, broker.TooMuch(
			broker.ErrTooMany, fmt.Sprintf("%d sessions are frozen one by one, the most there may be", maxFreezes),
			"freeze everything instead, or lift some of them",
		)
	case f == nil || f.lifting:
		f = &freeze{by: by}
		b.freezes[sessionID] = f
		b.showHeld(sessionID)
	}
	for _, e := range b.requests {
		if e.passing && !e.req.State.Terminal() && (sessionID == "" || e.req.SessionID == sessionID) {
			passing = append(passing, e)
		}
	}
	return f, passing, nil
}

// recordFreeze writes f down, unless the log has it, or it was lifted meanwhile.
func (b *Broker) recordFreeze(ctx context.Context, sessionID string, f *freeze) error {
	b.keeper.changing.Lock() // the last one in the log is what holds
	defer b.keeper.changing.Unlock()
	return b.recordFreezeLocked(ctx, sessionID, f)
}

// recordFreezeLocked is recordFreeze for those who hold keeper.changing.
func (b *Broker) recordFreezeLocked(ctx context.Context, sessionID string, f *freeze) error {
	b.mu.Lock()
	done := f.recorded || b.freezes[sessionID] != f
	b.mu.Unlock()
	if done {
		return nil
	}
	if err := b.commitFreeze(ctx, broker.FrozenData{Session: sessionID, On: true, By: f.by}); err != nil {
		return fmt.Errorf("%w: it holds, until this console ends: %w", broker.ErrNotRecorded, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	f.recorded = true
	return nil
}

func (b *Broker) commitFreeze(ctx context.Context, d broker.FrozenData) error {
	ev := broker.NewEvent(now(), broker.EventFrozen, broker.Request{SessionID: d.Session}, d)
	return b.commit(ctx, &broker.Change{Sync: true, Events: []*broker.Event{ev}})
}

// recordFreezes writes down what could not be written when it happened.
func (b *Broker) recordFreezes(ctx context.Context) {
	b.mu.Lock()
	late := maps.Clone(b.freezes)
	maps.DeleteFunc(late, func(_ string, f *freeze) bool { return f.recorded || f.lifting })
	b.mu.Unlock()
	if len(late) == 0 || !b.keeper.changing.TryLock() {
		return
	}
	defer b.keeper.changing.Unlock()
	for id, f := range late {
		if b.recordFreezeLocked(ctx, id, f) != nil {
			return // the next sweep tries again
		}
	}
}

// unfreeze records the end of a freeze, makes it true, and judges what it held.
func (b *Broker) unfreeze(ctx context.Context, sessionID string, by broker.Actor) error {
	lifted, err := b.lift(ctx, sessionID, by)
	if err != nil || !lifted {
		return err
	}
	b.judgeHeld(sessionID)
	return nil
}

func (b *Broker) lift(ctx context.Context, sessionID string, by broker.Actor) (lifted bool, err error) {
	b.keeper.changing.Lock()
	defer b.keeper.changing.Unlock()
	b.mu.Lock()
	f := b.freezes[sessionID]
	if f != nil {
		f.lifting = true
	}
	b.mu.Unlock()
	if f == nil {
		return false, nil
	}
	err = b.commitFreeze(ctx, broker.FrozenData{Session: sessionID, By: by})
	b.mu.Lock()
	defer b.mu.Unlock()
	f.lifting = false
	if err != nil {
		f.recorded = false // the log may have its end after all
		return false, fmt.Errorf("%w: it still holds: %w", broker.ErrNotRecorded, err)
	}
	if b.freezes[sessionID] != f {
		return false, nil // somebody froze again meanwhile
	}
	delete(b.freezes, sessionID)
	b.showHeld(sessionID)
	b.wakeWithheld(sessionID)
	return true, nil
}

// showHeld brings what sessions, cards and health say of freezes up to date, after that of
// a session, or for "" of all, changed. Caller holds mu.
func (b *Broker) showHeld(sessionID string) {
	if sessionID == "" {
		b.health.Frozen, b.health.FrozenBy = false, broker.Actor{}
		if f := b.freezes[""]; f != nil {
			b.health.Frozen, b.health.FrozenBy = true, f.by
		}
		b.publish(broker.Update{Health: new(b.health)})
	}
	for id, se := range b.sessions {
		if sessionID != "" && id != sessionID {
			continue
		}
		why := b.held(id)
		for _, list := range []map[string]*entry{se.pending, se.deferred} { // what is put off cannot be allowed either
			for _, e := range list {
				if e.saved && !e.claimed && e.req.Held != why { // who records it reads it without mu
					e.req.Held = why
					b.publish(broker.Update{Request: new(e.req)})
				}
			}
		}
		if se.s.Frozen != (why != "") {
			se.s.Frozen = why != ""
			b.publishSession(se)
		}
	}
}

// restoreFreezes takes up the freezes that hold: the last fact of each says so. In doubt
// about the log those that are found hold, and one that cannot be read counts as one of
// everything. So does a fact that was changed or is missing: it may have been one, until
// the operator has lifted it. Caller holds mu.
func (b *Broker) restoreFreezes(saved broker.Saved) (doubt string) {
	lost := saved.Lost
	for _, e := range saved.Facts {
		if lost != 0 && e.Seq > lost {
			b.presumeFrozen()
			lost = 0
		}
		if e.Type != broker.EventFrozen {
			continue
		}
		var d broker.FrozenData
		err := json.Unmarshal(e.Data, &d)
		switch {
		case err != nil:
			b.presumeFrozen()
			doubt = cmp.Or(doubt, fmt.Sprintf("event %d of the log cannot be read: %v", e.Seq, err))
		case d.On:
			b.freezes[d.Session] = &freeze{by: d.By, recorded: true}
		default:
			delete(b.freezes, d.Session)
		}
	}
	if lost != 0 {
		b.presumeFrozen()
	}
	b.showHeld("")
	return doubt
}

// presumeFrozen holds everything, unless somebody's freeze does so. Caller holds mu.
func (b *Broker) presumeFrozen() {
	if b.freezes[""] == nil {
		b.freezes[""] = &freeze{by: broker.Actor{Kind: broker.ByBroker}, recorded: true}
	}
}

// expiry is the end of a call whose time is over; it says so when a freeze holds the call.
func (b *Broker) expiry(id string) broker.Outcome {
	o := broker.Outcome{State: broker.Expired, By: broker.Actor{Kind: broker.ByDeadline}}
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.requests[id]; ok && b.held(e.req.SessionID) != "" {
		o.Reason = broker.HeldTillEnd
	}
	return o
}

// holdsBack is ErrFrozen when o did not end the waiting call id because of a freeze that
// came meanwhile.
func (b *Broker) holdsBack(id string, o broker.Outcome) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.requests[id]
	if !ok || e.claimed || e.req.State != broker.Pending || !broker.FrozenOut(o) {
		return nil
	}
	if why := b.held(e.req.SessionID); why != "" {
		return broker.FrozenError(why)
	}
	return nil
}
