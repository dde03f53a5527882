package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

func ofThread() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		panic("count this thread's time: " + err.Error()) // only a wrong argument does that
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
