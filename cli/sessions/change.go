package sessions

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// changeOptions are what rename, archive and remove have in common: the session, and what
// is to be otherwise about it.
type changeOptions struct {
	session string // as client.FindSession understands it
	change  broker.SessionChange
	done    string // what is said then, behind the session's name
	json    output.Format
}

// newRenameCommand declares "rename". The name stays until it is taken back, whatever the
// agent calls its session.
func newRenameCommand() *cobra.Command {
	o := changeOptions{}
	cmd := &cobra.Command{
		Use:   "rename SESSION NAME",
		Short: "Give a session a name of your own",
		Long: `rename calls a session NAME, on every screen and in every command. It stays so whatever
its agent calls it; an empty NAME ("") is its agent's name again.`,
		Example: "  aoctl session rename api-server checkout\n  aoctl session rename 7185 ''",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage.Error{Text: "rename takes a session and its new name", Hint: usage.HelpHint(cmd)}
			}
			return nil
		},
	}
	return o.command(cmd, func(args []string) {
		name := strings.TrimSpace(args[1])
		o.change.Name, o.done = &name, "has its agent's name again"
		if name != "" {
			o.done = "is called " + name + " now"
		}
	})
}

// newArchiveCommand declares "archive". Nothing is refused by it: a session that is put away
// goes on.
func newArchiveCommand() *cobra.Command {
	o, undo := changeOptions{}, false
	cmd := &cobra.Command{
		Use:   "archive SESSION",
		Short: "Put a session away until its agent is heard of again",
		Long: `archive takes a session out of the lists. It goes on as before, and is listed again as soon
as its agent is heard of, or with --undo. One that is over does not come back.`,
		Example: "  aoctl session archive api-server\n  aoctl session archive --undo api-server",
		Args:    usage.OneArg("a session"),
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "list it again")
	return o.command(cmd, func([]string) {
		o.change.Archived, o.done = new(!undo), "is put away until its agent is heard of again"
		if undo {
			o.done = "is listed again"
		}
	})
}

// newRemoveCommand declares "remove". What the session asks ends with it.
func newRemoveCommand() *cobra.Command {
	o := changeOptions{}
	cmd := &cobra.Command{
		Use:   "remove SESSION",
		Short: "Take a session that is over from the list; the log keeps it",
		Long: `remove takes a session from every list, for good; the log keeps all that it did. One that
is not over must have no process that the console knows, as a program's or one on
another machine: it is ended then, and what it asks is cancelled. To end another one
first: aoctl session stop --kill.`,
		Example: "  aoctl session remove deploy-7",
		Args:    usage.OneArg("a session"),
	}
	return o.command(cmd, func([]string) { o.change.Removed, o.done = true, "is removed; the log keeps it" })
}

// command completes cmd; read takes its arguments, the session excepted.
func (o *changeOptions) command(cmd *cobra.Command, read func(args []string)) *cobra.Command {
	cmd.ValidArgsFunction = client.CompleteSessions
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := client.New(cmd)
		if err != nil {
			return err
		}
		o.session = args[0]
		read(args)
		return o.run(cmd.Context(), c, cmd.OutOrStdout())
	}
	output.Flags[client.Session](cmd, &o.json, "print a JSON array with the session", "status")
	return cmd
}

func (o *changeOptions) run(ctx context.Context, c *client.Client, out io.Writer) error {
	s, err := c.Session(ctx, o.session, client.Recorded...)
	if err != nil {
		return err
	}
	var after client.Session
	method, body := http.MethodPatch, any(o.change)
	if o.change.Removed {
		method, body = http.MethodDelete, nil
	}
	if err := c.Send(ctx, method, "/sessions/"+url.PathEscape(s.ID), body, &after); err != nil {
		return err
	}
	if o.json.On() {
		return o.json.Print(out, []client.Session{after})
	}
	return show.Line(out, safe.Line(s.Label+" "+o.done))
}
