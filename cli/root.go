// Package cli is aoctl's command line. This folder has the root: it goes the hook's
// own short way, builds the tree of commands, runs one, and reports what came of it.
//
// Each family of commands is a folder that knows no other family: calls, sessions,
// rules, logs, setup, doctor, run, mcp and demo. A family hands its commands to the root
// (Commands); each command reads its flags into a small struct and calls one function
// with it. console puts broker, store and screen together and is what the root command
// opens.
//
// What families share lies below them: client asks the console over its socket, state
// reads what aoctl keeps on disk, config is the settings file, terminal is the person
// at the keyboard, show prints for people and output for programs, usage looks at the
// command line, exit has the exit codes and prints errors, and version says which
// aoctl this is. drill runs real agents offline.
//
// Commands for people print aligned tables; with --json, --jq or --template they print
// data for programs. Whatever agents sent is made safe before it reaches a terminal,
// in both forms.
//
// A new command is a file in its family, with its name in groups when the help is to
// list it. Commands return errors and print none: exit.Report does, once, and chooses
// the exit code.
package cli

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/calls"
	"github.com/aoctl/aoctl/cli/console"
	"github.com/aoctl/aoctl/cli/demo"
	"github.com/aoctl/aoctl/cli/doctor"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/fleet"
	"github.com/aoctl/aoctl/cli/logs"
	"github.com/aoctl/aoctl/cli/mcp"
	"github.com/aoctl/aoctl/cli/rules"
	"github.com/aoctl/aoctl/cli/run"
	"github.com/aoctl/aoctl/cli/sessions"
	"github.com/aoctl/aoctl/cli/setup"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/trust"
	"github.com/aoctl/aoctl/cli/usage"
)

// Main runs aoctl with the arguments after the program's name and returns what the
// process exits with. A hook run goes its own short way: agents wait for it before
// every tool call, and it must refuse whatever goes wrong.
func Main(args []string) int {
	if len(args) > 0 && args[0] == "hook" {
		return runHook(args[1:])
	}
	// The guard reads hostile text, and nothing that it does not need may run in its
	// process before.
	if len(args) == 1 && args[0] == console.ParseGuard {
		return console.RunParseGuard()
	}
	ctx, stop := terminal.UntilSignal(context.Background())
	defer stop()
	root := NewRoot()
	root.SetArgs(args)
	return exit.Report(os.Stderr, root.ExecuteContext(ctx))
}

// The help of the program itself: what a person reads who knows nothing of it.
const rootLong = `aoctl is a console for the coding agents you run. Agents ask before they act,
the console shows the call, and a key allows or denies it.

Without a command it opens the console. Everything an agent asks is refused
while no console is open, or no "aoctl serve" runs.

What can be done to a call or a session has a short name as well: "aoctl stop" is
"aoctl session stop", "aoctl deny" is "aoctl call deny", "aoctl pending" lists the
calls that wait and "aoctl sessions" the sessions.`

const rootExample = `  aoctl install claude     # once: let Claude Code ask here
  aoctl                    # open the console
  aoctl demo               # see it work without an agent
  aoctl stop api-server    # from any terminal; --all stops every session`

// NewRoot builds the whole tree of commands, for Main and for the manual pages. Each
// call builds another one.
func NewRoot() *cobra.Command {
	root := console.NewCommand()
	root.Long, root.Example = rootLong, rootExample
	// exit.Report prints errors, and usage.Error says more than the usage does.
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().Bool("version", false, "print the version, as \"aoctl version\" does")
	root.PersistentFlags().String("socket", "", "path of the console's socket (env AOCTL_SOCKET)")
	root.SetFlagErrorFunc(usage.FlagError)
	// cobra checks flags only after this, in words of its own.
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return usage.CheckFlags(cmd) }
	root.ValidArgsFunction = usage.OfferShort
	usage.WrapHelp(root)
	help := newHelpCommand(root)
	root.SetHelpCommand(help) // cobra adds it again, in the same place
	all := []*cobra.Command{newHookHelp(), newVersionCommand(), newCompletionCommand(root), help}
	for _, family := range [][]*cobra.Command{
		console.Commands(), calls.Commands(), sessions.Commands(), rules.Commands(), trust.Commands(), logs.Commands(),
		setup.Commands(console.KeyActions()), doctor.Commands(console.KeyActions()), fleet.Commands(), run.Commands(), mcp.Commands(), demo.Commands(),
	} {
		all = append(all, family...)
	}
	addInGroups(root, all)
	offerFiles(root)
	return root
}

// groups are what the help lists, in this order. A command that stands in none of them
// is not listed; each of those is hidden.
var groups = []struct {
	id, title string
	commands  []string
}{
	{"core", "CORE", []string{"run", "serve", "attach", "fleet", "status", "demo"}},
	{"calls", "CALLS", []string{"call"}},
	{"sessions", "SESSIONS", []string{"session"}},
	{"rules", "RULES", []string{"trust", "rule", "grants"}},
	{"record", "RECORD", []string{"log", "stats", "transcript", "backup"}},
	{"setup", "SETUP", []string{"install", "uninstall", "mcp", "doctor", "config", "completion", "split", "version", "help"}},
}

// addInGroups adds all commands to the root, those of the groups first and in their
// order. A name in groups that no command has ends the program at once.
func addInGroups(root *cobra.Command, all []*cobra.Command) {
	cobra.EnableCommandSorting = false // the order is part of the help
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, name := range g.commands {
			i := slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == name })
			all[i].GroupID = g.id
			root.AddCommand(all[i])
			all = slices.Delete(all, i, i+1)
		}
	}
	root.AddCommand(all...)
}
