package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// shortDir is a private folder whose path leaves room for a socket's name.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ao") //nolint:usetesting // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

type client struct {
	t *testing.T
	http.Client
	b    *service.Broker
	stop func() // ends what it talks to, in order
}

// serve starts a broker on a socket and returns a client of it.
func serve(t *testing.T, opts service.Options) *client {
	t.Helper()
	return serveOver(t, brokertest.NewMemory(), opts)
}

// serveOver is serve for a broker that keeps its records in st, after each of first was done to it.
func serveOver(t *testing.T, st broker.Store, opts service.Options, first ...func(*service.Broker)) *client {
	t.Helper()
	socket := filepath.Join(shortDir(t), "b.sock")
	l, err := api.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	b := newBroker(t, st, opts)
	for _, f := range first {
		f(b)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
		_ = l.Close()
	})
	c := &client{t: t, b: b, stop: cancel}
	c.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func (c *client) do(method, path, body string, header ...string) (int, map[string]any) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, "http://aoctl"+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, _ := io.ReadAll(resp.Body)
	if bytes.HasPrefix(raw, []byte("[")) {
		var list []any
		if err := json.Unmarshal(raw, &list); err != nil {
			c.t.Fatalf("%s %s: %v in %s", method, path, err, raw)
		}
		return resp.StatusCode, map[string]any{"list": list}
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		c.t.Fatalf("%s %s: %v in %s", method, path, err, raw)
	}
	return resp.StatusCode, m
}

func code(m map[string]any) string {
	e, _ := m["error"].(map[string]any)
	s, _ := e["code"].(string)
	return s
}

const makeCall = `{"session_id":"s","tool_name":"Bash","tool_input":{"command":"make"},"request_id":"r-1"}`

func TestBadBodiesAreRefused(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{})
	deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
	for name, tc := range map[string]struct {
		path, body string
		status     int
		says       string
	}{
		"empty":             {"/create-approval-request", ``, 400, "session_id"},
		"not json":          {"/create-approval-request", `hello`, 400, ""},
		"cut":               {"/create-approval-request", makeCall[:30], 400, ""},
		"array":             {"/create-approval-request", `[]`, 400, ""},
		"trailing":          {"/create-approval-request", makeCall + `{}`, 400, ""},
		"unknown field":     {"/create-approval-request", `{"session_id":"s","tool_name":"Bash","tool_input":{},"rush":true}`, 400, "rush"},
		"other case":        {"/create-approval-request", `{"session_id":"s","Tool_Name":"Bash","tool_input":{}}`, 400, "Tool_Name"},
		"duplicate":         {"/create-approval-request", `{"session_id":"s","tool_name":"Read","tool_name":"Bash","tool_input":{}}`, 400, "tool_name"},
		"duplicate inside":  {"/create-approval-request", `{"session_id":"s","tool_name":"Bash","tool_input":{"command":"ls","command":"rm"}}`, 400, "command"},
		"invalid utf-8":     {"/create-approval-request", "{\"session_id\":\"s\",\"tool_name\":\"\xff\",\"tool_input\":{}}", 400, ""},
		"too deep":          {"/create-approval-request", `{"session_id":"s","tool_name":"Bash","tool_input":` + deep + `}`, 400, ""},
		"too large":         {"/create-approval-request", `{"session_id":"` + strings.Repeat("x", 2<<20) + `"}`, 413, ""},
		"wrong type":        {"/create-approval-request", `{"session_id":7,"tool_name":"Bash","tool_input":{}}`, 400, "session_id"},
		"input no object":   {"/create-approval-request", `{"session_id":"s","tool_name":"Bash","tool_input":"rm"}`, 400, "tool_input"},
		"negative timeout":  {"/create-approval-request", `{"session_id":"s","tool_name":"Bash","tool_input":{},"timeout":-1}`, 400, "timeout"},
		"control character": {"/create-approval-request", `{"session_id":"a\u001bb","tool_name":"Bash","tool_input":{}}`, 400, "session_id"},
		"odd request id":    {"/create-approval-request", `{"session_id":"s","tool_name":"Bash","tool_input":{},"request_id":"../x"}`, 400, "request_id"},
		"unknown event":     {"/events", `{"event_type":"party","session_id":"s"}`, 400, "event_type"},
		"event no session":  {"/events", `{"event_type":"user"}`, 400, "session_id"},
		"hook empty":        {"/hooks/claude", ``, 400, ""},
		"hook array":        {"/hooks/claude", `[]`, 400, ""},
		"hook no session":   {"/hooks/claude", `{"hook_event_name":"PreToolUse"}`, 400, "session_id"},
		"unknown agent":     {"/hooks/hal9000", `{}`, 404, "claude"},
	} {
		t.Run(name, func(t *testing.T) {
			c.t = t
			status, m := c.do("POST", tc.path, tc.body)
			text := fmt.Sprint(m["error"])
			if status != tc.status || !strings.Contains(text, tc.says) {
				t.Errorf("%d %s, want %d naming %q", status, text, tc.status, tc.says)
			}
		})
	}
	if left := c.b.Pending(""); len(left) != 0 {
		t.Errorf("%d calls came through", len(left))
	}
}

