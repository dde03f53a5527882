package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/aoctl/aoctl/store/chain"
)

// maxProblems is how many problems a Report spells out; the rest is counted.
const maxProblems = 100

// Report is what Verify found.
type Report struct {
	Events   int64     `json:"events"` // rows read
	Requests int64     `json:"requests"`
	Grants   int64     `json:"grants"`
	Sessions int64     `json:"sessions"`
	HeadSeq  int64     `json:"head_seq"`  // the newest event
	HeadHash string    `json:"head_hash"` // hex; "" for an empty log
	Problems []Problem `json:"problems"`  // those of the log first, in its order; at most 100
	More     int       `json:"more"`      // problems beyond those
}

// Problem is one thing that is not as it was written.
type Problem struct {
	Seq     int64  `json:"seq,omitempty"`     // the event, 0 when it is about a row alone
	Subject string `json:"subject,omitempty"` // the row: "request/ID", "grant/ID", "session/ID"
	Why     string `json:"why"`
}

func (p Problem) String() string {
	switch {
	case p.Seq != 0 && p.Subject != "":
		return fmt.Sprintf("event %d (%s): %s", p.Seq, p.Subject, p.Why)
	case p.Seq != 0:
		return fmt.Sprintf("event %d: %s", p.Seq, p.Why)
	case p.Subject != "":
		return p.Subject + ": " + p.Why
	}
	return p.Why
}

// Clean reports whether everything is as it was written.
func (r *Report) Clean() bool { return len(r.Problems) == 0 }

func (r *Report) add(seq int64, subject, why string) {
	if len(r.Problems) == maxProblems {
		r.More++
		return
	}
	r.Problems = append(r.Problems, Problem{Seq: seq, Subject: subject, Why: why})
}

