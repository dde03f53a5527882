package console

import "golang.org/x/sys/unix"

// KeepPrivate bars other processes of this user from tracing the console, and so from
// pressing its keys or reading its memory.
func KeepPrivate() error { return unix.PtraceDenyAttach() }
