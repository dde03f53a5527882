// Package cli is aoctl's command line. This folder has the root: it goes the hook's own
// short way, builds the tree of commands, runs one, and reports what came of it.
//
// Each family of commands is a folder that knows no other family: calls, sessions, rules,
// logs, setup, doctor, run and demo. A family hands its commands to the root (Commands);
// each command reads its flags into a small struct and calls one function with it. console
// puts broker, store and screen together and is what the root command opens.
//
// What families share lies below them: client asks the console over its socket, state
// reads what aoctl keeps on disk, config is the settings file, terminal is the person at
// the keyboard, show prints for people and output for programs, usage looks at the command
// line, exit has the exit codes and prints errors, and version says which aoctl this is. drill
// runs real agents offline.
//
// Commands for people print aligned tables; with --json, --jq or --template they print data
// for programs. Whatever agents sent is made safe before it reaches a terminal, in both forms.
package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/calls"
	"github.com/aoctl/aoctl/cli/console"
	"github.com/aoctl/aoctl/cli/demo"
	"github.com/aoctl/aoctl/cli/doctor"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/logs"
	"github.com/aoctl/aoctl/cli/rules"
	"github.com/aoctl/aoctl/cli/run"
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
	root.AddCommand(newHookHelp(), newVersionCommand(), newCompletionCommand(root))
	for _, family := range [][]*cobra.Command{
		console.Commands(), calls.Commands(), sessions.Commands(), rules.Commands(), logs.Commands(),
		setup.Commands(), doctor.Commands(), run.Commands(), demo.Commands(),
	} {
		root.AddCommand(family...)
	}
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
