package cli

import "golang.org/x/sys/unix"

// keepPrivate bars other processes of this user from tracing the console, and so
// from pressing its keys or reading its memory.
func keepPrivate() error { return unix.PtraceDenyAttach() }
