package engine

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/risk"
)

// ErrLookAgain means that what the input rests on is no longer so: the caller looks again and
// sends another one.
var ErrLookAgain = errors.New("it changed meanwhile")

// Decide ends one call or several as one. The first answer wins.
//
// Allowing a call that ended without a person's answer and is still late leaves a grant
// instead: the agent's next identical call passes once.
//
// Errors: ErrNotFound (no call of this id is in memory), ErrAlreadyDecided (Reply.Call says
// how), ErrStale, ErrFrozen, ErrInvalid, ErrLookAgain.
type Decide struct {
	Picks    []Picked
	Decision broker.Decision
	NewID    string // of a grant; "" where none may come of it
}

// Picked is one call of a decision, as it was looked at.
type Picked struct {
	ID     string
	Digest string // "" skips the check
	Stamp  string // of its files; of interest to what allows
	Rules  int    // version of those by which another input was judged; 0: none was
}

func (in Decide) step(s *State, now time.Time) Reply {
	if err := in.Decision.Validate(); err != nil {
		return Reply{Err: err}
	}
	if len(in.Picks) == 1 {
		c := s.call(in.Picks[0].ID)
		if c == nil {
			return Reply{Err: broker.ErrNotFound}
		}
		r := in.one(s, now, c)
		if r.Call.ID == "" {
			r.Call = *s.call(c.Req.ID).Req
		}
		return r
	}
	for _, p := range in.Picks {
		if err := in.together(s, now, p); err != nil {
			return Reply{Err: fmt.Errorf("%s: %w", p.ID, err)}
		}
	}
	r := Reply{Done: true}
	for _, p := range in.Picks {
		if c := s.call(p.ID); !s.barred(c, in.Decision.Outcome()) {
			r.Calls = append(r.Calls, *s.end(now, c, in.Decision.Outcome()).Req)
		}
	}
	return r
}

// together says why p cannot be part of a decision about several calls.
func (in Decide) together(s *State, now time.Time, p Picked) error {
	c := s.call(p.ID)
	switch {
	case c == nil:
		return broker.ErrNotFound
	case p.Digest != c.Req.Digest:
		return broker.ErrStale
	case c.Req.State.Terminal():
		return broker.ErrAlreadyDecided
	case in.Decision.Verdict == broker.Deny:
		return nil
	case in.Decision.Verdict != broker.Allow:
		return fmt.Errorf("%w: a call is left to its agent's prompt by itself", broker.ErrInvalid)
	case in.frozen(s, now, c) != nil:
		return in.frozen(s, now, c)
	case c.overdue(now):
		return broker.ErrAlreadyDecided // its timer is about to say so
	case c.Req.Assessment != nil && c.Req.Assessment.Class == risk.Dangerous:
		return fmt.Errorf("%w: a dangerous call is decided by itself", broker.ErrInvalid)
	case c.Stamp != p.Stamp:
		return ErrLookAgain
	case s.underStop(c.Req.SessionID):
		return broker.ErrAlreadyDecided
	}
	return nil
}

// one decides c. The caller adds c's request where the reply has none.
func (in Decide) one(s *State, now time.Time, c *Call) Reply {
	p, d := in.Picks[0], in.Decision
	allows := d.Verdict != broker.Deny
	if p.Digest != "" && p.Digest != c.Req.Digest {
		return Reply{Err: broker.ErrStale}
	}
	if allows {
		if err := in.frozen(s, now, c); err != nil {
			return Reply{Err: err}
		}
	}
	if allows && c.overdue(now) {
		s.timeOver(now, c)
		c = s.call(c.Req.ID)
	}
	switch {
	case c.Req.State.Terminal():
		return in.late(s, now, c)
	case c.Phase == putOff && d.End && !allows:
		return in.reject(s, now, c)
	case allows && d.By.Once() && (c.Phase != waiting || c.Req.Perilous()):
		return Reply{Err: broker.ErrDangerous}
	case d.Verdict == broker.Ask && (c.Phase == putOff || !broker.MayAsk(*c.Req)):
		return Reply{Err: broker.ErrCannotAsk}
	case allows && s.underStop(c.Req.SessionID):
		c = s.end(now, c, broker.Outcome{State: broker.Denied, By: broker.Actor{Kind: broker.ByStop}})
		return Reply{Err: broker.ErrAlreadyDecided, Call: *c.Req}
	case d.Verdict == broker.Allow && (c.Stamp != p.Stamp && len(d.UpdatedInput) == 0 || p.Rules != 0 && p.Rules != s.now.rules.Version):
		return Reply{Err: ErrLookAgain}
	}
	return Reply{Call: *s.end(now, c, d.Outcome()).Req, Done: true}
}

