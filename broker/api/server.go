package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/engine"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/wire"
)

// How long a peer may take over each part of a request. A hook sends all at once;
// only a silent or hostile peer comes near these.
const (
	headerTimeout = 5 * time.Second
	bodyTimeout   = 10 * time.Second
	writeTimeout  = 10 * time.Second
	idleTimeout   = 10 * time.Second
	maxRecording  = 128 // calls that are being recorded at a time

	// Descriptors kept back for the console, the database and the log, and for looking at
	// the processes and files that calls name while they are being recorded.
	spareFiles = 64 + maxRecording
)

// Serve answers on l until ctx ends, then lets the answers under way finish. It returns nil after
// an orderly end, and waits for the goroutine that watches the socket.
func (sv *Server) Serve(ctx context.Context, l *Listener) error {
	watch := make(chan struct{})
	go sv.watchSocket(ctx, l, watch)
	err := sv.serve(ctx, &cappedListener{Listener: l.net, conns: &sv.gate.conns, turn: sv.gate.turn})
	<-watch
	if err != nil {
		return fmt.Errorf("serve %s: %w", l.path, err)
	}
	return nil
}

// serve answers what comes in through l until ctx ends. Then those who wait are answered first,
// with ErrClosed, so that they come back to the next console; connections that are still open after
// that are cut. It returns when the last parked connection is gone.
func (sv *Server) serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler:           sv.handler(),
		ReadHeaderTimeout: sv.gate.deadlines.Header,
		IdleTimeout:       sv.gate.deadlines.Idle,
		MaxHeaderBytes:    32 << 10,
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return peers.With(noteConn(ctx, c), bare(c)) },
		ConnState:         noteState,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		sv.Drain()
		sv.o.Feed.Close()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), sv.grace())
		defer cancel()
		if srv.Shutdown(grace) != nil {
			_ = srv.Close()
		}
	}()
	err := srv.Serve(l)
	if ctx.Err() != nil {
		<-stopped
		sv.parked.Lock()
		defer sv.parked.Unlock()
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Hasten has the end come sooner: another broker waits for it, and hooks that knock meanwhile wait for
// two seconds at most. A slow peer must not use those up.
func (sv *Server) Hasten() { sv.hasty.Store(true) }

// grace is how long answers under way have at the end.
func (sv *Server) grace() time.Duration {
	if sv.hasty.Load() {
		return 250 * time.Millisecond
	}
	return 2 * time.Second
}

// watchSocket keeps telling the console whether the socket still leads here. A person may have
// removed the socket's folder, or restored it from a backup. Nobody would notice here: no hook
// could tell.
func (sv *Server) watchSocket(ctx context.Context, l *Listener, done chan<- struct{}) {
	defer close(done)
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			sv.noteSocket(l.Replaced())
		}
	}
}

// noteSocket tells the engine only of a change, so a quiet second costs nothing.
func (sv *Server) noteSocket(problem string) {
	if sv.o.View.Health().SocketErr != problem {
		sv.o.Engine.Tell(engine.Healthy{Change: func(h *broker.Health) { h.SocketErr = problem }})
	}
}

// guard wraps every route: same user only, over TCP a token, a panic is one 500, and no
// page in a browser gets through. The order is that of cost and of trust: the headers that every
// answer carries, the time limits, then who the peer is. A panic in a route is logged with its
// stack and answered like any failure, which a hook takes as a refusal.
func (sv *Server) guard(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(wire.HeaderProtocol, wire.Version)
		// The client checks that the answer is to its own question. Nothing too long is echoed.
		if c := r.Header.Get(wire.HeaderCorrelation); len(c) <= broker.MaxName && c != "" {
			w.Header().Set(wire.HeaderCorrelation, c)
		}
		defer func() {
			v := recover()
			if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(v) // this is how a handler asks for the connection to be cut
			}
			if v != nil {
				sv.o.Logger.ErrorContext(r.Context(), "handler panicked", "route", r.Pattern, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
				writeError(w, http.StatusInternalServerError, "internal", "the broker failed on this request", "see aoctl.log")
			}
		}()
		sv.limitPeer(w, r)
		if r.Body == nil || r.Body == http.NoBody {
			noteHeard(r.Context())
		}
		p := peers.From(r.Context())
		switch {
		case p.Err == nil && p.TCP != nil:
			_, pattern := mux.Handler(r)
			ctx, why := sv.admitTCP(r, p.TCP.Here, pattern)
			if why != nil {
				sv.turnAway(w, r, why)
				return
			}
			mux.ServeHTTP(w, r.WithContext(ctx))
		// The zero user id is root, so an error of the kernel must never be read as one.
		case p.Err != nil || p.UID != os.Geteuid():
			sv.refused(r, broker.OtherUser, fmt.Sprintf("it runs as user id %d", p.UID))
			writeError(w, http.StatusForbidden, "other_user", "this broker answers its own user only", "start an aoctl of your own")
		// No browser reaches a Unix socket by itself, but a proxy that forwards it to a port
		// makes it reachable.
		case r.Header.Get("Origin") != "" || r.Header.Get("Referer") != "":
			sv.refused(r, broker.FromBrowser, "requests from web pages are refused")
			writeError(w, http.StatusForbidden, "browser", "requests from web pages are refused", "")
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// cappedListener keeps to what conns has room for, instead of running out of file
// descriptors.
//
// It takes no new connection while turn is full, that is while many calls are being
// recorded: a crowd that comes at once waits in the system's queue, not in our memory.
type cappedListener struct {
	net.Listener
	conns *conns // shared by listeners that share the descriptors
	turn  chan struct{}

	leaving atomic.Int64 // peers that are being turned away
}

// Accept returns the next connection for which there is room, and refuses the others. It waits
// while turn is full. A listener that stops at its first refused peer would leave the whole
// socket dead, so only an error of the system ends the loop.
func (l *cappedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.turn <- struct{}{}
		<-l.turn
		cc := &cappedConn{Conn: c, conns: l.conns}
		if l.conns.admit(cc) {
			return cc, nil
		}
		l.refuse(c)
	}
}
