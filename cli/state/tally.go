package state

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/store"
)

// Counted is the record that Tally reads: the store of a running console, or a reader
// beside it. Each method is a transaction of its own, so a call that ends in between may be
// in one and not in the other.
type Counted interface {
	Sessions(ctx context.Context, f broker.SessionFilter) ([]broker.Session, error)
	EachEnded(ctx context.Context, sessionID string, since time.Time, fn func(broker.EndedCall)) error
	Rules(ctx context.Context) ([]rules.Rule, error)
	Archives(ctx context.Context) ([]store.Archived, error)
}

// Tally counts the calls of one session, or of all for "", that ended since a time. Days
// begin when they do here. Calls are counted as they are read, so a long record needs
// little memory. Archived calls are not counted; ArchivedMS of the report says before when
// they are missing.
func Tally(ctx context.Context, from Counted, session string, since time.Time) (tally.Report, error) {
	var failed error
	r := tally.Count(func(yield func(broker.EndedCall) bool) {
		failed = from.EachEnded(ctx, session, since, func(c broker.EndedCall) { yield(c) }) // Count takes all
	}, time.Local)
	if failed != nil {
		return tally.Report{}, failed
	}
	list, err := from.Sessions(ctx, broker.SessionFilter{Limit: mostNamed})
	if err != nil {
		return tally.Report{}, fmt.Errorf("read the sessions: %w", err)
	}
	names := show.SessionNames(list)
	for i := range r.Sessions {
		r.Sessions[i].Name = names[r.Sessions[i].ID]
	}
	ruleList, _ := from.Rules(ctx) // rules in doubt keep their names: nothing is judged by them here
	nameRules(r.Rules, show.RuleNames(ruleList))
	archives, err := from.Archives(ctx)
	if err != nil {
		return tally.Report{}, err
	}
	if n := len(archives); n > 0 && since.UnixMilli() < archives[n-1].BeforeMS {
		r.ArchivedMS = archives[n-1].BeforeMS
	}
	return r, nil
}

// nameRules gives rules the names that the log has for them. One that is gone has none.
func nameRules(list []tally.Group, names map[string]string) {
	for i, g := range list {
		if _, known := names[g.ID]; known || uuid.Validate(g.ID) != nil {
			list[i].Name = show.RuleName(g.ID, names)
		}
	}
}
