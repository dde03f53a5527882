package feed_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkReaders has 100 readers follow events over Unix sockets. An operation is one event that
// all of them have read. "paced" records 5,000 a second and says how late the last reader has each
// of them; "flat out" records as fast as the readers read.
func BenchmarkReaders(b *testing.B) {
	for _, way := range []string{"stream", "socket"} {
		b.Run(way+"/flat out", func(b *testing.B) { benchmarkReaders(b, way, 0) })
		b.Run(way+"/paced", func(b *testing.B) { benchmarkReaders(b, way, 5000) })
	}
}

const benchReaders = 100

func benchmarkReaders(b *testing.B, way string, perSecond int) {
	b.Helper()
	w := newWorld(b)
	socket := filepath.Join(b.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(w.serve)}
	go func() { _ = srv.Serve(l) }()
	defer func() { _ = srv.Close() }()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}

	var ready, done sync.WaitGroup
	last := int64(b.N)
	ready.Add(benchReaders)
	got := make([]atomic.Int64, benchReaders) // how many events each has read
	for i := range benchReaders {
		done.Go(func() {
			if way == "stream" {
				readStream(b, client, &ready, last, &got[i])
			} else {
				readSocket(b, client, &ready, last, &got[i])
			}
		})
	}
	ready.Wait()
	b.ResetTimer()
	began := time.Now()
	for n := 0; n < b.N; n++ {
		w.happenIn("s", benchData, "post_tool")
		if perSecond > 0 && n%10 == 9 {
			time.Sleep(time.Until(began.Add(time.Duration(n) * time.Second / time.Duration(perSecond))))
		}
		// Readers that fall out of the ring are closed.
		for perSecond == 0 && n%500 == 499 && !b.Failed() && least(got) < int64(n)-4000 {
			time.Sleep(time.Millisecond)
		}
	}
	written := time.Since(began)
	done.Wait()
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "events/s")
	b.ReportMetric(float64((time.Since(began)-written).Microseconds())/1000, "ms-behind")
	if n := least(got); n != last {
		b.Fatalf("one has %d of %d events", n, last)
	}
}

// least is how many events the last reader has.
func least(got []atomic.Int64) int64 {
	n := got[0].Load()
	for i := range got {
		n = min(n, got[i].Load())
	}
	return n
}

var benchData = map[string]string{"tool_name": "Bash", "output": strings.Repeat("x", 200)}

func readStream(b *testing.B, c *http.Client, ready *sync.WaitGroup, last int64, n *atomic.Int64) {
	b.Helper()
	resp, err := c.Get("http://aoctl/events/stream")
	if err != nil {
		ready.Done()
		b.Error(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	text := bufio.NewReaderSize(resp.Body, 64<<10)
	for n.Load() < last {
		line, err := text.ReadSlice('\n')
		if err != nil {
			b.Error(err)
			return
		}
		switch {
		case string(line) == "retry: 1000\n":
			ready.Done()
		case strings.HasPrefix(string(line), "data: "):
			n.Add(1)
		}
	}
}

// readSocket reads frames by hand, since a whole client would cost more than the server.
func readSocket(b *testing.B, c *http.Client, ready *sync.WaitGroup, last int64, n *atomic.Int64) {
	b.Helper()
	conn, err := c.Transport.(*http.Transport).DialContext(b.Context(), "", "")
	if err == nil {
		_, err = io.WriteString(conn, "GET /ws HTTP/1.1\r\nHost: aoctl\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	}
	if err != nil {
		ready.Done()
		b.Error(err)
		return
	}
	defer func() { _ = conn.Close() }()
	text := bufio.NewReaderSize(conn, 64<<10)
	for line := ""; line != "\r\n" && err == nil; {
		line, err = text.ReadString('\n')
	}
	err = errors.Join(err, skipFrame(text)) // the init
	ready.Done()
	for n.Load() < last && err == nil {
		if err = skipFrame(text); err == nil {
			n.Add(1)
		}
	}
	if err != nil {
		b.Error(fmt.Errorf("after %d: %w", n.Load(), err))
	}
}

// skipFrame reads one frame with a text of less than 64 KiB.
func skipFrame(r *bufio.Reader) error {
	head, err := r.Peek(4)
	if err != nil {
		return err
	}
	n := 2 + int(head[1])
	if head[1] == 126 {
		n = 4 + int(binary.BigEndian.Uint16(head[2:]))
	}
	if head[0] != 0x81 {
		return fmt.Errorf("a frame of kind %x", head[0])
	}
	_, err = r.Discard(n)
	return err
}
