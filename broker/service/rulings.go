package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/rules"
)

// Rules is all that decides without a person.
func (b *Broker) Rules(context.Context) broker.RuleBook { return b.view.RuleBook() }

// SaveRule makes r hold and ends the waiting calls that it decides; see Console.
func (b *Broker) SaveRule(_ context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error) {
	saved := b.loop.Do(engine.SaveRule{Rule: r, By: by, NewID: newID()})
	if saved.Err != nil {
		return broker.SavedRule{}, fmt.Errorf("save rule: %w", b.refusedRule(saved.Rule, by, saved.Err))
	}
	ended := b.reassess(idsOf(b.Pending("")), assessing{ends: true, rule: saved.Rule.ID})
	return broker.SavedRule{Rule: saved.Rule, Decided: ended}, nil
}

// RemoveRule ends rule id; see Console. Anybody may remove a rule that allows.
func (b *Broker) RemoveRule(_ context.Context, id string, by broker.Actor) error {
	r := b.loop.Do(engine.RemoveRule{ID: id, By: by})
	if r.Err != nil {
		return fmt.Errorf("remove rule %s: %w", broker.Clip(id), b.refusedRule(r.Rule, by, r.Err))
	}
	b.reassess(idsOf(b.Pending("")), assessing{})
	return nil
}

// refusedRule writes down who tried to change a rule that is not his to change.
func (b *Broker) refusedRule(r rules.Rule, by broker.Actor, err error) error {
	if errors.Is(err, broker.ErrForbidden) {
		b.noteRefusal(broker.Request{}, broker.RefusedData{Wanted: "rule", Kind: broker.NoOperator, Detail: broker.ErrForbidden.Error(), By: by, Rule: new(broker.WithoutUses(r))})
	}
	return err
}

// TrustFile lets the allow rules of a project's file count; see Console.
func (b *Broker) TrustFile(_ context.Context, path, digest string, by broker.Actor) error {
	now, known := b.policy.ReadAnew(path) // what is trusted is what is there now
	switch {
	case by.Kind != broker.ByOperator && digest != "":
		return fmt.Errorf("trust %s: %w", broker.Clip(path), broker.ErrForbidden)
	case !known:
		return fmt.Errorf("trust %s: %w", broker.Clip(path), broker.ErrNotFound)
	case digest != "" && digest != now:
		return fmt.Errorf("trust %s: %w", path, broker.ErrStale)
	}
	if err := b.loop.Do(engine.TrustFile{Path: path, Digest: digest, By: by}).Err; err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	b.policy.ReadAnew(path)
	b.reassess(idsOf(b.Pending("")), assessing{})
	return nil
}

// NoteLog tells the broker what a check of the whole log found: "" that all is well. From a
// broken log on no rule allows anything, and the console says so.
func (b *Broker) NoteLog(problem string) { b.loop.Do(engine.LogChecked{Broken: problem}) }

// NoteLogUnread tells the broker that the whole log could not be checked, and why; "" that it no
// longer stands in the way. Until a check is done no rule allows anything, and the console says
// so.
func (b *Broker) NoteLogUnread(why string) { b.loop.Do(engine.LogChecked{Unread: why}) }
