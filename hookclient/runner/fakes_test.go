package runner

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
)

// fakeAgent, when set in the environment, makes the test program an agent that behaves so.
const fakeAgent = "AOCTL_FAKE_AGENT"

func TestMain(m *testing.M) {
	if how := os.Getenv(fakeAgent); how != "" {
		os.Exit(playAgent(how))
	}
	os.Exit(m.Run())
}

// playAgent speaks the protocol, and misbehaves as told.
func playAgent(how string) int {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	say := func(format string, a ...any) { _, _ = fmt.Printf(format+"\n", a...) }
	next := func() map[string]any {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var m map[string]any
		if json.Unmarshal(text, &m) != nil {
			os.Exit(97)
		}
		return m
	}
	until := func(what string) string { // the next line with that in it
		for {
			m := next()
			if m == nil {
				os.Exit(0)
			}
			if raw, _ := json.Marshal(m); strings.Contains(string(raw), what) {
				return string(raw)
			}
		}
	}
	until(`"initialize"`)
	switch how {
	case "refuses":
		say(`{"type":"control_response","response":{"subtype":"error","request_id":"aoctl-1","error":"no hooks here"}}`)
	case "no-gate":
		say(`{"type":"control_response","response":{"subtype":"success","request_id":"aoctl-1","response":{"pid":1}}}`)
	case "dies-at-once":
		fmt.Fprintln(os.Stderr, "Error: no settings file")
		return 3
	default:
		say(gateStands)
		until(`"aoctl-settings"`)
		say(settingsTaken)
	}
	if how == "refuses" || how == "no-gate" {
		if m := next(); m != nil {
			_ = os.WriteFile(os.Getenv("FAKE_TOLD"), []byte(fmt.Sprint(m)), 0o600)
		}
		return 0
	}
	until(`"do it"`)
	call := func() string {
		say("%s", gate("q1", "t1", "ls"))
		return until(`"q1"`)
	}
	finish := func() int { say(resultOK); until(`never`); return 0 }
	switch how {
	case "good":
		if strings.Contains(call(), `"permissionDecision":"allow"`) {
			say("%s", ran("t1", false))
		} else {
			say("%s", ran("t1", true))
		}
		return finish()
	case "env":
		_ = os.WriteFile(os.Getenv("FAKE_TOLD"), []byte(strings.Join(os.Environ(), "\n")), 0o600)
		return finish()
	case "junk":
		say("this is no JSON\n\n{\"type\":\"news\"}\n\x1b[31m")
		fmt.Fprintln(os.Stderr, "a word of the agent's")
		return finish()
	case "large":
		say(`{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}`, strings.Repeat("x", 10<<20))
		return finish()
	case "half":
		fmt.Print(`{"type":"assis`)
		return 7
	case "runs-it-anyway":
		call()
		say("%s", ran("t1", false))
		return finish()
	case "ignores-all":
		signal.Ignore(syscall.SIGTERM)
		say("%s", gate("q1", "t1", "ls"))
		select {}
	case "floods":
		for range 3000 {
			say(`{"type":"system","subtype":"x","text":"%s"}`, strings.Repeat("y", 10<<10))
		}
		return finish()
	case "asks-much-and-dies":
		for range maxBacklog>>20 + 1 { // each is answered with its id
			say(`{"type":"control_request","request_id":"%s","request":{"subtype":"nonsense"}}`, strings.Repeat("i", 1<<20))
		}
		for range 10 { // nobody listens any more
			say(`{"type":"system"}`)
		}
		return 5
	case "asks-and-does-not-read":
		for i := range 2000 {
			say("%s", gate(fmt.Sprint("q", i), fmt.Sprint("t", i), strings.Repeat("z", 8<<10)))
		}
		select {}
	}
	return 98
}

// fakeConsole is what a runner needs of one.
type fakeConsole struct {
	socket string
	t      testing.TB

	mu      sync.Mutex
	server  *http.Server
	known   bool // the runner registered since start; a console that was started anew asks for that
	starts  []wire.RunStart
	reports []wire.RunReport
	orders  []wire.RunOrder
	answer  string // to calls; "" holds them
	hooks   []string
	changed chan struct{}
	down    chan struct{} // closed by kill
}

func newConsole(tb testing.TB, answer string) *fakeConsole {
	tb.Helper()
	dir, err := os.MkdirTemp("/tmp", "ao") //nolint:usetesting // a socket's path is short
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := &fakeConsole{socket: filepath.Join(dir, "broker.sock"), t: tb, answer: answer, changed: make(chan struct{})}
	c.start()
	tb.Cleanup(c.kill)
	return c
}

