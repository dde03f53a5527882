package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// defaultLimit is how many rows a list has when its filter names no limit.
const defaultLimit = 1000

// querier is what reading needs of a *sql.DB or *sql.Tx.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// queries are the reads that Store and Reader share. view lends read a database that
// cannot be changed and may call it a second time; read must then start from nothing.
//
// A method that is one SQL statement sees one moment; others say what they see.
type queries struct {
	view func(ctx context.Context, read func(*sql.DB) error) error
	now  func() time.Time
}

// list runs one query and scans each of its rows.
func list[T any](ctx context.Context, s *queries, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	var all []T
	err := s.view(ctx, func(db *sql.DB) error {
		all = nil
		return each(ctx, db, func(row scanner) error {
			v, err := scan(row)
			all = append(all, v)
			return err
		}, query, args...)
	})
	if err != nil {
		return nil, translate(err)
	}
	return all, nil
}

// each calls do for every row of a query.
func each(ctx context.Context, q querier, do func(scanner) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

type scanner interface{ Scan(dest ...any) error }

// where gathers the conditions of a filter.
type where struct {
	terms []string
	args  []any
}

func (w *where) add(ok bool, term string, args ...any) {
	if ok {
		w.terms = append(w.terms, term)
		w.args = append(w.args, args...)
	}
}

func (w *where) String() string {
	if len(w.terms) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.terms, " AND ")
}

func orDefault(limit int) int {
	if limit <= 0 {
		return defaultLimit
	}
	return limit
}

// Requests implements broker.Store. It lists what the rows say; Request and
// RequestByKey, on which decisions rest, also ask the log.
//
// Without Decided, Since is about when a request was made, with it about when it was
// decided.
func (s *queries) Requests(ctx context.Context, f broker.RequestFilter) ([]broker.Request, error) {
	var w where
	if f.IDs != nil {
		ids, err := json.Marshal(f.IDs)
		if err != nil {
			return nil, err
		}
		w.add(true, `id IN (SELECT value FROM json_each(?))`, string(ids))
	}
	w.add(f.Begins != "", `id >= ? AND id < ?`, f.Begins, f.Begins+"\U0010FFFF")
	w.add(f.State == broker.Pending, `status = 'pending'`) // a literal, or its index cannot be used
	w.add(f.State != "" && f.State != broker.Pending, `status = ?`, string(f.State))
	w.add(f.SessionID != "", `session_id = ?`, f.SessionID)
	w.add(f.Late, `status IN ('expired', 'cancelled') AND NOT EXISTS (SELECT 1 FROM grants WHERE grants.request_id = requests.id)`)
	w.add(f.Decided, `decided_at_ms IS NOT NULL`)
	w.add(f.Decided && !f.Since.IsZero(), `decided_at_ms >= ?`, chain.MS(f.Since))
	w.add(!f.Decided && !f.Since.IsZero(), `created_at_ms >= ?`, chain.MS(f.Since))
	order := ` ORDER BY n DESC LIMIT ?`
	if f.Decided {
		order = ` ORDER BY decided_at_ms DESC, n DESC LIMIT ?`
	}
	query := `SELECT ` + requestColumns + ` FROM requests` + w.String() + order
	args := append(w.args, orDefault(f.Limit))
	if f.MaxBytes > 0 {
		return s.requestsUpTo(ctx, f.MaxBytes, query, args)
	}
	return list(ctx, s, scanRequest, query, args...)
}

// errLast ends a query before its last row.
var errLast = errors.New("no more rows are wanted")

