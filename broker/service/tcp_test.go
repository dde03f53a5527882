package service_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/api"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/service"
)

// tcpBroker listens on a loopback port and has a token of each kind.
type tcpBroker struct {
	*service.Broker
	addr          string
	operator, ask string
}

// serveTCP serves a new broker over TCP, after each of first was done to it.
func serveTCP(t *testing.T, opts service.Options, first ...func(*service.Broker)) *tcpBroker {
	t.Helper()
	return serveTCPOver(t, brokertest.NewMemory(), opts, first...)
}

// serveTCPOver is serveTCP for a broker that keeps its records in st.
func serveTCPOver(t *testing.T, st broker.Store, opts service.Options, first ...func(*service.Broker)) *tcpBroker {
	t.Helper()
	l, err := api.ListenTCP(t.Context(), "127.0.0.1:0")
	must(t, err)
	b := &tcpBroker{Broker: newBroker(t, st, opts), addr: l.Addr()}
	for _, f := range first {
		f(b.Broker)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.ServeTCP(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	b.operator, err = b.MintToken(t.Context(), broker.OperatorToken, "op", operator)
	must(t, err)
	b.ask, err = b.MintToken(t.Context(), broker.AskingToken, "ask", operator)
	must(t, err)
	return b
}

// raw sends text over a connection of its own and returns the answer's status and the
// whole answer; 0 when there was none.
func (b *tcpBroker) raw(t *testing.T, text string) (status int, answer string) {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", b.addr)
	must(t, err)
	defer func() { _ = c.Close() }()
	must(t, c.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = io.WriteString(c, text)
	must(t, err)
	raw, _ := io.ReadAll(c)
	_, _ = fmt.Sscanf(string(raw), "HTTP/1.1 %d", &status)
	return status, string(raw)
}

// message writes a request as it stands: the head's lines, then the body.
func message(line, body string, head ...string) string {
	head = append(head, "Connection: close", fmt.Sprintf("Content-Length: %d", len(body)))
	return line + " HTTP/1.1\r\n" + strings.Join(head, "\r\n") + "\r\n\r\n" + body
}

// Attack: a web page, a process that found the port, or somebody with half the right
// things drives the console over TCP. Only the fully right request passes.
func TestTCPMatrix(t *testing.T) {
	b := serveTCP(t, service.Options{ListenOperators: true}, (*service.Broker).AnswerWrongTokensAtOnce)
	port := b.addr[strings.LastIndexByte(b.addr, ':'):]
	host, asks, decides := "Host: localhost"+port, "Authorization: Bearer "+b.ask, "Authorization: Bearer "+b.operator
	const jsonType = "Content-Type: application/json"
	const create = "POST /create-approval-request"
	basic := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("x:"+b.ask))
	for name, tc := range map[string]struct {
		want int
		line string
		body string
		head []string
	}{
		"right":                    {200, create, makeCall, []string{host, asks, jsonType}},
		"right, by number":         {200, create, makeCall, []string{"Host: 127.0.0.1" + port, asks, jsonType}},
		"right, IPv6":              {200, create, makeCall, []string{"Host: [::1]" + port, asks, jsonType}},
		"right, basic":             {200, create, makeCall, []string{host, basic, jsonType}},
		"right, charset":           {200, create, makeCall, []string{host, asks, jsonType + "; charset=utf-8"}},
		"right, address typed":     {200, create, makeCall, []string{host, asks, jsonType, "Sec-Fetch-Site: none"}},
		"operator reads":           {200, "GET /sessions", "", []string{host, decides}},
		"no token":                 {401, create, makeCall, []string{host, jsonType}},
		"empty token":              {401, create, makeCall, []string{host, jsonType, "Authorization: Bearer "}},
		"guessed token":            {401, create, makeCall, []string{host, jsonType, "Authorization: Bearer aoctl_ask_guess"}},
		"cut token":                {401, create, makeCall, []string{host, jsonType, asks[:len(asks)-1]}},
		"longer token":             {401, create, makeCall, []string{host, jsonType, asks + "x"}},
		"other scheme":             {401, create, makeCall, []string{host, jsonType, "Authorization: Digest " + b.ask}},
		"two tokens":               {401, create, makeCall, []string{host, jsonType, asks, decides}},
		"token in the address":     {401, create + "?token=" + b.ask, makeCall, []string{host, jsonType}},
		"rebound host":             {403, create, makeCall, []string{"Host: evil.example" + port, asks, jsonType}},
		"host that begins right":   {403, create, makeCall, []string{"Host: localhost.evil.example" + port, asks, jsonType}},
		"host without port":        {403, create, makeCall, []string{"Host: localhost", asks, jsonType}},
		"host of another port":     {403, create, makeCall, []string{"Host: localhost:1", asks, jsonType}},
		"host in other letters":    {403, create, makeCall, []string{"Host: LOCALHOST" + port, asks, jsonType}},
		"other loopback":           {403, create, makeCall, []string{"Host: 127.0.0.2" + port, asks, jsonType}},
		"host with user":           {400, create, makeCall, []string{"Host: a@localhost" + port, asks, jsonType}},
		"two hosts":                {400, create, makeCall, []string{host, "Host: localhost" + port, asks, jsonType}},
		"other host in the line":   {403, "POST http://evil.example/create-approval-request", makeCall, []string{host, asks, jsonType}},
		"origin":                   {403, create, makeCall, []string{host, asks, jsonType, "Origin: http://localhost" + port}},
		"origin null":              {403, create, makeCall, []string{host, asks, jsonType, "Origin: null"}},
		"referer":                  {403, create, makeCall, []string{host, asks, jsonType, "Referer: http://localhost" + port + "/"}},
		"cross site":               {403, create, makeCall, []string{host, asks, jsonType, "Sec-Fetch-Site: cross-site"}},
		"same site":                {403, create, makeCall, []string{host, asks, jsonType, "Sec-Fetch-Site: same-site"}},
		"form":                     {415, create, makeCall, []string{host, asks, "Content-Type: application/x-www-form-urlencoded"}},
		"text":                     {415, create, makeCall, []string{host, asks, "Content-Type: text/plain"}},
		"no type":                  {415, create, makeCall, []string{host, asks}},
		"two types":                {415, create, makeCall, []string{host, asks, jsonType, "Content-Type: text/plain"}},
		"preflight":                {403, "OPTIONS /create-approval-request", "", []string{host, asks}},
		"preflight of a page":      {403, "OPTIONS /create-approval-request", "", []string{host, "Origin: http://evil.example", "Access-Control-Request-Method: POST"}},
		"GET in place of POST":     {404, "GET /create-approval-request", "", []string{host, asks}},
		"asking token decides":     {403, "POST /approval-requests/r-1/decide", `{"decision":"allow"}`, []string{host, asks, jsonType}},
		"asking token denies":      {403, "POST /tool-decisions/r-1/deny", `{}`, []string{host, asks, jsonType}},
		"asking token lists":       {403, "GET /approval-requests?status=pending", "", []string{host, asks}},
		"asking token sessions":    {403, "GET /sessions", "", []string{host, asks}},
		"asking token rules":       {403, "POST /rules", `{"decision":"deny","tool":"Bash"}`, []string{host, asks, jsonType}},
		"asking token stops":       {403, "POST /sessions/s/stop", `{}`, []string{host, asks, jsonType}},
		"asking token dots":        {403, "GET /hooks/../sessions", "", []string{host, asks}},
		"asking token takes back":  {404, "POST /approval-requests/none/cancel", `{}`, []string{host, asks, jsonType}},
		"taken back by nobody":     {401, "POST /approval-requests/none/cancel", `{}`, []string{host, jsonType}},
		"operator token in a hook": {403, "POST /hooks/claude", `{}`, []string{host, decides, jsonType}},
		"operator token ends one":  {403, "POST /hooks/claude/cancel", `{}`, []string{host, decides, jsonType}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.want == 200 {
				tc.body = strings.Replace(tc.body, "r-1", "r-"+strings.NewReplacer(" ", "", ",", "").Replace(name), 1)
			}
			status, answer := b.raw(t, message(tc.line, tc.body, tc.head...))
			if status != tc.want {
				t.Errorf("status %d, want %d:\n%s", status, tc.want, answer)
			}
			if strings.Contains(answer, "Access-Control") {
				t.Errorf("the answer opens itself to web pages:\n%s", answer)
			}
			if status != 200 && strings.Contains(answer, "r-1") {
				t.Errorf("the answer tells of calls:\n%s", answer)
			}
		})
	}
}

func TestListenTCPOnlyOnLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":8765", "[::]:0", "192.0.2.1:0", "example.com:80", "127.0.0.1", "8765", "127.0.0.1:http", "127.0.0.1:99999", ""} {
		l, err := api.ListenTCP(t.Context(), addr)
		var bad *api.SocketError
		if !errors.As(err, &bad) || !strings.Contains(bad.Hint, "127.0.0.1:8765") {
			t.Errorf("%q: %v", addr, err)
		}
		if err == nil {
			_ = l.Close()
		}
	}
	l, err := api.ListenTCP(t.Context(), "localhost:0")
	must(t, err)
	defer func() { _ = l.Close() }()
	if _, err = api.ListenTCP(t.Context(), l.Addr()); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("taken: %v", err)
	}
}

