package terminal

import (
	"context"
	"syscall"
	"testing"
	"time"
)

// An interrupt from the keyboard reaches every program in the foreground: while an editor
// has the terminal, and for a moment after, it does not end the console.
func TestInterruptOfAnother(t *testing.T) {
	defer func(lag time.Duration) { interruptLag = lag }(interruptLag)
	interruptLag = time.Minute
	ctx, stop := UntilSignal(context.Background())
	defer stop()
	send := func(sig syscall.Signal) {
		t.Helper()
		if err := syscall.Kill(syscall.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
	}
	done := InForeground()
	send(syscall.SIGINT)
	done()
	send(syscall.SIGINT) // the same one, heard of late
	select {
	case <-ctx.Done():
		t.Fatal("an interrupt for the editor ended the console")
	case <-time.After(100 * time.Millisecond):
	}
	if !interruptIsOurs(time.Now().Add(2 * interruptLag)) {
		t.Error("interrupts stay another's after it gave the terminal back")
	}
	done = InForeground()
	defer done()
	send(syscall.SIGTERM)
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("while an editor runs nothing ends the console")
	}
}