// requestsUpTo lists requests until their inputs reach most bytes.
func (s *queries) requestsUpTo(ctx context.Context, most int, query string, args []any) ([]broker.Request, error) {
	var all []broker.Request
	err := s.view(ctx, func(db *sql.DB) error {
		all = nil
		n := 0
		err := each(ctx, db, func(row scanner) error {
			r, err := scanRequest(row)
			if err != nil {
				return err
			}
			all = append(all, r)
			if n += len(r.ToolInput); r.Outcome != nil {
				n += len(r.Outcome.UpdatedInput)
			}
			if n >= most {
				return errLast
			}
			return nil
		}, query, args...)
		if errors.Is(err, errLast) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, translate(err)
	}
	return all, nil
}

// Sessions implements broker.Store.
func (s *queries) Sessions(ctx context.Context, f broker.SessionFilter) ([]broker.Session, error) {
	var w where
	w.add(f.ID != "", `id = ?`, f.ID)
	query := `SELECT ` + sessionColumns + ` FROM sessions` + w.String() + ` ORDER BY last_seen_at_ms DESC, id LIMIT ?`
	err := s.view(ctx, func(db *sql.DB) (err error) {
		query, err = ofItsSchema(ctx, db, query)
		return err
	})
	if err != nil {
		return nil, translate(err)
	}
	found, err := list(ctx, s, scanSession, query, append(w.args, orDefault(f.Limit))...)
	if err != nil || f.ID == "" { // nothing is done with those of a list but to show them
		return found, err
	}
	for i := range found {
		err = s.snapshot(ctx, func(q querier) error {
			_, err := vouchRun(ctx, q, &found[i])
			return err
		})
	}
	return found, err
}

// sessionNews are the columns of sessions that older schemas lack, by the first that has them.
var sessionNews = map[int][]string{4: {"transcript"}, 5: {"managed_run", "queued_message"}, 6: {"marks"}}

// ofItsSchema is a query for sessions that this database understands: archives and
// backups keep the schema of their time.
func ofItsSchema(ctx context.Context, q querier, query string) (string, error) {
	version, err := schemaOf(ctx, q)
	for first, columns := range sessionNews {
		for _, c := range columns {
			if version < first {
				query = strings.Replace(strings.Replace(query, "s."+c, "''", 1), c, "''", 1)
			}
		}
	}
	return query, err
}

// Events implements broker.Store.
func (s *queries) Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error) {
	var w where
	w.add(f.SessionID != "", `session_id = ?`, f.SessionID)
	// The events in the order of their numbers, without reading all that are too old.
	w.add(!f.Since.IsZero(), `+at_ms >= ? AND seq >= (SELECT coalesce(min(e.seq + 0), 1 << 62) FROM events e WHERE e.at_ms >= ?)`, chain.MS(f.Since), chain.MS(f.Since))
	// A time is looked up among the events' times, and those before it are taken by number.
	w.add(!f.Until.IsZero(), `+at_ms <= ? AND seq <= coalesce((SELECT e.seq FROM events e WHERE e.at_ms <= ? ORDER BY e.at_ms DESC, e.seq DESC LIMIT 1), 0)`, chain.MS(f.Until), chain.MS(f.Until))
	w.add(f.Console, `session_id = ''`)
	// Literals, or the index of how calls ended cannot be used.
	w.add(f.Ran != "", `type = '`+broker.EventPostTool+`' AND request_id <> '' AND request_id = ?`, f.Ran)
	w.add(f.Before != 0, `seq < ?`, f.Before)
	// A literal, for the same reason.
	w.add(len(f.Types) == 1 && f.Types[0] == broker.EventUser, `type = '`+broker.EventUser+`'`)
	types := make([]any, 0, len(f.Types))
	for _, t := range f.Types {
		types = append(types, t)
	}
	w.add(len(types) > 0, `type IN (?`+strings.Repeat(`, ?`, max(len(types)-1, 0))+`)`, types...)
	w.add(f.After != 0, `seq > ?`, f.After)
	w.add(true, `type <> '`+stubType+`'`)
	order := ` ORDER BY seq DESC LIMIT ?`
	if f.After != 0 {
		order = ` ORDER BY seq LIMIT ?`
	}
	return list(ctx, s, scanEvent,
		`SELECT seq, at_ms, type, session_id, request_id, data, lower(hex(hash)) FROM events`+w.String()+order,
		append(w.args, orDefault(f.Limit))...)
}

