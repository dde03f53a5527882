package engine

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/engine/undo"
)

// notRecorded is the end of a call that was to be allowed, and whose end could not be recorded.
const notRecorded = "the decision could not be recorded"

// Unrecorded takes an input whose change could not be recorded, because of cause; nothing of
// the round in which it was stepped holds. What allows becomes a refusal. What refuses takes
// effect at once, and is a debt that is written as soon as the store can. Everything else came
// to nothing. There is no change, so the effects may be released, after Keep.
func (s *State) Unrecorded(now time.Time, in Input, cause error) []Effect {
	s.out = out{cause: cause}
	var r Reply
	failed := fmt.Errorf("%w: %w", broker.ErrNotRecorded, cause)
	switch in := in.(type) {
	case Stop, Withdraw, Due, Raise, Refused, TakeUp:
		r = in.step(s, now)
	case Tick:
		in.cancelAbandoned(s, now)
	case Decide:
		if in.Decision.Verdict != broker.Deny {
			in.Decision = broker.Decision{Verdict: broker.Deny, By: broker.Actor{Kind: broker.ByBroker}, Reason: notRecorded}
		}
		r = in.step(s, now)
	case SetFreeze:
		if in.On {
			r = in.step(s, now)
			failed = fmt.Errorf("%w: it holds, until this console ends: %w", broker.ErrNotRecorded, cause)
		} else if f, ok := s.freezes.Get(in.SessionID); ok { // the log may have its end after all
			f.recorded = false
			s.freezes.Put(in.SessionID, f)
			failed = fmt.Errorf("%w: it still holds: %w", broker.ErrNotRecorded, cause)
		}
	case Insert:
		never := refused("", "not recorded") // its asker was told so, and it may have been recorded after all
		never.At = broker.Instant(now)
		s.debts.Put(in.Question.ID, never)
		if errors.Is(cause, broker.ErrGrantUsed) {
			s.grants.Drop(grantKey(in.Question.SessionID, in.Question.SubagentID, in.Question.Digest))
		}
	case PutOff: // it may be put off on the disk, and its agent is never told
		if c := s.call(in.ID); c != nil {
			s.strays.Put(in.ID, c.Req.SessionID)
		}
	case PayRest:
		if errors.Is(cause, broker.ErrNotFound) { // it was not put off after all
			s.strays.Drop(in.Stray)
		}
	case Give:
		if c := s.call(in.ID); c != nil && c.Phase == owed && !broker.LetsRun(*c.Req) && errors.Is(cause, broker.ErrNotFound) {
			s.retire(s.edit(c)) // the record knows already that it was given
		}
	case Assess:
		if c := s.call(in.ID); c != nil && c.Phase == waiting && in.Ends && broker.EndsCall(in.Judged.Assessment) {
			s.end(now, c, refused("", notRecorded))
		}
	}
	r.Err = cmp.Or(r.Err, failed)
	s.emit(&r)
	return s.effects
}

// debts are ends of calls that the store could not take, by id, and what it may have taken.
type debts struct {
	undo.Map[string, broker.Outcome]
	doubts undo.Map[string, bool]   // waiting calls that may have their end in the store
	strays undo.Map[string, string] // calls whose being put off may have been recorded although nobody was told: request to session
}

// StoreFailed says that the store could not be written. Nothing is allowed without a person
// from then on, until a write that nobody waits for has reached the disk. The rows of these
// sessions may have been written after all, so they are written again as they are; and these
// calls may have their end there.
type StoreFailed struct {
	Why             string
	Sessions, Calls []string
	Begun           []broker.Session // see sessions.begun
}

func (in StoreFailed) step(s *State, _ time.Time) Reply {
	s.now.failures++
	// The stop takes effect, so there must be something to stop.
	for _, row := range in.Begun {
		se := s.editSession(row.ID)
		se.Row, se.doubtful = row, true
		se.Row.State, se.Row.StopAskedAt = broker.SessionActive, time.Time{}
	}
	for _, id := range in.Sessions {
		if se := s.session(id); se != nil && se.known() {
			s.editSession(id).doubtful = true
		}
	}
	for _, id := range in.Calls {
		if c := s.call(id); c != nil && c.Req.State == broker.Pending {
			s.doubts.Put(id, true)
		}
	}
	if s.now.health.StoreErr != in.Why {
		s.now.health.StoreErr = in.Why
		s.setRules(func(*Rules) {}) // an allow that was judged before must be judged again
		s.emit(ShowHealth{})
	}
	return Reply{}
}

