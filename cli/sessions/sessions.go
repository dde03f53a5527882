package sessions

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/tui/figures"
	"github.com/aoctl/aoctl/tui/plainwords"
)

// sessionsOptions are the flags of "aoctl session list". all is for ended ones, which
// are many after a while.
type sessionsOptions struct {
	all  bool // ended ones too
	json output.Format
}

// newListCommand declares "list", which is "sessions" by its short name.
func newListCommand() *cobra.Command {
	var o sessionsOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the agents' sessions",
		Long: `It lists what the console knows of the agents' sessions, the one last heard
of first. The status is working, waiting, idle, failed, stopping, stopped, deferred (no
process, and a call that waits for your answer), ended or killed; "frozen" beside it says
that a freeze holds its calls, and what stands behind the word in quotation marks is what
the agent says of its last turn. "problem" is what went wrong last in a session that
aoctl started. Ended ones are listed with --all.`,
		Example: "  aoctl session list\n  aoctl session list --all --json | jq -r '.[].id'",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := client.New(cmd)
			if err != nil {
				return err
			}
			return listSessions(cmd.Context(), c, o, cmd.OutOrStdout(), time.Now())
		},
	}
	cmd.Flags().BoolVarP(&o.all, "all", "a", false, "also those that have ended")
	output.Flags[client.Session](cmd, &o.json, "print a JSON array", "status")
	return cmd
}

// listSessions prints the sessions. Names are made over all of them and not only over
// those that are listed, so that a name here is the one that the screen shows and
// other commands take. now is passed in for the ages. The order is the console's,
// which has the sessions heard of last in front.
//
// Without --all the list has the sessions in which something may still happen,
// deferred ones too.
func listSessions(ctx context.Context, c *client.Client, o sessionsOptions, out io.Writer, now time.Time) error {
	known, err := c.Sessions(ctx)
	if err != nil {
		return err
	}
	return printSessions(known, o, out, now)
}

// printSessions prints those of the known sessions that are asked for, by the names that the screen
// has for them.
func printSessions(known []client.Session, o sessionsOptions, out io.Writer, now time.Time) error {
	shown := make([]client.Session, 0, len(known))
	for _, s := range known {
		if o.all || s.Open() {
			shown = append(shown, s)
		}
	}
	if o.json.On() {
		return o.json.Print(out, shown)
	}
	if len(shown) == 0 {
		return show.Line(out, "No agent has a session open.")
	}
	return sessionTable(client.Plain(shown), show.SessionNames(client.Plain(known)), now).Print(out)
}

// sessionTable has columns for managed sessions only when there are any. names are by
// id. Ids are shown by their ends, which is what names have of them. A window that is too narrow leaves out the folder first, as the name most often
// says it.
func sessionTable(sessions []broker.Session, names map[string]string, now time.Time) *show.Table {
	ids := make([]string, len(sessions))
	for i, s := range sessions {
		ids[i] = s.ID
	}
	short := show.IDEnds(ids)
	t := &show.Table{Head: []string{"ID", "NAME", "AGENT", "STATUS", "WAITING", "SEEN", "FOLDER"}, Spare: []string{"FOLDER", "AGENT", "SEEN", "COST", "NEXT"}}
	managed := slices.ContainsFunc(sessions, func(s broker.Session) bool { return s.Run != nil })
	if managed {
		t.Head = append(t.Head, "COST", "NEXT")
	}
	for _, s := range sessions {
		cells := []string{short[s.ID], names[s.ID], s.Agent, statusWords(s), waitingCell(s), figures.Ago(now.Sub(s.LastSeenAt)), s.CWD}
		if managed {
			cells = append(cells, runCells(s)...)
		}
		t.Add(cells...)
	}
	return t
}

// waitingCell counts the calls that wait, those that are put off among them. A session
// that is over has only deferred ones, which not every console counts as pending.
func waitingCell(s broker.Session) string {
	if s.Over() {
		return fmt.Sprint(max(s.Pending, s.Deferred))
	}
	return fmt.Sprint(s.Pending)
}

// runCells are a managed session's own columns: what it cost, or its tokens where its
// agent names no price, and the message that waits for it. The cells are empty for a
// session that aoctl does not hold.
func runCells(s broker.Session) []string {
	cells := []string{"", ""}
	if r := s.Run; r != nil {
		u := r.Usage
		if cells[0] = figures.Money(r.Cost); r.Cost == 0 && u != (wire.RunUsage{}) { // its agent names no price
			cells[0] = figures.Tokens(u.Input+u.Output+u.CacheRead+u.CacheWrite) + " tokens"
		}
	}
	if s.Message != nil {
		cells[1] = clipped(s.Message.Text)
	}
	return cells
}

// clipped is the first line of a message or a failure, as long as a table has room
// for: 40 characters. It is marked when there is more. It is not made safe; the table
// does that.
func clipped(text string) string {
	const most = 40
	line, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if cut := []rune(line); len(cut) > most {
		return string(cut[:most-1]) + "…"
	}
	if more != "" {
		line += " …"
	}
	return line
}

// statusWords is a session's status, whether it is frozen, and what went wrong last.
// In quotation marks are its agent's own words, so that they cannot pass for ours. A
// failure of a session that aoctl does not hold is what its agent says; of one that it
// holds it is what the runner saw.
func statusWords(s broker.Session) string {
	words, why := s.Word(), clipped(plainwords.Failure(s.Failure()))
	if s.Frozen {
		words += ", frozen"
	}
	switch {
	case why == "":
	case s.Run == nil:
		words += `: "` + why + `"`
	default:
		words += ", problem: " + why
	}
	return words
}
