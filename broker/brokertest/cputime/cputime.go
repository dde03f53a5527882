// Package cputime measures for tests how much a computation costs, whatever else the
// machine has to do meanwhile.
//
// Tests that guard against slow reading of hostile text measure with it. By the clock they would
// fail on a machine that has other work.
package cputime

import (
	"runtime"
	"time"
)

// Of runs f, and is the processor time that it took. Goroutines that f starts are not
// counted. Where the system does not count by thread it is the time that passed. It is for tests
// that a computation costs no more than so much: a busy machine makes it no longer.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun := ofThread()
	f()
	return ofThread() - begun
}
