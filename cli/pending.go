package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
)

type pendingOptions struct {
	session string // a session as findSession understands it; empty for all
	json    bool
}

func newPendingCommand() *cobra.Command {
	var o pendingOptions
	cmd := &cobra.Command{
		Use:   "pending",
		Short: "List the calls that wait for an answer",
		Long: `pending lists the calls that wait for an answer, the one that waits longest first.
They are answered in the console; from here they can be refused (aoctl deny) and, with
an operator token, allowed (aoctl approve). "held" says that a freeze keeps a call from
being allowed until it is lifted.`,
		Example: "  aoctl pending\n  aoctl pending --session api-server --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			return listPending(cmd.Context(), c, o, cmd.OutOrStdout(), time.Now())
		},
	}
	cmd.Flags().StringVar(&o.session, "session", "", "only calls of this session (id prefix, name or folder)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON array, [] when nothing waits")
	_ = cmd.RegisterFlagCompletionFunc("session", completeSessions)
	return cmd
}

func listPending(ctx context.Context, c *client, o pendingOptions, out io.Writer, now time.Time) error {
	sessions, err := c.sessions(ctx)
	if err != nil {
		return err
	}
	var id string
	if o.session != "" {
		s, err := findSession(plainSessions(sessions), o.session, true)
		if err != nil {
			return err
		}
		id = s.ID
	}
	waiting, err := c.pending(ctx, id)
	if err != nil {
		return err
	}
	switch {
	case o.json:
		return printJSON(out, waiting)
	case len(waiting) == 0:
		return printLine(out, "Nothing is waiting.")
	}
	return pendingTable(waiting, plainSessions(sessions), now).print(out)
}

func pendingTable(waiting []rawRequest, sessions []broker.Session, now time.Time) *table {
	ids := make([]string, len(waiting))
	for i, r := range waiting {
		ids[i] = r.ID
	}
	short, names := shortIDs(ids), sessionNames(sessions)
	t := &table{head: []string{"ID", "SESSION", "AGE", "LEFT", "TOOL", "CALL"}}
	for _, r := range waiting {
		t.add(short[r.ID], asker(r.Request, names), age(now.Sub(r.CreatedAt)), timeLeft(r.Request, now),
			r.ToolName, callLine(r.Request))
	}
	return t
}

// timeLeft is how long a call may still wait, whether a freeze holds it, or that it is put off.
func timeLeft(r broker.Request, now time.Time) string {
	if r.Checkpoint != nil {
		return "put off"
	}
	left := countdown(r.ExpiresAt.Sub(now))
	if r.Held != "" {
		left += " held"
	}
	return left
}

// asker is the session's name, with the sub-agent that asks.
func asker(r broker.Request, names map[string]string) string {
	name, ok := names[r.SessionID]
	if !ok {
		name = r.SessionID
	}
	if sub := r.SubagentType; sub != "" {
		return name + " › " + sub
	}
	if r.SubagentID != "" {
		return name + " › " + r.SubagentID
	}
	return name
}
