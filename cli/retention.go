package cli

import (
	"context"
	"time"

	"github.com/aoctl/aoctl/cli/state"
	"github.com/aoctl/aoctl/store"
)

const (
	archiveEvery = time.Hour
	archiveLeast = 1000               // events for which a console makes a file
	archiveSlack = 7 * 24 * time.Hour // for how much longer fewer are kept
)

// retain archives what is older than keep, now and then, until ctx ends.
func (h *house) retain(ctx context.Context, st *store.Store, keep time.Duration) {
	dir, err := state.ArchiveDir()
	for err == nil {
		a, aerr := st.Archive(ctx, store.ArchiveOptions{
			Before: time.Now().Add(-keep), Dir: dir, Least: archiveLeast, Slack: archiveSlack,
		})
		switch {
		case ctx.Err() != nil:
			return
		case aerr != nil:
			h.log.Error("log not archived", "err", aerr, "again_in", archiveEvery.String())
		case a.File != "":
			h.log.Info("log archived", "file", a.File, "from", a.From, "to", a.To, "calls", a.Calls)
		}
		err = waitFor(ctx, archiveEvery)
	}
}
