package client

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/sessionnames"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
)

// completionTime bounds what one press of the tab key may wait for the console.
const completionTime = 300 * time.Millisecond

// CompleteSessions offers the living sessions. It and its like are for a ValidArgsFunction
// or for a flag; a second argument gets no offers.
func CompleteSessions(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	return completeSessions(cmd, args, begun, sessionnames.Alive)
}

// CompleteResumable offers the sessions that a resume may go on with: those with a deferred
// call.
func CompleteResumable(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	return completeSessions(cmd, args, begun, func(s broker.Session) bool { return s.Deferred > 0 })
}

// completeSessions offers the sessions of a kind, and nothing when the console cannot say.
func completeSessions(cmd *cobra.Command, args []string, begun string, offered sessionnames.Kind) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	Briefly(cmd, func(ctx context.Context, c *Client) {
		if all, err := c.Sessions(ctx); err == nil {
			offers = OfferSessions(Plain(all), begun, offered)
		}
	})
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// OfferSessions offers some of the sessions by what the screen calls them; those whose name
// is not fit to be typed, or of which the beginning of the id was typed, by their id. all
// must be all sessions, or their names differ from the screen's.
func OfferSessions(all []broker.Session, begun string, offered sessionnames.Kind) []string {
	var offers []string
	words := SessionWords(all)
	for _, s := range all {
		word := words[s.ID]
		if begun != "" && strings.HasPrefix(s.ID, begun) {
			word = s.ID
		}
		if offered(s) {
			offers = usage.Offer(offers, word, strings.Join(sessionText(s, word), ", "))
		}
	}
	return offers
}

// CompleteCalls offers the ids of waiting calls.
func CompleteCalls(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	Briefly(cmd, func(ctx context.Context, c *Client) {
		waiting, err := c.Pending(ctx, "")
		if err != nil {
			return
		}
		for _, r := range waiting {
			offers = OfferCall(offers, r.Request)
		}
	})
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// OfferCall adds the id of a call, with its tool and its text beside it.
func OfferCall(offers []string, r broker.Request) []string {
	return usage.Offer(offers, r.ID, r.ToolName+" "+show.Call(r))
}

// Briefly calls f when a console can be reached, and never for long. The context of cmd is
// not used: a completion has none of its own. f gets no way to report an error, since a tab
// key has no use for one.
func Briefly(cmd *cobra.Command, f func(context.Context, *Client)) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	if c, err := New(cmd); err == nil {
		f(ctx, c)
	}
}
