package api

import (
	"context"
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

// reply is one whole answer to an HTTP request.
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
type Parked struct {
	Conn     net.Conn
	Patience broker.Patience // how long its peer waits, as far as it says so
	Looks    bool            // it is one look of many, and hanging up says little
}

// wake ends the read. It may be called from any goroutine, also twice.
func (p *Parked) wake() { _ = p.Conn.SetReadDeadline(time.Unix(1, 0)) }

// whenAnswered replies to r with what say makes of req: at once if req has ended, else when it
// ends or hold is over. A broker that shuts down replies ErrClosed, so that the asker comes back
// to the next one.
func (sv *Server) whenAnswered(w http.ResponseWriter, r *http.Request, req broker.Request, hold time.Duration, say func(broker.Request) reply) {
	req, err := sv.o.Calls.Tellable(r.Context(), req)
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
	sv.park(w, func(p *Parked) {
		p.Patience, p.Looks = asker, looks
		if sv.HoldCall(p, id, hold) {
			sv.answerParked(p, id, correlation, proof, say)
		}
	})
}

// answerParked sends what say makes of request id.
func (sv *Server) answerParked(p *Parked, id, correlation string, proof *proof, say func(broker.Request) reply) {
	ctx := context.Background()
	got, err := sv.o.Records.Request(ctx, id)
	if err == nil {
		got, err = sv.o.Calls.Tellable(ctx, got)
	}
	answer := errorReply(broker.ErrClosed)
	switch {
	case err != nil:
		answer = errorReply(err)
	case got.State.Terminal() || got.Checkpoint != nil || !sv.draining.Load():
		answer = say(got)
	}
	answer.correlation, answer.proof = correlation, proof
	p.send(answer)
}

// park takes w's connection from the HTTP server and hands it to wait, which runs beside
// and sends the answer. The connection ends with it.
func (sv *Server) park(w http.ResponseWriter, wait func(*Parked)) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		fail(w, fmt.Errorf("take the connection: %w", err))
		return
	}
	if buffered.Reader.Buffered() > 0 { // nobody of ours speaks before the answer
		_ = conn.Close()
		return
	}
	sv.parked.Add(1)
	go func() {
		defer sv.parked.Done()
		defer func() { _ = conn.Close() }()
		wait(&Parked{Conn: conn})
	}()
}

// HoldCall waits until something is to be said about request id; false when the peer has
// left or spoke out of turn. It and those who call it hold no Request: what they hold is kept on
// the stack for as long as the call waits.
func (sv *Server) HoldCall(p *Parked, id string, hold time.Duration) bool {
	sv.lines.join(id, p)
	defer sv.lines.leave(id, p)
	if sv.isNews(p, id) {
		return p.Conn.SetDeadline(time.Now().Add(writeTimeout)) == nil
	}
	sv.o.Engine.Tell(engine.Attach{ID: id})
	stays := p.await(time.Now().Add(hold), func() bool { return sv.isNews(p, id) })
	sv.o.Engine.Tell(engine.Detach{ID: id, HungUp: !stays && !p.Looks})
	return stays
}

// await waits until there is news or the time is over; false when the peer has left or spoke out
// of turn.
func (p *Parked) await(until time.Time, news func() bool) bool {
	for {
		if p.Conn.SetDeadline(until) != nil { // before the look: who wakes p after it is not missed
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

// isNews reports whether there is anything to tell p of request id now.
func (sv *Server) isNews(p *Parked, id string) bool {
	x, ok := sv.o.View.Seen(id, time.Now())
	r := &x.Request
	switch {
	case sv.draining.Load(), !ok: // it was decided and forgotten; its end is in the store
		return true
	case r.State.Terminal() || r.Checkpoint != nil && r.Event != "":
		return !x.Kept || !sv.o.View.Held(r.SessionID)
	}
	return !p.knowsDeadline(&x) // they would leave too early
}

// knowsDeadline reports whether whoever waits knows of all the time that the call was given, as
// far as they would wait for it.
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

// send writes the reply as HTTP/1.1 and says that the connection ends with it.
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
