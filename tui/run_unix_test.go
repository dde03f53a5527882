//go:build unix

package tui

import (
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A signal that ends ctx ends the console, every time: a console that hangs keeps the
// socket, and no other can take its place.
func TestSignalEndsRun(t *testing.T) {
	for range 40 {
		ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGTERM)
		in, typed, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		drawn := make(chan struct{})
		first := sync.OnceFunc(func() { close(drawn) })
		ended := make(chan error, 1)
		go func() {
			ended <- Run(ctx, newFake(nil), Options{Input: in, Output: writerFunc(func(p []byte) (int, error) {
				first()
				return io.Discard.Write(p)
			})})
		}()
		<-drawn
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the console hangs after SIGTERM")
		}
		stop()
		_, _ = in.Close(), typed.Close()
	}
}
