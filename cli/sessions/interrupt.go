package sessions

import (
	"context"
	"io"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// interruptOptions are the argument and the flags of "aoctl session interrupt". json
// prints the session as the console has it after the turn was ended.
type interruptOptions struct {
	session string // as client.FindSession understands it
	json    output.Format
}

// newInterruptCommand declares "interrupt". Any program of the user may end a turn.
func newInterruptCommand() *cobra.Command {
	var o interruptOptions
	cmd := &cobra.Command{
		Use:   "interrupt SESSION",
		Short: "End a managed session's turn, and keep the session",
		Long: `interrupt ends what a session that was started with "aoctl run" does now. What it
asks is withdrawn; the session stays and takes the next message (aoctl send). To end
the session: aoctl stop.

SESSION is its name as the screen shows it, its id or either end of it, or its folder.`,
		Example:           "  aoctl session interrupt api-server",
		Args:              usage.OneArg("a session"),
		ValidArgsFunction: client.CompleteSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := client.New(cmd)
			if err != nil {
				return err
			}
			o.session = args[0]
			return interruptSession(cmd.Context(), c, o, cmd.OutOrStdout())
		},
	}
	output.Flags[client.Session](cmd, &o.json, "print a JSON array with the session", "status")
	return cmd
}

// interruptSession ends the turn of a managed session. A session that is idle is no
// error: the wish is fulfilled already. Only a session that aoctl started can be
// interrupted, which the console says. What the session's calls were waiting for is
// withdrawn with the turn, which the console does.
func interruptSession(ctx context.Context, c *client.Client, o interruptOptions, out io.Writer) error {
	s, err := findManaged(ctx, c, o.session)
	if err != nil {
		return err
	}
	var after client.Session
	if err := c.Post(ctx, "/sessions/"+url.PathEscape(s.ID)+"/interrupt", struct{}{}, &after); err != nil {
		return err
	}
	if o.json.On() {
		return o.json.Print(out, []client.Session{after})
	}
	line := "interrupting its turn"
	if after.Run != nil && after.Run.Turn == broker.TurnIdle {
		line = "no turn is under way"
	}
	return show.Line(out, safe.Line(s.Label+": "+line))
}
