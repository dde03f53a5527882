package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/hookclient"
)

// runHook is "aoctl hook": args are those after the word hook. The program itself
// comes there even before this, through hookclient/atstart. It returns what to exit
// with.
func runHook(args []string) int {
	return hookclient.Run(context.Background(), args, os.Stdin, os.Stdout, os.Stderr)
}

// newHookHelp lists the hook among the commands and in completion. Main never lets it
// run: a hook must start without building any of this.
func newHookHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "Ask the console on behalf of an agent (agents run this)",
		Long: `hook reads one hook payload of AGENT from standard input, asks the console, and
prints the answer for the agent. Whatever goes wrong refuses the call: nothing
on standard output, one sentence on standard error, exit code 2.`,
		Example:            "  echo \"$payload\" | aoctl hook claude --timeout 10m",
		Hidden:             true, // nobody types it
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage.Error{Text: "hook must be the first argument", Hint: usage.HelpHint(cmd)}
		},
	}
}
