// Package memdir gives tests a folder in memory, where it is not the disk that they test:
// what is written whole to a disk, hundreds of times, waits for it each time.
//
// What such tests try is what is written, and in which order; that a disk keeps it they leave to
// others. Where the machine has no such place New gives a folder on the disk, so a test must
// never depend on it. Nothing outlives the test.
package memdir

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// room is how many bytes must be free: more than any test writes.
const room = 256 << 20

// New returns a folder of the test's own, which is removed after it: in memory where the
// machine has room for it there, and on the disk elsewhere. Nothing must depend on where it is: a
// machine without such a place gives a folder of the disk.
func New(tb testing.TB) string {
	tb.Helper()
	if place() == "" {
		return tb.TempDir()
	}
	dir, err := os.MkdirTemp(place(), "aoctl-test") //nolint:usetesting // TempDir is on the disk
	if err != nil {
		return tb.TempDir()
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return dir
}

// place is a folder in memory that has room and lets programs run; "" when there is none.
var place = sync.OnceValue(func() string {
	const usual = "/dev/shm"
	target, err := filepath.EvalSymlinks(usual)
	var fs syscall.Statfs_t
	if err != nil || target != usual || syscall.Statfs(usual, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return ""
	}
	dir, err := os.MkdirTemp(usual, "aoctl-test")
	if err != nil {
		return ""
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// Some systems mount it so that nothing there can be run, and tests put programs into such
	// folders.
	program := filepath.Join(dir, "program")
	if os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700) != nil || exec.Command(program).Run() != nil { //nolint:gosec // it is a program
		return ""
	}
	return usual
})