func TestAllowNeedsTheConsole(t *testing.T) {
	c := serve(t, service.Options{})
	if status, m := c.do("POST", "/create-approval-request", makeCall); status != 200 || m["request_id"] != "r-1" {
		t.Fatal(status, m)
	}
	for _, path := range []string{"/approval-requests/r-1/decide", "/tool-decisions/r-1/respond", "/tool-decisions/r-1/approve"} {
		if status, m := c.do("POST", path, `{"decision":"allow"}`); status != 403 || code(m) != "operator_required" {
			t.Errorf("%s: %d %v, want 403 operator_required", path, status, m)
		}
	}
	if status, m := c.do("GET", "/approval-requests/r-1/decision?timeout=0", ""); status != 202 || m["status"] != "pending" {
		t.Errorf("after the attempts: %d %v, want still pending", status, m)
	}
	_, m := c.do("GET", "/sessions/s/events", "")
	if n := strings.Count(fmt.Sprint(m), broker.EventDecisionRefused); n != 3 {
		t.Errorf("%d attempts are in the log, want 3", n)
	}
}

func TestDenyOverTheSocket(t *testing.T) {
	c := serve(t, service.Options{})
	c.do("POST", "/create-approval-request", makeCall)
	if status, m := c.do("POST", "/approval-requests/r-1/decide", `{"decision":"deny","reason":"no"}`); status != 200 || m["status"] != "denied" {
		t.Errorf("deny: %d %v", status, m)
	}
	if status, m := c.do("POST", "/tool-decisions/r-1/deny", ``); status != 409 || code(m) != "already_decided" {
		t.Errorf("second deny: %d %v, want 409 already_decided", status, m)
	}
	status, m := c.do("GET", "/approval-requests/r-1/decision", "")
	by, _ := m["by"].(map[string]any)
	if status != 200 || m["decision"] != "deny" || by["kind"] != "process" || by["pid"] != float64(os.Getpid()) || by["exe"] == nil {
		t.Errorf("outcome: %d %v, want a denial with the process that did it", status, m)
	}
}

func TestBlockingAskAndDisconnect(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{Alive: func(broker.Process) bool { return false }})
	ctx, hangUp := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "POST", "http://aoctl/request-approval", strings.NewReader(makeCall))
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if resp, err := c.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	watching, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, updates := c.b.Watch(watching)
	for len(c.b.Pending("")) == 0 {
		<-updates
	}
	hangUp()
	<-gone
	for u := range updates { // not Wait, which would count as an asker
		if u.Request != nil && u.Request.State.Terminal() {
			if u.Request.State != broker.Cancelled {
				t.Errorf("after the asker hung up: %s, want cancelled", u.Request.State)
			}
			return
		}
	}
	t.Error("the watch ended first")
}

