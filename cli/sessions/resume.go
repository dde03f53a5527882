package sessions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/sessionnames"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/terminal"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/orders"
	"github.com/aoctl/aoctl/tui/safe"
)

// resumeOptions are the argument and the flags of "aoctl session resume". show runs
// nothing, and yes asks nothing; with both, show counts.
type resumeOptions struct {
	session   string
	tokenFile string
	show      bool // say what to run, and run nothing
	yes       bool // without asking
	json      output.Format
}

// newResumeCommand declares "resume". It needs a token because an agent that runs
// again may make the call that was allowed meanwhile.
func newResumeCommand() *cobra.Command {
	var o resumeOptions
	cmd := &cobra.Command{
		Use:   "resume SESSION",
		Short: "Resume a session whose call was deferred",
		Long: `resume goes on with a session whose agent ended because a call of it was deferred. The
agent asks for that call again; it hears the answer that was given meanwhile, or waits.

A managed session (of "aoctl run") goes on in the background. Any other is started again
here, in the foreground, in its folder, with the options that it had and nothing on
standard input; what is run is shown first, and asked about. resume then exits with what
the agent exits with.

Press R on the session in the console first. For ten minutes resume then works from any
terminal of this machine in which no agent runs. Elsewhere it takes an operator token, in
AOCTL_TOKEN or in a file that only you can read; the agent does not get to see it. While
one resume is under way a second one is refused.

SESSION is its name as the screen shows it, its id or either end of it, or its folder.`,
		Example:           "  aoctl resume api-server\n  aoctl session resume --show api-server\n  aoctl session resume --yes 3f2a </dev/null",
		Args:              usage.OneArg("a session"),
		ValidArgsFunction: client.CompleteResumable,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.json.On() && !o.show {
				return usage.Error{Text: "--json says what --show shows, and nothing is run then", Hint: "give --show as well"}
			}
			c, err := client.NewOperator(cmd, o.tokenFile)
			if err != nil {
				return err
			}
			o.session = args[0]
			return resumeSession(cmd.Context(), c, o, streams{cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()})
		},
	}
	client.TokenFileFlag(cmd, &o.tokenFile)
	cmd.Flags().BoolVar(&o.show, "show", false, "say what is to be run, and run nothing")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "do not ask before it is run")
	output.Flags[broker.Resumption](cmd, &o.json, "with --show: print what is to be run as JSON")
	return cmd
}

// putOff are the sessions of which a call waits for them to go on. They come before
// others of the same name when one is named.
func putOff(s broker.Session) bool { return s.Deferred > 0 }

// resumeSession asks first what a resume would do. A managed session then goes on in
// the background; of any other the command is shown, and run here once the person is
// sure. The console is told before it runs, so that no second one starts. --show asks
// the same first question and stops there, so what it prints is what would be run.
//
// Errors: those of finding the session, usage.Error without a terminal and without
// --yes, exit.Failed on a no, and then whatever the agent exits with.
func resumeSession(ctx context.Context, c *client.Client, o resumeOptions, std streams) error {
	s, err := c.Session(ctx, o.session, putOff, managed, sessionnames.Alive, sessionnames.Any)
	if err != nil {
		return err
	}
	r, err := askToResume(ctx, c, s.ID, resumeWish{Show: o.show})
	switch {
	case err != nil:
		return err
	case o.show && o.json.On():
		return o.json.Print(std.out, []broker.Resumption{r})
	case o.show && r.Managed:
		return show.Line(std.out, safe.Line(s.Label+" would go on in the background: aoctl starts its agent"))
	case r.Started:
		return show.Line(std.out, safe.Line(s.Label+" goes on in the background"))
	}
	if err := show.Line(std.out, safe.Line(orders.ResumeLine(r))); err != nil || o.show {
		return err
	}
	if err := o.sure(std); err != nil {
		return err
	}
	if r, err = askToResume(ctx, c, s.ID, resumeWish{Run: true}); err != nil { // from here on nobody else does
		return err
	}
	return runResumed(ctx, r, std)
}

// sure asks before anything is run: its words come from an agent's process. What was
// typed before the question stood there is thrown away, and an end of input is a no.
// Without a terminal nothing is run unless --yes was given, and the line above says
// what it would be.
func (o resumeOptions) sure(std streams) error {
	if o.yes {
		return nil
	}
	if !term.IsTerminal(os.Stdin.Fd()) {
		return usage.Error{Text: "nothing is run without being asked about", Hint: "give --yes, or run the line above by hand"}
	}
	if err := terminal.ForgetTyped(os.Stdin); err != nil {
		return fmt.Errorf("forget what was typed before the question: %w", err)
	}
	if _, err := fmt.Fprint(std.out, "Run this? [y/N] "); err != nil {
		return err
	}
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return exit.Error{Code: exit.Failed, Text: "nothing was run: the session waits on"}
	}
	return nil
}

// resumeWish is what a resume asks of the console beside going on with the session.
// With neither, a managed session goes on, and of any other the console says what to
// run. It goes out as JSON, and a member that is false is left out.
type resumeWish struct {
	Run  bool `json:"run,omitempty"`  // this process is going to run the command
	Show bool `json:"show,omitempty"` // only say what would be done
}

// askToResume asks the console to go on with a session. Its answer has the command to
// run where the console does not start the agent itself. An agent that is already
// being resumed is an error of the console's.
func askToResume(ctx context.Context, c *client.Client, id string, wish resumeWish) (broker.Resumption, error) {
	var r broker.Resumption
	err := c.Post(ctx, "/sessions/"+url.PathEscape(id)+"/resume", wish, &r)
	return r, err
}

// runResumed runs the agent in the foreground: with this process's environment but for
// the operator's token. It exits with what the agent exits with. An interrupt is
// handed on to the agent, which gets five seconds to end. The command comes from the
// console, and no shell reads it.
func runResumed(ctx context.Context, r broker.Resumption, std streams) error {
	if len(r.Command) == 0 {
		return exit.Error{Code: exit.Failed, Text: "the console did not say what to run"}
	}
	cmd := exec.CommandContext(ctx, r.Command[0], r.Command[1:]...) //nolint:gosec // what the operator was shown
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.CWD, std.out, std.err
	cmd.Env = client.WithoutToken(os.Environ())
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok && ended.Exited() {
		return exit.QuietError(ended.ExitCode())
	}
	if err != nil {
		return exit.Error{Code: exit.Failed, Text: fmt.Sprintf("run %s: %v", r.Command[0], err), Cause: err}
	}
	return nil
}