// Verify reads the whole log and every row that it vouches for, as of one moment:
//
//   - each event follows the one before it, without a gap, and its hash is right;
//   - the log ends where its end is on record;
//   - each request and grant is what its events say, and none of them is missing;
//   - no session runs whose stop the log has;
//   - the file itself is whole.
//
// It needs little memory and may run beside a console at work. An error means that it
// could not be done, not that something was found.
func (s *queries) Verify(ctx context.Context) (Report, error) {
	var r Report
	err := s.view(ctx, func(db *sql.DB) error {
		r = Report{}
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // it only read
		for _, check := range []func(context.Context, querier) error{
			r.log, r.end, r.requests, r.grants, r.sessions, r.missing, r.file,
		} {
			if err := check(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Report{}, fmt.Errorf("verify: %w", translate(err))
	}
	return r, nil
}

// Verify is that of Reader; in addition the log must end where this process left it.
func (s *Store) Verify(ctx context.Context) (Report, error) {
	before := *s.head.Load()
	r, err := s.queries.Verify(ctx)
	if err == nil && r.HeadSeq < before.seq {
		r.add(r.HeadSeq, "", fmt.Sprintf("the log ends here; this console has written %d events", before.seq))
	}
	return r, err
}

// log walks the chain.
func (r *Report) log(ctx context.Context, q querier) error {
	var prev head
	return each(ctx, q, func(row scanner) error {
		var l chain.Link
		var subject sql.NullString
		var seal, hash []byte
		if err := row.Scan(&l.Seq, &l.AtMS, &l.Type, &l.Session, &l.Request, &l.Data, &subject, &seal, &hash); err != nil {
			return err
		}
		r.Events++
		l.Subject, l.Seal = subject.String, string(seal)
		if l.Seq != prev.seq+1 {
			r.add(l.Seq, "", fmt.Sprintf("events %d to %d before it are gone", prev.seq+1, l.Seq-1))
		} else if h := l.After(prev.hash); string(h[:]) != string(hash) {
			r.add(l.Seq, l.Subject, "it was changed, or the event before it was")
		}
		prev = head{seq: l.Seq}
		copy(prev.hash[:], hash) // go on from what is written, to find what else is wrong
		r.HeadSeq, r.HeadHash = prev.seq, hex.EncodeToString(hash)
		return nil
	}, `SELECT seq, at_ms, type, session_id, request_id, data, subject, seal, hash FROM events ORDER BY seq`)
}

// end compares the log's end with the record of it.
func (r *Report) end(ctx context.Context, q querier) error {
	var seq int64
	var hash []byte
	err := q.QueryRowContext(ctx, `SELECT seq, hash FROM head`).Scan(&seq, &hash)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		r.add(r.HeadSeq, "", "the record of the log's end is gone")
	case err != nil:
		return err
	case seq > r.HeadSeq:
		r.add(r.HeadSeq, "", fmt.Sprintf("the log ends here, but its end was event %d", seq))
	case seq < r.HeadSeq:
		r.add(seq+1, "", fmt.Sprintf("the log goes on to event %d, but its end was event %d", r.HeadSeq, seq))
	case seq > 0 && hex.EncodeToString(hash) != r.HeadHash:
		r.add(seq, "", "the log's end is not the one on record")
	}
	return nil
}

func (r *Report) requests(ctx context.Context, q querier) error {
	return each(ctx, q, func(row scanner) error {
		t, err := scanTrustedRequest(row)
		if err != nil {
			return err
		}
		r.Requests++
		r.row(chain.RequestSubject(t.ID), t.doubt)
		return nil
	}, sqlTrustedRequests+` ORDER BY r.n`)
}

func (r *Report) grants(ctx context.Context, q querier) error {
	return each(ctx, q, func(row scanner) error {
		t, err := scanTrustedGrant(row)
		if err != nil {
			return err
		}
		r.Grants++
		r.row(chain.GrantSubject(t.ID), t.doubt)
		return nil
	}, sqlTrustedGrants+` ORDER BY g.created_at_ms, g.id`)
}

func (r *Report) sessions(ctx context.Context, q querier) error {
	return each(ctx, q, func(row scanner) error {
		t, err := scanTrustedSession(row)
		if err != nil {
			return err
		}
		r.Sessions++
		r.row("session/"+t.ID, t.doubt)
		return nil
	}, sqlTrustedSessions+` ORDER BY s.id`)
}

func (r *Report) row(subject string, doubt error) {
	if doubt != nil {
		r.add(0, subject, doubt.Error())
	}
}

// missing finds rows that the log knows and the tables do not.
func (r *Report) missing(ctx context.Context, q querier) error {
	return each(ctx, q, func(row scanner) error {
		var seq int64
		var subject string
		if err := row.Scan(&seq, &subject); err != nil {
			return err
		}
		r.add(seq, subject, "the row that it is about is gone")
		return nil
	}, `
		SELECT e.seq, e.subject FROM events e
			LEFT JOIN requests r ON substr(e.subject, 1, 8) = 'request/' AND r.id = substr(e.subject, 9)
			LEFT JOIN grants g ON substr(e.subject, 1, 6) = 'grant/' AND g.id = substr(e.subject, 7)
		WHERE e.subject IS NOT NULL AND r.id IS NULL AND g.id IS NULL
		ORDER BY e.seq`)
}

// file has SQLite look at its own structures, and at what does not belong there.
func (r *Report) file(ctx context.Context, q querier) error {
	err := each(ctx, q, func(row scanner) error {
		var verdict string
		if err := row.Scan(&verdict); err != nil {
			return err
		}
		if verdict != "ok" {
			r.add(0, "", "the file is damaged: "+verdict)
		}
		return nil
	}, `PRAGMA integrity_check(10)`)
	if err != nil {
		return err
	}
	var extra int
	err = q.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')`).Scan(&extra)
	if err == nil && extra > 0 {
		r.add(0, "", fmt.Sprintf("the database has %d triggers or views, which aoctl does not make", extra))
	}
	return err
}
