package logs

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
)

type statsOptions struct {
	session, since string
	json           output.Format
}

func newStatsCommand() *cobra.Command {
	var o statsOptions
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count how calls were decided",
		Long: `stats counts the recorded calls: allowed by rules and by hand, denied, expired, how
long a person took, and how many questions the rules saved. It reads the database
itself, so it works with and without a console.`,
		Example: "  aoctl stats\n  aoctl stats --session api-server --since 7d --json",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return showStats(cmd, o)
		},
	}
	cmd.Flags().StringVar(&o.session, "session", "", "only this session (id prefix, name or folder)")
	cmd.Flags().StringVar(&o.since, "since", "", "only calls since then: 2h, 3d, 2026-11-02, or RFC 3339")
	output.Flags[broker.Stats](cmd, &o.json, "print a JSON object")
	_ = cmd.RegisterFlagCompletionFunc("session", client.CompleteSessions)
	return cmd
}

// showStats counts what is in the database; what was archived is not in the figures, and it says
// so.
func showStats(cmd *cobra.Command, o statsOptions) (err error) {
	var since time.Time
	if o.since != "" {
		if since, err = usage.ParseSince(o.since, time.Now()); err != nil {
			return err
		}
	}
	r, err := state.OpenReader(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	session := ""
	if o.session != "" {
		list, err := r.Sessions(cmd.Context(), broker.SessionFilter{Limit: 1_000_000})
		if err != nil {
			return fmt.Errorf("read the sessions: %w", err)
		}
		s, err := client.FindSession(list, o.session, true)
		if err != nil {
			return err
		}
		session = s.ID
	}
	s, err := r.Stats(cmd.Context(), session, since)
	if err != nil {
		return err
	}
	if err := state.NoteArchived(cmd.Context(), r, since, cmd.ErrOrStderr()); err != nil {
		return err
	}
	if o.json.On() {
		return o.json.Print(cmd.OutOrStdout(), s)
	}
	return printStats(cmd.OutOrStdout(), s)
}

func printStats(out io.Writer, s broker.Stats) error {
	median := "-"
	if s.Median > 0 {
		median = s.Median.Round(100 * time.Millisecond).String()
	}
	for _, row := range [][2]string{
		{"calls", fmt.Sprint(s.Calls)},
		{"allowed by rules", fmt.Sprint(s.ByRule)},
		{"allowed by hand", fmt.Sprint(s.ByHand)},
		{"denied by hand", fmt.Sprint(s.Denied)},
		{"denied by rules", fmt.Sprint(s.RuleDeny)},
		{"expired", fmt.Sprint(s.Expired)},
		{"only observed", fmt.Sprint(s.Observed)},
		{"ended otherwise", fmt.Sprint(s.Other)},
		{"median time to decide", median},
		{"questions saved", fmt.Sprint(s.Saved)},
	} {
		if err := show.Line(out, fmt.Sprintf("%-22s %s", row[0], row[1])); err != nil {
			return err
		}
	}
	return nil
}
