package mcp

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/brokertest/operated"
)

// rawServer is a server without a console that is spoken to in lines.
type rawServer struct {
	t     *testing.T
	in    *io.PipeWriter
	from  *io.PipeReader // what out reads
	out   *bufio.Scanner
	ended chan error
	end   context.CancelFunc
}

func newRawServer(t *testing.T, socket string) *rawServer {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	s := &rawServer{t: t, in: toServer, from: fromServer, out: bufio.NewScanner(fromServer), ended: make(chan error, 1), end: cancel}
	a := &asker{identity: identity{session: "s-1", agent: "tester"}, socket: socket, timeout: time.Minute, progressEvery: progressEvery, log: slog.New(slog.DiscardHandler)}
	go func() {
		s.ended <- serve(ctx, a, in, out)
		_ = out.Close()
	}()
	return s
}

// says sends a line; a line's end is added.
func (s *rawServer) says(line string) {
	s.t.Helper()
	_, err := io.WriteString(s.in, line+"\n")
	must(s.t, err)
}

// hears is the next line of the server.
func (s *rawServer) hears() string {
	s.t.Helper()
	if !s.out.Scan() {
		s.t.Fatalf("the server says nothing more: %v", s.out.Err())
	}
	return s.out.Text()
}

// Every line is answered by itself, and one that is not understood ends nothing.
func TestLines(t *testing.T) {
	t.Parallel()
	s := newRawServer(t, operated.Socket(t))
	for _, tt := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}`, `"protocolVersion":"2024-11-05"`},
		{`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2099-01-01"}}`, `"protocolVersion":"2025-11-25"`},
		{`{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`, `"name":"approve"`},
		{`{"jsonrpc":"2.0","id":4,"method":"server/discover"}`, `"code":-32601`},
		{`not JSON`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700`},
		{`[{"jsonrpc":"2.0","id":5,"method":"ping"}]`, `"id":null,"error":{"code":-32700`},
		{`{"jsonrpc":"2.0","id":6,"method":"ping","method":"tools/call"}`, `"id":6,"error":{"code":-32700`},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":7,"method":7}`, `"id":7,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":8,"method":"tools/call"}`, `"id":8,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"allow_all"}}`, `"id":9,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"approve","name":"ask_user"}}`, `"id":10,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"approve"}}`, `\"behavior\":\"deny\"`},
		{`{"jsonrpc":"2.0","id":12,"method":"ping","params":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, `"id":12,"error":{"code":-32700`},
	} {
		s.says(`{"jsonrpc":"2.0","method":"notifications/initialized"}`) // gets no answer
		s.says(`{"jsonrpc":"2.0","id":1,"result":{}}`)                   // nor does an answer
		s.says(tt.line)
		if got := s.hears(); !strings.Contains(got, tt.want) {
			t.Errorf("%.100s: the server says %s, want %s", tt.line, got, tt.want)
		}
	}
	must(t, s.in.Close())
	if err := <-s.ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// An id whose call waits is not taken again: a cancellation would have two meanings. What is
// cancelled gets no answer.
func TestIDsInUse(t *testing.T) {
	t.Parallel()
	socket := operated.Socket(t)
	c := operated.Open(t, socket)
	s := newRawServer(t, socket)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"approve","arguments":` + makeCall + `}}`
	s.says(call)
	c.Next()
	s.says(call)
	if got := s.hears(); !strings.Contains(got, "the id is in use") {
		t.Errorf("the server says %s", got)
	}
	s.says(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	s.says(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	c.Until("the end of the call", func() bool { return len(c.Pending("")) == 0 })
	s.says(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if got := s.hears(); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Errorf("the server says %s", got)
	}
}

// A message that is too large, a client that cannot be told, and the end of the process end the
// server, and what waits is taken back.
func TestServerEnds(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"approve","arguments":` + makeCall + `}}`
	for name, end := range map[string]func(s *rawServer){
		"too large":  func(s *rawServer) { go func() { _, _ = io.WriteString(s.in, strings.Repeat("x", maxLine+1)) }() },
		"terminated": func(s *rawServer) { s.end() },
		"deaf": func(s *rawServer) {
			must(s.t, s.from.Close())
			s.says(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket := operated.Socket(t)
			c := operated.Open(t, socket)
			s := newRawServer(t, socket)
			s.says(call)
			r := c.Next()
			end(s)
			err := <-s.ended
			if broke := name != "terminated"; broke != (err != nil && strings.Contains(err.Error(), "the connection to the MCP client broke")) {
				t.Errorf("the server ended with %v", err)
			}
			if st := c.State(r.ID); st != "cancelled" {
				t.Errorf("the call is %s, want cancelled", st)
			}
		})
	}
}

// The session is the agent's that started the server, where its environment says which.
func TestIdentify(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env   map[string]string
		agent string
		own   bool
	}{
		"nothing":  {nil, "mcp", true},
		"Claude":   {map[string]string{"CLAUDE_CODE_SESSION_ID": "c-1"}, "claude", false},
		"Gemini":   {map[string]string{"GEMINI_SESSION_ID": "g-1"}, "gemini", false},
		"two":      {map[string]string{"CLAUDE_CODE_SESSION_ID": "c-1", "GEMINI_SESSION_ID": "g-1"}, "mcp", true},
		"no id":    {map[string]string{"CLAUDE_CODE_SESSION_ID": "c\x1b[2J"}, "mcp", true},
		"too long": {map[string]string{"CLAUDE_CODE_SESSION_ID": strings.Repeat("c", 300)}, "mcp", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := identify(func(n string) string { return tt.env[n] })
			if got.agent != tt.agent || got.own != tt.own || got.session == "" || got.own != strings.HasPrefix(got.session, "mcp-") {
				t.Errorf("got %+v", got)
			}
		})
	}
}
