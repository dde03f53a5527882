package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Reader is the database for programs that only look, beside a running console or
// without one. Each call opens the file anew, so that it always sees what is there,
// whether a console came or went meanwhile, and never keeps a lock.
type Reader struct {
	queries
	path string
}

// OpenReadOnly looks at the database at path without being able to change it. It
// makes no file: a database that a console closed has no write-ahead log, and none is
// made; one whose console runs, or was killed, has its files already.
//
// Errors are *OpenError around ErrMissing, ErrTooNew, ErrCorrupt, ErrNotOurs,
// ErrUnwritable (its files cannot even be read) or ErrBusy.
func OpenReadOnly(ctx context.Context, path string) (*Reader, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{path: path}
	r.now = time.Now
	r.view = func(ctx context.Context, read func(*sql.DB) error) error {
		return readError(path, withReader(ctx, path, read))
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, openError(path, fmt.Errorf("%w: %w", ErrMissing, err))
	case err != nil:
		return nil, openError(path, fmt.Errorf("%w: %w", ErrUnwritable, err))
	case !info.Mode().IsRegular():
		return nil, openError(path, fmt.Errorf("%w: it is no regular file", ErrNotOurs))
	}
	if err = r.view(ctx, func(db *sql.DB) error { return known(ctx, db) }); err != nil {
		return nil, err
	}
	return r, nil
}

// Head is the end of the log; 0 and "" when nothing has happened yet.
func (r *Reader) Head(ctx context.Context) (seq int64, hash string, err error) {
	err = r.view(ctx, func(db *sql.DB) error {
		var raw []byte
		if err := db.QueryRowContext(ctx, `SELECT seq, hash FROM head`).Scan(&seq, &raw); err != nil {
			return err
		}
		if seq > 0 {
			hash = hex.EncodeToString(raw)
		}
		return nil
	})
	return seq, hash, err
}

// Close gives back what the reader holds.
func (r *Reader) Close() error { return nil }

// known refuses a database whose schema this program cannot read.
func known(ctx context.Context, q querier) error {
	var version, app int
	err := q.QueryRowContext(ctx, `
		SELECT (SELECT user_version FROM pragma_user_version),
			(SELECT application_id FROM pragma_application_id)`).Scan(&version, &app)
	switch {
	case err != nil:
		return err
	case version == 0 && (app == 0 || app == applicationID):
		return fmt.Errorf("%w: it is empty", ErrMissing)
	case app != applicationID:
		return fmt.Errorf("%w: it is a database, but not aoctl's", ErrNotOurs)
	case version > newest():
		return fmt.Errorf("%w: its schema is %d, this aoctl knows up to %d", ErrTooNew, version, newest())
	}
	return nil
}

// readCache is how many KiB, negated, a reader's page cache may grow to: verifying looks
// at rows and at the events about them in turn.
const readCache = "-65536"

// withReader lets read query the database at path over one connection that cannot
// change it.
//
// Without a write-ahead log nobody has the database open, and "immutable" keeps
// SQLite from making its helper files; when a console starts meanwhile, read runs
// once more beside it.
func withReader(ctx context.Context, path string, read func(*sql.DB) error) error {
	beside := dsn(path, map[string]string{"mode": "ro", "_query_only": "on", "_cache_size": readCache})
	if hasWAL(path) {
		return readOnce(ctx, beside, read)
	}
	err := readOnce(ctx, dsn(path, map[string]string{"mode": "ro", "immutable": "1", "_query_only": "on", "_cache_size": readCache}), read)
	if !hasWAL(path) {
		return err
	}
	return readOnce(ctx, beside, read)
}

func hasWAL(path string) bool {
	_, err := os.Stat(path + "-wal")
	return err == nil
}

func readOnce(ctx context.Context, dsn string, read func(*sql.DB) error) (err error) {
	db, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	return read(db)
}
