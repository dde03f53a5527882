package service

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/wire"
)

// reply is one whole answer to an HTTP request.
type reply struct {
	status      int
	body        []byte
	requestID   string
	correlation string
	proof       *proof // nil when nobody asks for one
	sent        func() // called once the bytes are on their way; may be nil
}

// parked is a connection whose call waits for its end. Ten thousand hooks may wait
// at a time, so a parked connection is taken from the HTTP server and costs one
// small goroutine, blocked in a read that ends in one of three ways: the peer hangs
// up, the hold is over, or wake was called because there is an answer.
type parked struct {
	conn     net.Conn
	patience broker.Patience
	looks    bool // it is one look of many, and hanging up says little
}

// wake ends the read. It may be called from any goroutine, also twice.
func (p *parked) wake() { _ = p.conn.SetReadDeadline(time.Unix(1, 0)) }

// whenAnswered replies to r with what say makes of req: at once if req has ended,
// else when it ends or hold is over. A broker that shuts down replies ErrClosed, so
// that the asker comes back to the next one.
func (b *Broker) whenAnswered(w http.ResponseWriter, r *http.Request, req broker.Request, hold time.Duration, say func(broker.Request) reply) {
	req, err := b.tellable(r.Context(), req)
	if err != nil {
		fail(w, err)
		return
	}
	if req.State.Terminal() || req.Checkpoint != nil && req.Event != "" || hold <= 0 {
		write(w, say(req))
		return
	}
	correlation, proof, id := w.Header().Get(wire.HeaderCorrelation), proofOf(w), req.ID
	asker, looks := patienceOf(r), r.Pattern == decisionRoute && r.Header.Get(wire.HeaderCorrelation) == ""
	b.park(w, func(p *parked) {
		p.patience, p.looks = asker, looks
		if e, ok := b.waitParked(p, id, hold); ok {
			b.answerParked(p, e, correlation, proof, say)
		}
	})
}

// answerParked sends what say makes of e's request.
func (b *Broker) answerParked(p *parked, e *entry, correlation string, proof *proof, say func(broker.Request) reply) {
	b.mu.Lock()
	got, draining := b.toldNow(e.req), b.draining
	b.mu.Unlock()
	answer := errorReply(broker.ErrClosed)
	if got.State.Terminal() || got.Checkpoint != nil || !draining {
		answer = say(got)
	}
	answer.correlation, answer.proof = correlation, proof
	p.send(answer)
}

// park takes w's connection from the HTTP server and hands it to wait, which runs beside
// and sends the answer. The connection ends with it.
func (b *Broker) park(w http.ResponseWriter, wait func(*parked)) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		fail(w, fmt.Errorf("take the connection: %w", err))
		return
	}
	if buffered.Reader.Buffered() > 0 { // nobody of ours speaks before the answer
		_ = conn.Close()
		return
	}
	b.parkedNow.Add(1)
	go func() {
		defer b.parkedNow.Done()
		defer func() { _ = conn.Close() }()
		wait(&parked{conn: conn})
	}()
}

// waitParked returns the entry of request id once something is to be said about it; ok is
// false when the peer has left or spoke out of turn. It and those who call it hold no
// Request: what they hold is kept on the stack for as long as the call waits.
func (b *Broker) waitParked(p *parked, id string, hold time.Duration) (e *entry, ok bool) {
	if err := p.conn.SetDeadline(time.Now().Add(hold)); err != nil {
		return nil, false
	}
	e, waits := b.attach(id, p)
	if waits {
		var one [1]byte
		_, err := p.conn.Read(one[:])
		hungUp := !errors.Is(err, os.ErrDeadlineExceeded)
		b.detach(e, p, hungUp && !p.looks)
		if hungUp {
			return nil, false
		}
	}
	return e, true
}

// attach makes p an asker of request id. It reports whether there is anything to
// wait for.
func (b *Broker) attach(id string, p *parked) (e *entry, waits bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.requests[id]
	_, kept := b.withheld[id]
	if !ok { // decided and forgotten between two looks, or by an earlier broker; its end is in the store
		return &entry{req: broker.Request{ID: id, State: broker.Pending}}, kept && !b.draining
	}
	ready := e.req.State.Terminal() || e.req.Checkpoint != nil && e.req.Event != ""
	if ready && !kept || b.draining {
		return e, false
	}
	if !e.req.State.Terminal() && !e.knowsDeadline(p.patience) {
		return e, false // they would leave too early
	}
	e.attached++
	e.parked = append(e.parked, p)
	return e, true
}

func (b *Broker) detach(e *entry, p *parked, hungUp bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.attached--
	e.leftAt, e.hungUp = time.Now(), hungUp
	for i, q := range e.parked {
		if q == p {
			e.parked = append(e.parked[:i], e.parked[i+1:]...)
			return
		}
	}
}

func (b *Broker) isDraining() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.draining
}

// send writes the reply as HTTP/1.1 and says that the connection ends with it.
func (p *parked) send(a reply) {
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
	_ = p.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := p.conn.Write(append(head, a.body...)); err == nil && a.sent != nil {
		a.sent()
	}
}
