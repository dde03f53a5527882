package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// A row is trusted when the log vouches for it: the events about it exist, each fits
// the hash of the event before it, carries the seal of the row as it is, and says the
// same as the row. One statement reads a row with its events, so that a decision that
// is being recorded meanwhile cannot look like tampering.

// vouching are the columns of one event and of the hash before it. alias is that of
// the event, alias+"p" that of its predecessor.
func vouching(alias string) string {
	const columns = `@.seq, @.at_ms, @.session_id, @.request_id, @.data, @.seal, @.hash, @p.hash`
	return strings.ReplaceAll(columns, "@", alias)
}

// joined joins the event of the given type about a row, and its predecessor.
func joined(alias, subject, typ string) string {
	const join = `
		LEFT JOIN events @ ON @.subject = ` + "%s" + ` AND @.type = '%s'
		LEFT JOIN events @p ON @p.seq = @.seq - 1`
	return strings.ReplaceAll(fmt.Sprintf(join, subject, typ), "@", alias)
}

func prefixed(columns, table string) string {
	names := strings.Split(columns, ",")
	for i, n := range names {
		names[i] = table + "." + strings.TrimSpace(n)
	}
	return strings.Join(names, ", ")
}

var (
	sqlTrustedRequests = `SELECT ` + prefixed(requestColumns, "r") + `, ` + vouching("c") + `, ` + vouching("d") +
		` FROM requests r` +
		joined("c", "'request/' || r.id", broker.EventRequestCreated) +
		joined("d", "'request/' || r.id", broker.EventRequestDecided)

	sqlTrustedGrants = `SELECT ` + prefixed(grantColumns, "g") + `, ` + vouching("c") + `, ` + vouching("u") +
		` FROM grants g` +
		joined("c", "'grant/' || g.id", broker.EventGrantCreated) +
		joined("u", "'grant/' || g.id", broker.EventGrantUsed)
)

// witness is one event about a row; absent when the log has none.
type witness struct {
	seq, at                sql.NullInt64
	session, request, data sql.NullString
	seal, hash, before     []byte
}

func (w *witness) dest() []any {
	return []any{&w.seq, &w.at, &w.session, &w.request, &w.data, &w.seal, &w.hash, &w.before}
}

func (w *witness) present() bool { return w.seq.Valid }

// check reports why the event of type typ about subject does not vouch for a row with
// this seal; nil when it does.
func (w *witness) check(subject, typ string, seal chain.Hash) error {
	err := w.follows(typ, subject)
	if err == nil && string(seal[:]) != string(w.seal) {
		err = fmt.Errorf("it is not what event %d recorded", w.seq.Int64)
	}
	return err
}

// follows reports why the log does not vouch for the event, which is to be of type typ and
// about subject; nil when it does.
func (w *witness) follows(typ, subject string) error {
	if !w.present() {
		return fmt.Errorf("the log has no %s event of it", typ)
	}
	var before chain.Hash
	if w.seq.Int64 > 1 && copy(before[:], w.before) != len(before) {
		return fmt.Errorf("the event before event %d is gone", w.seq.Int64)
	}
	link := chain.Link{
		Seq: w.seq.Int64, AtMS: w.at.Int64, Type: typ, Session: w.session.String, Request: w.request.String,
		Data: w.data.String, Subject: subject, Seal: string(w.seal),
	}
	if h := link.After(before); string(h[:]) != string(w.hash) {
		return fmt.Errorf("event %d does not follow the one before it", w.seq.Int64)
	}
	return nil
}

// trusted is a row with the verdict of the log about it.
type trusted[T any] struct {
	row     T
	subject string // what the verdict is about
	doubt   error  // nil when the log vouches for it
}

func scanTrustedRequest(row scanner) (t trusted[broker.Request], err error) {
	var r requestRow
	var made, ended witness
	dest := append(r.dest(), made.dest()...)
	if err := row.Scan(append(dest, ended.dest()...)...); err != nil {
		return t, err
	}
	t.row = r.request()
	t.subject, t.doubt = chain.RequestSubject(t.row.ID), doubtRequest(&t.row, &made, &ended)
	return t, nil
}

