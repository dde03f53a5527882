package sessions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/sessionnames"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// maxSent is the longest message, bytes; the console takes no longer one.
const maxSent = 256 << 10

// sendOptions are the arguments and the flags of "aoctl session send". text is empty
// when the message that waits is to be taken back.
type sendOptions struct {
	session  string // as client.FindSession understands it
	text     string
	withdraw bool
	json     output.Format
}

// newSendCommand declares "send". It takes no token flag; one in the environment goes
// along, for a session under a stop.
func newSendCommand() *cobra.Command {
	var o sendOptions
	cmd := &cobra.Command{
		Use:   "send SESSION TEXT… | SESSION - | --withdraw SESSION",
		Short: "Say something to a managed session",
		Long: `send gives a session that was started with "aoctl run" the next message of its user.
It is told as soon as the agent's turn is over; until then it waits, one message a
session: a later one takes its place. A session that has ended is resumed for it.

SESSION is its name as the screen shows it, its id or either end of it, or its folder. For
"-" the message is read from standard input. A session under a stop takes messages
from the console only, or with an operator token.`,
		Example:           "  aoctl session send api-server use the staging database\n  aoctl session send api-server - <notes.md\n  aoctl session send --withdraw api-server",
		ValidArgsFunction: client.CompleteSessions,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.withdraw && len(args) != 1:
				return usage.Error{Text: "--withdraw takes a session and no message", Hint: usage.HelpHint(cmd)}
			case len(args) == 0:
				return usage.Error{Text: cmd.CommandPath() + " needs a session and a message", Hint: usage.HelpHint(cmd)}
			case len(args) == 1 && !o.withdraw:
				return usage.Error{Text: "the message is missing", Hint: `write it after the session, or "-" to read it from standard input`}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.session = args[0]
			if !o.withdraw {
				if o.text, err = messageText(args[1:], cmd.InOrStdin()); err != nil {
					return err
				}
			}
			c, err := client.New(cmd)
			if err != nil {
				return err
			}
			return sendMessage(cmd.Context(), c, o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&o.withdraw, "withdraw", false, "take back the message that waits")
	output.Flags[client.Session](cmd, &o.json, "print a JSON array with the session", "status")
	return cmd
}

// messageText is what the arguments say, or standard input for "-". One newline at the
// end goes, which a shell adds; all others are the message's own. A byte more than is
// allowed is read, so that a message that is too long is told and not cut. Words of
// the command line are joined by single blanks, as the shell has taken the others
// away.
//
// Errors are usage.Error with what to do instead: a text that is too long belongs into
// a file, whose name can be sent.
func messageText(words []string, stdin io.Reader) (string, error) {
	text := strings.Join(words, " ")
	if text == "-" {
		raw, err := io.ReadAll(io.LimitReader(stdin, maxSent+2))
		if err != nil {
			return "", fmt.Errorf("read the message: %w", err)
		}
		text = strings.TrimSuffix(string(raw), "\n")
	}
	switch {
	case strings.TrimSpace(text) == "":
		return "", usage.Error{Text: "the message is empty", Hint: "to take back one that waits: aoctl send --withdraw SESSION"}
	case len(text) > maxSent:
		return "", usage.Error{Text: fmt.Sprintf("the message is longer than %d bytes", maxSent), Hint: "put it into a file and tell the agent its name"}
	case !utf8.ValidString(text):
		return "", usage.Error{Text: "the message is not UTF-8 text", Hint: "put it into a file and tell the agent its name"}
	}
	return text, nil
}

// sendMessage queues a message, or takes back the one that waits. A session has at
// most one, so the line says when a new one took the place of an old one. What waited
// is known from before the question; another program may have sent something in
// between. A session that has ended is resumed for a message; the answer says so by
// its turn.
//
// Errors: exit.NotFound when no session is called so, and the console's own when the
// session takes no messages, or none from this program while it is stopped.
func sendMessage(ctx context.Context, c *client.Client, o sendOptions, out io.Writer) error {
	before, err := findManaged(ctx, c, o.session)
	if err != nil {
		return err
	}
	path := "/sessions/" + url.PathEscape(before.ID) + "/message"
	var after client.Session
	if o.withdraw {
		err = c.Send(ctx, http.MethodDelete, path, nil, &after)
	} else {
		err = c.Post(ctx, path, map[string]string{"text": o.text}, &after)
	}
	if err != nil {
		return err
	}
	if o.json.On() {
		return o.json.Print(out, []client.Session{after})
	}
	line := sentLine(after.Session)
	switch {
	case o.withdraw && before.Message == nil:
		line = "no message waits"
	case o.withdraw:
		line = "took the message back"
	case before.Message != nil:
		line += "; it took the place of one that waited"
	}
	return show.Line(out, safe.Line(before.Label+": "+line))
}

// managed are the sessions that aoctl started, and held the living ones of them.
func managed(s broker.Session) bool { return s.Run != nil }
func held(s broker.Session) bool    { return managed(s) && !s.Ended() }

// findManaged finds a session by what a person calls it, an ended one too. Managed
// ones that live come first, as only those hear something at once. A session that is
// not managed is found as well, so that the console can say why it takes no message.
// An old session that the console no longer lists can still be named by its whole id.
func findManaged(ctx context.Context, c *client.Client, ref string) (client.Named, error) {
	s, err := c.Session(ctx, ref, held, sessionnames.Alive, managed, sessionnames.Any)
	if err == nil || !isNotFound(err) {
		return s, err
	}
	// One that ended long ago is not listed, and known by its id.
	var one client.Session
	if c.Get(ctx, "/sessions/"+url.PathEscape(ref), nil, &one) == nil {
		return client.Named{Session: one.Session, Label: show.SessionName(one.Session)}, nil
	}
	return s, err
}

// isNotFound reports whether no session is called so.
func isNotFound(err error) bool {
	f, ok := errors.AsType[exit.Error](err)
	return ok && f.Code == exit.NotFound
}

// sentLine says what becomes of a message that s was sent. s is the session after it.
// The words are those of the screen's own note beside a message.
func sentLine(s broker.Session) string {
	if s.Run == nil {
		return "sent"
	}
	switch s.Run.Turn {
	case broker.TurnWorking:
		return "waits until the turn is over"
	case broker.TurnStarting:
		return "waits until the agent has started"
	case broker.TurnDeferred:
		return "waits until the deferred call is decided"
	case broker.TurnEnded:
		return "waits until the session is resumed"
	case broker.TurnIdle:
	}
	return "sent"
}
