package store

import (
	"context"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// Reading the history as a whole, for numbers and for trying rules on it.

// page is how many requests EachRequest reads at a time. Each may be as large as a
// call can be, so they are not many.
const page = 512

// EachRequest implements broker.Store. It reads a page at a time and calls fn between
// two of them, so that neither a slow fn nor a long history holds anything up.
func (s *queries) EachRequest(ctx context.Context, since time.Time, fn func(broker.Request) error) error {
	at, n := chain.MS(since), int64(-1)
	for {
		rows, err := list(ctx, s, scanNumbered, `SELECT `+requestColumns+`, n FROM requests
			WHERE decided_at_ms IS NOT NULL AND (decided_at_ms, n) > (?, ?) ORDER BY decided_at_ms, n LIMIT ?`, at, n, page)
		if err != nil {
			return fmt.Errorf("read history: %w", err)
		}
		for i := range rows {
			if err := fn(rows[i].Request); err != nil {
				return err
			}
		}
		if len(rows) < page {
			return nil
		}
		last := &rows[len(rows)-1]
		at, n = chain.MS(last.Outcome.At), last.n
	}
}

// numbered is a request with its place in the order of insertion.
type numbered struct {
	broker.Request
	n int64
}

func scanNumbered(row scanner) (v numbered, err error) {
	v.Request, err = scanRequest(scanMore{row, []any{&v.n}})
	return v, err
}

// EachEnded calls fn with the ended calls of a session, or of all, as their rows have them, in the order in which they ended.
func (s *queries) EachEnded(ctx context.Context, sessionID string, since time.Time, fn func(broker.EndedCall)) error {
	const most = 20_000 // calls in a page
	at, n := chain.MS(since), int64(-1)
	for {
		w := where{[]string{`decided_at_ms IS NOT NULL AND (decided_at_ms, n) > (?, ?)`}, []any{at, n}}
		w.add(sessionID != "", `session_id = ?`, sessionID)
		page, err := list(ctx, s, func(row scanner) (c broker.EndedCall, err error) {
			var asked int64
			err = row.Scan(&c.SessionID, &c.Agent, &c.Tool, &c.State, &c.By, &c.ByID, &asked, &at, &n)
			c.Asked, c.Ended = time.UnixMilli(asked).UTC(), time.UnixMilli(at).UTC()
			return c, err
		}, `SELECT session_id, agent, tool_name, status, by_kind, by_id, created_at_ms, decided_at_ms, n FROM requests`+
			w.String()+` ORDER BY decided_at_ms, n LIMIT ?`, append(w.args, most)...)
		if err != nil {
			return fmt.Errorf("read ended calls: %w", err)
		}
		for _, c := range page {
			fn(c)
		}
		if len(page) < most {
			return nil
		}
	}
}

// sqlStats counts the rows of "ended" by how calls ended. A call that a grant let through was decided by a
// person, earlier: its by_id is the grant's, and it says nothing about waiting.
const sqlStats = `
	hand AS MATERIALIZED (
		SELECT took FROM ended WHERE by_kind = 'operator' AND by_id = '' AND status IN ('allowed', 'denied'))
	SELECT count(*),
		count(*) FILTER (WHERE by_kind = 'rule' AND status = 'allowed'),
		count(*) FILTER (WHERE by_kind = 'operator' AND status = 'allowed'),
		count(*) FILTER (WHERE by_kind NOT IN ('rule', 'observe') AND status = 'denied'),
		count(*) FILTER (WHERE by_kind = 'rule' AND status = 'denied'),
		count(*) FILTER (WHERE status = 'expired' AND by_kind <> 'observe'),
		count(*) FILTER (WHERE by_kind = 'observe'),
		count(*) FILTER (WHERE by_kind = 'rule' AND took <= 0),
		coalesce((SELECT max(took, 0) FROM hand ORDER BY took LIMIT 1 OFFSET (SELECT (count(*) - 1) / 2 FROM hand)), 0)
	FROM ended`

// Stats implements broker.Store.
func (s *queries) Stats(ctx context.Context, sessionID string, since time.Time) (broker.Stats, error) {
	w := where{}
	w.add(true, `decided_at_ms IS NOT NULL`)
	w.add(!since.IsZero(), `decided_at_ms >= ?`, chain.MS(since))
	w.add(sessionID != "", `session_id = ?`, sessionID)
	ended := `WITH ended AS (
		SELECT status, by_kind, by_id, decided_at_ms - created_at_ms AS took FROM requests` + w.String() + `), `
	rows, err := list(ctx, s, func(row scanner) (v broker.Stats, err error) {
		var median int64
		err = row.Scan(&v.Calls, &v.ByRule, &v.ByHand, &v.Denied, &v.RuleDeny, &v.Expired, &v.Observed, &v.Saved, &median)
		v.Median = time.Duration(median) * time.Millisecond
		return v, err
	}, ended+sqlStats, w.args...)
	if err != nil {
		return broker.Stats{}, fmt.Errorf("count calls: %w", err)
	}
	v := rows[0]
	v.Other = v.Calls - v.ByRule - v.ByHand - v.Denied - v.RuleDeny - v.Expired - v.Observed
	return v, nil
}

// Grants implements broker.Store.
func (s *queries) Grants(ctx context.Context) ([]broker.Grant, error) {
	found, err := list(ctx, s, scanTrustedGrant, sqlTrustedGrants+`
		WHERE g.used_by IS NULL AND g.expires_at_ms > ? ORDER BY g.created_at_ms, g.id`, chain.MS(s.now()))
	if err != nil {
		return nil, fmt.Errorf("read grants: %w", err)
	}
	var good []broker.Grant
	for _, g := range found {
		if g.doubt == nil {
			good = append(good, g.row)
		}
	}
	return good, nil
}
