package logs

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/store"
)

// statsOptions are the flags of "aoctl stats"; "" for session and since means all.
type statsOptions struct {
	session, since string
	json           output.Format
}

// newStatsCommand declares "stats".
func newStatsCommand() *cobra.Command {
	var o statsOptions
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show what the gate costs and saves",
		Long: `stats says how often you were asked (a prompt), how long you took to answer, and what
rules decided without you: in all, over time, and by session, agent, tool and rule, those
with the most prompts first. It counts the recorded calls that are over, and reads the
database itself, so it works with and without a console.

Of 100 answers that were given at the keyboard, 50 came within p50 and 95 within p95.

What sessions spent is what their agents say, in their transcripts or to aoctl run, for all
the time of each session. Most agents tell tokens; only some name a price, and there is none
for the others.`,
		Example: "  aoctl stats\n  aoctl stats --since 7d\n  aoctl stats --session api-server --json=prompts,prompts_per_100\n  aoctl stats --jq '.tools[] | [.id, .prompts] | @tsv'",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return showStats(cmd, o)
		},
	}
	cmd.Flags().StringVar(&o.session, "session", "", "only this session (its name, id or folder)")
	cmd.Flags().StringVar(&o.since, "since", "", "only calls since then: 2h, 3d, 2026-11-02, or RFC 3339")
	output.Flags[tally.Report](cmd, &o.json, "print a JSON object")
	_ = cmd.RegisterFlagCompletionFunc("session", state.CompleteSessions)
	return cmd
}

// showStats counts what is in the database; what was archived is not in the figures, and it
// says so. What sessions spent comes from their transcripts, which are files of the agents:
// one that cannot be read leaves its figure out and is no error of the command.
func showStats(cmd *cobra.Command, o statsOptions) (err error) {
	// No --since leaves the zero time, by which every call is counted.
	var since time.Time
	if o.since != "" {
		if since, err = usage.ParseSince("--since", o.since, time.Now()); err != nil {
			return err
		}
	}
	r, err := state.OpenReader(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	report, err := countCalls(cmd.Context(), r, o.session, since)
	if err != nil {
		return err
	}
	if report, err = new(state.Spending).Of(cmd.Context(), r, report); err != nil {
		return err
	}
	// The note comes before the figures: a person must know what the numbers leave out when
	// reading them.
	if err := state.NoteArchived(cmd.Context(), r, since, cmd.ErrOrStderr()); err != nil {
		return err
	}
	if o.json.On() {
		return o.json.Print(cmd.OutOrStdout(), report)
	}
	return printStats(cmd.OutOrStdout(), report)
}

// countCalls counts the calls of the session that ref names, or of all for "". Ended
// sessions may be named too. since is zero for any time.
func countCalls(ctx context.Context, r *store.Reader, ref string, since time.Time) (tally.Report, error) {
	if ref == "" {
		return state.Tally(ctx, r, "", since)
	}
	// The reference is looked up among all sessions on record, as the screen does, because
	// names are made over all of them.
	list, err := r.Sessions(ctx, broker.SessionFilter{Limit: maxLog})
	if err != nil {
		return tally.Report{}, fmt.Errorf("read the sessions: %w", err)
	}
	s, err := client.FindSession(list, ref, client.Recorded...)
	if err != nil {
		return tally.Report{}, err
	}
	return state.Tally(ctx, r, s.ID, since)
}