func TestWebPagesAreRefused(t *testing.T) {
	c := serve(t, service.Options{})
	for _, h := range [][2]string{{"Origin", "http://evil.example"}, {"Referer", "http://evil.example/"}} {
		if status, m := c.do("POST", "/create-approval-request", makeCall, h[0], h[1]); status != 403 {
			t.Errorf("with %s: %d %v, want 403", h[0], status, m)
		}
	}
}

func TestStopOverTheSocket(t *testing.T) {
	c := serve(t, service.Options{})
	c.do("POST", "/events", `{"event_type":"session_start","session_id":"s","agent":"loop","cwd":"/src/shop"}`)
	if _, m := c.do("GET", "/check-stop/s", ""); m["stop_requested"] != false {
		t.Errorf("before: %v", m)
	}
	c.do("POST", "/create-approval-request", makeCall)
	if status, m := c.do("POST", "/sessions/s/request-stop", ""); status != 200 || m["status"] != "stopping" || m["name"] != "shop" {
		t.Errorf("stop: %d %v", status, m)
	}
	if _, m := c.do("GET", "/check-stop/s", ""); m["stop_requested"] != true {
		t.Errorf("after: %v", m)
	}
	c.do("POST", "/events", `{"event_type":"user","session_id":"s","message":"go on"}`)
	if _, m := c.do("GET", "/check-stop/s", ""); m["stop_requested"] != true {
		t.Error("a process lifted its own stop")
	}
	c.do("POST", "/events", `{"event_type":"session_stop","session_id":"s"}`)
	if _, m := c.do("GET", "/sessions/s", ""); m["status"] != "stopped" || m["exit_code"] != float64(130) || m["end_reason"] != "stopped_by_user" {
		t.Errorf("ended: %v", m)
	}
	if status, m := c.do("POST", "/sessions/s/stop", ""); status != 200 {
		t.Errorf("stopping again: %d %v", status, m)
	}
	if status, m := c.do("POST", "/sessions/nobody/stop", ""); status != 404 || code(m) != "not_found" {
		t.Errorf("unknown: %d %v", status, m)
	}
	c.do("POST", "/events", `{"event_type":"session_start","session_id":"t"}`)
	c.do("POST", "/events", `{"event_type":"session_stop","session_id":"t","exit_code":0}`)
	if status, m := c.do("POST", "/sessions/t/stop", ""); status != 409 || code(m) != "session_ended" {
		t.Errorf("finished: %d %v", status, m)
	}
}

func TestSlowPeersAreDropped(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{})
	tr := c.Transport.(*http.Transport)
	slow, err := tr.DialContext(t.Context(), "unix", "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = slow.Close() }()
	if _, err := slow.Write([]byte("POST /hooks/claude HTTP/1.1\r\nHost: a\r\n")); err != nil {
		t.Fatal(err)
	}
	if status, _ := c.do("GET", "/sessions", ""); status != 200 {
		t.Errorf("meanwhile another got %d", status)
	}
	start := time.Now()
	_ = slow.SetReadDeadline(start.Add(15 * time.Second))
	if _, err := io.ReadAll(slow); err != nil {
		t.Errorf("a peer that never ends its header was still connected after %s", time.Since(start))
	}
}

// A hook that asks when its time is over, as after a console that was away, gets no new
// time: nobody is there to hear the answer.
func TestHookWithoutTimeLeft(t *testing.T) {
	c := serve(t, service.Options{})
	code, got := c.do("POST", "/hooks/claude",
		`{"session_id":"s","cwd":"/src","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"t1"}`,
		"Aoctl-Protocol", "1", "Aoctl-Correlation", "c1", "Aoctl-Timeout-Ms", "0")
	if out, _ := got["hookSpecificOutput"].(map[string]any); code != http.StatusOK || out["permissionDecision"] != "deny" {
		t.Errorf("got %d %v, want a denial at once", code, got)
	}
}