// frozen is ErrFrozen when a freeze keeps c from being allowed. What is under a stop is denied
// all the same, and what is long over stays as it ended.
func (in Decide) frozen(s *State, now time.Time, c *Call) error {
	why := s.held(c.Req.SessionID)
	if why == "" || !c.open(now) && c.Phase != putOff || c.Phase != ended && s.underStop(c.Req.SessionID) {
		return nil
	}
	return broker.FrozenError(why)
}

// late answers a decision about a call that has ended already.
func (in Decide) late(s *State, now time.Time, c *Call) Reply {
	d := in.Decision
	if in.NewID == "" || d.Verdict != broker.Allow || d.By.Once() || !c.late(now) || len(d.UpdatedInput) > 0 { // a grant lets the call pass as it was asked
		return Reply{Err: broker.ErrAlreadyDecided}
	}
	if c.Stamp != in.Picks[0].Stamp {
		return Reply{Err: ErrLookAgain}
	}
	in.grant(s, now, c)
	return Reply{Call: *c.Req, Done: true}
}

// MintOnce puts on record that a waiting call gets a token of its own, and marks the call. A dangerous
// one gets none. Errors: ErrNotFound, ErrAlreadyDecided, ErrDangerous.
type MintOnce struct{ ID string }

func (in MintOnce) step(s *State, now time.Time) Reply {
	c := s.call(in.ID)
	switch {
	case c == nil:
		return Reply{Err: broker.ErrNotFound}
	case c.Phase != waiting || c.overdue(now):
		return Reply{Err: broker.ErrAlreadyDecided}
	case c.Req.Perilous():
		return Reply{Err: broker.ErrDangerous}
	}
	req := s.edit(c).own()
	req.OnceToken = true
	s.noteSynced(now, broker.EventOnceMinted, *req, broker.OnceMintedData{ToolName: req.ToolName, Digest: req.Digest})
	s.emit(ShowCall{req})
	return Reply{Call: *req, Done: true}
}

// Withdraw takes a question back: its asker does not want to know any more. It can only
// refuse. Errors: ErrNotFound, ErrAlreadyDecided, ErrPutOff.
type Withdraw struct {
	ID, Reason string
	By         broker.Actor
}

func (in Withdraw) step(s *State, now time.Time) Reply {
	c := s.call(in.ID)
	switch {
	case c == nil:
		return Reply{Err: broker.ErrNotFound}
	case c.Phase == putOff:
		return Reply{Err: broker.ErrPutOff, Call: *c.Req}
	case c.Phase == waiting:
		c = s.end(now, c, broker.TakenBack(now, s.session(c.Req.SessionID).Row.Run, *c.Req, in.By, in.Reason))
		return Reply{Call: *c.Req, Done: true}
	case c.Req.Outcome.Withdrawn():
		return Reply{Call: *c.Req}
	default:
		return Reply{Err: broker.ErrAlreadyDecided, Call: *c.Req}
	}
}

// Assess brings a waiting call up to date: what the rules say of it now, and its files. With
// Ends it also gets the end that it would have if it came now.
type Assess struct {
	ID     string
	Judged Judged
	Was    string // the stamp that the call had when it was looked at; it changes only when that still holds
	Anew   bool   // the stamp is a new one: its files changed
	Ends   bool   // by rules, by a grant, or because nothing is held
	Rule   string // it ends only if this rule is one of those that speak; "" for any
}

func (in Assess) step(s *State, now time.Time) Reply {
	c := s.call(in.ID)
	if c == nil || !c.open(now) && c.Phase != putOff {
		return Reply{}
	}
	if in.Judged.Rules != s.now.rules.Version || c.Stamp != in.Was || in.Ends && !s.book.Spendable(in.Judged.Assessment) {
		return Reply{Err: ErrLookAgain}
	}
	c = s.edit(c)
	if in.Anew {
		c.Stamp = in.Judged.Stamp
	}
	a := broker.AsWaiting(in.Judged.Assessment, *c.Req, c.Asker.headless)
	before := c.Req.Assessment
	differs := before == nil || !reflect.DeepEqual(*before, a) || c.Req.Legible != in.Judged.Legible
	if differs {
		req := c.own()
		req.Assessment, req.Legible = &a, in.Judged.Legible
	}
	var end *broker.Outcome
	var used firstUse
	if (c.Phase == waiting && !c.overdue(now) || c.Phase == putOff) && in.Ends && (in.Rule == "" || broker.Speaks(*c.Req.Assessment, in.Rule)) {
		end, used = s.firstEnd(now, c, in.Judged)
	}
	if end == nil || s.barred(c, *end) {
		if differs { // a card that says the same must not look changed
			s.emit(ShowCall{c.Req})
		}
		return Reply{Call: *c.Req}
	}
	s.use(now, c, *end, used)
	return Reply{Call: *s.end(now, c, *end, used.rules...).Req, Done: true}
}
