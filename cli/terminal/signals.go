package terminal

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// interrupts says whose an interrupt from the keyboard is: it reaches every program in the
// foreground, and while one of the operator's has the terminal it is that one's. It is a
// package variable because signals are the process's, and there is one of those.
var interrupts struct {
	away atomic.Int32 // programs that have the terminal
	back atomic.Int64 // when one gave it back last, Unix time in nanoseconds
}

// interruptLag is how long an interrupt may take to be heard of. Tests change it.
var interruptLag = 200 * time.Millisecond

// InForeground notes that another program has the terminal until done is called. Programs
// may overlap. done is to be called once.
func InForeground() (done func()) {
	interrupts.away.Add(1)
	return func() {
		interrupts.back.Store(time.Now().UnixNano())
		interrupts.away.Add(-1)
	}
}

// UntilSignal is a context that ends with an interrupt that is ours, or when this process
// is asked to end. stop must be called when it is no longer needed; signals then do again
// what the system has them do.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	came := make(chan os.Signal, 4)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for {
			select {
			case s := <-came:
				if s == os.Interrupt && !interruptIsOurs(time.Now()) {
					continue
				}
				cancel()
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(came)
		cancel()
	}
}

// interruptIsOurs reports whether nobody else had the terminal when an interrupt was sent,
// which may be a moment before it is heard of.
func interruptIsOurs(now time.Time) bool {
	return interrupts.away.Load() == 0 && now.Sub(time.Unix(0, interrupts.back.Load())) > interruptLag
}
