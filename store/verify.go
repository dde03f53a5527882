package store

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/aoctl/aoctl/broker"
)

// maxProblems is how many problems a Report spells out; the rest is counted.
const maxProblems = 100

// Report is what Verify found.
type Report struct {
	Events   int64     `json:"events"` // rows read
	Requests int64     `json:"requests"`
	Grants   int64     `json:"grants"`
	Rules    int64     `json:"rules"`
	Facts    int64     `json:"facts"` // events of broker.FactTypes for which the log vouches
	Sessions int64     `json:"sessions"`
	Base     int64     `json:"base"`      // the last event that is in an archive, 0 for none
	BaseHash string    `json:"base_hash"` // its hash, hex
	Archive  bool      `json:"archive"`   // it is an archive itself
	HeadSeq  int64     `json:"head_seq"`  // the newest event
	HeadHash string    `json:"head_hash"` // hex; "" for an empty log
	Problems []Problem `json:"problems"`  // those of the log first, in its order; at most 100
	More     int       `json:"more"`      // problems beyond those
}

// Problem is one thing that is not as it was written.
type Problem struct {
	Seq     int64  `json:"seq,omitempty"`     // the event, 0 when it is about a row alone
	Subject string `json:"subject,omitempty"` // the row: "request/ID", "grant/ID", "session/ID", "rule/ID", "checkpoint/ID", "fact/N"
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
//   - the log begins with its first event, or where an archive on record ends;
//   - the facts among them are numbered without a gap;
//   - the log ends where its end is on record;
//   - each request and grant is what its events say, and none of them is missing;
//   - the table of rules repeats what the facts say;
//   - each call that was put off is one that the log says was, and none of them is missing;
//   - no session runs whose stop the log has, or is held in another way than the log says;
//   - the file itself is whole.
//
// It needs little memory and may run beside a console at work. An error means that it
// could not be done, not that something was found.
func (s *queries) Verify(ctx context.Context) (Report, error) {
	var r Report
	err := s.snapshot(ctx, func(q querier) error {
		r = Report{Problems: []Problem{}}
		w := walker{r: &r}
		b, err := w.begin(ctx, q)
		if err != nil {
			return err
		}
		if err := w.toEnd(ctx, q); err != nil {
			return err
		}
		checks := []func(context.Context, querier) error{r.requests, r.grants, r.sessions, r.missing, r.rules, r.checkpoints, w.uses, r.file}
		if b.archive() { // sessions and rules are as they were later, if at all
			checks = []func(context.Context, querier) error{r.requests, r.grants, r.missing, r.file}
		}
		for _, check := range checks {
			if err := check(ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
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

func (r *Report) requests(ctx context.Context, q querier) error {
	return r.requestsAt(ctx, q, ``)
}

// requestsAt checks the requests that where selects.
func (r *Report) requestsAt(ctx context.Context, q querier, where string, args ...any) error {
	return rows(ctx, q, r, &r.Requests, scanTrustedRequest, sqlTrustedRequests+where+` ORDER BY r.n`, args...)
}

func (r *Report) grants(ctx context.Context, q querier) error {
	return rows(ctx, q, r, &r.Grants, scanTrustedGrant, sqlTrustedGrants+` ORDER BY g.created_at_ms, g.id`)
}

// rows counts the rows of a query, and names those for which the log does not vouch.
func rows[T any](ctx context.Context, q querier, r *Report, n *int64, scan func(scanner) (trusted[T], error), query string, args ...any) error {
	return each(ctx, q, func(row scanner) error {
		t, err := scan(row)
		if err == nil {
			*n++
			r.row(t.subject, t.doubt)
		}
		return err
	}, query, args...)
}

func (r *Report) sessions(ctx context.Context, q querier) error {
	query, err := ofItsSchema(ctx, q, sqlTrustedSessions+` ORDER BY s.id`)
	if err != nil {
		return err
	}
	var held []broker.Session
	err = each(ctx, q, func(row scanner) error {
		t, err := scanTrustedSession(row)
		if err != nil {
			return err
		}
		r.Sessions++
		r.row(t.subject, t.doubt)
		if t.row.Run != nil || t.row.Message != nil {
			held = append(held, t.row)
		}
		return nil
	}, query)
	for i := 0; err == nil && i < len(held); i++ {
		var doubt error
		doubt, err = vouchRun(ctx, q, &held[i])
		r.row("session/"+held[i].ID, doubt)
	}
	return err
}

func (r *Report) row(subject string, doubt error) {
	if doubt != nil {
		r.add(0, subject, doubt.Error())
	}
}

// rules compares the table of rules with what the facts say. The table decides
// nothing, but other programs read it.
func (r *Report) rules(ctx context.Context, q querier) error {
	f, err := readFacts(ctx, q)
	if err != nil || !f.known {
		return err
	}
	r.Facts = int64(len(f.events))
	if f.based != "" {
		r.add(r.Base+1, "", f.based)
	}
	return r.ruleRows(ctx, q, f)
}

// ruleRows compares the table of rules with what the facts say.
func (r *Report) ruleRows(ctx context.Context, q querier, f *facts) error {
	hold := ruleSet(f.events)
	err := each(ctx, q, func(row scanner) error {
		got, err := scanRule(row)
		if err != nil {
			return err
		}
		r.Rules++
		id := string([]rune(got.ID)) // as JSON has it
		want, held := hold[id]
		switch {
		case !held:
			r.add(0, "rule/"+got.ID, "the log has no such rule")
		case !sameRow(&got, &want):
			r.add(0, "rule/"+got.ID, "it is not the rule that the log has")
		}
		delete(hold, id)
		return nil
	}, `SELECT `+ruleColumns+` FROM rules ORDER BY id`)
	for _, id := range slices.Sorted(maps.Keys(hold)) {
		r.add(0, "rule/"+id, "the log has it, the table of rules does not")
	}
	return err
}

func (r *Report) missing(ctx context.Context, q querier) error {
	return r.missingIn(ctx, q, 0, math.MaxInt64)
}

// missingIn finds rows that the log knows and the tables do not, for the events after
// one up to another. A row is archived with the event that ends it, which may be in the
// archive after the one that has its beginning.
func (r *Report) missingIn(ctx context.Context, q querier, after, upTo int64) error {
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
		WHERE e.seq > ? AND e.seq <= ? AND e.subject IS NOT NULL AND substr(e.subject, 1, 5) <> 'fact/'
			AND r.id IS NULL AND g.id IS NULL
			AND NOT (? AND e.type IN ('request_created', 'grant_created') AND NOT EXISTS (
				SELECT 1 FROM events later WHERE later.subject = e.subject AND later.type IN ('request_decided', 'grant_used')))
		ORDER BY e.seq`, after, upTo, r.Archive)
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
