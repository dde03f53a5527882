package console

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/tally"
	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/store"
)

// screenBroker is the broker as the screen has it, with what only the record knows. tui
// sees its own interface of it.
type screenBroker struct {
	*service.Broker
	store    *store.Store
	spending *state.Spending
}

// Tally counts the recorded calls that ended since a time. It reads page by page on one of
// the store's reading connections, so the broker goes on meanwhile; when ctx ends it gives
// up.
func (b screenBroker) Tally(ctx context.Context, since time.Time) (tally.Report, error) {
	return state.Tally(ctx, b.store, "", since)
}

// Spending adds to r what its sessions spent. It reads transcripts that have changed since
// the last time, which may take long: the screen calls it from a command, never from
// Update.
func (b screenBroker) Spending(ctx context.Context, r tally.Report) (tally.Report, error) {
	return b.spending.Of(ctx, b.store, r)
}
