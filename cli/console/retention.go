package console

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/store"
)

// How often a console archives by itself, and how little is not worth a file.
const (
	archiveEvery = time.Hour
	archiveLeast = 1000               // events for which a console makes a file
	archiveSlack = 7 * 24 * time.Hour // for how much longer fewer are kept
)

// retentionOptions are how long the log is kept.
type retentionOptions struct {
	keep string        // as it was given; "" for ever
	kept time.Duration // the same, 0 for ever
}

// retain archives what is older than keep, now and then, until ctx ends. An archive that
// fails is logged and tried again an hour later; nothing is lost meanwhile, as only
// archived events go.
func (a *App) retain(ctx context.Context, st *store.Store, keep time.Duration) {
	dir, err := state.ArchiveDir()
	for err == nil {
		made, aerr := st.Archive(ctx, store.ArchiveOptions{
			Before: time.Now().Add(-keep), Dir: dir, Least: archiveLeast, Slack: archiveSlack,
		})
		switch {
		case ctx.Err() != nil:
			return
		case aerr != nil:
			a.log.Error("log not archived", "err", aerr, "again_in", archiveEvery.String())
		case made.File != "":
			a.log.Info("log archived", "file", made.File, "from", made.From, "to", made.To, "calls", made.Calls)
		}
		err = waitFor(ctx, archiveEvery)
	}
}
