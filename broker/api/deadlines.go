package api

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// Deadlines are how long a peer may take over each part of a request. A hook sends all
// at once; only a silent or hostile peer comes near these.
type Deadlines struct {
	Header time.Duration // to send a request's head
	Body   time.Duration // then to send its body, whether anybody reads it or not
	Idle   time.Duration // between two requests
	Wrong  time.Duration // that a peer with a wrong token waits for the answer
}

// UsualDeadlines are those of a new server. They are far above what an honest hook takes on a
// loaded machine, and far below what would let a few silent peers hold all connections.
func UsualDeadlines() Deadlines {
	return Deadlines{Header: headerTimeout, Body: bodyTimeout, Idle: idleTimeout, Wrong: slowFor}
}

// limitPeer bounds the time for the rest of a request. It matters for bodies that no
// route reads: the HTTP server reads them to their end before the next request.
//
// A body that a route reads is bounded by the same deadline, and readBody takes it off again so
// that a long wait does not run into it.
func (sv *Server) limitPeer(w http.ResponseWriter, r *http.Request) {
	rc := http.NewResponseController(w)
	if r.ContentLength != 0 {
		_ = rc.SetReadDeadline(time.Now().Add(sv.gate.deadlines.Body)) // readBody reports what matters
	}
}

// limitWrite bounds the time that a peer may take over an answer that is whole. Without it a peer
// that reads nothing would hold a goroutine and the answer in memory for as long as it likes.
func limitWrite(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) // the write reports it
}

const (
	maxLeaving  = 16                     // peers at a time that are heard to their end
	leavingTime = 200 * time.Millisecond // for each
)

// refuse turns a peer away when there is no descriptor for it and nobody makes room. A few at
// a time are heard to their end first: a peer that is hung up on while it speaks may not look
// for an answer. Over TCP nothing is said to a peer that has shown no token.
func (l *cappedListener) refuse(conn net.Conn) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		// A TCPListener wraps its connection, so what is no bare socket came over TCP.
		_ = conn.Close()
		return
	}
	refuseFull(c, l.conns.limitNow())
	// Beyond that a crowd would cost a goroutine each, which is what refusing is there to
	// prevent.
	if l.leaving.Add(1) > maxLeaving {
		l.leaving.Add(-1)
		_ = c.Close()
		return
	}
	go func() {
		defer l.leaving.Add(-1)
		defer func() { _ = c.Close() }()
		// Closing a socket with unread bytes in it makes the kernel send a reset, and the peer
		// may lose the answer that it has not read yet. So its bytes are read to the end, for a
		// moment.
		_ = c.CloseWrite()
		_ = c.SetReadDeadline(time.Now().Add(leavingTime))
		_, _ = io.Copy(io.Discard, io.LimitReader(c, wire.MaxBody))
	}()
}

// refuseFull tells a peer that there is no descriptor left to serve it. The bytes fit into any
// socket's buffer, so this waits for nobody. It is written by hand, since no HTTP server has the
// connection yet. The head is the same as a parked answer's, which the hook client understands.
func refuseFull(c *net.UnixConn, limit int) {
	a := problem(http.StatusServiceUnavailable, "too_many_connections",
		fmt.Sprintf("the console has %d connections, as many as its limit of open files allows", limit),
		"answer or stop some of what waits, or start the console with more: ulimit -n")
	_ = c.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	_, _ = c.Write(append([]byte("HTTP/1.1 503 Service Unavailable\r\n"+wire.HeaderProtocol+": "+wire.Version+
		"\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(a.body))+"\r\nConnection: close\r\n\r\n"), a.body...))
}
