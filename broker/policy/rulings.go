package policy

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/history"
)

// Requests has the requests on record, and takes note of who tried what is not theirs to do.
type Requests interface {
	Request(ctx context.Context, id string) (broker.Request, error)
	NoteRefusal(about broker.Request, d broker.RefusedData)
}

// Rulings changes the rules, and tells what they are. It is what operators reach, so each
// method says who may call it.
type Rulings struct {
	policy   *Policy
	requests Requests
	changed  func(rule string) []broker.Request // what waits is to be looked at again; it returns what the rule ended
}

// NewRulings returns the rulings of p. changed is called after each change: with the id of a rule
// that was made or changed, else with "".
func NewRulings(p *Policy, requests Requests, changed func(rule string) []broker.Request) *Rulings {
	return &Rulings{p, requests, changed}
}

// Rules is all that decides without a person.
func (rs *Rulings) Rules(context.Context) broker.RuleBook { return rs.policy.Engine.RuleBook() }

// SaveRule makes r hold: a new rule when its ID is empty, else the next version of the rule with
// that ID. Waiting calls that it decides are ended at once. Errors: ErrInvalid around *rules.Error,
// ErrNotFound, ErrVersion (r.Version is not the current one), ErrForbidden (an allow rule by
// somebody who is no operator), ErrNotRecorded.
func (rs *Rulings) SaveRule(_ context.Context, r rules.Rule, by broker.Actor) (broker.SavedRule, error) {
	saved := rs.policy.Tell(engine.SaveRule{Rule: r, By: by, NewID: uuid.Must(uuid.NewV7()).String()})
	if saved.Err != nil {
		return broker.SavedRule{}, rs.refusedRule(saved.Rule, by, saved.Err) // the rule is the one that the caller holds
	}
	ended := rs.changed(saved.Rule.ID)
	return broker.SavedRule{Rule: saved.Rule, Decided: ended}, nil
}

// RemoveRule ends rule id. Anybody may remove a rule that allows. Errors: ErrNotFound, ErrForbidden,
// ErrNotRecorded.
func (rs *Rulings) RemoveRule(_ context.Context, id string, by broker.Actor) error {
	r := rs.policy.Tell(engine.RemoveRule{ID: id, By: by})
	if r.Err != nil {
		return broker.While(rs.refusedRule(r.Rule, by, r.Err), "remove rule %s", broker.Clip(id))
	}
	rs.changed("")
	return nil
}

// refusedRule writes down who tried to change a rule that is not his to change.
func (rs *Rulings) refusedRule(r rules.Rule, by broker.Actor, err error) error {
	if errors.Is(err, broker.ErrForbidden) {
		rs.requests.NoteRefusal(broker.Request{}, broker.RefusedData{Wanted: "rule", Kind: broker.NoOperator, Detail: broker.ErrForbidden.Error(), By: by, Rule: new(broker.WithoutUses(r))})
	}
	return err
}

// TrustFile lets the allow rules of a project's rules file count as long as its digest is this one;
// "" takes the trust back. Errors: ErrNotFound, ErrForbidden, ErrStale (the file has another digest),
// ErrNotRecorded.
func (rs *Rulings) TrustFile(_ context.Context, path, digest string, by broker.Actor) error {
	now, known := rs.policy.ReadAnew(path) // what is trusted is what is there now
	switch {
	case by.Kind != broker.ByOperator && digest != "":
		return fmt.Errorf("trust %s: %w", broker.Clip(path), broker.ErrForbidden)
	case !known:
		return fmt.Errorf("trust %s: %w", broker.Clip(path), broker.ErrNotFound)
	case digest != "" && digest != now:
		return fmt.Errorf("trust %s: %w", path, broker.ErrStale)
	}
	if err := rs.policy.Tell(engine.TrustFile{Path: path, Digest: digest, By: by}).Err; err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	rs.policy.ReadAnew(path)
	rs.changed("")
	return nil
}

// NoteLog tells the broker what a check of the whole log found: "" that all is well. From a
// broken log on no rule allows anything, and the console says so.
func (rs *Rulings) NoteLog(problem string) { rs.policy.Tell(engine.LogChecked{Broken: problem}) }

// NoteLogUnread tells the broker that the whole log could not be checked, and why; "" that it no
// longer stands in the way. Until a check is done no rule allows anything, and the console says
// so.
func (rs *Rulings) NoteLogUnread(why string) { rs.policy.Tell(engine.LogChecked{Unread: why}) }

// Preview says what r would have done to the recorded calls, and what it would do to those that
// wait. Errors: ErrInvalid.
func (rs *Rulings) Preview(ctx context.Context, r rules.Rule) (broker.Preview, error) {
	return rs.policy.Preview(ctx, r)
}

// Suggest finds rules that would have saved decisions about the recorded calls.
func (rs *Rulings) Suggest(ctx context.Context) (history.Suggestions, error) {
	return rs.policy.Suggest(ctx)
}

// Offer lists rules that would cover request id from now on, narrowest first, as drafts without
// ID; none for a call that no rule may allow. What the agent suggests comes last, with
// broker.SuggestedByAgent in CreatedBy. Errors: ErrNotFound.
func (rs *Rulings) Offer(ctx context.Context, id string) ([]rules.Rule, error) {
	req, err := rs.requests.Request(ctx, id)
	if err != nil {
		return nil, broker.While(err, "offer a rule")
	}
	return rs.policy.Offer(req), nil
}
