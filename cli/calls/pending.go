package calls

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
)

// listOptions are the flags of "aoctl call list".
type listOptions struct {
	session string // a session as client.FindSession understands it; empty for all
	state   string // how calls ended; empty for those that wait
	all     bool   // in any state
	limit   int    // newest ones; all that wait are listed unless it was given
	json    output.Format
}

// newListCommand declares "list", which is "pending" by its short name.
func newListCommand() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the calls that wait for an answer, or those that were decided",
		Long: `It lists the calls that wait for an answer, the one that waits longest first.
They are answered in the console; from here they can be refused (aoctl deny) and, with
an operator token, allowed (aoctl approve). "!!" marks a dangerous call, or one whose risk is
not known; "frozen" says that a freeze keeps a call from being allowed until it is lifted.

With --state or --all it lists calls on record, the newest first: when each was decided,
how, and by whom. That works without a console too.`,
		Example: "  aoctl call list\n  aoctl call list --session api-server --json\n  aoctl call list --state allowed\n  aoctl call list --all --limit 100 --json=tool_name,status,outcome",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			recorded, err := o.onRecord()
			if err != nil {
				return err
			}
			if recorded {
				return listEnded(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			if !cmd.Flags().Changed("limit") {
				o.limit = math.MaxInt
			}
			c, err := client.New(cmd)
			if err != nil {
				return err
			}
			return listPending(cmd.Context(), c, o, cmd.OutOrStdout(), time.Now())
		},
	}
	cmd.Flags().StringVar(&o.session, "session", "", "only calls of this session (its name, id or folder)")
	output.Flags[listed](cmd, &o.json, "print a JSON array", "dangerous")
	cmd.Flags().StringVar(&o.state, "state", "", "only calls in this `STATE`: "+strings.Join(states, ", "))
	cmd.Flags().BoolVarP(&o.all, "all", "a", false, "calls in every state")
	cmd.Flags().IntVarP(&o.limit, "limit", "n", listLimit, "at most so many of the calls on record")
	cmd.MarkFlagsMutuallyExclusive("state", "all")
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(states, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("session", o.completeSessions)
	return cmd
}

// completeSessions offers the sessions that the list may be about: living ones for what
// waits, also ended ones for what was decided.
func (o *listOptions) completeSessions(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if recorded, err := o.onRecord(); err == nil && recorded {
		return state.CompleteSessions(cmd, args, begun)
	}
	return client.CompleteSessions(cmd, args, begun)
}

// listPending prints what waits. now is passed in, so that ages can be tested and all rows
// are measured against one moment.
func listPending(ctx context.Context, c *client.Client, o listOptions, out io.Writer, now time.Time) error {
	sessions, err := c.Sessions(ctx)
	if err != nil {
		return err
	}
	var id string
	// Sessions that ended are found as well: a deferred call outlives its agent's process.
	if o.session != "" {
		s, err := client.FindSession(client.Plain(sessions), o.session, client.Recorded...)
		if err != nil {
			return err
		}
		id = s.ID
	}
	waiting, err := c.Pending(ctx, id)
	if err != nil {
		return err
	}
	waiting = waiting[:min(len(waiting), o.limit)]
	switch {
	case o.json.On():
		list := make([]listed, len(waiting))
		for i, r := range waiting {
			list[i] = listed{r}
		}
		return o.json.Print(out, list)
	case len(waiting) == 0:
		return show.Line(out, "Nothing is waiting.")
	}
	return pendingTable(waiting, client.Plain(sessions), now).Print(out)
}

// listed is a call for programs: as the console sent it, and whether it is dangerous where
// that is known. The console's bytes are kept, so a member that a newer console sends is not
// lost on the way.
type listed struct{ client.Request }

// MarshalJSON puts the danger behind what the console sent. The name must be given to
// output.Flags too, since the Go type does not show it.
func (l listed) MarshalJSON() ([]byte, error) {
	raw, err := l.Request.MarshalJSON()
	// The record does not keep how dangerous a call was that is over.
	if err != nil || l.State.Terminal() && l.Assessment == nil {
		return raw, err
	}
	return fmt.Appendf(bytes.TrimSuffix(bytes.TrimSpace(raw), []byte("}")), `,"dangerous":%t}`, isDangerous(l.Request.Request)), nil
}

// pendingTable is what waits, for people, in the console's order: longest first. Ids are
// cut to what tells these calls apart.
func pendingTable(waiting []client.Request, sessions []broker.Session, now time.Time) *show.Table {
	ids := make([]string, len(waiting))
	for i, r := range waiting {
		ids[i] = r.ID
	}
	short, names := show.ShortIDs(ids), show.SessionNames(sessions)
	t := &show.Table{Head: []string{"ID", "SESSION", "AGE", "LEFT", "RISK", "TOOL", "CALL"}, Spare: []string{"AGE", "TOOL"}}
	for _, r := range waiting {
		t.Add(short[r.ID], asker(r.Request, names), figures.Ago(now.Sub(r.CreatedAt)), timeLeft(r.Request, now),
			riskSign(r.Request), r.ToolName, show.Call(r.Request))
	}
	return t
}

// riskSign has a column of its own, because a call could begin with the same sign. It is
// empty for a call that is not dangerous.
func riskSign(r broker.Request) string {
	if isDangerous(r) {
		return "!!"
	}
	return ""
}

// timeLeft is how long a call may still wait, whether a freeze holds it, or that it is
// deferred. A deferred call has no deadline; its ExpiresAt means nothing.
func timeLeft(r broker.Request, now time.Time) string {
	if r.Checkpoint != nil {
		return "deferred"
	}
	left := figures.Clock(r.ExpiresAt.Sub(now))
	if r.Held != "" {
		left += " frozen"
	}
	return left
}

// asker is the session's name, with the sub-agent that asks: its type when it has one, as
// people know it by that, else its id. A session that is not listed goes by its id.
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
