package client

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
)

// completionTime bounds what one press of the tab key may wait for the console.
const completionTime = 300 * time.Millisecond

// CompleteSessions offers the names of living sessions, and ids where a name is
// shared or not fit to be typed.
func CompleteSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	Briefly(cmd, func(ctx context.Context, c *Client) {
		sessions, err := c.Sessions(ctx)
		if err != nil {
			return
		}
		count := map[string]int{}
		for _, s := range sessions {
			count[s.Name]++
		}
		for _, s := range sessions {
			if Ended(s.Session) {
				continue
			}
			word := s.Name
			if count[word] > 1 || !usage.Typable(word) {
				word = s.ID
			}
			offers = usage.Offer(offers, word, s.Agent+", "+s.Status()+", "+s.CWD)
		}
	})
	return offers, cobra.ShellCompDirectiveNoFileComp
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
			offers = usage.Offer(offers, r.ID, r.ToolName+" "+show.Call(r.Request))
		}
	})
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// Briefly calls f when a console can be reached, and never for long.
func Briefly(cmd *cobra.Command, f func(context.Context, *Client)) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	if c, err := New(cmd); err == nil {
		f(ctx, c)
	}
}
