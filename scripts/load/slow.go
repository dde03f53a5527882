//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/scripts/internal/ask"
)

const (
	closedWithin = 15 * time.Second
	hookWithin   = 500 * time.Millisecond
	drip         = 500 * time.Millisecond // between two bytes
	fewFiles     = 1024                   // descriptors of a console that has few
)

// slowPeers lets programs connect that send a byte now and then: into the head of a
// request, and into its body. Hooks must not notice.
func (l *load) slowPeers(ctx context.Context) ([]row, error) {
	var rows []row
	for _, files := range []int{0, fewFiles} {
		got, err := l.slowPeersAt(ctx, files)
		if err != nil {
			return rows, err
		}
		rows = append(rows, got...)
	}
	return rows, nil
}

func (l *load) slowPeersAt(ctx context.Context, files int) ([]row, error) {
	c, err := l.openConsole(ctx, fmt.Sprintf("slow-%d", files), files)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, l.slowFor+3*closedWithin)
	defer cancel()
	head := "POST /hooks/claude HTTP/1.1\r\nHost: aoctl\r\nX-Slow: "
	body := "POST /hooks/claude HTTP/1.1\r\nHost: aoctl\r\nContent-Type: application/json\r\nContent-Length: 4096\r\n\r\n{"
	peers := &slow{client: c.api, until: time.Now().Add(l.slowFor)}
	for range l.slow {
		peers.start(ctx, head)
		peers.start(ctx, body)
	}
	gone := make(chan struct{})
	go func() {
		peers.Wait()
		close(gone)
	}()
	hooks, err := l.hooksUntil(ctx, c.home, gone)
	if err != nil {
		return nil, err
	}
	with := ""
	if files > 0 {
		with = fmt.Sprintf(", %d descriptors", files)
	}
	opened, longest, err := peers.result()
	if err != nil {
		return nil, err
	}
	most := percentile(hooks, 100)
	return []row{
		check(longest <= closedWithin, fmt.Sprintf("%d slow headers, %d slow bodies%s", l.slow, l.slow, with), "closed within 15 s",
			"%d connections, the longest %.1f s", opened, longest.Seconds()),
		check(most <= hookWithin, "a normal hook beside them"+with, "within 500 ms throughout",
			"%d hooks, p50 %.0f ms, longest %.0f ms", len(hooks), ms(percentile(hooks, 50)), ms(most)),
	}, nil
}

// hooksUntil runs a real hook again and again, until gone is closed.
func (l *load) hooksUntil(ctx context.Context, home string, gone <-chan struct{}) ([]time.Duration, error) {
	var took []time.Duration
	for i := 0; ; i++ {
		call, err := l.readCall("normal", fmt.Sprintf("toolu_normal_%d", i))
		if err != nil {
			return nil, err
		}
		s, err := l.runHook(ctx, home, call)
		if err != nil {
			return nil, err
		}
		if s.verdict != "ALLOW" {
			return nil, fmt.Errorf("a normal hook was told %s after %v: %s", s.verdict, s.took(), s.reason)
		}
		took = append(took, s.took())
		select {
		case <-gone:
			return took, nil
		case <-ctx.Done():
			return nil, fmt.Errorf("the slow connections were not closed: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// slow is the crowd of slow peers. One whose connection was closed comes again, after a
// pause, until the time is over.
type slow struct {
	sync.WaitGroup
	client ask.Client
	until  time.Time

	mu      sync.Mutex
	opened  int
	longest time.Duration // life of a connection
	err     error
}

func (p *slow) start(ctx context.Context, first string) {
	p.Go(func() {
		for again := true; again && ctx.Err() == nil; again = time.Now().Before(p.until) {
			p.note(p.once(ctx, first))
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	})
}

// once connects, sends first and then a byte now and then, and returns how long it took
// until the connection was closed at the other end.
func (p *slow) once(ctx context.Context, first string) (time.Duration, error) {
	conn, err := p.client.Dial(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	began := time.Now()
	if _, err := conn.Write([]byte(first)); err != nil {
		return closedAfter(began, err)
	}
	buf := make([]byte, 4096)
	for ctx.Err() == nil {
		if err := conn.SetReadDeadline(time.Now().Add(drip)); err != nil {
			return closedAfter(began, err)
		}
		_, err := conn.Read(buf)
		if err == nil {
			continue // an answer, which says that this took too long
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return closedAfter(began, nil)
		}
		if _, err := conn.Write([]byte(" ")); err != nil {
			return closedAfter(began, err)
		}
	}
	return time.Since(began), ctx.Err()
}

// closedAfter is how a connection ended; that the other end has hung up is no error.
func closedAfter(began time.Time, err error) (time.Duration, error) {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		err = nil
	}
	return time.Since(began), err
}

func (p *slow) note(life time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened++
	p.longest = max(p.longest, life)
	if err != nil {
		p.err = err
	}
}

func (p *slow) result() (opened int, longest time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened, p.longest, p.err
}
