package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aoctl/aoctl/hookclient/paths"
	"github.com/aoctl/aoctl/store"
	"github.com/aoctl/aoctl/tui/safe"
)

const (
	minKeep      = time.Hour
	maxKeep      = 100 * 365 * 24 * time.Hour
	archiveEvery = time.Hour
	archiveLeast = 1000               // events for which a console makes a file
	archiveSlack = 7 * 24 * time.Hour // for how much longer fewer are kept
)

// parseKeep reads how long the log is kept: 90d, 12w, 48h. name is what that is called
// where it was given.
func parseKeep(name, text string) (time.Duration, error) {
	bad := usageError{
		text: fmt.Sprintf("%s %q is no time to keep the log for", name, text),
		hint: fmt.Sprintf("give days, weeks or hours, such as 90d, 12w or 48h; without %s everything is kept", name),
	}
	if len(text) < 2 {
		return 0, bad
	}
	unit, known := map[string]time.Duration{"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[text[len(text)-1:]]
	n, err := strconv.ParseUint(strings.TrimPrefix(text[:len(text)-1], "+"), 10, 31)
	if !known || err != nil {
		return 0, bad
	}
	if n > uint64(maxKeep/unit) || time.Duration(n)*unit < minKeep { //nolint:gosec // both are small
		bad.text = fmt.Sprintf("%s %s is out of range", name, text)
		bad.hint = "give at least 1h and at most 36500d; calls that agents may still ask about must stay"
		return 0, bad
	}
	return time.Duration(n) * unit, nil
}

// archiveDir is where archives go unless another folder is named.
func archiveDir() (string, error) {
	dir, err := paths.StateDir()
	return filepath.Join(dir, "archive"), err
}

// retain archives what is older than keep, now and then, until ctx ends.
func (h *house) retain(ctx context.Context, st *store.Store, keep time.Duration) {
	dir, err := archiveDir()
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

// noteArchived tells on stderr that what was asked for, from since on, is not all there
// was: older calls are in archives.
func noteArchived(ctx context.Context, r *store.Reader, since time.Time, stderr io.Writer) error {
	list, err := r.Archives(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	last := list[len(list)-1]
	if last.BeforeMS > 0 && since.UnixMilli() >= last.BeforeMS {
		return nil
	}
	_, err = fmt.Fprintf(stderr, "aoctl: older calls, events 1 to %d, are in %s; see one with: aoctl log --archive %s\n",
		last.To, plural(len(list), "archive"), safe.Line(last.File))
	return err
}
