package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mattn/go-sqlite3"
)

// Copy is a database that Backup wrote.
type Copy struct {
	Path     string `json:"path"`
	Bytes    int64  `json:"bytes"`
	HeadSeq  int64  `json:"head_seq"`  // the newest event in it
	HeadHash string `json:"head_hash"` // hex; "" for an empty log
	Events   int64  `json:"events"`
}

// What Backup may say beside what OpenReadOnly says.
var (
	ErrExists   = errors.New("it is there already")                   // without force
	ErrPart     = errors.New("a backup to it is not finished")        // the .part file is there
	ErrOwnFile  = errors.New("it is one of the database's own files") // also with force
	ErrNoFile   = errors.New("it is no regular file")                 // a link, folder, pipe: also with force
	ErrUnproven = errors.New("the copy does not verify")              // nothing is left of it
)

// backupPages is how many pages are copied before the context is looked at again.
const backupPages = 4096

// partSuffix ends the name of a file that is not whole yet.
const partSuffix = ".part"

// Backup copies the database, as of one moment, to a file of mode 0600 at to, and
// verifies the copy before it gets its name. A console at work writes on meanwhile.
// With force an earlier file of that name is replaced, once the new one is whole.
//
// Errors are those of OpenReadOnly and the ones above; then there is no new file.
func (r *Reader) Backup(ctx context.Context, to string, force bool) (Copy, error) {
	to, err := filepath.Abs(to)
	if err != nil {
		return Copy{}, err
	}
	if err := r.mayWrite(to, force); err != nil {
		return Copy{}, fmt.Errorf("%s: %w", to, err)
	}
	part := to + partSuffix
	if err := makePart(part, force); err != nil {
		return Copy{}, err
	}
	c, err := r.backupTo(ctx, part)
	if err == nil {
		err = r.mayWrite(to, force) // it may have come meanwhile
	}
	if err == nil {
		err = publish(part, to)
	}
	if err != nil {
		return Copy{}, errors.Join(fmt.Errorf("back up to %s: %w", to, translate(err)), removeDatabase(part))
	}
	c.Path = to
	return c, nil
}

// mayWrite refuses names that are not for a backup.
func (r *Reader) mayWrite(to string, force bool) error {
	for _, own := range []string{"", "-wal", "-shm", "-journal"} {
		if sameFile(to, r.path+own) {
			return ErrOwnFile
		}
	}
	info, err := os.Lstat(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return ErrNoFile
	case !force:
		return ErrExists
	}
	return nil
}

// sameFile reports whether two names lead to one file, also when it is not there yet.
func sameFile(a, b string) bool {
	if inA, err := os.Stat(a); err == nil {
		if inB, err := os.Stat(b); err == nil && os.SameFile(inA, inB) {
			return true
		}
	}
	dirA, errA := filepath.EvalSymlinks(filepath.Dir(a))
	dirB, errB := filepath.EvalSymlinks(filepath.Dir(b))
	return errA == nil && errB == nil && dirA == dirB && filepath.Base(a) == filepath.Base(b)
}

// makePart makes an empty private file in which nobody else writes.
func makePart(part string, force bool) error {
	if info, err := os.Lstat(part); err == nil && force && info.Mode().IsRegular() {
		if err := removeDatabase(part); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) //nolint:gosec // which file is the caller's choice
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", part, ErrPart)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// backupTo fills part and looks whether it holds what the database held.
func (r *Reader) backupTo(ctx context.Context, part string) (Copy, error) {
	seq, hash, err := r.copyPages(ctx, part)
	if err != nil {
		return Copy{}, err
	}
	report, err := proven(ctx, part)
	if err == nil && (report.HeadSeq != seq || report.HeadHash != hash) {
		err = fmt.Errorf("%w: it ends at event %d, the database at %d", ErrUnproven, report.HeadSeq, seq)
	}
	if err != nil {
		return Copy{}, err
	}
	info, err := os.Stat(part)
	if err != nil {
		return Copy{}, err
	}
	return Copy{Bytes: info.Size(), HeadSeq: seq, HeadHash: hash, Events: report.Events}, nil
}

// copyPages copies the database page by page inside one read transaction, which the
// writer of a running console does not notice. It returns the end of the log in it.
func (r *Reader) copyPages(ctx context.Context, part string) (seq int64, hash string, err error) {
	more := map[string]string{"mode": "ro", "_query_only": "on"}
	if !hasWAL(r.path) {
		more["immutable"] = "1"
	}
	from, err := dial(dsn(r.path, more))
	if err != nil {
		return 0, "", err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	to, err := dial(dsn(part, map[string]string{"mode": "rw", "_synchronous": "OFF"}))
	if err != nil {
		return 0, "", err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	if err := from.script(`BEGIN`); err != nil {
		return 0, "", err
	}
	row, err := from.row(`SELECT seq, hash FROM head`)
	if err != nil {
		return 0, "", err
	}
	h, err := headOf(row[0], row[1])
	if err != nil {
		return 0, "", err
	}
	seq, hash = h.public()
	return seq, hash, pages(ctx, to.raw, from.raw)
}

// pages copies a database a few pages at a time, so that ctx can end it in between.
func pages(ctx context.Context, to, from *sqlite3.SQLiteConn) (err error) {
	b, err := to.Backup("main", from, "main")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Finish()) }()
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if done, err = b.Step(backupPages); err != nil {
			return err
		}
	}
	return nil
}

// proven verifies the database at path, in which nothing may be wrong.
func proven(ctx context.Context, path string) (Report, error) {
	r, err := OpenReadOnly(ctx, path)
	if err != nil {
		return Report{}, err
	}
	report, err := r.Verify(ctx)
	if err == nil && !report.Clean() {
		err = fmt.Errorf("%w: %s", ErrUnproven, report.Problems[0])
	}
	return report, err
}

// publish makes part durable and gives it its name.
func publish(part, name string) error {
	if err := syncFile(part); err != nil {
		return err
	}
	if err := os.Rename(part, name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // a file that this package made
	if err != nil {
		return err
	}
	return closing(f, f.Sync())
}

func syncDir(path string) error {
	d, err := os.Open(path) //nolint:gosec // a folder that this package writes to
	if err != nil {
		return err
	}
	return closing(d, d.Sync())
}

func closing(c io.Closer, err error) error { return errors.Join(err, c.Close()) }

// removeDatabase removes the database at path with what SQLite keeps beside it.
func removeDatabase(path string) error {
	var errs []error
	for _, s := range append([]string{"-journal"}, suffixes...) {
		if err := os.Remove(path + s); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
