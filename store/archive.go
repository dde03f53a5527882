package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// Archiving moves the oldest stretch of the log, with the calls that ended in it, to a
// file of its own, in this order:
//
//  1. the file is written beside its final name, verified, synced, named;
//  2. a log_archived fact is recorded: the stretch, the file's digest, what stays;
//  3. the events and rows are removed, some at a time.
//
// After a crash before 2 nothing was removed, and the next run takes the file up if it
// is whole. After one before the end of 3, the next run goes on with it, once it has
// seen that the file is still the one on record.

// ArchiveOptions says what to archive, and where.
type ArchiveOptions struct {
	Before time.Time     // what is older goes
	Dir    string        // folder of the files; made with mode 0700
	Least  int64         // do nothing for fewer events than that …
	Slack  time.Duration // … unless the oldest of them is so much older than Before
}

// Archive is one file to which a stretch of the log was moved.
type Archive struct {
	File  string `json:"file"` // absolute path; "" when there was nothing to archive
	From  int64  `json:"from"` // its first event
	To    int64  `json:"to"`   // its last one
	Calls int64  `json:"calls"`
}

// ErrArchiveFile is an archive that is not what the log has on record.
var ErrArchiveFile = errors.New("the archive is not the file on record")

// cutBatch is how many events are removed in one transaction: decisions wait for it.
const cutBatch = 200

// Archive moves what is older than o.Before to a file. Pending calls, unused grants,
// and everything later than the oldest of them stay; so do all facts. It is for the
// process that has the store open; decisions go on meanwhile.
func (s *Store) Archive(ctx context.Context, o ArchiveOptions) (Archive, error) {
	if err := s.whole.take(ctx); err != nil {
		return Archive{}, err
	}
	defer s.whole.give()
	a, err := s.archive(ctx, o)
	if err != nil {
		return Archive{}, fmt.Errorf("archive the log: %w", translate(err))
	}
	return a, nil
}

func (s *Store) archive(ctx context.Context, o ArchiveOptions) (Archive, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return Archive{}, err
	}
	if err := s.goOn(ctx); err != nil {
		return Archive{}, err
	}
	p, err := s.plan(ctx, o)
	if err != nil || p.to <= p.base.seq || p.to-p.base.seq < o.Least && p.oldest >= chain.MS(o.Before.Add(-o.Slack)) {
		return Archive{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Archive{}, err
	}
	d, err := s.writeArchive(ctx, dir, &p)
	if err != nil {
		return Archive{}, err
	}
	if err := s.record(ctx, d, p.base); err != nil {
		return Archive{}, err
	}
	if err := s.reached("recorded"); err != nil {
		return Archive{}, err
	}
	return Archive{File: d.File, From: d.From, To: d.To, Calls: d.Calls}, s.cut(ctx, d.To)
}

// goOn finishes what an earlier run began to remove.
func (s *Store) goOn(ctx context.Context) error {
	f, err := s.facts(ctx)
	switch {
	case err != nil:
		return err
	case f.doubt != "":
		return fmt.Errorf("%w: %s", broker.ErrTampered, f.doubt)
	case f.base.seq == f.cut.To:
		return nil
	}
	if digest, err := fileDigest(findArchive(s.w.files.path, f.cut.File)); err != nil || digest != f.cut.Digest {
		return fmt.Errorf("%w: %s; nothing more of it is removed from the log: %w", ErrArchiveFile, f.cut.File, err)
	}
	return s.cut(ctx, f.cut.To)
}

// plan is what one run archives.
type plan struct {
	base   base
	to     int64 // its last event
	hash   chain.Hash
	facts  int64 // up to it
	before int64 // milliseconds
	oldest int64 // of its first event, milliseconds
	uses   map[string]int64
}

func (s *Store) plan(ctx context.Context, o ArchiveOptions) (plan, error) {
	p := plan{before: chain.MS(o.Before)}
	err := s.snapshot(ctx, func(q querier) error {
		f, err := readFacts(ctx, q)
		if err != nil {
			return err
		}
		p.base, p.uses = f.base, f.usesBefore()
		if p.to, err = lastOld(ctx, q, p.base.seq, p.before, chain.MS(s.now())); err != nil || p.to <= p.base.seq {
			return err
		}
		return p.end(ctx, q)
	})
	return p, err
}

