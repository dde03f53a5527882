package api

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/wire"
)

// reply is one whole answer to an HTTP request. It is built before anything is written, so a
// failure halfway never leaves half an answer. The client tells a whole one by its length.
type reply struct {
	status      int
	body        []byte
	requestID   string
	correlation string
	proof       *proof // nil when nobody asks for one
	sent        func() // called once the bytes are on their way; may be nil
}

// Parked is a connection whose call waits for its end. Ten thousand hooks may wait
// at a time, so a parked connection is taken from the HTTP server and costs one
// small goroutine, blocked in a read that ends in one of three ways: the peer hangs
// up, the hold is over, or wake was called because there is an answer.
//
// Everything about a peer that waits is in here and in its goroutine's stack, so its fields are
// few and small on purpose.
type Parked struct {
	Conn     net.Conn
	Patience broker.Patience // how long its peer waits, as far as it says so
	Polls    bool            // it asks now and again, so that hanging up says little
}

// wake ends the read. It may be called from any goroutine, also twice.
func (p *Parked) wake() { _ = p.Conn.SetReadDeadline(time.Unix(1, 0)) }

// await waits until there is news or the time is over. It is false when the peer has left or
// spoke out of turn. Three things end it: news, the time, and the peer. A byte that arrives is no
// news: nobody of ours speaks while it waits.
func (p *Parked) await(until time.Time, news func() bool) bool {
	for {
		if p.Conn.SetDeadline(until) != nil { // before the look, so that no later wake is missed
			return false
		}
		if news() || !time.Now().Before(until) {
			return true
		}
		var one [1]byte
		if _, err := p.Conn.Read(one[:]); !errors.Is(err, os.ErrDeadlineExceeded) {
			return false
		}
	}
}

// knowsDeadline reports whether the peer knows of all the time that the call was given, as
// far as they would wait for it. Where it does not, the peer is answered at once with the later
// deadline, so that it does not leave at the earlier one.
func (p *Parked) knowsDeadline(x *engine.Seen) bool {
	asks := p.Patience
	if asks.Most.IsZero() || asks.Until.IsZero() || x.Request.ExtendedAt.IsZero() {
		return true // they take no other deadline than they know or tell of, or there is none
	}
	deadline := time.Now().Add(x.Left)
	if deadline.After(asks.Most) {
		deadline = asks.Most
	}
	return !deadline.After(asks.Until.Add(broker.KnowsLate))
}

// send writes the reply as HTTP/1.1 and says that the connection ends with it. The HTTP server
// has given the connection away, so the head is written here. Both are one write: a peer sees all
// of it or a cut answer, whose length tells.
func (p *Parked) send(a reply) {
	head := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n%s: %s\r\n", a.status, http.StatusText(a.status), wire.HeaderProtocol, wire.Version)
	if a.correlation != "" {
		head = fmt.Appendf(head, "%s: %s\r\n", wire.HeaderCorrelation, a.correlation)
	}
	if a.requestID != "" {
		head = fmt.Appendf(head, "%s: %s\r\n", wire.HeaderRequestID, a.requestID)
	}
	if a.proof != nil {
		head = fmt.Appendf(head, "%s: %s\r\n", wire.HeaderProof, a.proof.of(a.status, a.correlation, a.requestID, a.body))
	}
	head = fmt.Appendf(head, "Content-Type: application/json\r\nContent-Length: %d\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n", len(a.body))
	_ = p.Conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := p.Conn.Write(append(head, a.body...)); err == nil && a.sent != nil {
		a.sent()
	}
}