// doubtRequest says why the log does not vouch for r, made by one event and ended by another; nil
// when it does. A pending request that an event ended was brought back by another program.
func doubtRequest(r *broker.Request, made, ended *witness) error {
	subject := chain.RequestSubject(r.ID)
	if err := chain.CheckDigest(r); err != nil {
		return err
	}
	seal := chain.SealRequest(r)
	if made.present() || r.Outcome == nil { // a request decided at once may go without
		if err := made.check(subject, broker.EventRequestCreated, seal); err != nil {
			return err
		}
		if err := chain.AgreesCreated(r, made.session.String, []byte(made.data.String)); err != nil {
			return err
		}
	}
	if r.Outcome == nil {
		if ended.present() {
			return fmt.Errorf("it is pending, event %d decided it", ended.seq.Int64)
		}
		return nil
	}
	if err := ended.check(subject, broker.EventRequestDecided, chain.SealOutcome(seal, r.Outcome)); err != nil {
		return err
	}
	return chain.AgreesDecided(r, ended.session.String, []byte(ended.data.String))
}

func scanTrustedGrant(row scanner) (t trusted[broker.Grant], err error) {
	var made, used witness
	if t.row, err = scanGrant(scanMore{row, append(made.dest(), used.dest()...)}); err == nil {
		t.subject, t.doubt = chain.GrantSubject(t.row.ID), doubtGrant(&t.row, &made, &used)
	}
	return t, err
}

// doubtGrant says the same of a grant. An unused one that an event used would allow twice.
func doubtGrant(g *broker.Grant, made, used *witness) error {
	subject, seal := chain.GrantSubject(g.ID), chain.SealGrant(g)
	if g.UsedBy != "" && !made.present() { // it was made in a stretch that is archived; its use covers that
		return used.check(subject, broker.EventGrantUsed, chain.SealUse(seal, g.UsedBy))
	}
	if err := made.check(subject, broker.EventGrantCreated, seal); err != nil {
		return err
	}
	if g.UsedBy != "" {
		return used.check(subject, broker.EventGrantUsed, chain.SealUse(seal, g.UsedBy))
	}
	if used.present() {
		return fmt.Errorf("it is unused, event %d used it", used.seq.Int64)
	}
	return nil
}

// sqlTrustedSessions reads sessions with the newest thing the log says of stopping
// them. A session's row is written too often to be sealed; that a stop is not undone
// behind the broker's back is what matters.
var sqlTrustedSessions = `SELECT ` + prefixed(sessionColumns, "s") + `, stop.type, stop.at_ms
	FROM sessions s LEFT JOIN events stop ON stop.seq = (
		SELECT max(seq) FROM events WHERE session_id = s.id AND type IN ('stop_requested', 'stop_lifted'))`

// scanTrustedSession reads a session as the log allows it to be: one that was stopped stays
// stopped whatever its row says.
func scanTrustedSession(row scanner) (t trusted[broker.Session], err error) {
	var typ sql.NullString
	var at sql.NullInt64
	s := &t.row
	*s, t.doubt, err = scanDoubtedSession(scanMore{row, []any{&typ, &at}})
	t.subject = "session/" + s.ID
	if err == nil && typ.String == broker.EventStopRequested && (s.State == broker.SessionActive || s.State == broker.SessionIdle) {
		t.doubt = fmt.Errorf("it is %s, the log says that it was stopped", s.State)
		s.State, s.StopAskedAt = broker.SessionStopping, chain.Time(at.Int64)
	}
	return t, err
}

// scanMore scans further columns behind those that are asked for.
type scanMore struct {
	scanner
	more []any
}

func (s scanMore) Scan(dest ...any) error { return s.scanner.Scan(append(dest, s.more...)...) }

// Request implements broker.Store.
func (s *queries) Request(ctx context.Context, id string) (broker.Request, error) {
	return s.one(ctx, "request "+id, ` WHERE r.id = ?`, id)
}

// RequestByKey implements broker.Store.
func (s *queries) RequestByKey(ctx context.Context, key string) (broker.Request, error) {
	return s.one(ctx, "request with key "+key, ` WHERE r.key = ?`, key)
}

func (s *queries) one(ctx context.Context, what, where, arg string) (broker.Request, error) {
	found, err := list(ctx, s, scanTrustedRequest, sqlTrustedRequests+where, arg)
	switch {
	case err != nil:
		return broker.Request{}, fmt.Errorf("%s: %w", what, err)
	case len(found) == 0:
		return broker.Request{}, fmt.Errorf("%s: %w", what, broker.ErrNotFound)
	case found[0].doubt != nil:
		return broker.Request{}, fmt.Errorf("%s: %w: %w", what, broker.ErrTampered, found[0].doubt)
	}
	return found[0].row, nil
}

