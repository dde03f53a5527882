package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"

	"github.com/aoctl/aoctl/broker"
)

// peer is who is at the other end. err is carried along with it, because the zero
// uid is root.
type peer struct {
	uid, pid int    // pid is 0 when the process cannot be seen, and for TCP
	start    uint64 // the process's start when it connected, where the kernel offers no better hold on it; else 0
	unix     *net.UnixConn
	tcp      *tcpEnds // nil on the Unix socket
	err      error
}

// tcpEnds are both ends of a TCP connection.
type tcpEnds struct{ here, there netip.AddrPort }

type peerKey struct{}

func withPeer(ctx context.Context, c net.Conn) context.Context {
	p := peer{uid: -1, err: errors.New("neither a Unix socket nor TCP")}
	for {
		cc, ok := c.(*cappedConn)
		if !ok {
			break
		}
		c = cc.Conn
	}
	switch c := c.(type) {
	case *net.UnixConn:
		p.unix = c
		p.uid, p.pid, p.err = peerOf(c)
		if !peerPidfds() {
			p.start = startOf(p.pid)
		}
	case *net.TCPConn:
		here, err1 := netip.ParseAddrPort(c.LocalAddr().String())
		there, err2 := netip.ParseAddrPort(c.RemoteAddr().String())
		p.tcp, p.err = &tcpEnds{here, there}, errors.Join(err1, err2)
	}
	return context.WithValue(ctx, peerKey{}, p)
}

func peerFrom(ctx context.Context) peer {
	p, ok := ctx.Value(peerKey{}).(peer)
	if !ok {
		return peer{uid: -1, err: errors.New("peer unknown")}
	}
	return p
}

// actorOf is who acts, as well as the system lets us tell. Such an actor can refuse and
// stop, never allow.
func actorOf(r *http.Request) broker.Actor {
	p := peerFrom(r.Context())
	if p.tcp != nil {
		by := broker.Actor{Kind: broker.ByProcess, Exe: "tcp " + p.tcp.there.Addr().String()}
		if id, ok := r.Context().Value(tokenKey{}).(string); ok {
			by.ID = broker.TokenActorPrefix + id
		}
		return by
	}
	exe, tty := describe(p.pid)
	return broker.Actor{Kind: broker.ByProcess, PID: p.pid, Exe: exe, TTY: tty}
}

// agentBehind says why the peer counts as an agent's; "" when it does not. The peer's
// process is held on to meanwhile, so that no other one can take its pid.
func (b *Broker) agentBehind(p peer) string {
	if p.pid <= 0 {
		return b.agentAbove(0)
	}
	alive, release, err := p.hold()
	if err != nil {
		return "its process cannot be held on to: " + err.Error()
	}
	defer release()
	why := b.agentAbove(p.pid)
	if why == "" && !alive() {
		return fmt.Sprintf("process %d ended before its ancestry was known", p.pid)
	}
	return why
}
