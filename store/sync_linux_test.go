package store_test

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData is the cheapest way to have f's data on the disk itself.
func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
