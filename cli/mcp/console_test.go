package mcp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/forms"
	"github.com/aoctl/aoctl/broker/service"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// testConsole is a real broker on a socket.
type testConsole struct {
	*service.Broker

	t     *testing.T
	store *brokertest.Memory
	close func() // ends it, once
}

// testSocket is a path for a socket; its folder goes with the test.
func testSocket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ao") //nolint:usetesting // the path of t.TempDir is too long for a socket
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "b.sock")
}

// openConsole has a broker listen at socket until the test ends.
func openConsole(t *testing.T, socket string) *testConsole {
	t.Helper()
	l, err := api.Listen(socket)
	must(t, err)
	st := brokertest.NewMemory()
	b, err := service.New(t.Context(), st, service.Options{Socket: socket, Alive: func(broker.Process) bool { return true }})
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx, l) }()
	c := &testConsole{Broker: b, t: t, store: st}
	open := true
	c.close = func() {
		if !open {
			return
		}
		open = false
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		_ = l.Close()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(c.close)
	return c
}

// next is the oldest call that waits, as soon as there is one.
func (c *testConsole) next() broker.Request {
	c.t.Helper()
	var found broker.Request
	c.until("a waiting call", func() bool {
		list := c.Pending("")
		if len(list) > 0 {
			found = list[0]
		}
		return len(list) > 0
	})
	return found
}

// until waits for a condition.
func (c *testConsole) until(what string, met func() bool) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); !met(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("waited a minute for %s", what)
		}
	}
}

// decide is what the operator does about a call.
func (c *testConsole) decide(r broker.Request, d broker.Decision) {
	c.t.Helper()
	d.By = broker.Actor{Kind: broker.ByOperator}
	_, err := c.Decide(c.t.Context(), r.ID, d)
	must(c.t, err)
}

// answer is what the operator answers to a question: an option, or words of their own.
func (c *testConsole) answer(r broker.Request, answers ...forms.Answer) {
	c.t.Helper()
	form, err := forms.Read(r.ToolInput)
	must(c.t, err)
	filled, err := form.Fill(answers)
	must(c.t, err)
	c.decide(r, broker.Decision{Verdict: broker.Allow, UpdatedInput: filled})
}

// state is where a call stands on record.
func (c *testConsole) state(id string) broker.State {
	c.t.Helper()
	r, err := c.store.Request(c.t.Context(), id)
	must(c.t, err)
	return r.State
}

// testServer is a server with the official library's client at its other end.
type testServer struct {
	*sdk.ClientSession

	t        *testing.T
	asker    *asker
	progress chan string
	leave    func() error // closes the server's input, as a client that ends
	ended    chan error   // what serve returned
}

// connect starts a server that asks at socket.
func connect(t *testing.T, socket string, change ...func(*asker)) *testServer {
	t.Helper()
	s := &testServer{t: t, progress: make(chan string, 100), ended: make(chan error, 1)}
	s.asker = &asker{
		identity: identity{session: "s-1", agent: "tester"}, socket: socket, cwd: "/srv/shop",
		timeout: time.Minute, progressEvery: progressEvery, log: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(s.asker)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	s.leave = toServer.Close
	go func() {
		s.ended <- serve(context.Background(), s.asker, in, out)
		_ = out.Close()
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { s.progress <- r.Params.Message },
	})
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	must(t, err)
	s.ClientSession = session
	t.Cleanup(func() { _ = session.Close() })
	return s
}

// called is what came of a call.
type called struct {
	*sdk.CallToolResult
	err error
}

// call calls a tool beside the test.
func (s *testServer) call(ctx context.Context, tool, args string) <-chan called {
	done := make(chan called, 1)
	p := &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)}
	p.SetProgressToken("news")
	go func() {
		r, err := s.CallTool(ctx, p)
		done <- called{r, err}
	}()
	return done
}

// text is the one text of a result.
func (c called) text(t *testing.T) string {
	t.Helper()
	must(t, c.err)
	if len(c.Content) != 1 {
		t.Fatalf("the result has %d parts, want one", len(c.Content))
	}
	part, ok := c.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("the result is a %T, want a text", c.Content[0])
	}
	return part.Text
}

// approval reads the answer of approve.
func (c called) approval(t *testing.T) approval {
	t.Helper()
	var a approval
	if text := c.text(t); c.IsError || json.Unmarshal([]byte(text), &a) != nil {
		t.Fatalf("the answer is %q, error %v", text, c.IsError)
	}
	return a
}
