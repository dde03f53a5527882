package api

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
)

// TCPListener is the broker's door for containers and forwarded ports, on a loopback
// address. A request that comes this way needs a token, whatever it asks for.
type TCPListener struct{ net *net.TCPListener }

// ListenTCP listens on addr, a loopback address with a port, such as 127.0.0.1:8765.
// Errors: *SocketError.
//
// "localhost" becomes an address here and is not looked up: a resolver could lead it elsewhere.
// An address of a zone, or one that other machines reach, is refused whatever the operator's
// reasons: the protocol has no encryption.
func ListenTCP(ctx context.Context, addr string) (*TCPListener, error) {
	const hint = "name a loopback address and a port, such as 127.0.0.1:8765; to reach it from elsewhere forward a port to it (docs/remote.md)"
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, &SocketError{addr, "is not an address with a port", hint}
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	n, portErr := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil || portErr != nil:
		return nil, &SocketError{addr, "is not an IP address with a port number", hint}
	case !ip.IsLoopback() || ip.Zone() != "":
		return nil, &SocketError{addr, "can be reached from other machines", hint}
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", netip.AddrPortFrom(ip, uint16(n)).String())
	if err != nil {
		return nil, &SocketError{addr, "cannot be listened on: " + rootOf(err).Error(), "is another program there? choose another port"}
	}
	tcp, ok := ln.(*net.TCPListener)
	if !ok {
		_ = ln.Close()
		return nil, &SocketError{addr, "is not TCP", hint}
	}
	return &TCPListener{tcp}, nil
}

// rootOf is the innermost error: the outer ones repeat the address.
func rootOf(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// Addr is where it listens, such as 127.0.0.1:8765.
func (l *TCPListener) Addr() string { return l.net.Addr().String() }

// Close stops listening.
func (l *TCPListener) Close() error { return l.net.Close() }

// tcpShare is the part of all connections that may come over TCP: peers without a token must
// not keep hooks from the socket.
const tcpShare = 4

// ServeTCP answers on l until ctx ends, then lets the answers under way finish. The connections
// pass two counts: their own, and that of all.
func (sv *Server) ServeTCP(ctx context.Context, l *TCPListener) error {
	sv.noteTCP(l.Addr())
	defer sv.noteTCP("")
	shared := &cappedListener{Listener: l.net, conns: &sv.gate.conns, turn: sv.gate.turn}
	if err := sv.serve(ctx, &cappedListener{Listener: shared, conns: &sv.gate.tcpConns, turn: sv.gate.turn}); err != nil {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}

// noteTCP has the status line say that the port is open, and where.
func (sv *Server) noteTCP(addr string) {
	sv.o.Engine.Tell(engine.Healthy{Change: func(h *broker.Health) { h.TCP = addr }})
}

// askingRoutes are all that a token for asking opens. A route that is not named here takes an
// operator's token, so a new one is closed until somebody opens it.
var askingRoutes = map[string]bool{
	"POST /hooks/{agent}": true, "GET /hooks/{agent}/{id}": true,
	"POST /request-approval": true, "POST /create-approval-request": true, decisionRoute: true, "POST /approval-queue": true, responseRoute: true,
	"POST /events": true, "GET /check-stop/{id}": true, metricsRoute: true,
	"POST /hooks/{agent}/cancel": true, "POST /approval-requests/{id}/cancel": true,
}

// ofHooks are those that agents' hooks use.
var ofHooks = map[string]bool{"POST /hooks/{agent}": true, "GET /hooks/{agent}/{id}": true, "POST /hooks/{agent}/cancel": true}

// refusal is a request over TCP that is turned away.
type refusal struct {
	kind   broker.RefusalKind
	status int
	code   string
	text   string
	hint   string
}

// admitTCP says why r, which came over TCP for the route pattern, is turned away, nil when it
// may go on. The context that it returns knows the token.
//
// The order tells a page in a browser nothing about tokens, and one without a token nothing about
// routes. A route that does not exist is let through with any token: the answer is 404.
func (cl *callers) admitTCP(r *http.Request, here netip.AddrPort, pattern string) (context.Context, *refusal) {
	ctx := r.Context()
	if why := fromBrowser(r, here); why != nil {
		return ctx, why
	}
	if pattern == consoleRoute {
		return ctx, nil
	}
	token, given := tokenIn(r)
	d, known := cl.tokenOf(token)
	// A client that proved its token has not sent it, so what stands in its place counts.
	if p, ok := ctx.Value(proofKey{}).(*proof); ok {
		d, known = p.token, true
	}
	if _, ok := cl.onceFor(token, pattern); ok {
		d, known = broker.TokenData{ID: broker.OnceTokenID}, true
	}
	const mint = "mint one in the console (r, then t) and send it as Authorization: Bearer"
	switch {
	case !given:
		return ctx, &refusal{broker.NoToken, http.StatusUnauthorized, "no_token", errNoToken.Error(), mint}
	case !known:
		return ctx, &refusal{broker.BadToken, http.StatusUnauthorized, "bad_token", errBadToken.Error(), mint}
	case d.KindOrOperator() == broker.AskingToken && pattern != "/" && !askingRoutes[pattern]:
		return ctx, &refusal{broker.AskToken, http.StatusForbidden, "ask_token", errAskToken.Error(), "an operator token decides; keep it away from agents"}
	case d.KindOrOperator() != broker.AskingToken && ofHooks[pattern]:
		return ctx, &refusal{broker.OperatorAsks, http.StatusForbidden, "operator_token", errOperators.Error(), "mint a token for asking in the console: r, t, then N"}
	// A page can send a form or a text to any address without asking the browser's leave. JSON it
	// cannot.
	case hasBody(r) && !isJSON(r):
		return ctx, &refusal{broker.NotProgramming, http.StatusUnsupportedMediaType, "bad_content_type", "the body is not said to be JSON", "send Content-Type: application/json"}
	}
	return peers.WithToken(ctx, d.ID), nil
}

// fromBrowser says why r may come from a web page, or under a name that is not ours as after
// DNS rebinding. It is nil when neither can be. A name that leads to this address only by an
// attacker's DNS shows in the Host header. A browser's own requests show in Origin, Referer, or
// Sec-Fetch-Site, where "none" is a person who typed the address.
func fromBrowser(r *http.Request, here netip.AddrPort) *refusal {
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case !ourHost(r.Host, here):
		return &refusal{
			broker.FromBrowser, http.StatusForbidden, "bad_host", fmt.Sprintf("the request is for %q, not for this console", broker.Clip(r.Host)),
			fmt.Sprintf("send Host: localhost:%d", here.Port()),
		}
	case r.Header.Get("Origin") != "" || r.Header.Get("Referer") != "" || site != "" && site != "none" || r.Method == http.MethodOptions:
		return &refusal{broker.FromBrowser, http.StatusForbidden, "browser", "requests from web pages are refused", ""}
	}
	return nil
}

// ourHost reports whether a Host header names this machine's loopback, with our port.
func ourHost(host string, here netip.AddrPort) bool {
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		if host == name+":"+strconv.Itoa(int(here.Port())) {
			return true
		}
	}
	return false
}

