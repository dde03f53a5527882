package service_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// follow begins a stream, and returns a function that reads its next event with data; "" at the end.
func (c *client) follow(query string, header ...string) (next func() (name, data string)) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, "http://aoctl/events/stream"+query, nil)
	must(c.t, err)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	must(c.t, err)
	c.t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		c.t.Fatalf("%s: %s", resp.Status, text)
	}
	text := bufio.NewReader(resp.Body)
	return func() (name, data string) {
		for {
			line, err := text.ReadString('\n')
			if err != nil {
				return "", ""
			}
			if v, ok := strings.CutPrefix(line, "event: "); ok {
				name = strings.TrimSpace(v)
			}
			if v, ok := strings.CutPrefix(line, "data: "); ok {
				return name, strings.TrimSpace(v)
			}
		}
	}
}

// A call is asked, answered and taken back; a stream tells it by the names that front ends know,
// and each event as the list of its session has it.
func TestStreamTellsWhatHappens(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{})
	next := c.follow("?session=s")
	r := submit(t, c.b, bash("s", "1", "make"))
	_, err := c.b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
	must(t, err)
	q := bash("s", "2", "")
	q.ToolName, q.ToolInput = "AskUserQuestion", json.RawMessage(`{"questions":[{"question":"Which?","header":"H","multiSelect":false,"options":[{"label":"a"},{"label":"b"}]}]}`)
	r = submit(t, c.b, q)
	_, err = c.b.Withdraw(t.Context(), r.ID, "", operator)
	must(t, err)
	_, err = c.b.Hear(t.Context(), agents.Hook{Agent: "claude", Kind: agents.TurnEnd, SessionID: "s"})
	must(t, err)

	_, got := c.do("GET", "/sessions/s/events", "")
	list, _ := got["list"].([]any)
	var names []string
	for range list {
		name, data := next()
		names = append(names, name)
		var told map[string]any
		must(t, json.Unmarshal([]byte(data), &told))
		a, _ := json.Marshal(told)
		b, _ := json.Marshal(list[len(names)-1])
		if !bytes.Equal(a, b) {
			t.Errorf("told %s, listed %s", a, b)
		}
	}
	want := "session_start approval-requested approval-resolved question-requested approval-cancelled turn_end"
	if got := strings.Join(names, " "); got != want && "session_start "+got != want {
		t.Errorf("%s", got)
	}
}

// What is told is on record, and what it says holds: the call is no longer among those that wait.
func TestStreamTellsNothingBeforeItIsOnRecord(t *testing.T) {
	t.Parallel()
	st := brokertest.NewMemory()
	c := serveOver(t, st, service.Options{})
	r := submit(t, c.b, bash("s", "1", "make"))
	next := c.follow("")
	recording, record := make(chan struct{}), make(chan struct{})
	st.BeforeCommit(func(context.Context, *broker.Change) error {
		st.BeforeCommit(nil)
		close(recording)
		<-record
		return nil
	})
	go func() {
		_, _ = c.b.Decide(context.Background(), r.ID, broker.Decision{Verdict: broker.Deny, By: operator})
	}()
	<-recording
	told := make(chan string)
	go func() {
		_, data := next()
		told <- data
	}()
	select {
	case data := <-told:
		t.Fatalf("told before it was on record: %s", data)
	case <-time.After(50 * time.Millisecond): // several times as long as an event takes
	}
	close(record)
	var e broker.Event
	must(t, json.Unmarshal([]byte(<-told), &e))
	list, err := c.b.Events(t.Context())
	must(t, err)
	if last := list[len(list)-1]; e.Seq != last.Seq || e.Hash != last.Hash || len(c.b.Pending("")) != 0 {
		t.Errorf("told %+v, the newest on record is %+v", e, last)
	}
}

// Attack: an agent follows the feed to learn of tokens, or of who was turned away. It is told no
// more than the list of a session's events has.
func TestStreamLeavesOutTheConsolesOwn(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{})
	_, err := c.b.MintToken(t.Context(), broker.OperatorToken, "secret label", operator)
	must(t, err)
	must(t, c.b.Freeze(t.Context(), "", true, operator))
	submit(t, c.b, bash("s", "1", "make"))
	next := c.follow("?last_event_id=0")
	for {
		_, data := next()
		var e broker.Event
		must(t, json.Unmarshal([]byte(data), &e))
		if e.SessionID == "" {
			t.Errorf("told %s", data)
		}
		if e.Type == broker.EventRequestCreated {
			break
		}
	}
}

// Attack: a web page reads along, through a proxy before the socket or on the port.
func TestFeedRefusesWebPages(t *testing.T) {
	t.Parallel()
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="}
	c := serve(t, service.Options{})
	b := serveTCP(t, service.Options{ListenOperators: true}, (*service.Broker).AnswerWrongTokensAtOnce)
	for _, path := range []string{"/events/stream", "/ws"} {
		for _, page := range []string{"Origin: http://evil.example", "Origin: null", "Origin: http://aoctl", "Origin: http://" + b.addr, "Referer: http://evil.example/"} {
			name, value, _ := strings.Cut(page, ": ")
			if status, got := c.do("GET", path, "", append(upgrade, name, value)...); status != http.StatusForbidden || code(got) != "browser" {
				t.Errorf("%s with %s: %d %v", path, page, status, got)
			}
			head := []string{"Host: " + b.addr, "Authorization: Bearer " + b.operator, page, "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="}
			if status, answer := b.raw(t, message("GET "+path, "", head...)); status != http.StatusForbidden {
				t.Errorf("over TCP, %s with %s: %d %s", path, page, status, answer)
			}
		}
	}
}