// Probe writes to the store to find out whether it can be written. Failures is how many there
// were when that was decided; when it works, and nothing failed since, the store works.
type Probe struct{ Failures int }

func (in Probe) step(s *State, now time.Time) Reply {
	if in.Failures != s.now.failures || s.now.health.StoreErr == "" {
		return Reply{}
	}
	s.now.health.StoreErr = ""
	s.setRules(func(*Rules) {})
	s.emit(ShowHealth{})
	s.noteSynced(now, broker.EventNotification, broker.Request{}, map[string]string{"message": "the log can be written again"})
	return Reply{Done: true}
}

// PayDebt writes the end of a call that the store could not take when it happened. Call is as
// the store has it: pending, or ended after all, and perhaps otherwise. What waits here, or ended
// because nobody answered, gets the end that it has there, unless that would let it run: nobody was
// told so. Where a refusal was told, that one stays.
type PayDebt struct {
	Call     broker.Request
	Gone     bool // the store has no such call
	Failures int  // how many commits had failed when Call was read: one that failed since may have changed it
}

func (in PayDebt) step(s *State, now time.Time) Reply {
	if in.Failures != s.now.failures {
		return Reply{}
	}
	id := in.Call.ID
	o, owing := s.debts.Get(id)
	if !owing {
		s.doubts.Drop(id)
		if c := s.call(id); c != nil && c.Req.State == broker.Pending && in.Call.Outcome != nil {
			if o = *in.Call.Outcome; broker.LetsRun(in.Call) {
				o = refused("", notRecorded)
				o.At = broker.Instant(now)
				s.note(now, broker.EventAnswerWithheld, in.Call, map[string]broker.State{"recorded": in.Call.State, "told": o.State})
			}
			s.finish(now, s.edit(c), o)
		}
		return Reply{Done: true}
	}
	s.debts.Drop(id)
	if c := s.call(id); c != nil && c.Req.Unrecorded && !in.Gone {
		end := o
		if in.Call.Outcome != nil && o.Unanswered() && broker.AnswerTo(in.Call).Verdict == agents.Deny {
			end = *in.Call.Outcome
		}
		if in.Call.State == broker.Pending || in.Call.State == end.State {
			c = s.edit(c)
			s.give(c, end)
			s.show(c)
		}
	}
	switch {
	case in.Gone:
	case in.Call.State == broker.Pending:
		s.settle(&Call{Req: &in.Call}, o, false)
		s.change.Sync = true // its agent was told
	case in.Call.State != o.State: // the commit that failed was applied after all
		s.note(now, broker.EventAnswerWithheld, in.Call, map[string]broker.State{"recorded": in.Call.State, "told": o.State})
	}
	return Reply{Done: true}
}

// PayRest writes what else the store could not take: freezes, stops of sessions, and that
// calls are not put off any more whose agents were never told that they were. Strays has a call
// at a time: the store may not have it, and then its change is for nothing.
type PayRest struct{ Stray string }

func (in PayRest) step(s *State, now time.Time) Reply {
	if in.Stray != "" {
		session, stray := s.strays.Get(in.Stray)
		if c := s.call(in.Stray); !stray || c != nil && c.shelved() {
			return Reply{}
		}
		s.strays.Drop(in.Stray)
		s.change.DropCheckpoints = []string{in.Stray}
		s.note(now, broker.EventNotDeferred, broker.Request{ID: in.Stray, SessionID: session}, struct{}{})
		return Reply{Done: true}
	}
	for id, f := range s.freezes.All() {
		if !f.recorded {
			f.recorded = true
			s.freezes.Put(id, f)
			s.recordFreeze(now, id, true, f.By)
		}
	}
	for id, se := range s.sessions.All() {
		if se.owing() {
			s.save(s.editSession(id), now)
		}
	}
	return Reply{Done: true}
}