// An operator's token over TCP: this process holds the connection's other end, so it is
// found and looked at like one on the socket.
func TestOperatorOverTCP(t *testing.T) {
	b := serveTCP(t, service.Options{})
	send := func(path, body string) (int, string) {
		return b.raw(t, message("POST "+path, body, "Host: localhost"+b.addr[strings.LastIndexByte(b.addr, ':'):],
			"Authorization: Bearer "+b.operator, "Content-Type: application/json"))
	}
	req := submit(t, b.Broker, bash("s", "1", "make"))
	if code, got := send("/approval-requests/"+req.ID+"/decide", `{"decision":"allow"}`); code != http.StatusOK || !strings.Contains(got, `"kind":"operator","id":"token:`) {
		t.Fatalf("%d %s", code, got)
	}
	q := bash("s", "2", "make")
	q.Session.Process = peers.FindProcess(ownPID) // this test is the agent now
	req = submit(t, b.Broker, q)
	if code, got := send("/approval-requests/"+req.ID+"/decide", `{"decision":"allow"}`); code != http.StatusForbidden || !strings.Contains(got, "comes from the agent of session s") {
		t.Errorf("%d %s", code, got)
	}
	if req, _ = b.Request(t.Context(), req.ID); req.State != broker.Pending {
		t.Errorf("the call is %s", req.State)
	}
}

