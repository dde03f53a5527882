package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/calls"
	"github.com/aoctl/aoctl/cli/console"
	"github.com/aoctl/aoctl/cli/doctor"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/logs"
	"github.com/aoctl/aoctl/cli/rules"
	"github.com/aoctl/aoctl/cli/sessions"
	"github.com/aoctl/aoctl/cli/setup"
	"github.com/aoctl/aoctl/cli/usage"
)

// Main runs aoctl with the arguments after the program's name and returns what
// the process exits with. A hook run goes its own short way: agents wait for it
// before every tool call, and it must refuse whatever goes wrong.
func Main(args []string) int {
	if len(args) > 0 && args[0] == "hook" {
		return runHook(args[1:])
	}
	if len(args) == 1 && args[0] == console.ParseGuard {
		return console.RunParseGuard()
	}
	ctx, stop := console.UntilSignal(context.Background())
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	return exit.Report(os.Stderr, root.ExecuteContext(ctx))
}

const rootLong = `aoctl is a console for the coding agents you run. Agents ask before they act,
the console shows the call, and a key allows or denies it.

Without a command it opens the console. Everything an agent asks is refused
while no console is open.`

const rootExample = `  aoctl install claude     # once: let Claude Code ask here
  aoctl                    # open the console
  aoctl demo               # see it work without an agent
  aoctl stop --all         # from any terminal: stop every session`

// newRoot builds the whole command tree.
func newRoot() *cobra.Command {
	root := console.NewCommand()
	root.Long, root.Example = rootLong, rootExample
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.PersistentFlags().String("socket", "", "path of the console's socket (env AOCTL_SOCKET)")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage.Error{Text: err.Error(), Hint: usage.HelpHint(cmd)}
	})
	root.PersistentPreRunE = checkFlags
	root.AddCommand(console.Commands()...)
	root.AddCommand(doctor.Commands()...)
	root.AddCommand(setup.Commands()...)
	root.AddCommand(logs.Commands()...)
	root.AddCommand(rules.Commands()...)
	root.AddCommand(sessions.Commands()...)
	root.AddCommand(calls.Commands()...)
	root.AddCommand(

		newHookHelp(),
		newDemoCommand(), newDemoAgentCommand(),
		newVersionCommand(), newCompletionCommand(root),
		newRunCommand(), newRunHeldCommand(),
	)
	return root
}

// checkFlags makes missing flags, and flags that exclude each other, errors of usage.
func checkFlags(cmd *cobra.Command, _ []string) error {
	err := cmd.ValidateRequiredFlags()
	if err == nil {
		err = cmd.ValidateFlagGroups()
	}
	if err != nil {
		return usage.Error{Text: err.Error(), Hint: usage.HelpHint(cmd)}
	}
	return nil
}

// newHookHelp lists the hook among the commands and in completion. Main never
// lets it run: a hook must start without building any of this.
func newHookHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "Ask the console on behalf of an agent (agents run this)",
		Long: `hook reads one hook payload of AGENT from standard input, asks the console, and
prints the answer for the agent. Whatever goes wrong refuses the call: nothing
on standard output, one sentence on standard error, exit code 2.`,
		Example:            "  echo \"$payload\" | aoctl hook claude --timeout 10m",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage.Error{Text: "hook must be the first argument", Hint: usage.HelpHint(cmd)}
		},
	}
}