func (c *fakeConsole) start() {
	if err := os.WriteFile(c.socket+".lock", []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		c.t.Fatal(err)
	}
	ln, err := net.Listen("unix", c.socket)
	if err != nil {
		c.t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /runs", c.postRun)
	mux.HandleFunc("GET /runs/{id}/orders", c.getOrders)
	mux.HandleFunc("POST /runs/{id}/reports", c.postReport)
	mux.HandleFunc("POST /hooks/claude", c.postHook)
	mux.HandleFunc("POST /hooks/claude/cancel", func(w http.ResponseWriter, r *http.Request) { reply(w, r, 200, "{}") })
	c.mu.Lock()
	c.server, c.down, c.known = &http.Server{Handler: mux}, make(chan struct{}), false
	server := c.server
	c.mu.Unlock()
	go func() { _ = server.Serve(ln) }()
}

func (c *fakeConsole) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server != nil {
		close(c.down)
		_ = c.server.Close()
		c.server = nil
	}
}

func reply(w http.ResponseWriter, r *http.Request, status int, body string) {
	w.Header().Set("Aoctl-Protocol", "1")
	w.Header().Set("Aoctl-Correlation", r.Header.Get("Aoctl-Correlation"))
	w.Header().Set("Aoctl-Request-Id", "r1")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body+"\n")
}

func (c *fakeConsole) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *fakeConsole) postRun(w http.ResponseWriter, r *http.Request) {
	var s wire.RunStart
	_ = json.NewDecoder(r.Body).Decode(&s)
	c.change(func() { c.starts, c.known = append(c.starts, s), true })
	reply(w, r, 201, `{}`)
}

// knows refuses what comes from a runner that has not registered.
func (c *fakeConsole) knows(w http.ResponseWriter, r *http.Request) bool {
	c.mu.Lock()
	known := c.known
	c.mu.Unlock()
	if !known {
		reply(w, r, http.StatusConflict, `{"code":"not_the_runner","error":"this process does not hold the session"}`)
	}
	return known
}

func (c *fakeConsole) postReport(w http.ResponseWriter, r *http.Request) {
	if !c.knows(w, r) {
		return
	}
	var rep wire.RunReport
	_ = json.NewDecoder(r.Body).Decode(&rep)
	c.change(func() {
		c.reports = append(c.reports, rep)
		if rep.Kind == wire.ReportDone {
			for i, o := range c.orders {
				if o.ID == rep.OrderID {
					c.orders = append(c.orders[:i:i], c.orders[i+1:]...)
					break
				}
			}
		}
	})
	reply(w, r, 200, `{}`)
}

func (c *fakeConsole) getOrders(w http.ResponseWriter, r *http.Request) {
	if !c.knows(w, r) {
		return
	}
	wait, _ := strconv.ParseFloat(r.URL.Query().Get("timeout"), 64)
	over := time.After(time.Duration(wait * float64(time.Second)))
	for {
		c.mu.Lock()
		list, changed, down := c.orders, c.changed, c.down
		raw, _ := json.Marshal(wire.RunOrders{Orders: list})
		c.mu.Unlock()
		if len(list) > 0 {
			reply(w, r, 200, string(raw))
			return
		}
		select {
		case <-changed:
		case <-over:
			reply(w, r, 200, `{"orders":[]}`)
			return
		case <-down:
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
			return
		}
	}
}

func (c *fakeConsole) postHook(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	c.change(func() { c.hooks = append(c.hooks, string(raw)) })
	for {
		c.mu.Lock()
		answer, changed, down := c.answer, c.changed, c.down
		c.mu.Unlock()
		if answer != "" {
			reply(w, r, 200, answer)
			return
		}
		select {
		case <-changed:
		case <-down:
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
			return
		}
	}
}

// wait returns once ok says so, under the lock.
func (c *fakeConsole) wait(what string, ok func() bool) {
	c.t.Helper()
	late := time.After(2 * time.Minute)
	for {
		c.mu.Lock()
		good, changed := ok(), c.changed
		c.mu.Unlock()
		if good {
			return
		}
		select {
		case <-changed:
		case <-late:
			c.t.Fatalf("never seen: %s; reports: %+v", what, c.reports)
		}
	}
}

// of are the reports of a kind. Caller holds mu.
func (c *fakeConsole) of(kind string) []wire.RunReport {
	var list []wire.RunReport
	for _, r := range c.reports {
		if r.Kind == kind {
			list = append(list, r)
		}
	}
	return list
}
