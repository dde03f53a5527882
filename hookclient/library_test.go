package hookclient

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

const call = `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`

// marked is a step that answers with a request's id.
func marked(body, id string) step {
	return reply(200, body, func(head *[]string) { *head = append(*head, HeaderRequestID+": "+id) })
}

func TestHookFindsItsRequestAgain(t *testing.T) {
	hangUp := func(net.Conn, heard) bool { return false }
	b := newBroker(t, reply(202, `{"request_id":"r1"}`), hangUp, marked(allow, "r1"))
	got, err := Hook(t.Context(), "claude", []byte(call), HookOptions{Socket: b.socket})
	if err != nil || string(got.JSON) != allow || got.RequestID != "r1" {
		t.Fatalf("got %s of %s, %v", got.JSON, got.RequestID, err)
	}
	first, second, third := <-b.requests, <-b.requests, <-b.requests
	if first.method != "POST" || first.path != "/hooks/claude" || string(first.body) != call || second.path != "/hooks/claude/r1" {
		t.Errorf("asked %s %s, then %s", first.method, first.path, second.path)
	}
	if third.method != "POST" || third.correlation != first.correlation {
		t.Errorf("after the connection was lost: %s with %s, not a post with %s", third.method, third.correlation, first.correlation)
	}
}

func TestHookTellsTheEnvironmentItIsGiven(t *testing.T) {
	t.Setenv("TMUX_PANE", "%9")
	b := newBroker(t, reply(200, allow))
	env := func(name string) (string, bool) { return "41", name == "CLAUDE_PID" }
	if _, err := Hook(t.Context(), "claude", []byte(call), HookOptions{Socket: b.socket, Env: env}); err != nil {
		t.Fatal(err)
	}
	if got := (<-b.requests).header.Values(HeaderEnv); len(got) != 1 || got[0] != "CLAUDE_PID=41" {
		t.Errorf("told %q", got)
	}
}

func TestHookWaitsForAConsole(t *testing.T) {
	socket := privateDir(t) + "/broker.sock"
	if _, err := Hook(t.Context(), "claude", []byte(call), HookOptions{Socket: socket}); !errors.Is(err, ErrNoConsole) {
		t.Fatalf("without a console: %v", err)
	}
	l := defaultLimits()
	l.grace = 10 * time.Millisecond
	short := HookOptions{Socket: socket, Patient: true, Timeout: 30 * time.Millisecond}
	if _, err := hookOnce(t.Context(), "claude", []byte(call), short, l); !errors.Is(err, ErrNoConsole) {
		t.Errorf("a console that never came: %v", err)
	}
	type outcome struct {
		answer HookAnswer
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		answer, err := Hook(t.Context(), "claude", []byte(call), HookOptions{Socket: socket, Patient: true})
		done <- outcome{answer, err}
	}()
	listenAt(t, socket, reply(200, allow))
	if got := <-done; got.err != nil || string(got.answer.JSON) != allow {
		t.Errorf("a console that came later: %s, %v", got.answer.JSON, got.err)
	}
}

func TestHookRefusesWhatIsNoQuestion(t *testing.T) {
	b := newBroker(t, reply(200, allow))
	for name, tt := range map[string]struct {
		agent, payload string
		timeout        time.Duration
	}{
		"agent":    {"../x", call, 0},
		"array":    {"claude", "[]", 0},
		"nothing":  {"claude", " ", 0},
		"timeout":  {"claude", call, -1},
		"too long": {"claude", call, 25 * time.Hour},
		"large":    {"claude", "{" + strings.Repeat(" ", MaxHookBody), 0},
	} {
		got, err := Hook(t.Context(), tt.agent, []byte(tt.payload), HookOptions{Socket: b.socket, Timeout: tt.timeout})
		if !errors.Is(err, ErrInput) || got.JSON != nil {
			t.Errorf("%s: %s, %v", name, got.JSON, err)
		}
	}
	if len(b.requests) > 0 {
		t.Error("one was sent")
	}
}

func TestHookEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	closed := make(chan struct{})
	b := newBroker(t, func(c net.Conn, _ heard) bool {
		cancel()
		_, _ = c.Read(make([]byte, 1)) // returns when the asker closes
		close(closed)
		return false
	}, reply(200, "{}\n"))
	if got, err := Hook(ctx, "claude", []byte(call), HookOptions{Socket: b.socket}); !errors.Is(err, context.Canceled) || got.JSON != nil {
		t.Errorf("got %s, %v", got.JSON, err)
	}
	<-closed
	first, second := <-b.requests, <-b.requests
	if !strings.HasPrefix(second.path, "/hooks/claude/cancel?reason=") || second.correlation != first.correlation || string(second.body) != call {
		t.Errorf("it was not taken back: %s of %s, asked as %s", second.path, second.correlation, first.correlation)
	}
}

func TestCall(t *testing.T) {
	refusal := `{"error":{"code":"not_found","message":"no such run","hint":"start one"}}` + "\n"
	b := newBroker(t,
		reply(200, `{"orders":[]}`+"\n"), reply(201, `{}`+"\n"), reply(404, refusal),
		func(net.Conn, heard) bool { return false },
		reply(200, `{}`), // cut off: no newline
	)
	got, err := Call(t.Context(), "/runs/1/orders", nil, CallOptions{Socket: b.socket})
	if r := <-b.requests; err != nil || string(got) != `{"orders":[]}`+"\n" || r.method != "GET" || r.path != "/runs/1/orders" {
		t.Errorf("%s %s: %s, %v", r.method, r.path, got, err)
	}
	_, err = Call(t.Context(), "/runs", []byte(`{"a":1}`), CallOptions{Socket: b.socket})
	if r := <-b.requests; err != nil || r.method != "POST" || string(r.body) != `{"a":1}` {
		t.Errorf("%s %s, %v", r.method, r.body, err)
	}
	_, err = Call(t.Context(), "/runs", nil, CallOptions{Socket: b.socket})
	var status *StatusError
	if !errors.As(err, &status) || *status != (StatusError{404, "not_found", "no such run", "start one"}) || !errors.Is(err, ErrRefused) {
		t.Errorf("a refusal: %#v", err)
	}
	if _, err = Call(t.Context(), "/runs", nil, CallOptions{Socket: b.socket}); !errors.Is(err, ErrNoConsole) {
		t.Errorf("a connection that was closed: %v", err)
	}
	if _, err = Call(t.Context(), "/runs", nil, CallOptions{Socket: b.socket}); !errors.Is(err, ErrAnswer) {
		t.Errorf("an answer that is not whole: %v", err)
	}
}

func TestCallRefusesAnImpostor(t *testing.T) {
	b := newBroker(t, reply(200, "{}\n"))
	must(t, os.WriteFile(b.socket+".lock", []byte("1\n"), 0o600))
	if _, err := Call(t.Context(), "/runs", []byte("{}"), CallOptions{Socket: b.socket}); !errors.Is(err, ErrSocket) {
		t.Errorf("a socket that is not the console's: %v", err)
	}
	if len(b.requests) > 0 {
		t.Error("it was asked")
	}
}

func TestCallEndsInTime(t *testing.T) {
	t.Parallel()
	b := newBroker(t, func(c net.Conn, _ heard) bool { _, _ = c.Read(make([]byte, 1)); return false })
	if _, err := Call(t.Context(), "/runs", nil, CallOptions{Socket: b.socket, Timeout: 20 * time.Millisecond}); !errors.Is(err, ErrSilent) {
		t.Errorf("a console that does not answer: %v", err)
	}
}
