package calls

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/safe"
)

// denyOptions are the argument and the flags of "aoctl call deny".
type denyOptions struct {
	call   string // id, or a prefix of the id of a waiting call
	reason string // what the agent is told; the console's own words when empty
	end    bool   // the session is not resumed to hear of it
	json   output.Format
}

// newDenyCommand declares "deny". It needs no token: every process of the user may refuse,
// an agent's own too.
func newDenyCommand() *cobra.Command {
	var o denyOptions
	cmd := &cobra.Command{
		Use:   "deny ID",
		Short: "Refuse a call that waits",
		Long: `deny refuses a waiting call, named by its id or by enough of the id's beginning.
The agent reads the reason. Any program of yours may refuse; to allow takes a key in the
console, or an operator token (aoctl approve).`,
		Example:           "  aoctl call deny 0197f3a2\n  aoctl call deny 0197f3a2 -m 'use the staging database'",
		Args:              usage.OneArg("the id of a waiting call"),
		ValidArgsFunction: client.CompleteCalls,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := client.New(cmd)
			if err != nil {
				return err
			}
			o.call = args[0]
			return denyCall(cmd.Context(), c, o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVarP(&o.reason, "message", "m", "", "why; the agent reads it")
	cmd.Flags().BoolVar(&o.end, "end", false, "of a deferred call: its session is over, and not resumed to hear of it")
	output.Flags[outcome](cmd, &o.json, "print a JSON object with the call's outcome")
	return cmd
}

// outcome is the broker's answer to a decision. Status is the state in which the call
// ended, and Decision the verdict that led there.
type outcome struct {
	ID        string       `json:"id"`
	Status    broker.State `json:"status"`
	Decision  string       `json:"decision"`
	Reason    string       `json:"reason,omitempty"`
	DecidedAt time.Time    `json:"decided_at"`
	Granted   bool         `json:"granted,omitempty"` // the call was over; its retry passes once
}

// denyCall refuses one call that waits. --end is only for a call that is put off: any other
// ends anyway. The flag is refused and not ignored there, because who gives it expects the
// session to be over.
func denyCall(ctx context.Context, c *client.Client, o denyOptions, out io.Writer) error {
	call, found, err := c.Waiting(ctx, o.call)
	if err != nil {
		return err
	}
	if !found {
		return notWaiting(o.call, nil)
	}
	if o.end && call.Checkpoint == nil {
		return usage.Error{Text: "--end is for a deferred call, and this one's agent waits for it", Hint: "deny it without --end, or stop its session: aoctl stop"}
	}
	answer, err := deny(ctx, c, call.ID, o.reason, o.end)
	if err != nil {
		return err
	}
	if o.json.On() {
		return o.json.Print(out, answer)
	}
	return show.Line(out, safe.Line(fmt.Sprintf("denied %s: %s", call.ToolName, show.Call(call))))
}

// notWaiting is the error for an id that fits no waiting call. cause may be nil.
func notWaiting(id string, cause error) error {
	return exit.Error{
		Code: exit.NotFound, Text: fmt.Sprintf("no call with the id %q is waiting", id),
		Hint: "it may have been answered already; see what waits: aoctl pending", Cause: cause,
	}
}

// deny refuses call id. The first answer wins: when somebody else's came before, the error
// says what it was. end is for a deferred call and says that its agent is not resumed.
func deny(ctx context.Context, c *client.Client, id, reason string, end bool) (outcome, error) {
	body := map[string]any{"decision": broker.Deny}
	if end {
		body["end"] = true
	}
	if reason != "" {
		body["reason"] = reason
	}
	answer := outcome{ID: id}
	err := c.Post(ctx, "/approval-requests/"+url.PathEscape(id)+"/decide", body, &answer)
	return answer, err
}
