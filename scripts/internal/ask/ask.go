// Package ask is a hook client for load drivers: one process holds thousands of
// waiting hooks with it. It speaks the protocol of package wire over a Unix socket
// and, unlike the real hook client, reports failures instead of refusing.
package ask

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// Call is one tool call of a Claude Code session.
type Call struct {
	Session string
	ToolUse string // tool use id; with Session it names the call
	Tool    string
	CWD     string
	Input   map[string]any
	Timeout time.Duration // how long the answer may take; 0 means 10 min
}

// Payload is the PreToolUse hook JSON of c, ending in a newline as the agent's does.
func (c Call) Payload() ([]byte, error) {
	p, err := json.Marshal(map[string]any{
		"session_id": c.Session, "transcript_path": "/dev/null", "cwd": c.CWD,
		"permission_mode": "default", "hook_event_name": "PreToolUse",
		"tool_name": c.Tool, "tool_input": c.Input, "tool_use_id": c.ToolUse,
	})
	if err != nil {
		return nil, fmt.Errorf("encode hook payload: %w", err)
	}
	return append(p, '\n'), nil
}

// Answer is what the broker said to a hook.
type Answer struct {
	RequestID string
	Verdict   string // "allow" or "deny"
	Reason    string
}

// Reply is one HTTP response, read whole.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Error is a response with an error status.
type Error struct {
	Status int
	Body   string
}

func (e *Error) Error() string { return fmt.Sprintf("broker answered %d: %s", e.Status, e.Body) }

// ErrUnreached marks a question that no broker can have seen.
var ErrUnreached = errors.New("no broker was reached")

// Message is what the broker said in plain words, or the whole body where it has none.
func (e *Error) Message() string {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(e.Body), &body) != nil || body.Error.Message == "" {
		return e.Body
	}
	return body.Error.Message
}

// Client asks the broker behind Socket. Each poll is a connection of its own, as
// it is for hook processes.
type Client struct {
	Socket string
}

// Hook asks about c and waits for the answer, however many polls that takes.
// Asking again with the same correlation and call is the same question.
func (cl Client) Hook(ctx context.Context, c Call, correlation string) (Answer, error) {
	payload, err := c.Payload()
	if err != nil {
		return Answer{}, err
	}
	head := http.Header{}
	head.Set(wire.HeaderProtocol, wire.Version)
	head.Set(wire.HeaderCorrelation, correlation)
	head.Set(wire.HeaderClientPID, strconv.Itoa(os.Getpid()))
	head.Set(wire.HeaderParentPID, strconv.Itoa(os.Getpid()))
	timeout := c.Timeout
	if timeout == 0 {
		timeout = 10 * time.Minute
	}
	head.Set(wire.HeaderTimeoutMS, strconv.FormatInt(timeout.Milliseconds(), 10))

	rep, err := cl.once(ctx, http.MethodPost, "/hooks/claude", head, payload)
	for err == nil && rep.Status == http.StatusAccepted {
		rep, err = cl.once(ctx, http.MethodGet, "/hooks/claude/"+rep.Header.Get(wire.HeaderRequestID), head, nil)
	}
	if err != nil {
		return Answer{}, err
	}
	return readAnswer(rep)
}

// Do sends one API request and returns the reply, whatever its status.
func (cl Client) Do(ctx context.Context, method, path string, body any) (Reply, error) {
	var payload []byte
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return Reply{}, fmt.Errorf("encode request body: %w", err)
		}
	}
	return cl.once(ctx, method, path, http.Header{}, payload)
}

// once sends one request on a connection of its own: the broker closes those on which a
// hook has waited.
func (cl Client) once(ctx context.Context, method, path string, head http.Header, payload []byte) (Reply, error) {
	conn, err := cl.Dial(ctx)
	if err != nil {
		return Reply{}, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	return exchange(conn, bufio.NewReader(conn), method, path, head, payload)
}

// Dial connects, waiting while the broker's queue of callers is full.
func (cl Client) Dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	for {
		conn, err := d.DialContext(ctx, "unix", cl.Socket)
		switch {
		case err == nil:
			return conn, nil
		case !errors.Is(err, syscall.EAGAIN): // the queue of callers is full for a moment
			return nil, fmt.Errorf("dial the broker: %w: %w", ErrUnreached, err)
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("dial the broker: %w: %w", ErrUnreached, ctx.Err())
		}
	}
}

// exchange writes one HTTP/1.1 request and reads its response.
func exchange(conn net.Conn, in *bufio.Reader, method, path string, head http.Header, body []byte) (Reply, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %s HTTP/1.1\r\nHost: aoctl\r\nContent-Length: %d\r\n", method, path, len(body))
	if len(body) > 0 {
		out.WriteString("Content-Type: application/json\r\n")
	}
	if err := head.Write(&out); err != nil {
		return Reply{}, fmt.Errorf("write request head: %w", err)
	}
	out.WriteString("\r\n")
	out.Write(body)
	if _, err := conn.Write(out.Bytes()); err != nil {
		return Reply{}, fmt.Errorf("send %s %s: %w", method, path, err)
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return Reply{}, fmt.Errorf("read the answer to %s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, wire.MaxHookBody))
	if err != nil {
		return Reply{}, fmt.Errorf("read the answer to %s %s: %w", method, path, err)
	}
	return Reply{Status: resp.StatusCode, Header: resp.Header, Body: text}, nil
}

// readAnswer takes the verdict out of a PreToolUse answer.
func readAnswer(rep Reply) (Answer, error) {
	if rep.Status != http.StatusOK {
		return Answer{}, &Error{Status: rep.Status, Body: string(rep.Body)}
	}
	var out struct {
		HookSpecificOutput struct {
			PermissionDecision       string `json:"permissionDecision"`
			PermissionDecisionReason string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(rep.Body, &out); err != nil {
		return Answer{}, fmt.Errorf("read the agent's answer: %w", err)
	}
	a := Answer{
		RequestID: rep.Header.Get(wire.HeaderRequestID),
		Verdict:   out.HookSpecificOutput.PermissionDecision,
		Reason:    out.HookSpecificOutput.PermissionDecisionReason,
	}
	if a.Verdict != "allow" && a.Verdict != "deny" {
		return Answer{}, fmt.Errorf("answer without a verdict: %q", rep.Body)
	}
	return a, nil
}
