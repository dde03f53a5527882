package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes the file's bytes durable the way SQLite does on this platform.
func syncData(f *os.File) error { return unix.Fsync(int(f.Fd())) }
