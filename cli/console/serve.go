package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/cli/config"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui"
)

// What becomes of calls while no console is attached.
const (
	emptyDeny = "deny"
	emptyWait = "wait"
)

// emptyWords say the same in a screen's words.
var emptyWords = map[string]string{emptyDeny: "calls are refused after 30 seconds", emptyWait: "calls wait for their time"}

// serveOptions are those of a broker without a screen.
type serveOptions struct {
	Options
	pair   bool
	json   bool
	takeUp bool // wait for the console that started it to leave

	guest guestOptions
}

func newServeCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the broker without a screen; consoles attach and leave",
		Long: `serve runs the broker alone, until it is interrupted. Consoles attach to it with
"aoctl" or "aoctl attach", as many as you like, with the same screen and the same keys.
The first decision wins, and the others see who made it. A console that leaves closes
nothing.

A console must be paired once before it may do anything: --pair shows a code here, which
you type at the console. Only a code that you can read here, or in a console that is
paired (r, t, c), makes another one. Keys are listed and revoked among the tokens (r, t).

While no console is attached, each call waits 30 seconds for one and is refused then;
with --on-empty wait it waits for all of its time.

--ephemeral is for a container or a CI runner, whose agents ask the people of a fleet: the
broker joins it with the code of "aoctl fleet invite --many", read from standard input or
from a file, and leaves it when it ends, or when the invite is over. Its state folder must be
new; it is removed when the fleet has all that is on record, and kept otherwise (exit 1).
While no server of the fleet is in reach, each call waits 30 seconds for one and is refused
then.`,
		Example: `  aoctl serve --pair               # show a code for the first console
  aoctl serve --ephemeral --join office:4222 --owner KEY < /run/secrets/fleet
  aoctl serve --on-empty wait      # calls wait until somebody attaches
  aoctl                            # in any other terminal: attach`,
		Args: usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.given = givenFlags(cmd)
			o.config = config.Load(KeyActions())
			if err := o.config.Fill(cmd); err != nil {
				return err
			}
			if err := o.readBroker(cmd); err != nil {
				return err
			}
			if err := o.guest.read(cmd, o.late); err != nil {
				return err
			}
			if o.empty != emptyDeny && o.empty != emptyWait {
				return usage.Error{Text: fmt.Sprintf("--on-empty %q is neither deny nor wait", o.empty), Hint: "deny refuses a call after 30 seconds without a console, wait lets it wait"}
			}
			return serve(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	o.brokerFlags(cmd)
	cmd.Flags().BoolVar(&o.pair, "pair", false, "show a code with which a console can attach for the first time; enter shows another one")
	cmd.Flags().StringVar(&o.empty, onEmptyFlag, emptyDeny, "what happens to calls while no console is attached: deny them after 30 seconds, or wait")
	cmd.Flags().BoolVar(&o.json, "json", false, `print one line when ready: {"socket": …, "pid": …}`)
	cmd.Flags().BoolVar(&o.takeUp, takeUpFlag, false, "wait for the console that holds the socket to leave")
	_ = cmd.Flags().MarkHidden(takeUpFlag) // the flag exists
	cmd.MarkFlagsMutuallyExclusive("pair", "json", takeUpFlag)
	o.guest.flags(cmd)
	_ = cmd.RegisterFlagCompletionFunc(onEmptyFlag, cobra.FixedCompletions([]string{emptyDeny, emptyWait}, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return cmd
}

// serve runs a broker that consoles attach to, until ctx ends or it can serve no longer.
func serve(ctx context.Context, o serveOptions, out io.Writer) error {
	if err := KeepPrivate(); err != nil {
		return fmt.Errorf("keep other processes out of the broker: %w", err)
	}
	if o.pair {
		if err := mayShowCode(out); err != nil {
			return err
		}
	}
	if o.takeUp {
		if err := awaitTurn(ctx, o.Socket, out); err != nil {
			return err
		}
	}
	if o.guest.on {
		return o.serveGuest(ctx, out)
	}
	a, err := Open(ctx, o.Options)
	for first := true; err == nil; first = false {
		if err = a.serveAlone(ctx, o, out, first); !errors.Is(err, tui.ErrLeave) {
			a.Close()
			return err
		}
		o.observe = a.observing()
		a.leave()
		if taken(ctx, o.Socket, freeFor) {
			return o.sayTaken(ctx, out)
		}
		a, err = Open(ctx, o.Options) // nobody came
	}
	return err
}

// serveAlone serves until ctx ends, serving fails, or a console takes the broker: tui.ErrLeave. first
// says that this is the broker that was asked for, and not the same once more.
func (a *App) serveAlone(ctx context.Context, o serveOptions, out io.Writer, first bool) error {
	if o.empty == emptyDeny {
		a.beside(a.denyWhenEmpty)
	}
	if first {
		o.sayConfig()
		if err := a.sayReady(out, o); err != nil {
			return err
		}
	}
	if o.pair && first {
		a.beside(func(ctx context.Context) { a.showCodes(ctx, out) })
	}
	select {
	case <-ctx.Done():
		return nil
	case <-a.leaving:
		return tui.ErrLeave
	case <-a.served:
		return a.serveErr
	}
}

// sayConfig tells what is wrong with the settings file.
func (o *serveOptions) sayConfig() {
	if p := o.config.Problem; p != nil {
		exit.PrintProblem(os.Stderr, o.config.Place(p.Line)+": "+p.Text+": the settings file is not taken", p.Cure)
	}
}

// sayReady tells where the broker listens, once it does.
func (a *App) sayReady(out io.Writer, o serveOptions) error {
	if o.json || o.takeUp {
		return a.sayWhere(out)
	}
	return show.Line(out, fmt.Sprintf("aoctl serves on %s (pid %d). Attach with: aoctl\nWhile no console is attached, %s. Ctrl+c ends it.", a.socket, os.Getpid(), emptyWords[o.empty]))
}

// sayTaken tells a person where the broker went.
func (o serveOptions) sayTaken(ctx context.Context, out io.Writer) error {
	if ctx.Err() == nil && !o.json && !o.takeUp {
		return show.Line(out, "A console has the broker now, which ends with it.")
	}
	return nil
}

// mayShowCode refuses to show a code where a program would read it: in a pipe, or beneath an agent.
func mayShowCode(out io.Writer) error {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) || !term.IsTerminal(os.Stdin.Fd()) {
		return usage.Error{Text: "--pair shows a code for a person, and this is no terminal", Hint: "run it in a terminal; a console that is paired makes codes too: r, t, c"}
	}
	if why := peers.BornOfAgentHere(); why != "" {
		return exit.Error{Code: exit.Forbidden, Text: "--pair is for a person's terminal: " + why, Hint: "run it in a terminal of your own"}
	}
	return nil
}

// readEnter tells of each line that the person enters, as long as there is a terminal.
func readEnter(enter chan<- struct{}) {
	// To read in the background would stop the broker. With the signal ignored the read fails, until
	// the person brings it back.
	signal.Ignore(syscall.SIGTTIN)
	in := bufio.NewReader(os.Stdin)
	for {
		switch _, err := in.ReadString('\n'); {
		case err == nil:
			enter <- struct{}{}
		case errors.Is(err, syscall.EIO):
			time.Sleep(time.Second)
		default:
			return
		}
	}
}

// showCodes shows a code, and another one whenever enter is pressed. The goroutine that reads the
// terminal ends with the process.
func (a *App) showCodes(ctx context.Context, out io.Writer) {
	enter := make(chan struct{})
	go readEnter(enter)
	for {
		code, until := a.consoles.OpenPairing()
		_ = show.Line(out, fmt.Sprintf("\nTo pair a console, start aoctl in another terminal and type\n\n    %s\n\nIt is good once, until %s. Enter shows another one.", code, until.Format(time.TimeOnly))) // a terminal that is gone reads none
		select {
		case <-ctx.Done():
			return
		case <-enter:
		}
	}
}
