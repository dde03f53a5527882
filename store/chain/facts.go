package chain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
)

// Facts are the events that hold until a later one changes them: broker.FactTypes.
// They vouch for no row; the log alone is their authority. Their subject is their
// number among the facts, "fact/1", so that one that is taken away, or whose type
// another program changed, leaves a gap that can be seen without reading every event.

// Revoked is the By of a grant's use when an operator took the grant back; the data of
// its grant_used event then says so.
const Revoked = "revoked"

// FactPrefix begins the subject of every fact, and of nothing else.
const FactPrefix = "fact/"

// IsFact reports whether events of type typ are facts.
func IsFact(typ string) bool { return slices.Contains(broker.FactTypes, typ) }

// FactSubject is the subject of the fact with number n, from 1.
func FactSubject(n int64) string { return FactPrefix + strconv.FormatInt(n, 10) }

// SealFact is the seal of the fact with number n. What the fact says is its data, which
// the event's hash covers like everything else of it.
func SealFact(n int64) Hash {
	return sha(appendInt(appendText(nil, "fact"), n))
}

// Fact reports whether an event with this part is a fact.
func (p Part) Fact() bool { return p == RuleSaved || p == RuleRemoved || p == FactOnly }

// checkRules looks at the rows of rules that the change writes, removes and counts.
func (ck *checker) checkRules() error {
	for i := range ck.c.Rules {
		r := &ck.c.Rules[i]
		if err := checkRule(r); err != nil {
			return err
		}
		if err := ck.claimRule(r.ID, mark{RuleSaved, i}); err != nil {
			return err
		}
	}
	for i, id := range ck.c.Remove {
		if err := ck.claimRule(id, mark{RuleRemoved, i}); err != nil {
			return err
		}
	}
	if len(ck.c.Used) > 0 && len(ck.c.Events) == 0 {
		return fmt.Errorf("rules are used without an event that says when")
	}
	if slices.Contains(ck.c.Used, "") {
		return fmt.Errorf("a rule without an id is used")
	}
	return nil
}

// claimRule notes what the change does to rule id; it may do one thing.
func (ck *checker) claimRule(id string, m mark) error {
	if id == "" {
		return fmt.Errorf("a rule without an id")
	}
	if _, twice := ck.rules[id]; twice {
		return fmt.Errorf("rule %s is changed twice", id)
	}
	ck.rules[id] = m
	return nil
}

// checkRule refuses a row that no broker would write. Whether a rule's patterns compile is not
// looked at here.
func checkRule(r *rules.Rule) error {
	switch {
	case r.Version < 1:
		return fmt.Errorf("rule %s has version %d", r.ID, r.Version)
	case r.Decision != rules.Allow && r.Decision != rules.Deny && r.Decision != rules.Ask && r.Decision != rules.Defer:
		return fmt.Errorf("rule %s decides %q", r.ID, r.Decision)
	case r.MaxUses < 0:
		return fmt.Errorf("rule %s may be used %d times", r.ID, r.MaxUses)
	case r.Source != "":
		return fmt.Errorf("rule %s stands in %s", r.ID, r.Source)
	}
	return nil
}

// fact looks whether a fact's data is whole and goes with the change.
func (ck *checker) fact(e *broker.Event) (Vouch, error) {
	switch e.Type {
	case broker.EventRuleSaved:
		return ck.ruleSaved(e)
	case broker.EventRuleRemoved:
		return ck.ruleRemoved(e)
	case broker.EventFileTrusted:
		d, err := decode[broker.FileTrustedData](e.Data)
		if err == nil && d.Path == "" {
			err = fmt.Errorf("it names no file")
		}
		return Vouch{Part: FactOnly}, err
	case broker.EventTokenMinted, broker.EventTokenRevoked:
		d, err := decode[broker.TokenData](e.Data)
		if err == nil && d.ID == "" {
			err = fmt.Errorf("it names no token")
		}
		return Vouch{Part: FactOnly}, err
	case broker.EventFrozen:
		d, err := decode[broker.FrozenData](e.Data)
		if err == nil && d.Session != utf8Of(e.SessionID) {
			err = fmt.Errorf("it is of another session than it says")
		}
		return Vouch{Part: FactOnly}, err
	case broker.EventLogArchived:
		return Vouch{}, fmt.Errorf("only the store itself writes it")
	}
	return Vouch{}, fmt.Errorf("its data is unknown here")
}

