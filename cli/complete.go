package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
)

// completionTime bounds what one press of the tab key may wait for the console.
const completionTime = 300 * time.Millisecond

// completeSessions offers the names of living sessions, and ids where a name is
// shared or not fit to be typed.
func completeSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	withConsole(cmd, func(ctx context.Context, c *client) {
		sessions, err := c.sessions(ctx)
		if err != nil {
			return
		}
		count := map[string]int{}
		for _, s := range sessions {
			count[s.Name]++
		}
		for _, s := range sessions {
			if ended(s.Session) {
				continue
			}
			word := s.Name
			if count[word] > 1 || !typable(word) {
				word = s.ID
			}
			offers = appendOffer(offers, word, s.Agent+", "+s.Status()+", "+s.CWD)
		}
	})
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// completeCalls offers the ids of waiting calls.
func completeCalls(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	withConsole(cmd, func(ctx context.Context, c *client) {
		waiting, err := c.pending(ctx, "")
		if err != nil {
			return
		}
		for _, r := range waiting {
			offers = appendOffer(offers, r.ID, r.ToolName+" "+callLine(r.Request))
		}
	})
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// withConsole calls f when a console can be reached, and never for long.
func withConsole(cmd *cobra.Command, f func(context.Context, *client)) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	if c, err := newClient(cmd); err == nil {
		f(ctx, c)
	}
}