// hasBody counts a length that is not known as a body.
func hasBody(r *http.Request) bool { return r.ContentLength != 0 }

// isJSON allows parameters such as a charset, and refuses two headers: two readers could each
// take another one.
func isJSON(r *http.Request) bool {
	values := r.Header.Values("Content-Type")
	if len(values) != 1 {
		return false
	}
	kind, _, err := mime.ParseMediaType(values[0])
	return err == nil && kind == "application/json"
}

// A peer with a wrong token waits for the answer. That costs peers with a right one nothing;
// beyond slowPeers the connection just ends.
const (
	slowFor   = 200 * time.Millisecond
	slowPeers = 16
)

// turnAway answers r with why, and writes it down.
func (sv *Server) turnAway(w http.ResponseWriter, r *http.Request, why *refusal) {
	sv.refused(r, why.kind, why.text)
	if why.status == http.StatusUnauthorized {
		w.Header().Set("Connection", "close")
		// The connection just ends. To say no to each of a thousand guesses would cost more than
		// the guess.
		if !sv.gate.delay(r.Context()) {
			panic(http.ErrAbortHandler)
		}
	}
	writeError(w, why.status, why.code, why.text, why.hint)
}

// delay makes a peer with a wrong token wait. It is false when too many wait already. It does not
// grow with the number of guesses: a token has too many bits to guess, and the wait only keeps
// the log readable.
func (g *gate) delay(ctx context.Context) bool {
	select {
	case g.slow <- struct{}{}:
	default:
		return false
	}
	defer func() { <-g.slow }()
	wait := time.NewTimer(g.deadlines.Wrong)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
	return true
}
