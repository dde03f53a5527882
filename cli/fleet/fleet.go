// Package fleet has "aoctl fleet": many machines, watched over from one console.
//
// init begins a fleet and up runs a server of it. invite and join bring people and machines into it,
// with a code that one screen shows and the other is typed at; leave takes them out again, and list
// says who is in it. four-eyes says whose dangerous calls take two operators.
//
// What a person knows of their fleet is package member's. A machine is in a fleet when its broker has
// that in its log, so joining and leaving are orders to the broker, which takes them from a console
// alone (console.AtBroker).
package fleet

import (
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/usage"
)

// Commands are the commands of this family.
func Commands() []*cobra.Command { return []*cobra.Command{newCommand()} }

func newCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Watch over agents on many machines from one console",
		Long: `A fleet is machines whose agents are watched over from one console, by one person or by a
team. Each machine keeps its own broker, which alone decides what runs there, with or
without a network. It carries what happens out to the fleet's servers, sealed so that
only the fleet's people read it, and takes orders that those people sign.

People have roles. A watcher sees; a guard denies, stops and freezes; an operator allows;
an owner says who is in the fleet.

"aoctl --fleet" opens the console of all machines.`,
		Example: `  aoctl fleet init acme          # begin a fleet; you own it
  aoctl fleet up                 # run its server here
  aoctl fleet invite             # show a code for another machine …
  aoctl fleet join office:4222   # … and type it there`,
		Args: usage.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newInitCommand(), newUpCommand(), newInviteCommand(), newJoinCommand(), newLeaveCommand(), newListCommand(), newEyesCommand())
	return cmd
}
