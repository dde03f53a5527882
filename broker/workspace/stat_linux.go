package workspace

import (
	"syscall"
	"time"
)

// ChangeTime is when the file's content or its inode changed last. The kernel sets it, from a
// clock that ticks in milliseconds (ClockGrain).
func ChangeTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctim.Unix()) }
