package rules

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/safe"
)

// newGrantsCommand makes "grants". They are here and not with the sessions, because a grant
// allows a call that has not been made yet, as a rule does. No command makes one: a grant
// comes of allowing a call that is over.
func newGrantsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "grants",
		Short: "List and revoke grants: late calls that may run once",
		Long: `A late call is one whose time was over before somebody allowed it. Allowing it leaves a
grant: when the agent makes exactly the same call again within some minutes, it runs once.`,
		Example: "  aoctl grants list\n  aoctl grants revoke 5b1c",
	}
	return usage.Noun(cmd, newGrantsListCommand(), newGrantsRevokeCommand())
}

// newGrantsListCommand makes "grants list". Grants that were used or have ended are in the
// log.
func newGrantsListCommand() *cobra.Command {
	var as output.Format
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the grants that were not used yet",
		Long:    "list shows the grants that can still let a call run.",
		Example: "  aoctl grants list --json",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := grants(cmd)
			if err != nil {
				return err
			}
			if as.On() {
				return as.Print(cmd.OutOrStdout(), list)
			}
			if len(list) == 0 {
				return show.Line(cmd.OutOrStdout(), "There are no grants.")
			}
			t := &show.Table{Head: []string{"ID", "SESSION", "ENDS IN", "CALL"}, Spare: []string{"SESSION"}}
			ids := make([]string, len(list))
			for i, g := range list {
				ids[i] = g.ID
			}
			short := shortIDs(ids)
			for _, g := range list {
				// A grant has no tool and no text of its own, only the request that it came
				// of.
				t.Add(short[g.ID], g.SessionID, figures.Clock(time.Until(g.ExpiresAt)), "request "+g.RequestID)
			}
			return t.Print(cmd.OutOrStdout())
		},
	}
	output.Flags[broker.Grant](cmd, &as, "print a JSON array")
	return cmd
}

// grants asks the console. It alone knows which grants still hold: each lives for some
// minutes.
func grants(cmd *cobra.Command) ([]broker.Grant, error) {
	c, err := client.New(cmd)
	if err != nil {
		return nil, err
	}
	var list []broker.Grant
	err = c.Get(cmd.Context(), "/grants", nil, &list)
	return list, err
}

// newGrantsRevokeCommand makes "grants revoke". It takes no token, since it only refuses. A
// grant that is used in this very moment is gone already, and the console says that.
func newGrantsRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke ID",
		Short:   "Take a grant back",
		Long:    "revoke ends a grant, named by its id, or by enough of the id's beginning or end: the\ncall it stood for asks again.",
		Example: "  aoctl grants revoke 5b1c",
		Args:    usage.OneArg("the id of a grant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := grants(cmd)
			if err != nil {
				return err
			}
			var found []string
			for _, g := range list {
				if show.NamesID(g.ID, args[0]) {
					found = append(found, g.ID)
				}
			}
			switch {
			case len(found) == 0:
				return exit.Error{Code: exit.NotFound, Text: fmt.Sprintf("no grant has the id %q", args[0]), Hint: "see which there are: aoctl grants list"}
			case len(found) > 1:
				return usage.Ambiguous("grant", args[0], found)
			}
			c, err := client.New(cmd)
			if err != nil {
				return err
			}
			if err := c.Send(cmd.Context(), http.MethodDelete, "/grants/"+url.PathEscape(found[0]), nil, &struct{}{}); err != nil {
				return err
			}
			return show.Line(cmd.OutOrStdout(), safe.Line("revoked "+found[0]))
		},
	}
}
