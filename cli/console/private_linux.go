package console

import "golang.org/x/sys/unix"

// KeepPrivate bars other processes of this user from tracing the console, and so from
// pressing its keys or reading its memory. It writes no core files either. It must come
// before anything secret is read.
func KeepPrivate() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
