// Package operated is a real broker on a socket for tests of programs that ask it, and its operator.
//
// In go what the operator decides; out comes what the broker has. It keeps its record in memory, and
// takes every process for a living one.
package operated

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/broker/service"
)

// Console is a broker that serves a socket until its test ends, or Close.
type Console struct {
	*service.Broker

	Store *brokertest.Memory

	t   *testing.T
	end func()
}

// Socket is a path for a socket, short enough; its folder goes with the test.
func Socket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ao") //nolint:usetesting // the path of t.TempDir is too long for a socket
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "b.sock")
}

// Open has a broker listen at socket.
func Open(t *testing.T, socket string) *Console {
	t.Helper()
	l, err := api.Listen(socket)
	must(t, err)
	st := brokertest.NewMemory()
	b, err := service.New(t.Context(), st, service.Options{Socket: socket, Alive: func(broker.Process) bool { return true }})
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx, l) }()
	c := &Console{Broker: b, Store: st, t: t}
	c.end = func() {
		c.end = func() {}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		_ = l.Close()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(c.Close)
	return c
}

// Close ends it, once.
func (c *Console) Close() { c.end() }

// Next is the oldest call that waits, as soon as there is one.
func (c *Console) Next() broker.Request {
	c.t.Helper()
	var found broker.Request
	c.Until("a waiting call", func() bool {
		list := c.Pending("")
		if len(list) > 0 {
			found = list[0]
		}
		return len(list) > 0
	})
	return found
}

// Until waits for a condition, at most a minute.
func (c *Console) Until(what string, met func() bool) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); !met(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("waited a minute for %s", what)
		}
	}
}

// Says is what the operator decides about a call.
func (c *Console) Says(r broker.Request, d broker.Decision) {
	c.t.Helper()
	d.By = broker.Actor{Kind: broker.ByOperator}
	_, err := c.Decide(c.t.Context(), r.ID, d)
	must(c.t, err)
}

// Answers is what the operator answers to a question: an option, or words of their own.
func (c *Console) Answers(r broker.Request, answers ...forms.Answer) {
	c.t.Helper()
	form, err := forms.Read(r.ToolInput)
	must(c.t, err)
	filled, err := form.Fill(answers)
	must(c.t, err)
	c.Says(r, broker.Decision{Verdict: broker.Allow, UpdatedInput: filled})
}

// State is where a call stands on record.
func (c *Console) State(id string) broker.State {
	c.t.Helper()
	r, err := c.Store.Request(c.t.Context(), id)
	must(c.t, err)
	return r.State
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
