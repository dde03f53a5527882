package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aoctl/aoctl/broker"
)

// An archive is a database like the live one, with one stretch of the events, the calls
// and grants that ended in it, and the sessions they name. Its base is of kind archive.

// copyBatch is how many events are copied at a time: a reader that stays long keeps the
// write-ahead log from being moved into the database.
const copyBatch = 5000

const (
	sqlArchiveEvents = `INSERT INTO events (seq, at_ms, type, session_id, request_id, data, subject, seal, hash)
		SELECT seq, at_ms, type, session_id, request_id, data, subject, seal, hash FROM live.events WHERE seq > ? AND seq <= ?`

	sqlArchiveStub = `INSERT INTO events (seq, at_ms, type, session_id, request_id, data, hash)
		SELECT seq, at_ms, '` + stubType + `', '', '', '', hash FROM live.events WHERE seq = ? AND seq > 0`

	sqlArchiveRequests = `INSERT INTO requests (n, ` + requestColumns + `)
		SELECT n, ` + requestColumns + ` FROM live.requests WHERE id IN (
			SELECT request_id FROM main.events WHERE seq > ? AND seq <= ? AND type = 'request_decided')`

	sqlArchiveGrants = `INSERT INTO grants (` + grantColumns + `)
		SELECT ` + grantColumns + ` FROM live.grants WHERE id IN (
			SELECT substr(subject, 7) FROM main.events WHERE seq > ?1 AND seq <= ?2 AND type = 'grant_used')
		OR used_by IS NULL AND id IN (
			SELECT substr(subject, 7) FROM main.events WHERE seq > ?1 AND seq <= ?2 AND type = 'grant_created')`

	// Sessions that end here, and all others for their names.
	sqlArchiveSessions = `INSERT INTO sessions (` + sessionColumns + `)
		SELECT ` + sessionColumns + ` FROM live.sessions WHERE id IN (SELECT session_id FROM main.events)
		OR state IN ('finished', 'gone') AND last_seen_at_ms < ?`
)

// writeArchive makes the file of p, or takes up the one that an earlier run made, and
// returns what is to be recorded of it.
func (s *Store) writeArchive(ctx context.Context, dir string, p *plan) (broker.LogArchivedData, error) {
	if d, ok := s.takeUp(ctx, dir, p); ok {
		return d, nil
	}
	path, err := freeName(dir, p)
	if err != nil {
		return broker.LogArchivedData{}, err
	}
	part := path + partSuffix
	if err := removeDatabase(part); err != nil { // nobody else writes here: we have the store
		return broker.LogArchivedData{}, err
	}
	d, err := s.fillArchive(ctx, part, p)
	if err == nil {
		err = s.reached("verified")
	}
	if err == nil {
		err = publish(part, path)
	}
	if err != nil {
		return d, errors.Join(fmt.Errorf("%s: %w", path, err), removeDatabase(part))
	}
	d.File = path
	return d, s.reached("named")
}

func (s *Store) fillArchive(ctx context.Context, part string, p *plan) (broker.LogArchivedData, error) {
	if err := makePart(part, false); err != nil {
		return broker.LogArchivedData{}, err
	}
	if err := s.copyStretch(ctx, part, p); err != nil {
		return broker.LogArchivedData{}, err
	}
	if err := s.reached("written"); err != nil {
		return broker.LogArchivedData{}, err
	}
	return provenArchive(ctx, part, p)
}

// copyStretch fills the file with the stretch of p. What is copied does not change
// any more, so that it may be read piece by piece.
func (s *Store) copyStretch(ctx context.Context, part string, p *plan) (err error) {
	to, err := dial(dsn(part, map[string]string{"mode": "rw", "_synchronous": "OFF", "_journal_mode": "MEMORY"}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	if err := migrate(to); err != nil {
		return err
	}
	if _, err := to.exec(`ATTACH ? AS live`, dsn(s.w.files.path, map[string]string{"mode": "ro"})); err != nil {
		return err
	}
	if _, err := to.exec(sqlArchiveStub, p.base.seq); err != nil {
		return err
	}
	for after := p.base.seq; after < p.to; after += copyBatch {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		upTo := min(after+copyBatch, p.to)
		for _, sql := range []string{sqlArchiveEvents, sqlArchiveRequests, sqlArchiveGrants} {
			if _, err := to.exec(sql, after, upTo); err != nil {
				return err
			}
		}
	}
	if _, err := to.exec(sqlArchiveSessions, p.before); err != nil {
		return err
	}
	if _, err := to.exec(`UPDATE base SET seq = ?, hash = ?, facts = ?, kind = '`+kindArchive+`'`, p.base.seq, p.base.hash[:], p.base.facts); err != nil {
		return err
	}
	_, err = to.exec(sqlNewHead, p.to, p.hash[:], p.facts)
	return err
}

// provenArchive verifies the file and says what is to be recorded of it.
func provenArchive(ctx context.Context, path string, p *plan) (broker.LogArchivedData, error) {
	report, err := proven(ctx, path)
	switch {
	case err != nil:
		return broker.LogArchivedData{}, err
	case !report.Archive || report.Base != p.base.seq || report.HeadSeq != p.to || report.Events != p.to-p.base.seq:
		return broker.LogArchivedData{}, fmt.Errorf("%w: it has events %d to %d, not %d to %d", ErrUnproven, report.Base+1, report.HeadSeq, p.base.seq+1, p.to)
	}
	digest, err := fileDigest(path)
	return broker.LogArchivedData{
		From: p.base.seq + 1, To: p.to, Hash: report.HeadHash, Facts: p.facts,
		Digest: digest, Calls: report.Requests, BeforeMS: p.before, Uses: p.uses,
	}, err
}

// takeUp finds the whole file of an earlier run that was cut short before it could be
// recorded. Sessions are left for the next run: they may have ended since.
func (s *Store) takeUp(ctx context.Context, dir string, p *plan) (broker.LogArchivedData, bool) {
	for _, path := range leftovers(dir, p.base.seq+1) {
		var from, to int64
		if _, err := fmt.Sscanf(filepath.Base(path), "aoctl-%d-%d.db", &from, &to); err != nil || to > p.to {
			continue
		}
		then := plan{base: p.base, to: to}
		err := s.snapshot(ctx, func(q querier) error {
			f, err := readFacts(ctx, q)
			if err != nil {
				return err
			}
			then.uses = f.usesBefore()
			return then.end(ctx, q)
		})
		if err != nil {
			continue
		}
		d, err := provenArchive(ctx, path, &then)
		if err != nil || d.Hash != fmt.Sprintf("%x", then.hash[:]) {
			s.log.WarnContext(ctx, "a file in the archive folder belongs to another log", "file", path, "err", err)
			continue
		}
		d.File = path
		*p = then
		return d, syncDir(dir) == nil
	}
	return broker.LogArchivedData{}, false
}

// freeName is the name for the file of p: never that of a file which is there.
func freeName(dir string, p *plan) (string, error) {
	name := archiveName(p.base.seq+1, p.to)
	for n := 2; n < 100; n++ {
		path := filepath.Join(dir, name)
		_, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		name = fmt.Sprintf("aoctl-%09d-%09d.%d.db", p.base.seq+1, p.to, n)
	}
	return "", fmt.Errorf("%s: %w", filepath.Join(dir, name), fs.ErrExist)
}
