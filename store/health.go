package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"
)

// Health is what Reader.Health found out about the file.
type Health struct {
	Schema   int           // version of its schema
	Newest   int           // the schema that this aoctl writes
	Events   int64         // number of the newest event
	Bytes    int64         // of the database
	WALBytes int64         // of the write-ahead log
	Damage   []string      // what SQLite's own check found; empty when it is whole
	Checked  bool          // false: the file was too large for the check
	Took     time.Duration // by the check
}

// Health looks at the file: its schema, its sizes and, unless it has more than limit
// bytes, its structure. It may run beside a console at work; a limit of 0 checks any size.
func (r *Reader) Health(ctx context.Context, limit int64) (Health, error) {
	h := Health{Newest: newest()}
	if info, err := os.Stat(r.path); err == nil {
		h.Bytes = info.Size()
	}
	if info, err := os.Stat(r.path + "-wal"); err == nil {
		h.WALBytes = info.Size()
	}
	err := r.view(ctx, func(db *sql.DB) error {
		err := db.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version), (SELECT coalesce(max(seq), 0) FROM events)`).Scan(&h.Schema, &h.Events)
		if err != nil || limit > 0 && h.Bytes > limit {
			return err
		}
		h.Damage, h.Checked = nil, true
		began := time.Now()
		err = each(ctx, db, func(row scanner) error {
			var verdict string
			err := row.Scan(&verdict)
			if err == nil && verdict != "ok" {
				h.Damage = append(h.Damage, verdict)
			}
			return err
		}, `PRAGMA quick_check(5)`)
		h.Took = time.Since(began)
		return err
	})
	if err != nil {
		return h, fmt.Errorf("check the database: %w", err)
	}
	return h, nil
}

// VerifyTail checks the chain over the newest n events (at least one), and that it ends where its end is
// on record. It does not look at the rows that the log vouches for: see Verify.
func (r *Reader) VerifyTail(ctx context.Context, n int64) (Report, error) {
	var report Report
	err := r.snapshot(ctx, func(q querier) error {
		report = Report{}
		w := walker{r: &report}
		if _, err := w.begin(ctx, q); err != nil {
			return err
		}
		if err := w.skip(ctx, q, n); err != nil {
			return err
		}
		return w.toEnd(ctx, q)
	})
	if err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
	}
	return report, nil
}

// skip sets the walker, which stands where the log begins, behind the event that comes
// before the newest n, and counts the facts up to there.
func (w *walker) skip(ctx context.Context, q querier, n int64) error {
	next := head{}
	var hash []byte
	err := q.QueryRowContext(ctx, `SELECT seq, hash FROM events WHERE seq > ?1 AND seq <= (SELECT max(seq) FROM events) - ?2 ORDER BY seq DESC LIMIT 1`, w.prev.seq, n).
		Scan(&next.seq, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // there are not so many: all of them
	}
	if err != nil {
		return err
	}
	copy(next.hash[:], hash)
	var facts int64
	err = q.QueryRowContext(ctx, `SELECT count(*) FROM events WHERE seq > ? AND seq <= ? AND subject >= 'fact/' AND subject < 'fact0'`, w.prev.seq, next.seq).Scan(&facts)
	w.prev, w.trail.last = next, w.trail.last+facts
	return err
}
