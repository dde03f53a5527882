// Package console puts a console together and runs it: broker, store, socket and screen.
//
// The root command opens it (NewCommand), the demo opens one with scripted agents, and
// "aoctl broker" one without a screen. Options are its flags; Read completes them from the
// environment, and the settings file has filled them before where neither says anything.
//
// Open goes in a fixed order, each step standing on the one before: the state folder, the
// log, the socket with its lock, the store, the broker, and then it serves. The socket
// comes before the store, because the holder of its lock is the only one to write there.
// Close goes the same way back. Beside the broker run the parse guard (parse_guard.go, this
// program once more, which reads hostile texts in a process of its own), the operator's
// --on-wait command (on_wait.go), what is counted and timed (telemetry.go), the launcher of managed sessions (launch.go) and the
// archiver of old events (retention.go). Each ends with the App.
//
// A broker can go on in another process (handover.go): the console leaves it to "aoctl serve", and an
// attached one takes it back. One App closes, another opens, and what waits is in the store between.
//
// The process makes itself private before it opens anything (KeepPrivate): another process
// of the user that could trace it could press its keys.
//
// It knows broker, store and tui, which know nothing of it, and no family of commands. Open
// app.go first.
package console

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/cli/version"
	"github.com/aoctl/aoctl/hookclient/install"
	agentcheck "github.com/aoctl/aoctl/hookclient/install/check"
	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/tui"
)

// Commands are those beside the root that open a console.
func Commands() []*cobra.Command {
	return []*cobra.Command{newServeCommand(), newAttachCommand(), newSplitCommand(), newBrokerCommand(), newPairHereCommand()}
}

// NewCommand is aoctl itself: without a command it opens the console. The root adds
// everything else below it.
func NewCommand() *cobra.Command {
	var o Options
	var fleet bool
	cmd := &cobra.Command{
		Use:   "aoctl",
		Short: "Watch over coding agents from one console",
		Args:  usage.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			// Without a terminal nobody could answer, and calls would wait for nothing.
			if err = terminal.Require("the console"); err != nil {
				return err
			}
			o.given = givenFlags(cmd)
			// The order makes flags win over the environment, and the environment over the
			// file.
			o.config = config.Load(KeyActions())
			if err = o.config.Fill(cmd); err != nil {
				return err
			}
			if fleet && len(o.given) > 0 {
				return usage.Error{Text: "--fleet opens a screen over brokers elsewhere, and --" + slices.Sorted(maps.Keys(o.given))[0] + " is about one here", Hint: "leave out one of them"}
			}
			if err = o.Read(cmd); err != nil {
				return err
			}
			if fleet {
				return showFleet(cmd.Context(), o)
			}
			return runConsole(cmd.Context(), o)
		},
	}
	o.Flags(cmd)
	cmd.Flags().BoolVar(&fleet, "fleet", false, "open the console of all machines of your fleet")
	return cmd
}

// runConsole opens the console and returns when it was quit or ctx ended.
//
// Where a broker runs already it attaches to that, unless a flag that was given says how the broker is
// to be.
func runConsole(ctx context.Context, o Options) error {
	if err := KeepPrivate(); err != nil {
		return fmt.Errorf("keep other processes out of the console: %w", err)
	}
	a, err := Open(ctx, o)
	if _, used := errors.AsType[*api.InUseError](err); used && len(o.given) == 0 {
		return attach(ctx, o, address{socket: o.Socket}, err.Error())
	} else if used {
		return besideRunning(err, o.given)
	}
	if err != nil {
		return err
	}
	return a.run(ctx, o)
}

// besideRunning adds to err, that another broker runs, why this console does not attach to it.
func besideRunning(err error, given map[string]string) error {
	return exit.Error{
		Code: exit.Failed, Text: err.Error(), Cause: err,
		Hint: "the broker there has flags of its own: leave out --" + strings.Join(slices.Sorted(maps.Keys(given)), ", --") + " to attach to it, or quit it first",
	}
}

// run shows the console until it was quit, ctx ended, or the broker goes on without it. It closes a
// also when the screen fails, so no call is left without its record.
func (a *App) run(ctx context.Context, o Options) error {
	for {
		err := a.Show(ctx, o)
		if !errors.Is(err, tui.ErrLeave) {
			a.Close()
			return err
		}
		if a, err = a.handOver(ctx, o); err == nil || a == nil {
			return err
		}
		a.tell("", "not left running: "+err.Error())
	}
}

// Show draws the console until it is quit or ctx ends, which is no error. A console that no
// longer listens closes: its screen would say that nothing waits. It closes nothing of a;
// it is for the main goroutine, which has the terminal. Errors: tui.ErrLeave, which is a wish.
func (a *App) Show(ctx context.Context, o Options) error {
	// Of the two contexts, ctx tells that we were asked to end, and drawing alone that
	// serving failed.
	drawing, leave := context.WithCancel(ctx)
	defer leave()
	stopWatching := make(chan struct{})
	defer close(stopWatching)
	go func() {
		select {
		case <-a.served:
			leave()
		case <-stopWatching:
		}
	}()
	t := o.screen(a.socket)
	t.Notices, t.Hooks = a.notices, tui.Hooks{Others: otherHooks, Ours: hooked}
	t.Place = func() tui.Place { return tui.Place{Empty: emptyWords[o.whenEmpty()]} }
	err := tui.Run(drawing, a.forScreens(), t)
	switch {
	case errors.Is(err, tui.ErrLeave): // also where the terminal went away since
		return err
	case ctx.Err() != nil:
		return nil
	case drawing.Err() != nil:
		return fmt.Errorf("the console stopped listening: %w", a.serveErr)
	}
	return err
}

// forScreens is the broker as screens use it, in this process and in others.
func (a *App) forScreens() screenBroker {
	return screenBroker{a.Broker, a, new(state.Spending)}
}

// screen is how the console is to look that is attached to the broker at an address.
func (o Options) screen(at string) tui.Options {
	return tui.Options{
		Socket: at, Version: version.Read().Version, Demo: o.Demo, Operator: operator(),
		Attention: tui.Attention{Notify: o.attention.notify, Turns: o.attention.turns, Desktop: o.attention.desktop},
		Theme:     o.theme, Keys: o.chosenKeys(),
		Config: configShown(o.config), Editor: terminal.Editor(), EditFolder: editFolder(), Foreground: terminal.InForeground,
	}
}

// editFolder is where texts lie while they are edited: in the state folder, which is
// guarded; "" when there is none. An agent must not be able to change a text between its
// being read and its being allowed.
func editFolder() string {
	dir, err := paths.StateDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "edits")
}

// otherHooks names hooks of others on an event, with the settings files that we wrote. They
// may change a call after it was allowed here, which the screen says.
func otherHooks(agent, event, tool, project string) []string {
	return agentcheck.OtherHooks(agent, event, tool, project, state.Installed()...)
}

// hooked names the agents with hooks of ours, in the usual places or where we wrote them.
func hooked() []string { return install.Hooked(state.Installed()...) }

// operator is who sits at this console, as far as the system tells: every decision is
// recorded with it. It proves nothing; it helps whoever reads the log.
func operator() broker.Actor {
	exe, _ := os.Executable()                // a record without it is still one
	tty, _ := os.Readlink("/proc/self/fd/0") // there is no such link on every system
	return broker.Actor{Kind: broker.ByOperator, PID: os.Getpid(), Exe: exe, TTY: tty}
}

// configShown is what the screen shows of the settings file. tui does not know package
// config.
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
