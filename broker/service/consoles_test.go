package service_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/consoles"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/tally"
)

// forScreens is a broker as consoles use it, without the figures that only the record has.
type forScreens struct{ *service.Broker }

func (forScreens) Tally(context.Context, time.Time) (tally.Report, error) {
	return tally.Report{}, nil
}

func (forScreens) Spending(_ context.Context, r tally.Report) (tally.Report, error) {
	return r, nil
}

// door is the consoles of a broker as package api serves them.
type door struct{ *consoles.Server }

func (d door) Serve(conn net.Conn, who api.Visitor) { d.Server.Serve(conn, who) }

// admit opens the broker for consoles.
func admit(t *testing.T, b *service.Broker) *consoles.Server {
	t.Helper()
	me, err := consoles.NewIdentity()
	must(t, err)
	s := consoles.NewServer(consoles.Options{Broker: forScreens{b}, Keys: b, Me: me, Log: slog.New(slog.DiscardHandler)})
	b.AdmitConsoles(door{s})
	return s
}

// attach makes a console over TCP.
func attach(t *testing.T, addr string, me consoles.Identity) *consoles.Client {
	t.Helper()
	c := consoles.NewClient(me, func(ctx context.Context) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err != nil {
			return nil, err
		}
		return conn, consoles.Upgrade(ctx, conn, addr)
	}, func(string) error { return nil })
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A console in another process decides by the key that it was paired with, which is on record, in
// force at the next broker too, and nothing once it is revoked.
func TestAttachedConsole(t *testing.T) {
	t.Parallel()
	st := brokertest.NewMemory()
	var s *consoles.Server
	b := serveTCPOver(t, st, service.Options{}, func(b *service.Broker) { s = admit(t, b) })
	me, err := consoles.NewIdentity()
	must(t, err)
	c := attach(t, b.addr, me)
	req := submit(t, b.Broker, bash("s", "1", "make"))
	allow := broker.Decision{Verdict: broker.Allow, Digest: req.Digest}
	if _, err := c.Decide(t.Context(), req.ID, allow); !errors.Is(err, consoles.ErrNotPaired) {
		t.Fatalf("unpaired: %v", err)
	}
	code, _ := s.OpenPairing()
	_, err = c.Pair(t.Context(), code, "desk")
	must(t, err)
	snap, updates := c.Watch(t.Context())
	if len(snap.Requests) != 1 {
		t.Fatalf("it sees %d calls", len(snap.Requests))
	}
	if _, err = c.Decide(t.Context(), req.ID, allow); err != nil {
		t.Fatal(err)
	}
	for u := range updates {
		if u.Request != nil && u.Request.State == broker.Allowed {
			break
		}
	}
	got, err := st.Request(t.Context(), req.ID)
	tokens := b.Tokens(t.Context())
	key := tokens[len(tokens)-1]
	if err != nil || got.Outcome.By.ID != broker.ConsoleID(key.ID, "desk") || key.Kind != broker.ConsoleKey {
		t.Errorf("on record is %+v, %v; the key is %+v", got.Outcome, err, key)
	}
	if _, err := c.Decide(t.Context(), req.ID, allow); !errors.Is(err, broker.ErrAlreadyDecided) {
		t.Errorf("a second answer: %v", err)
	}

	// The next broker knows the key.
	next := serveTCPOver(t, st, service.Options{}, func(b *service.Broker) { admit(t, b) })
	c = attach(t, next.addr, me)
	if w, err := c.Hello(t.Context()); err != nil || !w.Paired || w.Label != "desk" {
		t.Fatalf("the next broker says %+v, %v", w, err)
	}
	must(t, next.RevokeToken(t.Context(), key.ID, operator))
	if _, err := c.Decide(t.Context(), req.ID, allow); !errors.Is(err, consoles.ErrNotPaired) {
		t.Errorf("revoked: %v", err)
	}
}

// The way in is for consoles: a page in a browser does not come through, another protocol is told
// so, and a console's key, which is no secret, is no token.
func TestConsoleRoute(t *testing.T) {
	t.Parallel()
	b := serveTCP(t, service.Options{}, func(b *service.Broker) { admit(t, b) })
	head := "POST /console HTTP/1.1\r\nHost: " + b.addr + "\r\nConnection: Upgrade, close\r\nContent-Length: 0\r\n"
	for more, want := range map[string]int{
		"Upgrade: aoctl-console/1\r\nOrigin: http://localhost\r\n":   http.StatusForbidden,
		"Upgrade: aoctl-console/1\r\nSec-Fetch-Site: cross-site\r\n": http.StatusForbidden,
		"Upgrade: websocket\r\n":                                     http.StatusUpgradeRequired,
		"":                                                           http.StatusUpgradeRequired,
	} {
		if status, answer := b.raw(t, head+more+"\r\n"); status != want {
			t.Errorf("%q: %d %s", more, status, answer)
		}
	}
	public := "what a console shows to everybody"
	sum := sha256.Sum256([]byte(public))
	must(t, b.Pair(broker.TokenData{ID: "k", Kind: broker.ConsoleKey, Hash: hex.EncodeToString(sum[:]), Label: "desk"}))
	if status, answer := b.raw(t, "GET /sessions HTTP/1.1\r\nConnection: close\r\nHost: "+b.addr+"\r\nAuthorization: Bearer "+public+"\r\n\r\n"); status != http.StatusUnauthorized {
		t.Errorf("a public key as a token: %d %s", status, answer)
	}
}

// A broker that ends hangs up on its consoles.
func TestConsolesEndWithTheBroker(t *testing.T) {
	t.Parallel()
	l, err := api.ListenTCP(t.Context(), "127.0.0.1:0")
	must(t, err)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	admit(t, b)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.ServeTCP(ctx, l) }()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr())
	must(t, err)
	defer func() { _ = conn.Close() }()
	_, err = io.WriteString(conn, "POST /console HTTP/1.1\r\nHost: "+l.Addr()+"\r\nConnection: Upgrade\r\nUpgrade: aoctl-console/1\r\nContent-Length: 0\r\n\r\n")
	must(t, err)
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "101") {
		t.Fatalf("%q, %v", line, err)
	}
	stop()
	if _, err := io.Copy(io.Discard, in); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Logf("hung up: %v", err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
