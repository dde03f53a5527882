package service_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

func TestSlowPeersAreCutOff(t *testing.T) {
	if d := api.UsualDeadlines(); d.Header+d.Body > 15*time.Second || d.Header != 5*time.Second || d.Idle != 10*time.Second {
		t.Errorf("a head may take %v, a body %v, a pause %v", d.Header, d.Body, d.Idle)
	}
	socket := filepath.Join(shortDir(t), "b.sock")
	l, err := api.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	b.HurryPeers() // head 200 ms, body and pause 400 ms
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
		_ = l.Close()
	})
	const head = "POST /create-approval-request HTTP/1.1\r\nHost: aoctl\r\n"
	for name, tc := range map[string]struct{ send, drip string }{
		"silent":                      {"", ""},
		"a slow head":                 {head, "X-More: 1\r\n"},
		"no body":                     {head + "Content-Length: 90000\r\n\r\n", ""},
		"a slow body":                 {head + "Content-Length: 90000\r\n\r\n{", " "},
		"a slow body in chunks":       {head + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"},
		"a body that nobody reads":    {"GET /sessions HTTP/1.1\r\nHost: aoctl\r\nContent-Length: 90000\r\n\r\n", " "},
		"a body for no route":         {"POST /nowhere HTTP/1.1\r\nHost: aoctl\r\nContent-Length: 90000\r\n\r\n", " "},
		"a body from a web page":      {head + "Origin: http://x\r\nContent-Length: 90000\r\n\r\n", " "},
		"silent after one request":    {"GET /sessions HTTP/1.1\r\nHost: aoctl\r\n\r\n", ""},
		"a second head, drip by drip": {"GET /sessions HTTP/1.1\r\nHost: aoctl\r\n\r\nGET /sess", "i"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if _, err := c.Write([]byte(tc.send)); err != nil {
				t.Fatal(err)
			}
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_, _ = io.Copy(io.Discard, c) // until the broker hangs up
			}()
			drip := time.NewTicker(20 * time.Millisecond)
			defer drip.Stop()
			most := time.After(10 * time.Second) // 16 times what it may take: the machine may be busy
			for {
				select {
				case <-gone:
					return
				case <-drip.C:
					_, _ = c.Write([]byte(tc.drip)) // it may be closed by now
				case <-most:
					t.Fatal("still connected")
				}
			}
		})
	}
}

// TestNoDescriptorLeft: who comes when all are taken is told so, and a place that
// becomes free is used again.
func TestNoDescriptorLeft(t *testing.T) {
	socket := filepath.Join(shortDir(t), "b.sock")
	l, err := api.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	b.LimitConns(2)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
		_ = l.Close()
	})
	dial := func() net.Conn {
		c, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	ask := func(c net.Conn) string {
		_, err := io.WriteString(c, "GET /sessions HTTP/1.1\r\nHost: aoctl\r\nConnection: close\r\n\r\n")
		text, readErr := io.ReadAll(c)
		if len(text) == 0 {
			t.Fatal(errors.Join(err, readErr))
		}
		return string(text)
	}
	for i := range 2 { // calls that wait give up their connections to nobody
		body := fmt.Sprintf(`{"session_id":"s","tool_name":"Bash","tool_input":{"command":"make %d"}}`, i)
		_, err := fmt.Fprintf(dial(), "POST /request-approval HTTP/1.1\r\nHost: aoctl\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		if err != nil {
			t.Fatal(err)
		}
	}
	pending(t, b, 2)
	for range 3 {
		if got := ask(dial()); !strings.HasPrefix(got, "HTTP/1.1 503 ") || !strings.Contains(got, "2 connections, as many as its limit of open files allows") || !strings.Contains(got, "Aoctl-Protocol: 1") {
			t.Fatalf("with no descriptor left: %s", got)
		}
	}
	if _, err := b.Decide(t.Context(), b.Pending("s")[0].ID, broker.Decision{Verdict: broker.Deny, By: operator}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); !strings.HasPrefix(ask(dial()), "HTTP/1.1 200 "); {
		if time.Now().After(deadline) {
			t.Fatal("the place that became free is not used")
		}
	}
}
