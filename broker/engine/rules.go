package engine

import (
	"cmp"
	"fmt"
	"reflect"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine/book"
	"github.com/aoctl/aoctl/broker/rules"
)

// Rules are what decides calls without a person, as of one moment. They are never changed:
// others come in their place, with another version.
type Rules struct {
	Version int
	Set     *rules.Set // compiled: own rules, and those of projects' files

	Doubt  string // why no rule may allow anything, for good
	Unread string // why it is not known whether the log is as it was; until then none may either
	Stuck  string // why the set is not what the rules say; then none may allow anything either
}

// Problem is why no rule may allow anything, in any session; "" when they may.
func (r *Rules) Problem() string { return cmp.Or(r.Doubt, r.Unread, r.Stuck) }

// The most rules that are kept: projects' files, which anybody may write, never take the room
// of the operator's own.
const (
	maxFiled = 2000 // of all files together
	maxOwn   = rules.MaxRules - maxFiled
)

// Token is a token as it was minted.
type Token = book.Token

// setRules puts other rules in force.
func (s *State) setRules(change func(r *Rules)) {
	next := *s.now.rules
	change(&next)
	next.Version++
	s.now.rules = &next
	s.emit(ShowRules{})
}

// compile makes the set anew from all rules. When it fails, the set in force stays and is
// known to be stuck.
func (s *State) compile() error {
	list := s.book.All()
	set, err := rules.Compile(append(list, rules.LookGrant()))
	if filed := len(list) - s.book.Own.Len(); err == nil && filed > maxFiled {
		err = fmt.Errorf("projects' files have %d rules together; at most %d are allowed", filed, maxFiled)
	}
	if err != nil {
		err = fmt.Errorf("compile the rules: %w", err)
		s.setRules(func(r *Rules) { r.Stuck = err.Error() })
		return err
	}
	s.setRules(func(r *Rules) { r.Set, r.Stuck = set, "" })
	return nil
}

// refit brings rule r up to date in the set: all rules are compiled only when that does not do.
func (s *State) refit(r rules.Rule) {
	set, err := s.now.rules.Set.With(r)
	if err != nil || s.now.rules.Stuck != "" {
		_ = s.compile() // it says so in Stuck
		return
	}
	s.setRules(func(next *Rules) { next.Set = set })
}

// spend counts one use of each of the rules that a verdict rests on. One that is used up then
// leaves the set.
func (s *State) spend(now time.Time, ids []string) {
	s.change.Used = ids
	for _, id := range ids {
		u := s.book.Uses.At(id)
		s.book.Uses.Put(id, broker.RuleUse{Uses: u.Uses + 1, Last: now})
		s.now.counted = true
		if r, ok := s.book.Rule(id); ok && book.UsedUp(r) {
			s.refit(r)
		}
	}
}

// SaveRule makes a rule hold: a new one when its ID is empty, else the next version of the
// rule with that ID. Reply.Rule is the rule. Errors: ErrInvalid around *rules.Error,
// ErrConflict, ErrForbidden.
type SaveRule struct {
	Rule  rules.Rule
	By    broker.Actor
	NewID string
}

func (in SaveRule) step(s *State, now time.Time) Reply {
	old, known := s.book.Own.Get(in.Rule.ID)
	r, err := broker.NextVersion(now, in.NewID, in.Rule, s.book.WithUses(old), known, in.By)
	switch {
	case err != nil:
	case !broker.MayChange(in.By, old, known, r):
		err = broker.ErrForbidden
	case known && in.Rule.Version != old.Version:
		err = fmt.Errorf("%w: it has version %d by now, not %d", broker.ErrVersion, old.Version, in.Rule.Version)
	case !known && s.book.Own.Len() >= maxOwn:
		err = fmt.Errorf("%w: there are %d rules already, the most that are kept", broker.ErrInvalid, s.book.Own.Len())
	default:
		if _, misfit := s.now.rules.Set.With(r); misfit != nil {
			err = fmt.Errorf("%w: %w", broker.ErrInvalid, misfit)
		}
	}
	if err != nil {
		return Reply{Err: err, Rule: r}
	}
	plain := broker.WithoutUses(r)
	w := &s.change
	w.Sync, w.Rules = true, []rules.Rule{r}
	s.note(now, broker.EventRuleSaved, broker.Request{SessionID: r.Scope.Session}, broker.RuleSavedData{Rule: plain, By: in.By})
	s.book.Own.Put(r.ID, plain)
	s.refit(r)
	return Reply{Rule: r, Done: true}
}

// RemoveRule ends a rule. Anybody may remove one that allows. Errors: ErrNotFound, ErrForbidden.
type RemoveRule struct {
	ID string
	By broker.Actor
}

