package mcp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
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
