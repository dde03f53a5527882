//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/aoctl/aoctl/cli/member"
	"github.com/aoctl/aoctl/scripts/internal/host"
	"github.com/aoctl/aoctl/scripts/internal/screen"
)

const (
	mostMemory = 150 << 20
	// What a key does is drawn within 16 ms, and then written with the next frame of sixty a second.
	frame       = time.Second / 60
	mostRepaint = 16*time.Millisecond + frame
)

// screenConsole is the real console of the fleet at a terminal.
type screenConsole struct {
	*screen.Screen
}

// openScreen starts aoctl --fleet as the last person, and returns once it draws.
func openScreen(ctx context.Context, aoctl string, w *world) (*screenConsole, error) {
	me := w.people[len(w.people)-1]
	if err := os.Setenv("AOCTL_HOME", me.home); err != nil {
		return nil, err
	}
	known, err := member.New(w.signed, w.urls, w.pin)
	if err == nil {
		err = known.Save()
	}
	if err != nil {
		return nil, fmt.Errorf("write down the fleet for a console: %w", err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "HOME=" + filepath.Join(me.home, "user"), "AOCTL_HOME=" + me.home}
	s, err := screen.Start(context.WithoutCancel(ctx), []string{aoctl, "--fleet", "--no-bell"}, env, w.project)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.WaitFor(ctx, "Sessions"); err != nil {
		s.Close()
		return nil, err
	}
	return &screenConsole{s}, nil
}

// memory samples what the console takes until stop ends, and returns the most.
func (s *screenConsole) memory(ctx context.Context, stop <-chan struct{}) (most func() float64) {
	var highest float64
	var sampling sync.WaitGroup
	sampling.Go(func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			if m, err := host.Memory(ctx, s.PID()); err == nil { // one that ended shows elsewhere
				highest = max(highest, m)
			}
			select {
			case <-tick.C:
			case <-stop:
				return
			case <-ctx.Done():
				return
			}
		}
	})
	return func() float64 {
		sampling.Wait()
		return highest
	}
}

// repaint measures n times how long it takes from a key to what it has drawn.
func (s *screenConsole) repaint(ctx context.Context, n int) (took spread, err error) {
	for i := range n {
		keys, want := "?", "a dangerous one takes"
		if i%2 == 1 {
			keys, want = "\x1b", "Sessions"
		}
		time.Sleep(150 * time.Millisecond) // what is drawn without a key comes at any time
		began := time.Now()
		if err := s.Press(keys); err != nil {
			return nil, fmt.Errorf("press a key: %w", err)
		}
		during, cancel := context.WithTimeout(ctx, 20*time.Second)
		err := s.WaitFor(during, want)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("a key did not draw %q", want)
		}
		if i%2 == 0 { // an escape waits for what may follow it
			took = append(took, time.Since(began))
		}
	}
	return took, nil
}
