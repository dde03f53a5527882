package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/output"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/cli/usage"
	"github.com/aoctl/aoctl/store"
)

// How much is read and shown. A limit of events is a limit of memory too: without --follow
// they are all held until the last one is read.
const (
	logLimit   = 100                    // events shown without --limit and --since
	maxLog     = 1_000_000              // events that --limit takes
	logPage    = 1000                   // events read at a time
	followPoll = 300 * time.Millisecond // how often --follow looks
)

// options are the flags of "aoctl log". session and since are still the words of the
// command line; archive is "" for aoctl's own database.
type options struct {
	session string
	since   string
	limit   int
	json    output.Format
	follow  bool
	archive string // a file to read instead of aoctl's database
}

// newLogCommand declares "log" and hangs the commands about the log as a whole below it.
func newLogCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show what happened",
		Long: `log shows the newest events, oldest first: what was asked, what was decided by whom,
which sessions came, stopped and went. It reads the database itself, so it works
with and without a console.

--since takes a span such as 2h or 3d, a day (2026-11-02) or a time (RFC 3339), and
shows all events from then on. With --json --follow each event is an object on a
line of its own; without --follow they are one array.`,
		Example: "  aoctl log --since 2h\n  aoctl log --session api-server --follow\n  aoctl log --since 2026-11-02T08:00:00Z --json",
		Args:    usage.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q, err := o.query(cmd, time.Now())
			if err != nil {
				return err
			}
			return showLog(cmd.Context(), o, q, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&o.session, "session", "", "only events of this session (its name, id or folder)")
	cmd.Flags().StringVar(&o.since, "since", "", "only events since then: 2h, 3d, 2026-11-02, or RFC 3339")
	cmd.Flags().IntVarP(&o.limit, "limit", "n", logLimit, "at most so many of the newest events")
	output.Flags[broker.Event](cmd, &o.json, "print a JSON array")
	// -f and -n mean what they mean to tail.
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on with what happens from now on")
	cmd.Flags().StringVar(&o.archive, "archive", "", "read this file, an archive or a backup, instead of aoctl's database")
	// An archive or a backup never grows, so following one would wait for ever.
	cmd.MarkFlagsMutuallyExclusive("archive", "follow")
	_ = cmd.RegisterFlagCompletionFunc("session", state.CompleteSessions)
	cmd.AddCommand(newVerifyCommand(), newHeadCommand(), newArchiveCommand())
	return cmd
}

// query says which events to read, after the flags were checked.
type query struct {
	since time.Time // zero for any
	limit int       // newest ones
}

// query checks the flags. Without --limit, --since means all events from then on: whoever
// names a time wants no silent end after a hundred. A --limit that was given stays in force
// beside it.
func (o options) query(cmd *cobra.Command, now time.Time) (query, error) {
	q := query{limit: o.limit}
	if o.limit < 1 || o.limit > maxLog {
		return q, usage.Error{Text: fmt.Sprintf("a limit of %d is out of range", o.limit), Hint: fmt.Sprintf("give --limit from 1 to %d", maxLog)}
	}
	if o.since == "" {
		return q, nil
	}
	if !cmd.Flags().Changed("limit") {
		q.limit = maxLog
	}
	since, err := usage.ParseSince("--since", o.since, now)
	q.since = since
	return q, err
}

// showLog prints events, and with --follow goes on with those that come. Where the list
// ends early because the rest was archived, it says where that is, on stderr, so that a
// program that reads the output gets events alone.
func showLog(ctx context.Context, o options, q query, out, stderr io.Writer) (err error) {
	r, err := state.OpenReaderAt(ctx, o.archive)
	if err != nil {
		return err
	}
	defer func() { err = state.ExplainNamed(o.archive, errors.Join(err, r.Close())) }()
	w := &writer{reader: r, out: out, json: o.json}
	// All sessions are read before the reference is looked up: a name in the list below
	// must be the name by which --session finds the session.
	if err = w.learnSessions(ctx); err != nil {
		return err
	}
	var sessionID string
	if o.session != "" {
		s, err := client.FindSession(w.sessions, o.session, client.Recorded...)
		if err != nil {
			return err
		}
		sessionID = s.ID
	}
	// The head is taken before the events are read. An event that comes in between has a
	// higher number than this head, so --follow brings it and loses nothing.
	head, _, err := r.Head(ctx)
	if err != nil {
		return err
	}
	events, err := readEvents(ctx, r, sessionID, q)
	switch {
	case err != nil:
		return err
	case o.follow:
		return w.follow(ctx, sessionID, events, head)
	}
	// Only a list that is shorter than was asked for can have lost its beginning to an
	// archive. A file that was named is what its user wanted, and complete in itself.
	if len(events) < q.limit && o.archive == "" {
		if err := state.NoteArchived(ctx, r, q.since, stderr); err != nil {
			return err
		}
	}
	return w.all(ctx, events)
}

// readEvents returns the newest events that fit, oldest first. It reads backwards in pages,
// because the database is asked in short transactions and a console must be able to write
// in between.
func readEvents(ctx context.Context, r *store.Reader, sessionID string, q query) ([]broker.Event, error) {
	var events []broker.Event
	// Before is exclusive and 0 stands for the end of the log.
	for before := int64(0); len(events) < q.limit; {
		n := min(q.limit-len(events), logPage)
		page, err := r.Events(ctx, broker.EventFilter{SessionID: sessionID, Since: q.since, Before: before, Limit: n})
		if err != nil {
			return nil, err
		}
		events = append(events, page...)
		if len(page) < n {
			break
		}
		before = page[n-1].Seq
	}
	slices.Reverse(events)
	return events, nil
}

// follow prints events and then what comes after them, until it is interrupted, which is
// how it is meant to end: that is no error. head is the number of the log's last event
// before events were read, and 0 for an empty log.
//
// It polls. Events come from another process, and the database has no way to wake a reader
// of another one; a poll that finds nothing costs one look at an index.
func (w *writer) follow(ctx context.Context, sessionID string, events []broker.Event, head int64) error {
	after := head
	if after == 0 {
		after = -1 // an empty log: everything is new
	}
	poll := time.NewTicker(followPoll)
	defer poll.Stop()
	// after moves with each printed event. When a page is full, the next poll reads on
	// behind it, and no event is skipped or shown twice.
	for {
		for _, e := range events {
			if err := w.one(ctx, e); err != nil {
				return err
			}
			after = e.Seq
		}
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
		}
		page, err := w.reader.Events(ctx, broker.EventFilter{SessionID: sessionID, After: after, Limit: logPage})
		switch {
		case ctx.Err() != nil:
			return nil
		// page is empty then, and the next poll asks for the same events again.
		case errors.Is(err, store.ErrBusy): // the console is being opened or closed
		case err != nil:
			return err
		}
		events = page
	}
}
