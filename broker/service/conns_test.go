package service_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// dialRaw connects to c's broker and sends text.
func (c *client) dialRaw(text string) net.Conn {
	c.t.Helper()
	tr, _ := c.Transport.(*http.Transport)
	conn, err := tr.DialContext(c.t.Context(), "unix", "")
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		c.t.Fatal(err)
	}
	return conn
}

// pending returns once n calls wait.
func pending(t *testing.T, b *service.Broker, n int) {
	t.Helper()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for deadline := time.After(10 * time.Second); len(b.Pending("")) != n; {
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatalf("%d calls wait, not %d", len(b.Pending("")), n)
		}
	}
}

// isOpen reports whether nothing has come of conn within a moment.
func isOpen(conn net.Conn) bool {
	_ = conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	_, err := conn.Read(make([]byte, 1))
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// waits asks for a decision, and returns once the call waits for a person.
func (c *client) waits() net.Conn {
	c.t.Helper()
	body := `{"session_id":"s","tool_name":"Bash","tool_input":{"command":"make"}}`
	conn := c.dialRaw(fmt.Sprintf("POST /request-approval HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	pending(c.t, c.b, 1)
	return conn
}

// Peers that do not say what they want take all the room there is. Those that do say it
// are answered all the same, and those that wait for a person keep waiting.
func TestQuietConnectionsMakeRoom(t *testing.T) {
	const room = 8
	for name, begun := range map[string]string{
		"in the header": "POST /hooks/claude HTTP/1.1\r\nHost: a\r\nX-Slow: ",
		"in the body":   "POST /hooks/claude HTTP/1.1\r\nHost: a\r\nContent-Length: 4096\r\n\r\n{",
		"answered once": "GET /sessions HTTP/1.1\r\nHost: a\r\n\r\n",
		"silent":        "",
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, service.Options{})
			c.Transport.(*http.Transport).DisableKeepAlives = true
			c.b.LimitConns(room)
			waits := c.waits()
			var quiet []net.Conn
			for range 3 * room {
				quiet = append(quiet, c.dialRaw(begun))
				if status, _ := c.do("GET", "/sessions", ""); status != http.StatusOK {
					t.Fatalf("with %d quiet connections another got %d", len(quiet), status)
				}
			}
			if !isOpen(waits) {
				t.Error("a call that waits has lost its connection")
			}
			// With a part of the request not read yet, its end is a reset.
			if _, err := io.ReadAll(quiet[0]); err != nil && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("the oldest quiet connection is still there: %v", err)
			}
		})
	}
}

// Over TCP it is the same, also for those who have no token.
func TestQuietConnectionsMakeRoomOverTCP(t *testing.T) {
	const room = 8
	b := serveTCP(t, service.Options{}, (*service.Broker).AnswerWrongTokensAtOnce)
	b.LimitConns(room)
	for i := range 3 * room {
		quiet, err := new(net.Dialer).DialContext(t.Context(), "tcp", b.addr)
		must(t, err)
		t.Cleanup(func() { _ = quiet.Close() })
		if status, _ := b.raw(t, message("GET /sessions", "", "Host: "+b.addr)); status != http.StatusUnauthorized {
			t.Fatalf("with %d quiet connections another got %d", i+1, status)
		}
	}
}

// Where connections are few, fewer calls may wait, so that there is room to refuse and
// to stop.
func TestWaitingCallsLeaveConnections(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{MaxPending: 1 << 30})
	if most, limit := b.MayWait(), b.MayConnect(); most >= limit {
		t.Errorf("%d calls may wait on %d connections", most, limit)
	}
}
