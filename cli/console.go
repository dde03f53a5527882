package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/cli/version"
	"github.com/aoctl/aoctl/hookclient/install"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/tui"
)

type consoleOptions struct {
	socket  string
	timeout time.Duration // 0 unless the operator chose one: then it is the most that any call gets
	attentionOptions
	observe bool   // hold nothing
	noOut   bool   // keep nothing of what tools give back
	listen  string // loopback address to listen on over TCP as well; empty for none
	anyone  bool   // take operator tokens over TCP also from processes that cannot be found here
	limits  limitOptions
	late    string        // what becomes of a call that nobody answers in time: deny or defer
	keep    string        // how long the log is kept; "" for ever
	kept    time.Duration // the same, 0 for ever
	demo    bool          // the agents are scripted; the console says so
	config  config.File   // what the settings file says; empty where none is read
	guard   bool          // what agents wrote is read in a process of its own first
}

// newConsoleCommand is aoctl itself: without a command it opens the console.
func newConsoleCommand() *cobra.Command {
	var o consoleOptions
	cmd := &cobra.Command{
		Use:     "aoctl",
		Short:   "Watch over coding agents from one console",
		Long:    rootLong,
		Example: rootExample,
		Args:    usage.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err = terminal.Require("the console"); err != nil {
				return err
			}
			o.config = config.Load()
			if err = o.config.Fill(cmd); err != nil {
				return err
			}
			if err = o.read(cmd); err != nil {
				return err
			}
			return runConsole(cmd.Context(), o)
		},
	}
	o.flags(cmd)
	return cmd
}

func (o *consoleOptions) flags(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&o.timeout, "timeout", config.DefaultTimeout, "most time to answer a call before it is refused (env "+config.TimeoutEnv+", seconds)")
	cmd.Flags().StringVar(&o.keep, "keep", "", "archive calls and events that are older: 90d, 12w (default: keep everything)")
	cmd.Flags().BoolVar(&o.observe, "observe", false, "hold nothing: record every call with what the rules would have said")
	cmd.Flags().BoolVar(&o.noOut, "no-output", false, "record of each call that it ran and how long, but nothing of what it printed or returned")
	cmd.Flags().StringVar(&o.late, "on-timeout", string(broker.Deny), "what becomes of a call that nobody answers in time: deny, or defer, which puts it off where the agent can be told so")
	o.limits.flags(cmd)
	cmd.Flags().StringVar(&o.listen, "listen", "", "listen on this loopback address as well, such as 127.0.0.1:8765: for containers and forwarded ports, with tokens")
	cmd.Flags().BoolVar(&o.anyone, "listen-operators", false, "over --listen take operator tokens also from processes that cannot be found on this machine")
	o.attentionOptions.flags(cmd)
}

// read completes o from the environment where no flag was given.
func (o *consoleOptions) read(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("timeout") {
		t, err := config.TimeoutFromEnv(os.Getenv(config.TimeoutEnv))
		if err != nil {
			return err
		}
		o.timeout = t
	}
	if o.timeout != 0 || cmd.Flags().Changed("timeout") {
		if err := config.CheckTimeout("--timeout", o.timeout); err != nil {
			return err
		}
	}
	if err := o.limits.read(cmd); err != nil {
		return err
	}
	if err := config.CheckLate("--on-timeout", o.late); err != nil {
		return err
	}
	if o.anyone && o.listen == "" {
		return usage.Error{Text: "--listen-operators says something about --listen, which is not there", Hint: "give --listen 127.0.0.1:8765 as well"}
	}
	if cmd.Flags().Changed("keep") {
		kept, err := config.ParseKeep("--keep", o.keep)
		if err != nil {
			return err
		}
		o.kept = kept
	}
	if err := o.attentionOptions.read(cmd); err != nil {
		return err
	}
	socket, err := client.SocketPath(cmd)
	o.socket, o.guard = socket, true
	return err
}

// runConsole opens the console and returns when it was quit or ctx ended.
func runConsole(ctx context.Context, o consoleOptions) error {
	if err := keepPrivate(); err != nil {
		return fmt.Errorf("keep other processes out of the console: %w", err)
	}
	h, err := openHouse(ctx, o)
	if err != nil {
		return err
	}
	defer h.Close()
	return h.show(ctx, o)
}

// show draws the console until it is quit or ctx ends, which is no error. A console
// that no longer listens closes: its screen would say that nothing waits.
func (h *house) show(ctx context.Context, o consoleOptions) error {
	drawing, leave := context.WithCancel(ctx)
	defer leave()
	stopWatching := make(chan struct{})
	defer close(stopWatching)
	go func() {
		select {
		case <-h.served:
			leave()
		case <-stopWatching:
		}
	}()
	err := tui.Run(drawing, h.broker, tui.Options{
		Socket: h.socket, Version: version.Read().Version, Notify: o.notify, Desktop: o.desktop, Demo: o.demo, Operator: operator(),
		Config: configShown(o.config), Editor: terminal.Editor(), EditFolder: editFolder(), Foreground: inForeground, OtherHooks: otherHooks,
	})
	switch {
	case ctx.Err() != nil:
		return nil
	case drawing.Err() != nil:
		return fmt.Errorf("the console stopped listening: %w", h.serveErr)
	}
	return err
}

// editFolder is where texts lie while they are edited: in the state folder, which is
// guarded; "" when there is none.
func editFolder() string {
	dir, err := paths.StateDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "edits")
}

// otherHooks names hooks of others on an event, with the settings files that we wrote.
func otherHooks(agent, event, tool, project string) []string {
	return install.OtherHooks(agent, event, tool, project, state.Installed()...)
}

// operator is who sits at this console, as far as the system tells: every decision
// is recorded with it.
func operator() broker.Actor {
	exe, _ := os.Executable()                // a record without it is still one
	tty, _ := os.Readlink("/proc/self/fd/0") // there is no such link on every system
	return broker.Actor{Kind: broker.ByOperator, PID: os.Getpid(), Exe: exe, TTY: tty}
}

// configShown is what the screen shows of the settings file.
func configShown(f config.File) tui.Config {
	c := tui.Config{Settings: f.Said()}
	if f.Found {
		c.File = f.Path
	}
	if f.Problem != nil {
		c.Line, c.Problem, c.Cure = f.Problem.Line, f.Problem.Text, f.Problem.Cure
	}
	return c
}
