package feed

import (
	"bufio"
	"net"
	"net/http"
	"sync"
	"time"
)

// heldConn gathers what is written while it is held, and writes it together: a WebSocket flushes
// after each message, which would cost a system call for each event and reader. A write that the
// peer does not take within writeTime fails.
type heldConn struct {
	net.Conn
	mu   sync.Mutex
	held bool
	text []byte // kept for its room
}

// Write is also called for pings, by other goroutines.
func (c *heldConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text = append(c.text, p...)
	if c.held && len(c.text) < batchBytes {
		return len(p), nil
	}
	return len(p), c.flush()
}

// hold gathers from now on; otherwise what was gathered is written.
func (c *heldConn) hold(on bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held = on; on {
		return nil
	}
	return c.flush()
}

// flush writes what was gathered. Caller holds mu.
func (c *heldConn) flush() error {
	if len(c.text) == 0 {
		return nil
	}
	_ = c.SetWriteDeadline(time.Now().Add(writeTime)) // the write reports it
	_, err := c.Conn.Write(c.text)
	if c.text = c.text[:0]; cap(c.text) > 4*batchBytes {
		c.text = nil
	}
	return err
}

// hijacker gives the connection away as a heldConn.
type hijacker struct {
	http.ResponseWriter
	conn *heldConn
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.conn = &heldConn{Conn: conn}
	return h.conn, bufio.NewReadWriter(rw.Reader, bufio.NewWriter(h.conn)), nil
}
