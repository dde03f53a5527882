package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store"
)

// compare reads the database when all is over: every request as it was seen last, with
// one end in the log.
func (w *world) compare(ctx context.Context) (events int, err error) {
	st, err := store.Open(ctx, databaseIn(w.home))
	if err != nil {
		return 0, fmt.Errorf("open what was left: %w", err)
	}
	defer st.Close()
	names := map[string]string{} // by id
	ends := map[string]status{}
	var wrong []error
	for after := int64(-1); ; {
		page, err := st.Events(ctx, broker.EventFilter{After: after, Limit: 1000})
		if err != nil {
			return events, fmt.Errorf("read the log: %w", err)
		}
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			events++
			after = e.Seq
			if err := w.feed.missed(e); err != nil {
				wrong = append(wrong, err)
			}
			if e.Type != broker.EventRequestDecided {
				continue
			}
			r, err := st.Request(ctx, e.RequestID)
			if err != nil {
				return events, fmt.Errorf("request %s, decided by event %d: %w", e.RequestID, e.Seq, err)
			}
			if _, twice := names[r.ID]; twice {
				wrong = append(wrong, fmt.Errorf("%s ended twice, again in event %d", nameOf(r), e.Seq))
			}
			names[r.ID] = nameOf(r)
			ends[nameOf(r)] = status(r.State)
		}
	}
	return events, errors.Join(append(wrong, w.compareFinals(ends)...)...)
}

func nameOf(r broker.Request) string {
	if r.ToolUseID != "" {
		return r.ToolUseID
	}
	return r.ID
}

func (w *world) compareFinals(ends map[string]status) []error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var wrong []error
	for name, f := range w.finals {
		st, there := ends[name]
		switch {
		case !there && f.st == absent, f.st == unrecorded && st != allowed && st != pending, f.st == st:
		case f.st == absent && f.maybe && st != allowed:
			// asked of a paused broker, which took it up when nobody waited any more
		default:
			wrong = append(wrong, fmt.Errorf("%s was seen as %s and is stored as %q", name, f.st, st))
		}
		delete(ends, name)
	}
	for name := range ends {
		wrong = append(wrong, fmt.Errorf("%s is stored and nobody asked it", name))
	}
	return wrong[:min(len(wrong), 5)]
}

// verifyLog runs "aoctl log verify", which has SQLite check the file as well.
func (w *world) verifyLog(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, w.o.aoctl, "log", "verify") //nolint:gosec // G204: our own program
	cmd.Env = environment(w.home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("aoctl log verify: %w\n%s", err, out)
	}
	return nil
}
