package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/store/chain"
)

// walker walks the log from where it begins and reports what does not fit.
type walker struct {
	r     *Report
	prev  head
	trail trail
	mine  head // the end of the log as this process wrote it; zero when it wrote nothing
}

// walk goes on with at most limit events (all for -1) up to number upTo, and says how
// many there were.
func (w *walker) walk(ctx context.Context, q querier, upTo, limit int64) (n int64, err error) {
	err = each(ctx, q, func(row scanner) error {
		var l chain.Link
		var subject sql.NullString
		var seal, hash []byte
		if err := row.Scan(&l.Seq, &l.AtMS, &l.Type, &l.Session, &l.Request, &l.Data, &subject, &seal, &hash); err != nil {
			return err
		}
		n++
		l.Subject, l.Seal = subject.String, string(seal)
		w.step(&l, hash)
		return nil
	}, sqlWalk, w.prev.seq, upTo, limit)
	return n, err
}

const sqlWalk = `SELECT seq, at_ms, type, session_id, request_id, data, subject, seal, hash FROM events
	WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`

// step checks the event l, which is written with the given hash.
func (w *walker) step(l *chain.Link, hash []byte) {
	w.r.Events++
	if l.Seq != w.prev.seq+1 {
		w.r.add(l.Seq, "", fmt.Sprintf("events %d to %d before it are gone", w.prev.seq+1, l.Seq-1))
	} else if h := l.After(w.prev.hash); string(h[:]) != string(hash) {
		w.r.add(l.Seq, l.Subject, "it was changed, or the event before it was")
	}
	if why := w.trail.follow(l); why != "" {
		w.r.add(l.Seq, "", why)
	}
	w.prev = head{seq: l.Seq}
	copy(w.prev.hash[:], hash) // go on from what is written, to find what else is wrong
	if l.Seq == w.mine.seq && w.prev.hash != w.mine.hash {
		w.r.add(l.Seq, "", "it is not the one that this console wrote")
	}
	w.r.HeadSeq, w.r.HeadHash = l.Seq, hex.EncodeToString(hash)
}

// end is the log's own record of its end.
type end struct {
	gone  bool // there is no record
	seq   int64
	hash  []byte
	facts int64
}

func readEnd(ctx context.Context, q querier) (e end, err error) {
	has, err := hasRules(ctx, q)
	if err != nil {
		return e, err
	}
	query := `SELECT seq, hash, facts FROM head`
	if !has {
		query = `SELECT seq, hash, 0 FROM head`
	}
	err = q.QueryRowContext(ctx, query).Scan(&e.seq, &e.hash, &e.facts)
	if errors.Is(err, sql.ErrNoRows) {
		return end{gone: true}, nil
	}
	return e, err
}

// compare compares where the walk ended with the record of the log's end.
func (w *walker) compare(e end) {
	r := w.r
	switch {
	case e.gone:
		r.add(r.HeadSeq, "", "the record of the log's end is gone")
		return
	case e.seq > r.HeadSeq:
		r.add(r.HeadSeq, "", fmt.Sprintf("the log ends here, but its end was event %d", e.seq))
	case e.seq < r.HeadSeq:
		r.add(e.seq+1, "", fmt.Sprintf("the log goes on to event %d, but its end was event %d", r.HeadSeq, e.seq))
	case e.seq > 0 && hex.EncodeToString(e.hash) != r.HeadHash:
		r.add(e.seq, "", "the log's end is not the one on record")
	}
	if why := w.trail.end(e.facts); why != "" {
		r.add(0, "", why)
	}
}
