package store

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// do has the writer run one transaction that is no broker.Change.
func (s *Store) do(ctx context.Context, w *work) error {
	_, err := s.put(ctx, w)
	if fault := (*broker.ChangeError)(nil); errors.As(err, &fault) {
		return fault.Err
	}
	return err
}

// record writes down what was archived. From then on it may be removed.
func (s *Store) record(ctx context.Context, d broker.LogArchivedData, from base) error {
	err := s.snapshot(ctx, func(q querier) (err error) { // what stays changes no more
		d.Kept, err = keptDigest(ctx, q, from, d.To)
		return err
	})
	if err != nil {
		return err
	}
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	link := chain.Link{AtMS: chain.MS(s.now()), Type: broker.EventLogArchived, Data: string(data)}
	return s.do(ctx, &work{sync: true, entries: []entry{{part: chain.FactOnly, link: link}}, also: func(a *applier) error {
		now, err := baseOf(a.c)
		if err == nil && (now.seq != from.seq || now.hash != from.hash) {
			err = fmt.Errorf("%w: the log's beginning moved meanwhile", ErrForeignWrite)
		}
		return err
	}})
}

// cut removes what is archived, up to event to, some at a time, and lets others write
// between.
func (s *Store) cut(ctx context.Context, to int64) error {
	for n, done := 1, false; !done; n++ {
		began := time.Now()
		err := s.do(ctx, &work{also: func(a *applier) (err error) {
			done, err = a.cut(to)
			return err
		}})
		if err != nil {
			return err
		}
		if err := s.reached(fmt.Sprint("cut ", n)); err != nil {
			return err
		}
		if err := rest(ctx, 2*time.Since(began)); err != nil {
			return err
		}
	}
	return s.do(ctx, &work{also: func(a *applier) error { return a.dropSessions(to) }})
}

const (
	sqlBase    = `SELECT seq, hash, facts FROM base`
	sqlSetBase = `UPDATE base SET seq = ?, hash = ?, facts = ? WHERE kind = '` + kindLog + `'`

	sqlCutRequests = `DELETE FROM requests WHERE id IN (
		SELECT request_id FROM events WHERE seq > ? AND seq <= ? AND type = 'request_decided')`

	sqlCutGrants = `DELETE FROM grants WHERE id IN (
			SELECT substr(subject, 7) FROM events WHERE seq > ?1 AND seq <= ?2 AND type = 'grant_used')
		OR used_by IS NULL AND id IN (
			SELECT substr(subject, 7) FROM events WHERE seq > ?1 AND seq <= ?2 AND type = 'grant_created')`

	// ?3 is the end of the archive: what stays is said for the whole of it.
	sqlStays = `(` + `SELECT seq FROM events WHERE seq > ?1 AND seq <= ?2 + 1 AND (subject >= 'fact/' AND subject < 'fact0' OR seq IN (
		SELECT max(seq) FROM events WHERE type IN ('stop_requested', 'stop_lifted') AND seq <= ?3 GROUP BY session_id)))`

	sqlCutEvents = `DELETE FROM events WHERE seq > ?1 AND seq < ?2 AND seq NOT IN ` + sqlStays + ` AND seq + 1 NOT IN ` + sqlStays

	sqlStub = `UPDATE events SET type = '` + stubType + `', session_id = '', request_id = '', data = '', subject = NULL, seal = NULL
		WHERE seq > ?1 AND seq <= ?2 AND seq NOT IN ` + sqlStays

	// The stub of the last base goes, unless what comes after it stays.
	sqlCutStub = `DELETE FROM events WHERE seq = ?1 AND type = '` + stubType + `' AND ?1 + 1 NOT IN (
		SELECT seq FROM events WHERE seq = ?1 + 1 AND type <> '` + stubType + `')`

	sqlCutSessions = `DELETE FROM sessions WHERE state IN ('finished', 'gone') AND last_seen_at_ms < ?
		AND NOT EXISTS (SELECT 1 FROM events WHERE session_id = sessions.id AND seq > ?)
		AND NOT EXISTS (SELECT 1 FROM requests WHERE session_id = sessions.id)
		AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE session_id = sessions.id)`
)

// cut removes the next batch and moves the base behind it.
func (a *applier) cut(to int64) (done bool, err error) {
	b, err := baseOf(a.c)
	if err != nil || b.seq >= to {
		return true, err
	}
	upTo := min(b.seq+cutBatch, to)
	next := base{seq: upTo}
	row, err := a.c.row(`SELECT hash, (SELECT count(*) FROM events WHERE seq > ?2 AND seq <= ?1 AND subject >= 'fact/' AND subject < 'fact0')
		FROM events WHERE seq = ?1`, upTo, b.seq)
	if err != nil {
		return false, err
	}
	if next.hash, err = hashOf(row[0]); err != nil {
		return false, err
	}
	facts, err := intOf(row[1], "a number of facts")
	if err != nil {
		return false, err
	}
	next.facts = b.facts + facts
	for _, step := range []struct {
		sql  string
		args []driver.Value
	}{
		{sqlCutRequests, []driver.Value{b.seq, upTo}},
		{sqlCutGrants, []driver.Value{b.seq, upTo}},
		{sqlCutEvents, []driver.Value{b.seq, upTo, to}},
		{sqlStub, []driver.Value{b.seq, upTo, to}},
		{sqlCutStub, []driver.Value{b.seq}},
		{sqlSetBase, []driver.Value{next.seq, next.hash[:], next.facts}},
	} {
		if _, err := a.c.exec(step.sql, step.args...); err != nil {
			return false, err
		}
	}
	return upTo == to, nil
}

// dropSessions removes the sessions that were copied because they ended so long ago.
func (a *applier) dropSessions(to int64) error {
	row, err := a.c.row(`SELECT data FROM events WHERE type = 'log_archived' ORDER BY seq DESC LIMIT 1`)
	if err != nil {
		return err
	}
	var d broker.LogArchivedData
	text, ok := row[0].(string)
	if !ok {
		return fmt.Errorf("%w: an event's data of %T", ErrCorrupt, row[0])
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return err
	}
	_, err = a.c.exec(sqlCutSessions, d.BeforeMS, to)
	return err
}

func baseOf(c *conn) (b base, err error) {
	row, err := c.row(sqlBase)
	if err != nil {
		return b, err
	}
	h, err := headOf(row[0], row[1])
	if err != nil {
		return b, err
	}
	facts, err := intOf(row[2], "a number of facts")
	return base{seq: h.seq, hash: h.hash, facts: facts, kind: kindLog}, err
}
