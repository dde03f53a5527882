package state

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
)

// How much of the record one press of the tab key looks at.
const (
	completionTime  = 300 * time.Millisecond // that one press of the tab key may take
	mostEnded       = 30                     // ended sessions that are offered, those seen last
	mostNamed       = 10_000                 // sessions whose names are compared
	completeNothing = cobra.ShellCompDirectiveNoFileComp
)

// CompleteSessions offers the living sessions and those that ended last, from the record:
// for commands that read it. It needs no console. Without a record, or when it takes too
// long, there are no offers, as a tab key has nowhere to print an error.
func CompleteSessions(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, completeNothing
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	r, err := OpenReader(ctx)
	if err != nil {
		return nil, completeNothing
	}
	list, err := r.Sessions(ctx, broker.SessionFilter{Limit: mostNamed}) // last seen first
	if err != nil {
		return nil, completeNothing
	}
	// The sort keeps those seen last in front within each half.
	slices.SortStableFunc(list, func(a, b broker.Session) int { return rank(a) - rank(b) })
	ended := 0
	return client.OfferSessions(list, begun, func(s broker.Session) bool {
		if s.Ended() {
			ended++
		}
		return !s.Ended() || ended <= mostEnded
	}), completeNothing
}

// rank puts living sessions first. Names are made over all of them, so none is left out
// before.
func rank(s broker.Session) int {
	if s.Ended() {
		return 1
	}
	return 0
}
