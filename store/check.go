package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"
)

// stretch is how many rows Check reads at a time. A reader keeps the write-ahead log
// from being moved into the database, so no read may last.
const stretch = 1000

// Check looks whether the log, and every row that it vouches for, is as it was
// written: all that "aoctl log verify" looks at, but for the table of rules, which
// decides nothing, and the structure of the file. It is for a console at work: it reads
// stretch by stretch, rests as long as each of them took, and never looks at what is
// written after it began.
//
// problem is one sentence about the first thing that is wrong; empty when all is well.
// An error means that it could not be done, not that something was found.
func (s *Store) Check(ctx context.Context) (problem string, err error) {
	return s.check(ctx, stretch)
}

func (s *Store) check(ctx context.Context, stretch int64) (problem string, err error) {
	if err := s.whole.take(ctx); err != nil {
		return "", err
	}
	defer s.whole.give()
	c := check{s: s, stretch: stretch, w: walker{r: &Report{}, mine: *s.head.Load()}}
	for _, part := range []func(context.Context) error{c.log, c.requests, c.missing, c.small} {
		if err := part(ctx); err != nil {
			return "", fmt.Errorf("check the log: %w", translate(err))
		}
	}
	r := c.w.r
	if r.Clean() {
		return "", nil
	}
	problem = r.Problems[0].String()
	if n := len(r.Problems) - 1 + r.More; n > 0 {
		problem += fmt.Sprintf(" (and %d more)", n)
	}
	return problem, nil
}

// check is one run of Check. Events never change, and each row is read in one statement
// with the events about it, so that reading it in stretches sees nothing half done.
type check struct {
	s       *Store
	w       walker
	to      int64 // the newest event when it began
	stretch int64
}

// log walks the chain up to where it ended in the beginning.
func (c *check) log(ctx context.Context) error {
	var e end
	var last int64
	err := c.s.snapshot(ctx, func(q querier) (err error) {
		if _, err = c.w.begin(ctx, q); err != nil {
			return err
		}
		f, err := readFacts(ctx, q)
		if err != nil {
			return err
		}
		if f.based != "" {
			c.w.r.add(c.w.r.Base+1, "", f.based)
		}
		if e, err = readEnd(ctx, q); err != nil {
			return err
		}
		return q.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM events`).Scan(&last)
	})
	if err != nil {
		return err
	}
	c.to = last
	for n := c.stretch; n == c.stretch; {
		began := time.Now()
		if n, err = c.w.walk(ctx, c.s.db, c.to, c.stretch); err != nil {
			return err
		}
		if err := rest(ctx, time.Since(began)); err != nil {
			return err
		}
	}
	c.w.compare(e)
	if r := c.w.r; r.HeadSeq < c.w.mine.seq {
		r.add(r.HeadSeq, "", fmt.Sprintf("the log ends here; this console has written %d events", c.w.mine.seq))
	}
	return nil
}

func (c *check) requests(ctx context.Context) error {
	var last int64
	if err := c.s.db.QueryRowContext(ctx, `SELECT coalesce(max(n), 0) FROM requests`).Scan(&last); err != nil {
		return err
	}
	return c.stretches(ctx, last, `SELECT max(n) FROM (SELECT n FROM requests WHERE n > ? AND n <= ? ORDER BY n LIMIT ?)`,
		func(after, upTo int64) error {
			return c.w.r.requestsAt(ctx, c.s.db, ` WHERE r.n > ? AND r.n <= ?`, after, upTo)
		})
}

func (c *check) missing(ctx context.Context) error {
	return c.stretches(ctx, c.to, `SELECT max(seq) FROM (SELECT seq FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?)`,
		func(after, upTo int64) error { return c.w.r.missingIn(ctx, c.s.db, after, upTo) })
}

// stretches calls do for one stretch of rows after the other, up to the last. next finds
// the end of the one that begins behind a row; numbers may have any gaps.
func (c *check) stretches(ctx context.Context, last int64, next string, do func(after, upTo int64) error) error {
	for after := int64(math.MinInt64); ; {
		began := time.Now()
		var upTo sql.NullInt64
		if err := c.s.db.QueryRowContext(ctx, next, after, last, c.stretch).Scan(&upTo); err != nil || !upTo.Valid {
			return err
		}
		if err := do(after, upTo.Int64); err != nil {
			return err
		}
		if err := rest(ctx, time.Since(began)); err != nil {
			return err
		}
		after = upTo.Int64
	}
}

// rest leaves the machine to others for a while: decisions are waited for, a check is not.
func rest(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// small reads the tables that are never large.
func (c *check) small(ctx context.Context) error {
	if err := c.w.r.grants(ctx, c.s.db); err != nil {
		return err
	}
	if err := c.w.uses(ctx, c.s.db); err != nil {
		return err
	}
	return c.w.r.sessions(ctx, c.s.db)
}
