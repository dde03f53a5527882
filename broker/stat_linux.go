package broker

import (
	"syscall"
	"time"
)

// changeTime is when the file's content or its inode changed last.
func changeTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctim.Unix()) }