// requestRow takes the columns of requestColumns.
type requestRow struct {
	r                     broker.Request
	key                   sql.NullString
	input, updated, state string
	start, made, until    int64
	decided               sql.NullInt64
	o                     broker.Outcome
}

func (t *requestRow) dest() []any {
	r, o := &t.r, &t.o
	return []any{
		&r.ID, &t.key, &r.SessionID, &r.Agent, &r.Event, &r.ToolUseID, &r.SubagentID, &r.SubagentType,
		&r.ToolName, &t.input, &r.CWD, &r.Mode, &r.Description, &r.Digest,
		&r.Asker.PID, &t.start, &t.made, &t.until,
		&t.state, &t.decided, &o.By.Kind, &o.By.ID, &o.By.PID, &o.By.Exe, &o.By.TTY, &o.Reason, &t.updated,
	}
}

func (t *requestRow) request() broker.Request {
	r := t.r
	r.Key = t.key.String
	r.ToolInput = raw(t.input)
	r.Asker.Start = unsigned(t.start)
	r.CreatedAt, r.ExpiresAt = chain.Time(t.made), chain.Time(t.until)
	r.State = broker.State(t.state)
	if r.State.Terminal() {
		o := t.o
		o.State, o.At, o.UpdatedInput = r.State, chain.Time(t.decided.Int64), raw(t.updated)
		r.Outcome = &o
	}
	return r
}

func scanRequest(row scanner) (broker.Request, error) {
	var t requestRow
	err := row.Scan(t.dest()...)
	return t.request(), err
}

// scanSession reads a session. What of its row cannot be read is left out of it.
func scanSession(row scanner) (broker.Session, error) {
	s, _, err := scanDoubtedSession(row)
	return s, err
}

// scanDoubtedSession is scanSession with what of the row could not be read; doubt is nil when
// all could.
func scanDoubtedSession(row scanner) (s broker.Session, doubt, err error) {
	var start, started, seen, stop, ended int64
	var code sql.NullInt64
	var subagents, run, message, marks string
	err = row.Scan(&s.ID, &s.Agent, &s.Name, &s.CWD, &s.ProjectDir, &s.Mode, &s.Pane, &s.Process.PID, &start, &s.State,
		&started, &seen, &stop, &ended, &code, &s.EndReason, &subagents, &s.Transcript, &run, &message, &marks)
	if err != nil {
		return s, nil, err
	}
	s.Process.Start = unsigned(start)
	s.StartedAt, s.LastSeenAt, s.StopAskedAt, s.EndedAt = chain.Time(started), chain.Time(seen), chain.Time(stop), chain.Time(ended)
	if code.Valid {
		s.ExitCode = new(int(code.Int64))
	}
	_ = json.Unmarshal([]byte(marks), &s.SessionMarks) // older rows have none
	return s, readRun(&s, subagents, run, message), nil
}

func scanEvent(row scanner) (broker.Event, error) {
	var e broker.Event
	var at int64
	var data string
	err := row.Scan(&e.Seq, &at, &e.Type, &e.SessionID, &e.RequestID, &data, &e.Hash)
	e.At, e.Data = chain.Time(at), raw(data)
	return e, err
}

func scanGrant(row scanner) (broker.Grant, error) {
	var g broker.Grant
	var made, until int64
	var used sql.NullString
	err := row.Scan(&g.ID, &g.SessionID, &g.SubagentID, &g.Digest, &g.RequestID,
		&g.By.Kind, &g.By.ID, &g.By.PID, &g.By.Exe, &g.By.TTY, &made, &until, &used)
	g.CreatedAt, g.ExpiresAt, g.UsedBy = chain.Time(made), chain.Time(until), used.String
	return g, err
}

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// lately is how long an ended session is still worth loading.
const lately = 24 * time.Hour
