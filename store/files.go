package store

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// files knows which files the database was when it was opened. SQLite goes on writing
// into a file that was deleted under it; what is acknowledged then is lost at the end.
type files struct {
	path string
	were []os.FileInfo
}

// watched are the files that hold what was committed.
func (f *files) watched() []string { return []string{f.path, f.path + "-wal"} }

// remember notes the files as they are now and makes their names durable.
func (f *files) remember() error {
	var are []os.FileInfo
	for _, p := range f.watched() {
		info, err := os.Stat(p)
		if err != nil {
			return err
		}
		are = append(are, info)
	}
	f.were = are
	return syncDir(filepath.Dir(f.path))
}

// renew remembers the files after the database was opened again, when its write-ahead log
// may be a new file. It reports a database that is no longer the one that was remembered.
func (f *files) renew() error {
	info, err := os.Stat(f.path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMoved, err)
	}
	if !os.SameFile(info, f.were[0]) {
		return fmt.Errorf("%w: %s is another file now", ErrMoved, f.path)
	}
	return f.remember()
}

// inPlace reports files that are no longer the ones that remember saw.
func (f *files) inPlace() error {
	for i, p := range f.watched() {
		info, err := os.Stat(p)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrMoved, err)
		}
		if !os.SameFile(info, f.were[i]) {
			return fmt.Errorf("%w: %s is another file now", ErrMoved, p)
		}
	}
	return nil
}

// checkOwner refuses what is no plain file of this user.
func checkOwner(info os.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: it is no regular file", ErrNotOurs)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: it belongs to user %d", ErrNotOurs, st.Uid)
	}
	return nil
}
