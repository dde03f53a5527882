package jet_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/fleet/fleettest"
	"github.com/aoctl/aoctl/broker/fleet/jet"
)

// Whoever presses ctrl+c, or ends their broker, does not wait for servers that take the connection
// and say nothing.
func TestDialEndsWithItsContext(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		end()
		_, _ = c.Read(make([]byte, 1)) // until the other side hangs up
	}()
	defer func() { _ = l.Close(); <-done }()
	began := time.Now()
	o := jet.Options{Servers: []string{"tls://" + l.Addr().String(), "tls://localhost:1"}, Key: fleettest.Key(t, fleettest.Machine), Fleet: fleettest.ID, Name: "test"}
	line, err := jet.Dial(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	line.Close()
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("it waits for %s", took)
	}
}