// Load implements broker.Store. Pending requests and grants for which the log does
// not vouch are left out: nobody can be asked about a call that may not be the one
// the agent made, and no grant holds that nobody gave. A session whose stop was
// undone comes back as stopping. Tampered tells of them. Facts for which the log does
// not vouch are left out as well; Saved.Doubt tells of the first.
func (s *Store) Load(ctx context.Context) (broker.Saved, error) {
	requests, err := vouched(ctx, s, "pending requests", scanTrustedRequest, sqlTrustedRequests+` WHERE r.status = 'pending' ORDER BY r.n`)
	if err != nil {
		return broker.Saved{}, err
	}
	sessions, err := s.loadSessions(ctx)
	if err != nil {
		return broker.Saved{}, fmt.Errorf("load sessions: %w", err)
	}
	grants, err := vouched(ctx, s, "grants", scanTrustedGrant, sqlTrustedGrants+` WHERE g.used_by IS NULL ORDER BY g.created_at_ms, g.id`)
	if err != nil {
		return broker.Saved{}, err
	}
	saved, err := s.loadFacts(ctx)
	if err != nil {
		return broker.Saved{}, err
	}
	saved.Requests, saved.Sessions, saved.Grants = requests, sessions, grants
	if saved.Checkpoints, err = vouched(ctx, s, "checkpoints", scanTrustedCheckpoint, sqlCheckpoints); err != nil {
		return broker.Saved{}, err
	}
	// A request whose extension the log does not vouch for has the time that it had before.
	if saved.Extensions, err = vouched(ctx, s, "what was given more time", scanTrustedExtension, sqlExtensions); err != nil {
		return broker.Saved{}, err
	}
	return saved, nil
}

// vouched lists the rows for which the log vouches, and notes the others.
func vouched[T any](ctx context.Context, s *Store, what string, scan func(scanner) (trusted[T], error), query string) ([]T, error) {
	found, err := list(ctx, &s.queries, scan, query)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", what, err)
	}
	var kept []T
	for _, t := range found {
		if s.trust(ctx, t.subject, t.doubt) {
			kept = append(kept, t.row)
		}
	}
	return kept, nil
}

// loadSessions lists the sessions that have not ended, or lately, or that have a call that
// was put off, as far as the log allows.
func (s *Store) loadSessions(ctx context.Context) ([]broker.Session, error) {
	found, err := list(ctx, &s.queries, scanTrustedSession, sqlTrustedSessions+`
		WHERE s.state NOT IN ('finished', 'gone') OR s.last_seen_at_ms > ? OR s.id IN (SELECT session_id FROM checkpoints) ORDER BY s.last_seen_at_ms DESC, s.id`,
		chain.MS(s.now().Add(-lately)))
	if err != nil {
		return nil, err
	}
	var sessions []broker.Session
	err = s.snapshot(ctx, func(q querier) error {
		for _, t := range found {
			doubt, err := vouchRun(ctx, q, &t.row)
			if err != nil {
				return err
			}
			s.trust(ctx, t.subject, cmp.Or(t.doubt, doubt))
			sessions = append(sessions, t.row)
		}
		return nil
	})
	return sessions, err
}

// loadFacts returns what Load says of facts and rules.
func (s *Store) loadFacts(ctx context.Context) (saved broker.Saved, err error) {
	var f *facts
	err = s.snapshot(ctx, func(q querier) (err error) {
		if f, err = readFacts(ctx, q); err == nil {
			saved.RuleUse, err = readUses(ctx, q, f)
		}
		return err
	})
	if err != nil {
		return broker.Saved{}, fmt.Errorf("load rules: %w", err)
	}
	saved.Facts, saved.Doubt, saved.Lost = f.events, f.doubt, f.lost
	if f.doubt != "" {
		s.trust(ctx, "log", errors.New(f.doubt))
	}
	return saved, nil
}

// trust notes a row that is in doubt.
func (s *Store) trust(ctx context.Context, subject string, doubt error) bool {
	if doubt == nil {
		return true
	}
	s.log.WarnContext(ctx, "stored row disagrees with the log", "subject", subject, "err", doubt)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tampered[subject] = doubt.Error()
	return false
}

// Tampered lists the rows that Load found at odds with the log, one sentence each,
// in alphabetical order.
func (s *Store) Tampered() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, subject := range slices.Sorted(maps.Keys(s.tampered)) {
		lines = append(lines, subject+": "+s.tampered[subject])
	}
	return lines
}
