package console

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
)

// newPairHereCommand declares the hidden "pair-here", which "aoctl install --service" runs: nobody sees
// the screen of a service, so its codes would be read by nobody.
func newPairHereCommand() *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:     "pair-here",
		Short:   "Pair the console of this state folder with its broker",
		Hidden:  true,
		Long:    "pair-here is what aoctl install --service runs in a person's terminal, while no broker runs.",
		Example: "  aoctl install --service",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.readBroker(cmd); err != nil {
				return err
			}
			if err := KeepPrivate(); err != nil {
				return fmt.Errorf("keep other processes out of the broker: %w", err)
			}
			if err := mayShowCode(cmd.OutOrStdout()); err != nil {
				return err
			}
			a, err := Open(cmd.Context(), o)
			if err != nil {
				return err
			}
			defer a.leave()
			if err = a.mayLeave(); err != nil {
				return err
			}
			return show.Line(cmd.OutOrStdout(), "The console of this state folder is paired with it.")
		},
	}
	o.brokerFlags(cmd)
	return cmd
}
