package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/aoctl/aoctl/cli/exit"
	"github.com/aoctl/aoctl/cli/version"
)

const (
	// progressEvery is how often a client that asked for it hears that its call still waits. Many
	// give a call up after a minute without a word.
	progressEvery = 10 * time.Second
	// maxCalls is how many calls of one client may wait at once.
	maxCalls = 64
)

// tool is a tool as clients see it, and what it does. run reads the arguments itself, because a
// refusal has a form of its own in each tool. It returns soon after ctx has ended.
type tool struct {
	definition
	run func(ctx context.Context, args json.RawMessage) result
}

// definition is how tools/list describes a tool.
type definition struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
}

// server answers one client. But for the calls that run, it belongs to the goroutine of serve.
type server struct {
	tools         []tool
	to            *sender
	progressEvery time.Duration

	running sync.WaitGroup
	mu      sync.Mutex
	calls   map[string]context.CancelFunc // those that wait, by the client's id
}

// serve answers the client at in and out until it leaves or ctx ends. No call runs any more when it
// returns, and what they asked is taken back. A client may end this process as well as close its
// input, so the end of ctx is no error.
func serve(ctx context.Context, a *asker, in io.Reader, out io.Writer) error {
	calls, cancel := context.WithCancel(ctx)
	s := &server{
		tools: []tool{a.approveTool(), a.askUserTool()}, to: &sender{out: out, lost: cancel},
		progressEvery: a.progressEvery, calls: map[string]context.CancelFunc{},
	}
	err := s.answerAll(ctx, calls, in)
	cancel()
	s.running.Wait()
	a.end()
	if err != nil && ctx.Err() == nil {
		return exit.Error{
			Code: exit.Failed, Text: fmt.Sprintf("the connection to the MCP client broke: %v", exit.RootCause(err)),
			Hint: "what it asked was refused", Cause: err,
		}
	}
	return nil
}

// answerAll answers one message after the other, until there are no more or ctx ends. calls ends
// the calls that it starts.
func (s *server) answerAll(ctx, calls context.Context, in io.Reader) error {
	lines, failure := make(chan []byte), make(chan error, 1)
	go func() {
		failure <- readLines(ctx, in, lines)
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err() // the reader may be stuck in a read; the process ends soon
		case err := <-failure:
			return err
		case line := <-lines:
			if err := s.handle(calls, line); err != nil {
				return err
			}
		}
	}
}

// readLines sends each line of in to lines, until in ends.
func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, maxLine)
	for scan.Scan() {
		if len(scan.Bytes()) == 0 {
			continue
		}
		select {
		case lines <- append([]byte(nil), scan.Bytes()...):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if errors.Is(scan.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a message is larger than %d MiB", maxLine>>20)
	}
	return scan.Err()
}

// handle answers one message, or starts the call that it asks for. An error means that the client
// cannot be told anything any more.
func (s *server) handle(calls context.Context, line []byte) error {
	m, fault := readMessage(line)
	switch {
	case fault != nil && m.id == nil:
		return s.to.send(answer{ID: json.RawMessage("null"), Error: fault})
	case fault != nil:
		return s.to.send(answer{ID: m.id, Error: fault})
	case m.method == "notifications/cancelled":
		s.cancel(m.params)
		return nil
	case m.id == nil || m.method == "": // other notifications, and answers
		return nil
	case m.method == "tools/call":
		return s.call(calls, m)
	}
	a := answer{ID: m.id}
	if a.Result = s.about(m); a.Result == nil {
		a.Error = &protocolError{codeNoSuchMethod, fmt.Sprintf("there is no method %.60q here", m.method)}
	}
	return s.to.send(a)
}

// about answers what a client asks about the server; nil when it is something else.
func (s *server) about(m message) any {
	switch m.method {
	case "initialize":
		var p struct {
			Version string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(m.params, &p) // without a version the newest is offered
		return map[string]any{
			"protocolVersion": agreed(p.Version),
			"capabilities":    map[string]any{"tools": map[string]any{}},
			"serverInfo":      map[string]any{"name": "aoctl", "title": "aoctl", "version": version.Read().Version},
			"instructions":    "A person at the aoctl console answers. Calls wait until they do.",
		}
	case "ping":
		return map[string]any{}
	case "tools/list":
		list := make([]definition, len(s.tools))
		for i, t := range s.tools {
			list[i] = t.definition
		}
		return map[string]any{"tools": list}
	}
	return nil
}

// call starts a tool. Its result is sent when it is there; of a call that the client cancelled
// nothing is sent.
func (s *server) call(calls context.Context, m message) error {
	c, ok := readToolCall(m.params)
	if !ok {
		return s.to.send(answer{ID: m.id, Error: &protocolError{codeInvalidParams, "the params of tools/call are no plain JSON object with a name"}})
	}
	for _, t := range s.tools {
		if t.Name != c.name {
			continue
		}
		ctx, done := s.begin(calls, string(m.id))
		if ctx == nil {
			return s.to.send(answer{ID: m.id, Error: &protocolError{codeNotARequest, fmt.Sprintf("the id is in use, or %d calls wait already", maxCalls)}})
		}
		s.running.Go(func() {
			defer done()
			go s.reportWait(ctx, c.progress)
			r := t.run(ctx, c.args)
			if ctx.Err() == nil {
				_ = s.to.send(answer{ID: m.id, Result: r}) // where it cannot be sent, the sender ends all calls
			}
		})
		return nil
	}
	return s.to.send(answer{ID: m.id, Error: &protocolError{codeInvalidParams, fmt.Sprintf("there is no tool %.60q; there are approve and ask_user", c.name)}})
}

// begin notes a call under the client's id, so that it can be cancelled, until done is called. The
// context is nil for one call too many and for an id whose call still waits.
func (s *server) begin(calls context.Context, id string) (ctx context.Context, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[id] != nil || len(s.calls) >= maxCalls {
		return nil, nil
	}
	ctx, cancel := context.WithCancel(calls)
	s.calls[id] = cancel
	return ctx, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.calls, id)
	}
}

// cancel ends the call that a cancellation names, if it waits.
func (s *server) cancel(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(params, &p) // without an id it names no call
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.calls[string(p.ID)]; end != nil {
		end()
	}
}

// reportWait tells the client again and again that its call waits, until ctx ends.
func (s *server) reportWait(ctx context.Context, token json.RawMessage) {
	if token == nil {
		return
	}
	begun, tick := time.Now(), time.NewTicker(s.progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = s.to.send(answer{Method: "notifications/progress", Params: map[string]any{ // as with a result
				"progressToken": token, "progress": time.Since(begun).Seconds(), "message": "waiting for the operator in aoctl",
			}})
		}
	}
}
