package peers

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/aoctl/aoctl/broker"
)

// Peer is who is at the other end. Err is carried along with it, because the zero uid is root. A
// Peer with an Err has no rights at all. It is kept for each connection and read by every request
// on it.
type Peer struct {
	UID, PID int    // pid is 0 when the process cannot be seen, and for TCP
	start    uint64 // the process's start when it connected, where the kernel offers no better hold on it; else 0
	unix     *net.UnixConn
	TCP      *TCPEnds // nil on the Unix socket
	describe func() (exe, tty string)
	Err      error
}

// TCPEnds are both ends of a TCP connection.
type TCPEnds struct{ Here, there netip.AddrPort }

// peerKey finds the Peer of a connection in its context.
type peerKey struct{}

// With keeps in a context who is at the other end of c. It is called once, when the connection is
// taken, since only then the kernel's answer is surely about the process that connected.
func With(ctx context.Context, c net.Conn) context.Context {
	p := Peer{UID: -1, Err: errors.New("neither a Unix socket nor TCP")}
	switch c := c.(type) {
	case *net.UnixConn:
		p.unix = c
		p.UID, p.PID, p.Err = Of(c)
		if !peerPidfds() {
			p.start = startOf(p.PID)
		}
		p.describe = sync.OnceValues(func() (exe, tty string) { return Describe(p.PID) })
	case *net.TCPConn:
		here, err1 := netip.ParseAddrPort(c.LocalAddr().String())
		there, err2 := netip.ParseAddrPort(c.RemoteAddr().String())
		p.TCP, p.Err = &TCPEnds{here, there}, errors.Join(err1, err2)
	}
	return context.WithValue(ctx, peerKey{}, p)
}

// From is who is at the other end of a request's connection, as With kept it. Without that it is
// a Peer with an error.
func From(ctx context.Context) Peer {
	p, ok := ctx.Value(peerKey{}).(Peer)
	if !ok {
		return Peer{UID: -1, Err: errors.New("peer unknown")}
	}
	return p
}

// Describe names the program at the other end and its terminal, as they are when it is first
// asked: to look is dear beside an answer, and one peer may ask often.
func (p *Peer) Describe() (exe, tty string) {
	if p.describe == nil {
		return Describe(p.PID)
	}
	return p.describe()
}

// ActorOf is who acts, as well as the system lets us tell. Such an actor can refuse and
// stop, never allow.
func ActorOf(r *http.Request) broker.Actor {
	p := From(r.Context())
	if p.TCP != nil {
		by := broker.Actor{Kind: broker.ByProcess, Exe: "tcp " + p.TCP.there.Addr().String()}
		if id, ok := r.Context().Value(tokenKey{}).(string); ok {
			by.ID = broker.TokenActorPrefix + id
		}
		return by
	}
	exe, tty := p.Describe()
	return broker.Actor{Kind: broker.ByProcess, PID: p.PID, Exe: exe, TTY: tty}
}

// tokenKey finds the id of a request's token.
type tokenKey struct{}

// WithToken keeps in a context with which token a request came. It is the token's id and never
// the token. ActorOf writes it into the record.
func WithToken(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, tokenKey{}, id)
}
