package workspace

import (
	"syscall"
	"time"
)

// ChangeTime is when the file's content or its inode changed last. The kernel sets it, and no
// program can.
func ChangeTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctimespec.Unix()) }