// ruleSaved checks that the event tells of a rule that the change saves, and of the same one.
func (ck *checker) ruleSaved(e *broker.Event) (Vouch, error) {
	d, err := decode[broker.RuleSavedData](e.Data)
	if err != nil {
		return Vouch{}, err
	}
	for i := range ck.c.Rules {
		r := &ck.c.Rules[i]
		if utf8Of(r.ID) != d.Rule.ID {
			continue
		}
		if !SameRule(&d.Rule, r) {
			return Vouch{}, fmt.Errorf("it has another rule %s than the change", r.ID)
		}
		return Vouch{Part: RuleSaved, Index: i}, nil
	}
	return Vouch{}, fmt.Errorf("the change does not save rule %s", d.Rule.ID)
}

// ruleRemoved checks that the event tells of a rule whose row the change takes away.
func (ck *checker) ruleRemoved(e *broker.Event) (Vouch, error) {
	d, err := decode[broker.RuleRemovedData](e.Data)
	if err != nil {
		return Vouch{}, err
	}
	for i, id := range ck.c.Remove {
		if utf8Of(id) == d.ID {
			return Vouch{Part: RuleRemoved, Index: i}, nil
		}
	}
	return Vouch{}, fmt.Errorf("the change does not remove rule %s", d.ID)
}

// rulesComplete looks whether each rule that the change writes or removes has its event.
func (ck *checker) rulesComplete() error {
	for i := range ck.c.Rules {
		if !ck.seen[mark{RuleSaved, i}] {
			return fmt.Errorf("rule %s is saved without a %s event", ck.c.Rules[i].ID, broker.EventRuleSaved)
		}
	}
	for i, id := range ck.c.Remove {
		if !ck.seen[mark{RuleRemoved, i}] {
			return fmt.Errorf("rule %s is removed without a %s event", id, broker.EventRuleRemoved)
		}
	}
	return nil
}

// grantUsed looks whether the event is about the change's grant, and whether one that
// was taken back says so in its row as well.
func (ck *checker) grantUsed(e *broker.Event) (Vouch, error) {
	use := ck.c.UseGrant
	if use == nil {
		return Vouch{}, fmt.Errorf("the change uses no grant")
	}
	d, err := decode[struct {
		Grant   string `json:"grant"`
		Revoked bool   `json:"revoked"`
	}](e.Data)
	switch {
	case err != nil:
		return Vouch{}, err
	case d.Grant != utf8Of(use.ID):
		return Vouch{}, fmt.Errorf("it is about grant %s, the change about %s", d.Grant, use.ID)
	case d.Revoked && use.By != Revoked:
		return Vouch{}, fmt.Errorf("grant %s is used by %q, which does not go with its event", use.ID, use.By)
	}
	return Vouch{Part: GrantUsed, Subject: GrantSubject(use.ID)}, nil
}

// SameRule compares two rules as the log has them: without their uses, to the
// millisecond.
func SameRule(a, b *rules.Rule) bool {
	x, errX := asLogged(a)
	y, errY := asLogged(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// asLogged is r's JSON after a turn through it, which settles odd bytes.
func asLogged(r *rules.Rule) ([]byte, error) {
	c := *r
	c.Uses, c.LastUsedAt = 0, time.Time{}
	for _, t := range []*time.Time{&c.ExpiresAt, &c.CreatedAt, &c.UpdatedAt} {
		*t = Time(MS(*t))
	}
	b, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	again, err := decode[rules.Rule](b)
	if err != nil {
		return nil, err
	}
	return json.Marshal(again)
}

// decode reads an event's data; members that it does not know are passed over, so a newer log can
// be read.
func decode[T any](data []byte) (v T, err error) {
	if err = json.Unmarshal(data, &v); err != nil {
		err = fmt.Errorf("data: %w", err)
	}
	return v, err
}
