package calls

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/cli/client"
	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/show"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/callview"
	"github.com/aoctl/aoctl/tui/draw"
)

// How much of the record is read.
const (
	maxSessions = 1_000_000 // sessions that are read for their names
	maxSame     = 20        // calls of one beginning that are told apart
	recentCalls = 30        // decided calls that the tab key offers
)

// record is what the database says of calls, without a console. It is read-only, and
// whoever opens it closes it by ending: a command lives for one answer.
type record struct{ *store.Reader }

// openRecord opens the record for reading. There is none on a machine where no console has
// run yet; the error has the cure.
func openRecord(ctx context.Context) (record, error) {
	r, err := state.OpenReader(ctx)
	return record{r}, err
}

// Head makes a record what stories are read from. They ask for the end of the log only for
// transcripts, which no card shows.
func (record) Head() (seq int64, hash string) { return 0, "" }

// Session returns one session; broker.ErrNotFound.
func (r record) Session(ctx context.Context, id string) (broker.Session, error) {
	list, err := r.Sessions(ctx, broker.SessionFilter{ID: id})
	if err == nil && len(list) == 0 {
		err = broker.ErrNotFound
	}
	if err != nil {
		return broker.Session{}, fmt.Errorf("session %s: %w", id, err)
	}
	return list[0], nil
}

// call finds the one call whose id is ref or begins with it. The log vouches for what is
// shown. An id that several begin with is an error that lists them, exit code usage.
func (r record) call(ctx context.Context, ref string) (seen, error) {
	list, err := r.Requests(ctx, broker.RequestFilter{Begins: ref, Limit: maxSame})
	if err != nil {
		return seen{}, err
	}
	one, found, err := client.FindRequest(list, ref)
	switch {
	case err != nil:
		return seen{}, err
	case !found:
		return seen{}, noCall(ref)
	}
	// The list is only for finding. Reading the one row again compares it with the log, and
	// that is the row which is shown.
	if one, err = r.Request(ctx, one.ID); err != nil {
		if errors.Is(err, broker.ErrTampered) {
			err = exit.Error{Code: exit.Unverified, Text: "the row of this call was changed by something else than aoctl", Hint: "see what: aoctl log verify", Cause: err}
		}
		return seen{}, err
	}
	return seen{Request: one, asCame: one, around: r.around(ctx, one)}, nil
}

// around is what the card tells beyond the call. What cannot be read is left out: the call
// itself is worth showing without its story.
func (r record) around(ctx context.Context, q broker.Request) callview.Around {
	a := callview.Around{Label: q.SessionID}
	if list, err := r.Sessions(ctx, broker.SessionFilter{Limit: maxSessions}); err == nil {
		if name := show.SessionNames(list)[q.SessionID]; name != "" {
			a.Label = name
		}
		for i := range list {
			if list[i].ID == q.SessionID {
				a.Session = &list[i]
			}
		}
	}
	// The agent chose the session's name, and the card prints its label as it is.
	a.Label = draw.SafeLine(a.Label)
	a.Story, _ = story.NewReader(r, r).Story(ctx, q.ID)
	return a
}

// completeRecorded offers the calls that wait, and those that were decided last. Both
// halves may be missing, without a console or without a record.
func completeRecorded(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	offers, directive := client.CompleteCalls(cmd, args, begun)
	if len(args) > 0 {
		return offers, directive
	}
	// A record that cannot be read leaves the offers of the console, which is what people
	// want most.
	if rec, err := openRecord(cmd.Context()); err == nil {
		list, _ := rec.Requests(cmd.Context(), broker.RequestFilter{Decided: true, Limit: recentCalls}) // no offers is no error
		for _, q := range list {
			offers = client.OfferCall(offers, q)
		}
	}
	return offers, directive
}
