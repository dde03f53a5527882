package cli

import (
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/usage"
)

// newHelpCommand is "aoctl help". Cobra's own prints the root's help for a word that
// it does not know, and succeeds.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Help about any command",
		Long:    "help prints the help of a command, as --help behind it does.",
		Example: "  aoctl help\n  aoctl help session stop",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, _ := root.Find(args) // what it does not find is the rest
			if len(rest) > 0 {
				return usage.UnknownCommand(cmd, rest)
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			cmd, rest, _ := root.Find(args)
			if len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return usage.OfferCommands(cmd, begun), cobra.ShellCompDirectiveNoFileComp
		},
	}
}
