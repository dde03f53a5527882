package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/cli/console"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
)

// newDemoCommand declares "demo". It has the console's flags, so that each can be
// tried, and reads no settings file: the demo is the same for everybody.
func newDemoCommand() *cobra.Command {
	var o console.Options
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Open the console with a few scripted agents",
		Long: `demo opens the console and starts four scripted agents that ask through the real
hook client, over a socket and a database of their own in a temporary folder.
Nothing that they ask for is ever run, whatever you answer, and the folder is
removed when you quit.`,
		Example: "  aoctl demo\n  aoctl demo --no-bell",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Nothing is made before it is clear that there is a screen.
			if err := terminal.Require("the demo"); err != nil {
				return err
			}
			if err := o.Read(cmd); err != nil {
				return err
			}
			return runDemo(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	o.Flags(cmd)
	return cmd
}

// demoFolder is where one run of the demo lives; see its methods for what lies where.
type demoFolder string

func (d demoFolder) home() string               { return filepath.Join(string(d), "home") }
func (d demoFolder) socket() string             { return filepath.Join(d.home(), "broker.sock") }
func (d demoFolder) project(name string) string { return filepath.Join(string(d), "src", name) }

// runDemo opens the console in a folder of its own and lets the agents loose. What is
// opened is closed in the opposite order: agents, console, folder. The last sentence
// is printed only after a demo that went well.
func runDemo(ctx context.Context, o console.Options, out io.Writer) (err error) {
	// The socket lies in it, and no system takes a long path for one.
	dir, err := state.ShortFolder("aoctl-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	folder := demoFolder(dir)
	if err = folder.furnish(); err != nil {
		return err
	}
	// From here on no path of the user's own state is known to this process.
	if err = folder.enter(); err != nil {
		return err
	}
	if err = console.KeepPrivate(); err != nil {
		return fmt.Errorf("keep other processes out of the console: %w", err)
	}
	o.Socket, o.Demo = folder.socket(), true
	h, err := console.Open(ctx, o)
	if err != nil {
		return err
	}
	defer h.Close()
	agents, err := startAgents(ctx, folder)
	// The agents leave before the console closes, so that it sees them go.
	defer agents.stop()
	if err != nil {
		return err
	}
	if err = h.Show(ctx, o); err != nil {
		return err
	}
	return show.Line(out, "Nothing was run. To let Claude Code ask here: aoctl install claude, then aoctl")
}

// enter points this process, and all that it starts, at the demo's own state.
// Variables that name another console or hold a token go: nothing of the demo may
// reach the user's own.
func (d demoFolder) enter() error {
	for _, name := range []string{"AOCTL_SOCKET", "AOCTL_URL", "AOCTL_TOKEN"} {
		if err := os.Unsetenv(name); err != nil {
			return fmt.Errorf("set up the demo: %w", err)
		}
	}
	if err := os.Setenv("AOCTL_HOME", d.home()); err != nil {
		return fmt.Errorf("set up the demo: %w", err)
	}
	return nil
}
