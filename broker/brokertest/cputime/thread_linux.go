package cputime

import (
	"syscall"
	"time"
)

// ofThread counts what the thread itself computed and what the system did for it.
func ofThread() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
		panic("count this thread's time: " + err.Error()) // only a wrong argument does that
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
