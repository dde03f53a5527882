//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
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
	slowReaders  = 10                     // peers that do not read
)

// slowPeers lets programs connect that send a byte now and then, into the head of a
// request and into its body, and some that do not read the answer. Hooks must not notice.
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
	if err := askMuch(ctx, c.api); err != nil {
		return nil, err
	}
	for range l.slow {
		peers.start(ctx, peers.drip, head)
		peers.start(ctx, peers.drip, body)
	}
	for range slowReaders {
		peers.start(ctx, peers.leave, "GET /approval-requests?status=pending HTTP/1.1\r\nHost: aoctl\r\n\r\n")
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
		checkTime(longest <= closedWithin, fmt.Sprintf("%d slow headers, %d slow bodies, %d slow readers%s", l.slow, l.slow, slowReaders, with), "closed within 15 s",
			"%d connections, the longest %.1f s", opened, longest.Seconds()),
		checkTime(most <= hookWithin, "a normal hook beside them"+with, "within 500 ms throughout",
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

// start lets one peer live as life has it: it gets the connection and what to send first,
// and returns when the other end has closed it.
func (p *slow) start(ctx context.Context, life func(context.Context, net.Conn, string) error, first string) {
	p.Go(func() {
		for again := true; again && ctx.Err() == nil; again = time.Now().Before(p.until) {
			p.once(ctx, life, first)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	})
}

// once connects and notes how long it took until the other end had closed the connection.
func (p *slow) once(ctx context.Context, life func(context.Context, net.Conn, string) error, first string) {
	conn, err := p.client.Dial(ctx)
	if err != nil {
		p.note(0, err)
		return
	}
	defer conn.Close()
	began := time.Now()
	err = life(ctx, conn, first)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		err = nil
	}
	p.note(time.Since(began), err)
}

// drip sends a byte now and then and reads what is answered.
func (p *slow) drip(ctx context.Context, conn net.Conn, first string) error {
	_, err := io.WriteString(conn, first)
	for buf := make([]byte, 4096); err == nil; {
		if err = errors.Join(ctx.Err(), conn.SetReadDeadline(time.Now().Add(drip))); err != nil {
			break
		}
		_, err = conn.Read(buf) // an answer says that this took too long; the end follows
		if errors.Is(err, os.ErrDeadlineExceeded) {
			_, err = io.WriteString(conn, " ")
		}
	}
	return err
}

// leave asks and reads nothing. That the other end is gone shows when writing.
func (p *slow) leave(ctx context.Context, conn net.Conn, first string) error {
	_, err := io.WriteString(conn, first)
	for err == nil {
		select {
		case <-time.After(drip):
			_, err = io.WriteString(conn, " ")
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return err
}

// askMuch leaves calls waiting that make a long list.
func askMuch(ctx context.Context, client ask.Client) error {
	for i := range 50 {
		rep, err := client.Do(ctx, http.MethodPost, "/create-approval-request", map[string]any{
			"session_id": "much", "tool_name": "Write",
			"tool_input": map[string]string{"file_path": fmt.Sprintf("/tmp/%d", i), "content": strings.Repeat("x", 32<<10)},
		})
		if err == nil && rep.Status != http.StatusOK {
			err = &ask.Error{Status: rep.Status, Body: string(rep.Body)}
		}
		if err != nil {
			return fmt.Errorf("leave calls waiting: %w", err)
		}
	}
	return nil
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
