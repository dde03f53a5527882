package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// applicationID marks the file as aoctl's: "aoct". SQLite keeps it in the header.
const applicationID = 0x616f6374

// checkBelow is the size in bytes up to which a database is read through at the start,
// half a second's work. Damage in a larger one is met when the page is read, and by
// "aoctl log verify".
const checkBelow = 256 << 20

// suffixes of the files that make up the database.
var suffixes = []string{"", "-wal", "-shm"}

// newWriter looks at the file without touching it, then opens it for writing.
func newWriter(ctx context.Context, path string) (*writer, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	if err := inspect(ctx, path); err != nil {
		return nil, err
	}
	c, err := openWriter(path)
	if err != nil {
		return nil, err
	}
	w := &writer{c: c, files: &files{path: path}}
	if err := w.start(); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return w, nil
}

func (w *writer) start() error {
	if err := migrate(w.c); err != nil {
		return err
	}
	h, err := readHead(w.c)
	if err != nil {
		return err
	}
	w.head, w.maybe = h, h
	return w.files.remember()
}

func openWriter(path string) (*conn, error) {
	c, err := dial(dsn(path, map[string]string{"mode": "rw", "_journal_mode": "WAL", "_synchronous": "NORMAL"}))
	if err != nil {
		return nil, err
	}
	for _, pragma := range []string{
		// Where fsync leaves data in the drive's cache (darwin), go further.
		`PRAGMA fullfsync = ON`, `PRAGMA checkpoint_fullfsync = ON`,
		// SQL functions in a schema that somebody else changed are not to be trusted.
		`PRAGMA trusted_schema = OFF`, `PRAGMA cell_size_check = ON`,
	} {
		if err := c.script(pragma); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	row, err := c.row(`PRAGMA journal_mode`)
	if err == nil && row[0] != "wal" {
		err = errNoWAL
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func openReaders(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", dsn(path, map[string]string{"mode": "ro", "_query_only": "on"}))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	return db, nil
}

// prepareFile makes folder and file when they are missing and checks an existing one.
//
// It must not open an existing database itself: closing a file descriptor drops the
// POSIX locks that SQLite holds on the same file in this process.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return create(path)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	if err := checkOwner(info); err != nil {
		return err
	}
	for _, p := range []string{path, filepath.Dir(path)} {
		if err := unix.Access(p, unix.W_OK); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrUnwritable, p, err)
		}
	}
	return closeToOthers(path)
}

func create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) //nolint:gosec // which file is the caller's choice
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	return f.Close()
}

// closeToOthers makes the database's files 0600. SQLite gives -wal and -shm the mode
// of the file itself.
func closeToOthers(path string) error {
	for _, s := range suffixes {
		info, err := os.Stat(path + s)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(path+s, 0o600)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnwritable, err)
		}
	}
	return nil
}

// inspect reads an existing database without being able to change it: is it one, is
// it whole, is it ours, do we know its schema? An empty file is a new database.
func inspect(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	if _, err := os.Stat(path + "-wal"); info.Size() == 0 && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return withReader(ctx, path, func(db *sql.DB) error {
		if err := examine(ctx, db); err != nil || info.Size() > checkBelow {
			return err
		}
		return quickCheck(ctx, db)
	})
}

// examine looks whether the database is one that this program may write.
func examine(ctx context.Context, q querier) error {
	var version, app, tables, extra int
	err := q.QueryRowContext(ctx, `
		SELECT (SELECT user_version FROM pragma_user_version), (SELECT application_id FROM pragma_application_id),
			count(*), count(*) FILTER (WHERE type IN ('trigger', 'view'))
		FROM sqlite_schema`).Scan(&version, &app, &tables, &extra)
	switch {
	case err != nil:
		return err
	case tables > 0 && app != applicationID:
		return fmt.Errorf("%w: it is a database, but not aoctl's", ErrNotOurs)
	case version > newest():
		return fmt.Errorf("%w: its schema is %d, this aoctl knows up to %d", ErrTooNew, version, newest())
	case extra > 0:
		return fmt.Errorf("%w: %w", ErrNotOurs, errSchemaExtra)
	}
	b, err := readBase(ctx, q)
	if err == nil && b.archive() {
		err = fmt.Errorf("%w: it holds events %d and later of another log", ErrArchive, b.seq+1)
	}
	return err
}

func quickCheck(ctx context.Context, q querier) error {
	var verdict string
	if err := q.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", ErrCorrupt, verdict)
	}
	return nil
}