func (in RemoveRule) step(s *State, now time.Time) Reply {
	r, ok := s.book.Own.Get(in.ID)
	switch {
	case !ok:
		return Reply{Err: broker.ErrNotFound}
	case in.By.Kind != broker.ByOperator && r.Decision != rules.Allow:
		return Reply{Err: broker.ErrForbidden, Rule: r}
	}
	w := &s.change
	w.Sync, w.Remove = true, []string{in.ID}
	s.note(now, broker.EventRuleRemoved, broker.Request{}, broker.RuleRemovedData{ID: in.ID, By: in.By})
	s.book.Own.Drop(in.ID)
	set := s.now.rules.Set.Without(in.ID)
	s.setRules(func(next *Rules) { next.Set = set })
	if s.now.rules.Stuck != "" {
		_ = s.compile() // it says so in Stuck
	}
	return Reply{Done: true}
}

// FileRead says what a project's rules file has now. Its deny and ask rules hold as they are,
// its allow rules only while its digest is trusted. Reply.Problem is why no rule in it holds.
type FileRead struct {
	File    broker.RulesFile
	Missing bool
}

func (in FileRead) step(s *State, _ time.Time) Reply {
	old, had := s.book.Files.Get(in.File.Path)
	switch {
	case in.Missing && !had, had && !in.Missing && reflect.DeepEqual(old, in.File):
		return Reply{Problem: in.File.Problem}
	case in.Missing:
		s.book.Files.Drop(in.File.Path)
	default:
		s.book.Files.Put(in.File.Path, in.File)
	}
	if err := s.compile(); err != nil && !in.Missing {
		in.File.Problem, in.File.Rules = err.Error(), nil
		s.book.Files.Put(in.File.Path, in.File)
		_ = s.compile() // without them: what was in force, and this project asks
	}
	return Reply{Problem: in.File.Problem}
}

// TrustFile lets the allow rules of a project's file count as long as its digest is this one;
// "" takes the trust back. The caller has read the file, and reads it again after.
type TrustFile struct {
	Path, Digest string
	By           broker.Actor
}

func (in TrustFile) step(s *State, now time.Time) Reply {
	s.book.Trusted.Put(in.Path, in.Digest)
	s.noteSynced(now, broker.EventFileTrusted, broker.Request{}, broker.FileTrustedData{Path: in.Path, Digest: in.Digest, By: in.By})
	return Reply{Done: true}
}

type (
	// MintToken puts a token in force.
	MintToken struct{ Token broker.TokenData }

	// RevokeToken ends one. Errors: ErrNotFound.
	RevokeToken struct {
		ID string
		By broker.Actor
	}
)

func (in MintToken) step(s *State, now time.Time) Reply {
	s.book.Tokens.Put(in.Token.ID, Token{TokenData: in.Token, At: broker.Instant(now)})
	s.noteSynced(now, broker.EventTokenMinted, broker.Request{}, in.Token)
	return Reply{Done: true}
}

func (in RevokeToken) step(s *State, now time.Time) Reply {
	if !s.book.Tokens.Has(in.ID) {
		return Reply{Err: broker.ErrNotFound}
	}
	s.book.Tokens.Drop(in.ID)
	s.noteSynced(now, broker.EventTokenRevoked, broker.Request{}, broker.TokenData{ID: in.ID, By: in.By})
	return Reply{Done: true}
}

// LogChecked says what a check of the whole log found. From a broken log on no rule allows
// anything; while it could not be checked, none does either. Both are "" when all is well.
type LogChecked struct{ Broken, Unread string }

func (in LogChecked) step(s *State, _ time.Time) Reply {
	unread := ""
	if in.Unread != "" {
		unread = "the log could not be checked: " + in.Unread
	}
	s.now.health.LogBroken, s.now.health.LogUnread = cmp.Or(s.now.health.LogBroken, in.Broken), in.Unread
	s.setRules(func(r *Rules) {
		r.Unread = unread
		if in.Broken != "" {
			r.Doubt = cmp.Or(r.Doubt, "the log was changed by another program: "+in.Broken)
		}
	})
	s.emit(ShowHealth{})
	return Reply{Done: true}
}

// Observe switches observing on or off, of one session or, for "", of all. It does not outlive
// the console. Errors: ErrForbidden, ErrNotFound.
type Observe struct {
	SessionID string
	On        bool
	By        broker.Actor
}

func (in Observe) step(s *State, now time.Time) Reply {
	switch {
	case in.On && in.By.Kind != broker.ByOperator:
		return Reply{Err: broker.ErrForbidden}
	case in.SessionID != "" && s.session(in.SessionID) == nil:
		return Reply{Err: broker.ErrNotFound}
	}
	s.noteSynced(now, broker.EventObserve, broker.Request{SessionID: in.SessionID}, map[string]any{"on": in.On, "by": in.By})
	if in.SessionID == "" {
		s.now.observing, s.now.health.Observing = in.On, in.On
		s.emit(ShowHealth{})
	} else {
		s.editSession(in.SessionID).Row.Observed = in.On
		s.emit(ShowSession{in.SessionID})
	}
	return Reply{Done: true}
}
