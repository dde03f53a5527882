package console

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/tty"
)

// attentionOptions say how the operator is told that a call waits. read completes the last
// two fields from the others.
type attentionOptions struct {
	noBell bool
	ways   string // as --notify has them
	onDesk bool
	turns  bool // tells as well that a session's turn ended

	notify  tty.Notify
	desktop func(ctx context.Context, text string) error // nil without --desktop
}

// flags declares them.
func (a *attentionOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.ways, "notify", "auto", "how the terminal tells that a call waits: auto, off, or some of bell,osc9,osc777,osc99 (env "+config.NotifyEnv+")")
	cmd.Flags().BoolVar(&a.noBell, "no-bell", false, "the same as --notify off (env "+config.NoBellEnv+")")
	cmd.Flags().BoolVar(&a.onDesk, "desktop", false, "notify the desktop as well, with notify-send or osascript")
	cmd.Flags().BoolVar(&a.turns, "notify-turns", true, "tell as well that a session's turn ended, and how long it took")
	cmd.MarkFlagsMutuallyExclusive("notify", "no-bell")
	_ = cmd.RegisterFlagCompletionFunc("notify", cobra.FixedCompletions(tty.NotifyWays, cobra.ShellCompDirectiveNoFileComp))
}

// read completes a from the environment where no flag was given, and finds the program for
// the desktop. The command is never taken from the environment: an agent's project may set
// that.
func (a *attentionOptions) read(cmd *cobra.Command) error {
	asked := cmd.Flags().Changed("notify")
	if v := os.Getenv(config.NotifyEnv); v != "" && !asked {
		a.ways = v
	}
	if v := os.Getenv(config.NoBellEnv); v != "" && v != "0" && !cmd.Flags().Changed("no-bell") && !asked {
		a.noBell = true
	}
	ways, err := tty.ParseNotify(a.ways, os.Getenv)
	if err != nil {
		return usage.Error{Text: "--notify: " + err.Error(), Hint: config.NotifyHint}
	}
	if a.notify = ways; a.noBell {
		a.notify = 0
	}
	if a.onDesk {
		a.desktop, err = terminal.Desktop("--desktop")
	}
	return err
}
