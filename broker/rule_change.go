package broker

import (
	"cmp"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/rules/rulesfile"
)

// NextVersion completes r: what a caller leaves out, and what is not theirs to choose. A new
// rule without an id gets this one. Fields that are the broker's (version, times, author, uses)
// are taken from the old rule, whatever the caller sent. Errors are ErrInvalid, in words for the
// caller.
func NextVersion(now time.Time, id string, r, old rules.Rule, known bool, by Actor) (rules.Rule, error) {
	now = Instant(now)
	switch {
	case r.Source != "":
		return r, fmt.Errorf("%w: this rule stands in %s; change it there", ErrInvalid, r.Source)
	case r.ID == "":
		r.ID = id
	case !known && !mayBeID(r.ID):
		return r, fmt.Errorf("%w: id %q is not one that a rule may have; leave it out, or give a random UUID", ErrInvalid, Clip(r.ID))
	}
	r.Version, r.UpdatedAt = old.Version+1, now
	r.CreatedAt, r.CreatedBy, r.CreatedFrom, r.Uses, r.LastUsedAt = old.CreatedAt, old.CreatedBy, cmp.Or(old.CreatedFrom, r.CreatedFrom), old.Uses, old.LastUsedAt
	if !known {
		r.CreatedAt, r.CreatedBy = now, author(by)
	}
	if r.ExpiresAt = r.ExpiresAt.UTC().Truncate(time.Millisecond); r.ExpiresAt.Year() > 9999 {
		return r, fmt.Errorf("%w: expires_at: years have four digits", ErrInvalid)
	}
	if err := r.Check(); err != nil {
		return r, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return r, nil
}

// mayBeID reports whether a new rule may be called id: a UUID in its usual form, and none that is
// made from a name, as those of rules in files are. A rule of the console with such an id could
// take the place of one in a file.
func mayBeID(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && u.String() == id && (u.Version() == 4 || u.Version() == 7)
}

// author names who made a rule.
func author(by Actor) string {
	if by.Kind == ByOperator {
		return "operator"
	}
	return fmt.Sprintf("%s %d", by.Kind, by.PID)
}

// WithoutUses is r as the log records it: counting goes on without new versions.
func WithoutUses(r rules.Rule) rules.Rule {
	r.Uses, r.LastUsedAt = 0, time.Time{}
	return r
}

// MayChange reports whether by may put r in the place of old: the operator may all,
// others only what refuses more: a new rule that does not allow, or an allow rule
// switched off. Switching an allow rule off must change nothing else. Otherwise a process could
// widen a rule first, and wait for the operator to switch it on again.
func MayChange(by Actor, old rules.Rule, known bool, r rules.Rule) bool {
	switch {
	case by.Kind == ByOperator:
		return true
	case !known:
		return r.Decision != rules.Allow
	}
	off := old
	off.Enabled = false
	return old.Decision == rules.Allow && !r.Enabled && sameRule(off, r)
}

// sameRule compares what two versions of a rule say. The text form leaves nothing out that a
// person could read, so equal texts are equal rules.
func sameRule(x, y rules.Rule) bool {
	x.UpdatedAt, y.UpdatedAt = time.Time{}, time.Time{}
	return string(rulesfile.Format([]rules.Rule{x})) == string(rulesfile.Format([]rules.Rule{y}))
}
