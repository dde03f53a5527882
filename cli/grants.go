package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/tui/safe"
)

func newGrantsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "grants",
		Short: "List and revoke what late decisions left behind",
		Long: `A call that ended before somebody allowed it leaves a grant: the agent's next call
that is exactly the same passes once, for some minutes.`,
		Example: "  aoctl grants list\n  aoctl grants revoke 5b1c",
		Args:    unknownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGrantsListCommand(), newGrantsRevokeCommand())
	return cmd
}

func newGrantsListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the grants that were not used yet",
		Long:    "list shows the grants that still let a call pass.",
		Example: "  aoctl grants list --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := grants(cmd)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), list)
			}
			if len(list) == 0 {
				return printLine(cmd.OutOrStdout(), "There are no grants.")
			}
			t := &table{head: []string{"ID", "SESSION", "ENDS IN", "CALL"}}
			for _, g := range list {
				t.add(g.ID[:min(8, len(g.ID))], g.SessionID, countdown(time.Until(g.ExpiresAt)), "request "+g.RequestID)
			}
			return t.print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func grants(cmd *cobra.Command) ([]broker.Grant, error) {
	c, err := newClient(cmd)
	if err != nil {
		return nil, err
	}
	var list []broker.Grant
	err = c.get(cmd.Context(), "/grants", nil, &list)
	return list, err
}

func newGrantsRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke ID",
		Short:   "Take a grant back",
		Long:    "revoke ends a grant, named by its id or by enough of the id's beginning: the call it\nstood for asks again.",
		Example: "  aoctl grants revoke 5b1c",
		Args:    oneArg("the id of a grant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := grants(cmd)
			if err != nil {
				return err
			}
			var found []string
			for _, g := range list {
				if strings.HasPrefix(g.ID, args[0]) {
					found = append(found, g.ID)
				}
			}
			switch {
			case len(found) == 0:
				return failure{code: exitNotFound, text: fmt.Sprintf("no grant has the id %q", args[0]), hint: "see which there are: aoctl grants list"}
			case len(found) > 1:
				return ambiguous("grant", args[0], found)
			}
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			if err := c.send(cmd.Context(), http.MethodDelete, "/grants/"+url.PathEscape(found[0]), nil, &struct{}{}); err != nil {
				return err
			}
			return printLine(cmd.OutOrStdout(), safe.Line("revoked "+found[0]))
		},
	}
}
