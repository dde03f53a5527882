// Package book is what is known of rules and of who may change them: the operator's own rules, the
// rules files of projects and which of them are trusted, tokens, and how often each rule spoke.
//
// In go the log's facts, one after the other, and what the loop changes; out comes what the rules
// are compiled from. It judges nothing, and says nobody may what: that is package engine's.
package book

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine/undo"
	"github.com/aoctl/aoctl/broker/rules"
)

// Book is all that is known of rules, and of who may change them.
type Book struct {
	Own     undo.Map[string, rules.Rule]       // without their uses
	Uses    undo.Map[string, broker.RuleUse]   // of all rules, by id
	Files   undo.Map[string, broker.RulesFile] // of projects, by real path
	Trusted undo.Map[string, string]           // real path of a rules file to the digest that is trusted
	Tokens  undo.Map[string, Token]            // by id
}

// Token is a token as it was minted.
type Token struct {
	broker.TokenData
	At time.Time
}

// Rule is a rule that is not built in, with its uses.
func (b *Book) Rule(id string) (rules.Rule, bool) {
	if r, ok := b.Own.Get(id); ok {
		return b.WithUses(r), true
	}
	for _, f := range b.Files.All() {
		if i := slices.IndexFunc(f.Rules, func(r rules.Rule) bool { return r.ID == id }); i >= 0 {
			return b.WithUses(f.Rules[i]), true
		}
	}
	return rules.Rule{}, false
}

// WithUses is r with how often it spoke.
func (b *Book) WithUses(r rules.Rule) rules.Rule {
	u := b.Uses.At(r.ID)
	r.Uses, r.LastUsedAt = u.Uses, u.Last
	return r
}

// UsedUp reports whether r has spoken as often as it may.
func UsedUp(r rules.Rule) bool { return r.MaxUses > 0 && r.Uses >= r.MaxUses }

// All are the rules that stand in the set.
func (b *Book) All() (list []rules.Rule) {
	for _, r := range b.Own.All() {
		list = append(list, b.WithUses(r))
	}
	for _, f := range b.filed() {
		list = append(list, f.Rules...)
	}
	return list
}

// filed are the projects' files, by path.
func (b *Book) filed() (list []broker.RulesFile) {
	for _, f := range b.Files.All() {
		f.Rules = slices.Clone(f.Rules)
		for i, r := range f.Rules {
			f.Rules[i] = b.WithUses(r)
		}
		list = append(list, f)
	}
	return list
}

// Spendable reports whether each rule that a verdict rests on has a use left.
func (b *Book) Spendable(a rules.Assessment) bool {
	for _, id := range a.Rules {
		if r, ok := b.Rule(id); ok && UsedUp(r) {
			return false
		}
	}
	return true
}

// Shown is the book as a person reads it; problem is why no rule in it may allow anything, "" when
// they may.
func (b *Book) Shown(problem string) broker.RuleBook {
	book := broker.RuleBook{Problem: problem, Rules: b.All(), Files: b.filed()}
	slices.SortFunc(book.Rules, func(x, y rules.Rule) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), x.CreatedAt.Compare(y.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
	return book
}

// Fold makes a fact of the log true.
func (b *Book) Fold(e broker.Event) (err error) {
	switch e.Type {
	case broker.EventRuleSaved:
		var d broker.RuleSavedData
		if err = json.Unmarshal(e.Data, &d); err == nil {
			err = d.Rule.Check()
		}
		if err == nil {
			b.Own.Put(d.Rule.ID, d.Rule)
		}
	case broker.EventRuleRemoved:
		var d broker.RuleRemovedData
		if err = json.Unmarshal(e.Data, &d); err == nil {
			b.Own.Drop(d.ID)
		}
	case broker.EventFileTrusted:
		var d broker.FileTrustedData
		if err = json.Unmarshal(e.Data, &d); err == nil {
			b.Trusted.Put(d.Path, d.Digest)
		}
	case broker.EventTokenMinted, broker.EventTokenRevoked:
		var d broker.TokenData
		if err = json.Unmarshal(e.Data, &d); err != nil {
			return err
		}
		b.Tokens.Drop(d.ID)
		if e.Type == broker.EventTokenMinted {
			b.Tokens.Put(d.ID, Token{d, e.At})
		}
	}
	return err
}

// Tables are all of b's, for what is done to each of them.
func (b *Book) Tables() []undo.Any {
	return []undo.Any{&b.Own, &b.Uses, &b.Files, &b.Trusted, &b.Tokens}
}
