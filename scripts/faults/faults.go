package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3" // another program that uses the database
)

// cases are the faults that are tried.
func cases() []fault {
	list := []fault{
		{name: "disk full", disk: 3, begin: fillDisk},
		{name: "locked for 1 s (IMMEDIATE)", lenient: true, wait: time.Second, begin: hold("IMMEDIATE", time.Second)},
		{name: "locked for 10 s (IMMEDIATE)", slow: true, wait: 9 * time.Second, begin: hold("IMMEDIATE", 0)},
		{name: "locked for 10 s (EXCLUSIVE)", slow: true, wait: 9 * time.Second, begin: hold("EXCLUSIVE", 0)},
		{name: "made read-only", lenient: true, begin: readOnly},
		{name: "database moved away", begin: move("")},
		{name: "write-ahead log moved away", begin: move("-wal")},
		{name: "database deleted", restart: true, begin: remove},
		{name: "database replaced", restart: true, begin: replace},
		{name: "another program writes to the log", restart: true, begin: foreign},
	}
	for _, f := range [][2]string{
		{"pwrite64", "EIO"}, {"pwrite64", "ENOSPC"}, {"pwrite64", "EROFS"}, {"pwrite64", "EDQUOT"},
	} {
		list = append(list, fault{name: f[0] + " " + f[1], begin: inject(f[0], f[1])})
	}
	return append(list,
		// A rule's answer is not synced: it may pass until something was.
		fault{name: "fdatasync, fsync EIO", lenient: true, synced: true, begin: inject("fdatasync,fsync", "EIO")},
		fault{name: "every third fdatasync EIO", lenient: true, begin: inject("fdatasync,fsync", "EIO:when=1+3")},
		fault{name: "every third pwrite64 ENOSPC", lenient: true, begin: inject("pwrite64", "ENOSPC:when=1+3")},
	)
}

// inject has strace fail system calls of the running broker.
func inject(calls, how string) func(context.Context, *broker) (func() error, error) {
	return func(ctx context.Context, b *broker) (func() error, error) {
		path, err := exec.LookPath("strace")
		if err != nil || os.Geteuid() != 0 {
			return nil, fmt.Errorf("%w: needs strace and root", errSkip)
		}
		log := filepath.Join(b.root, "strace")
		//nolint:gosec // arguments of our own
		cmd := exec.CommandContext(ctx, path, "-f", "-o", log, "-e", "trace="+calls, "-e", "inject="+calls+":error="+how, "-p", fmt.Sprint(b.cmd.Process.Pid))
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		end := func() error {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				return err
			}
			_ = cmd.Wait() // it ends by the signal
			return nil
		}
		if err := traced(ctx, b); err != nil {
			return nil, errors.Join(fmt.Errorf("%w: strace cannot attach: %w: %s", errSkip, err, errs.String()), end())
		}
		return end, nil
	}
}

// traced waits until all threads of the broker are traced.
func traced(ctx context.Context, b *broker) error {
	for range 100 {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", b.cmd.Process.Pid))
		if err != nil {
			return err
		}
		all := len(tasks) > 0
		for _, t := range tasks {
			status, err := os.ReadFile(t) //nolint:gosec // a file of the kernel's
			all = all && err == nil && !strings.Contains(string(status), "TracerPid:\t0\n")
		}
		if all {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return errors.New("it took too long")
}

// fillDisk leaves no room on the broker's file system.
func fillDisk(_ context.Context, b *broker) (func() error, error) {
	filler := filepath.Join(b.home, "filler")
	f, err := os.Create(filler) //nolint:gosec // in a folder of this trial
	if err != nil {
		return nil, err
	}
	for size := 64 << 10; size > 0; size /= 2 {
		chunk := make([]byte, size)
		for err = nil; err == nil; {
			_, err = f.Write(chunk)
		}
	}
	return func() error { return os.Remove(filler) }, f.Close()
}

// hold keeps the database's lock; for a time of its own, or until the fault ends.
func hold(kind string, atMost time.Duration) func(context.Context, *broker) (func() error, error) {
	return func(ctx context.Context, b *broker) (func() error, error) {
		db, err := sql.Open("sqlite3", "file:"+b.database()+"?_busy_timeout=5000")
		if err != nil {
			return nil, err
		}
		conn, err := db.Conn(ctx)
		if err == nil {
			_, err = conn.ExecContext(ctx, "BEGIN "+kind)
		}
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		release := func() error {
			_, err := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			return errors.Join(err, conn.Close(), db.Close())
		}
		if atMost == 0 {
			return release, nil
		}
		done := make(chan error, 1)
		time.AfterFunc(atMost, func() { done <- release() })
		return func() error { return <-done }, nil
	}
}

// readOnly takes the right to write from database and folder. Files that are open can
// still be written, and root may write anything.
func readOnly(_ context.Context, b *broker) (func() error, error) {
	set := func(file, folder os.FileMode) error {
		return errors.Join(os.Chmod(b.database(), file), os.Chmod(b.database()+"-wal", file), os.Chmod(b.home, folder))
	}
	return func() error { return set(0o600, 0o700) }, set(0o400, 0o500)
}

func move(suffix string) func(context.Context, *broker) (func() error, error) {
	return func(_ context.Context, b *broker) (func() error, error) {
		from, to := b.database()+suffix, filepath.Join(b.root, "moved"+suffix)
		if suffix == "" {
			to = b.database() + ".moved"
		}
		return func() error { return os.Rename(to, from) }, os.Rename(from, to)
	}
}

func nothing() error { return nil }

func remove(_ context.Context, b *broker) (func() error, error) {
	return nothing, errors.Join(os.Remove(b.database()), os.Remove(b.database()+"-wal"), os.Remove(b.database()+"-shm"))
}

func replace(_ context.Context, b *broker) (func() error, error) {
	text, err := os.ReadFile(b.database())
	if err != nil {
		return nil, err
	}
	other := filepath.Join(b.home, "other")
	if err := os.WriteFile(other, text, 0o600); err != nil { //nolint:gosec // in a folder of this trial
		return nil, err
	}
	back := func() error { // a file of another life, with the write-ahead log of this one, is none
		return errors.Join(os.Remove(b.database()), os.Remove(b.database()+"-wal"), os.Remove(b.database()+"-shm"))
	}
	return back, os.Rename(other, b.database())
}

// foreign takes the newest event away, as another program would.
func foreign(ctx context.Context, b *broker) (func() error, error) {
	db, err := sql.Open("sqlite3", "file:"+b.database()+"?_busy_timeout=5000")
	if err != nil {
		return nil, err
	}
	_, err = db.ExecContext(ctx, `DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)`)
	away := func() error {
		return errors.Join(os.Remove(b.database()), os.Remove(b.database()+"-wal"), os.Remove(b.database()+"-shm"))
	}
	return away, errors.Join(err, db.Close())
}