// Over TCP the feed takes an operator's token.
func TestFeedOverTCPTakesAToken(t *testing.T) {
	t.Parallel()
	b := serveTCP(t, service.Options{}, (*service.Broker).AnswerWrongTokensAtOnce)
	const upgrade = "\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
	for _, path := range []string{"/events/stream", "/ws"} {
		for token, want := range map[string]int{
			"":                                      http.StatusUnauthorized,
			"Authorization: Bearer guess":           http.StatusUnauthorized,
			"Authorization: Bearer " + b.ask:        http.StatusForbidden,
			"Sec-WebSocket-Protocol: aoctl, bearer": http.StatusUnauthorized,
			"Sec-WebSocket-Protocol: aoctl, bearer.guess":                             http.StatusUnauthorized,
			"Sec-WebSocket-Protocol: bearer." + b.operator + ", bearer." + b.ask:      http.StatusUnauthorized,
			"Sec-WebSocket-Protocol: aoctl, bearer." + b.ask:                          map[string]int{"/ws": http.StatusForbidden, "/events/stream": http.StatusUnauthorized}[path],
			"Authorization: Bearer x\r\nSec-WebSocket-Protocol: bearer." + b.operator: http.StatusUnauthorized,
		} {
			head := "GET " + path + " HTTP/1.1\r\nHost: " + b.addr + upgrade + "\r\n" + token
			if status, answer := b.raw(t, strings.TrimSuffix(head, "\r\n")+"\r\nConnection: Upgrade, close\r\n\r\n"); status != want {
				t.Errorf("%s with %q: %d, want %d\n%s", path, token, status, want, answer)
			}
		}
	}
	if status, _ := b.raw(t, message("GET /sessions", "", "Host: "+b.addr, "Sec-WebSocket-Protocol: aoctl, bearer."+b.operator)); status != http.StatusUnauthorized {
		t.Errorf("the subprotocol opens another route: %d", status)
	}
}

// A client that can set no header shows its token as a subprotocol, which is not sent back. The
// token is revoked, and the connection ends.
func TestSocketWithTokenAsProtocol(t *testing.T) {
	t.Parallel()
	b := serveTCP(t, service.Options{})
	token, err := b.MintToken(t.Context(), broker.OperatorToken, "front end", operator)
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, _, err := websocket.Dial(ctx, "ws://"+b.addr+"/ws", &websocket.DialOptions{Subprotocols: []string{"aoctl", "bearer." + token}}) //nolint:bodyclose // there is none once it is a WebSocket
	must(t, err)
	defer func() { _ = c.CloseNow() }()
	if c.Subprotocol() != "aoctl" {
		t.Errorf("subprotocol %q", c.Subprotocol())
	}
	_, first, err := c.Read(ctx)
	if err != nil || !strings.HasPrefix(string(first), `{"type":"init","sessions":[],`) {
		t.Fatalf("%s, %v", first, err)
	}
	r := submit(t, b.Broker, bash("s", "1", "make"))
	var types []string
	for asked := false; !asked; {
		_, text, err := c.Read(ctx)
		must(t, err)
		var m struct {
			Type      string
			RequestID string `json:"request_id"`
			Session   map[string]any
		}
		must(t, json.Unmarshal(text, &m))
		types = append(types, m.Type)
		asked = m.Type == "approval_request" && m.RequestID == r.ID
		if m.Type == "session_updated" && m.Session["status"] == nil {
			t.Errorf("not as GET /sessions gives it: %s", text)
		}
	}
	t.Log(types)
	for _, k := range b.Tokens(ctx) {
		if k.Label == "front end" {
			must(t, b.RevokeToken(t.Context(), k.ID, operator))
		}
	}
	for err == nil {
		_, _, err = c.Read(ctx)
	}
	if websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("it ended with %v", err)
	}
}

// A console that is closed ends streams and sockets at once: it does not wait for the two seconds
// after which connections are cut.
func TestClosingEndsTheFeed(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{})
	next := c.follow("")
	ws, _, err := websocket.Dial(t.Context(), "ws://aoctl/ws", &websocket.DialOptions{HTTPClient: &c.Client}) //nolint:bodyclose // there is none once it is a WebSocket
	must(t, err)
	defer func() { _ = ws.CloseNow() }()
	began := time.Now()
	c.stop()
	if name, _ := next(); name != "" {
		t.Errorf("the stream goes on with %s", name)
	}
	for err == nil {
		_, _, err = ws.Read(t.Context())
	}
	if websocket.CloseStatus(err) != websocket.StatusGoingAway || time.Since(began) > 1500*time.Millisecond {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

// Readers leave connections to those who ask and refuse.
func TestReadersOfTheFeedAreBounded(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{})
	c.b.LimitConns(16)
	c.follow("")
	c.follow("")
	for _, path := range []string{"/events/stream", "/ws"} {
		status, got := c.do("GET", path, "", "Upgrade", "websocket")
		if status != http.StatusServiceUnavailable || code(got) != "too_many_readers" {
			t.Errorf("%s: %d %v", path, status, got)
		}
	}
	if status, got := c.do("GET", "/ws", ""); status != http.StatusUpgradeRequired || code(got) != "no_websocket" {
		t.Errorf("%d %v", status, got)
	}
	if status, got := c.do("GET", "/events/stream?last_event_id=9999", ""); status != http.StatusServiceUnavailable {
		t.Errorf("%d %v", status, got)
	}
}

// An id that the log has not reached is of another log; a bad one is refused as well.
func TestStreamFromNowhere(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{})
	for _, id := range []string{"9999", "x", "-1"} {
		if status, got := c.do("GET", "/events/stream", "", "Last-Event-ID", id); status != http.StatusBadRequest || code(got) != "bad_request" {
			t.Errorf("%s: %d %v", id, status, got)
		}
	}
}