// Wrong tokens wait, right ones do not, and no flood of wrong ones fills the log.
func TestFloodOfWrongTokens(t *testing.T) {
	b := serveTCP(t, service.Options{})
	host := "Host: localhost" + b.addr[strings.LastIndexByte(b.addr, ':'):]
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 3 {
			wait := make(chan struct{}, 40)
			for range cap(wait) {
				go func() {
					defer func() { wait <- struct{}{} }()
					c, err := net.DialTimeout("tcp", b.addr, time.Second)
					if err != nil {
						return
					}
					defer func() { _ = c.Close() }()
					_, _ = io.WriteString(c, message("GET /sessions", "", host, "Authorization: Bearer aoctl_op_guess"))
					_, _ = io.ReadAll(c)
				}()
			}
			for range cap(wait) {
				<-wait
			}
		}
	}()
	began := time.Now()
	if code, got := b.raw(t, message("GET /check-stop/s", "", host, "Authorization: Bearer "+b.ask)); code != http.StatusOK && code != http.StatusNotFound {
		t.Errorf("the right token: %d %s", code, got)
	}
	if d := time.Since(began); d > time.Minute {
		t.Errorf("the right token waited %v", d)
	}
	<-done
	list, err := b.Events(t.Context())
	must(t, err)
	n := 0
	for _, e := range list {
		if e.Type == broker.EventAccessRefused {
			n++
		}
	}
	if most := 10 + int(time.Since(began)/time.Second+1)*2; n == 0 || n > most {
		t.Errorf("%d events tell of 120 wrong tokens, want %d at most", n, most)
	}
}

// Attack: an agent on another machine, or in a container, shows an operator's token over a
// port that a program of the user forwards. What forwards is nobody's agent; who speaks
// cannot be told.
func TestOperatorBehindAForwarder(t *testing.T) {
	bash5, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	for _, anyone := range []bool{false, true} {
		b := serveTCP(t, service.Options{ListenOperators: anyone})
		req := submit(t, b.Broker, bash("s", "1", "make"))
		port := b.addr[strings.LastIndexByte(b.addr, ':')+1:]
		ssh := filepath.Join(t.TempDir(), "ssh")
		must(t, os.Symlink(bash5, ssh))
		cmd := exec.CommandContext(t.Context(), ssh, "-c", `exec 3<>/dev/tcp/127.0.0.1/$1; printf %s "$2" >&3; read -r line <&3; echo "$line"`,
			"ssh", port, message("POST /approval-requests/"+req.ID+"/decide", `{"decision":"allow"}`, "Host: localhost:"+port,
				"Authorization: Bearer "+b.operator, "Content-Type: application/json"))
		out, err := cmd.Output()
		must(t, err)
		want := map[bool]string{false: "HTTP/1.1 403", true: "HTTP/1.1 200"}[anyone]
		if !strings.HasPrefix(string(out), want) {
			t.Errorf("with --listen-operators %v: %q, want %s", anyone, out, want)
		}
	}
}

// The same over a socket that a program of the user forwards.
func TestOperatorBehindAForwardedSocket(t *testing.T) {
	for _, anyone := range []bool{false, true} {
		socket := filepath.Join(shortDir(t), "b.sock")
		l, err := api.Listen(socket)
		must(t, err)
		b := newBroker(t, brokertest.NewMemory(), service.Options{ListenOperators: anyone})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- b.Serve(ctx, l) }()
		token, err := b.MintToken(ctx, broker.OperatorToken, "op", operator)
		must(t, err)
		req := submit(t, b, bash("s", "1", "make"))
		self, err := os.Executable()
		must(t, err)
		ssh := filepath.Join(t.TempDir(), forwarder)
		must(t, os.Symlink(self, ssh))
		out, err := exec.CommandContext(ctx, ssh, socket, message("POST /approval-requests/"+req.ID+"/decide", `{"decision":"allow"}`,
			"Host: aoctl", "Authorization: Bearer "+token, "Content-Type: application/json")).Output()
		must(t, err)
		want := map[bool]string{false: "HTTP/1.1 403", true: "HTTP/1.1 200"}[anyone]
		if !strings.HasPrefix(string(out), want) {
			t.Errorf("with --listen-operators %v: %q, want %s", anyone, out, want)
		}
		stop()
		must(t, <-done)
	}
}