// lastOld is the event before the first one that is too young, or that a pending call,
// one that was put off, a session that may be held again, an unused grant or an alarm that
// nobody acknowledged still needs.
func lastOld(ctx context.Context, q querier, after, before, now int64) (int64, error) {
	var first sql.NullInt64
	err := q.QueryRowContext(ctx, `SELECT min(seq) FROM (
		SELECT * FROM (SELECT seq FROM events WHERE seq > ?1 AND at_ms >= ?2 ORDER BY seq LIMIT 1)
		UNION ALL
		SELECT e.seq FROM requests r JOIN events e ON e.subject = 'request/' || r.id AND e.type = 'request_created'
			WHERE r.status = 'pending'
		UNION ALL
		SELECT min(e.seq) FROM checkpoints k JOIN events e ON e.subject = 'request/' || k.request_id
		UNION ALL
		SELECT min(e.seq) FROM sessions s JOIN events e ON e.session_id = s.id
			AND (e.type = 'run_started' AND NOT EXISTS (SELECT 1 FROM events n WHERE n.session_id = s.id AND n.type = e.type AND n.seq > e.seq)
				OR e.type = 'message_queued' AND `+inJSON("e.data", "id")+` IN (`+inJSON("s.queued_message", "id")+`, `+inJSON("s.managed_run", "told.id")+`))
			WHERE s.managed_run <> '' AND (s.state NOT IN ('finished', 'gone') OR s.last_seen_at_ms >= ?2)
		UNION ALL
		SELECT e.seq FROM grants g JOIN events e ON e.subject = 'grant/' || g.id AND e.type = 'grant_created'
			WHERE g.used_by IS NULL AND g.expires_at_ms > ?3
		UNION ALL
		SELECT min(a.seq) FROM events a WHERE a.seq > ?1 AND a.type = 'alarm' AND NOT EXISTS (SELECT 1 FROM events s
			WHERE s.seq > a.seq AND s.type = 'alarm_seen' AND json_extract(s.data, '$.session_id') = json_extract(a.data, '$.session_id'))
		UNION ALL
		SELECT max(seq) FROM events)`, after, before, now).Scan(&first) // the newest event always stays
	return first.Int64 - 1, err
}

// end reads what the stretch ends with, and adds up the calls that rules decided in it.
func (p *plan) end(ctx context.Context, q querier) error {
	var hash []byte
	err := q.QueryRowContext(ctx, `SELECT hash, (SELECT at_ms FROM events WHERE seq > ?2 ORDER BY seq LIMIT 1), (SELECT count(*) FROM events WHERE `+ofFactType+` AND seq > ?2 AND seq <= ?1)
		FROM events WHERE seq = ?1`, p.to, p.base.seq).Scan(&hash, &p.oldest, &p.facts)
	if err != nil {
		return err
	}
	copy(p.hash[:], hash)
	p.facts += p.base.facts
	return each(ctx, q, func(row scanner) error {
		var id string
		var n int64
		err := row.Scan(&id, &n)
		p.uses[id] += n
		return err
	}, sqlLeftUse, p.base.seq, p.to)
}

// reached is a point at which a test may stop the run.
func (s *Store) reached(point string) error {
	if s.failpoint == nil {
		return nil
	}
	return s.failpoint(point)
}

// findArchive is where the archive on record as file lies: there, or, for a state folder
// that was moved, in the folder "archive" beside the database.
func findArchive(database, file string) string {
	if _, err := os.Lstat(file); err == nil {
		return file
	}
	return filepath.Join(filepath.Dir(database), "archive", filepath.Base(file))
}

func fileDigest(path string) (string, error) {
	f, err := os.Open(path) //nolint:gosec // a file that the log names
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), closing(f, err)
}

// archiveName is the name of the file that holds events from one up to another.
func archiveName(from, to int64) string { return fmt.Sprintf("aoctl-%09d-%09d.db", from, to) }

// leftovers lists whole files of a run that was cut short before it was recorded: those
// that begin where this one does.
func leftovers(dir string, from int64) []string {
	found, err := filepath.Glob(filepath.Join(globSafe(dir), fmt.Sprintf("aoctl-%09d-*.db", from)))
	if err != nil {
		return nil
	}
	return found
}

// globSafe escapes what a pattern would read otherwise.
func globSafe(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
