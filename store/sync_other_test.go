//go:build !linux

package store_test

import "os"

// syncData is the cheapest way to have f's data on the disk itself; on darwin Sync
// goes through the drive's cache (F_FULLFSYNC), as the store does there.
func syncData(f *os.File) error { return f.Sync() }
