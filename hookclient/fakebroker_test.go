package hookclient

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// heard is one request that a fake broker read.
type heard struct {
	method, path, correlation string
	host                      string
	header                    http.Header
	body                      []byte
}

// step answers one request; it may write anything. The connection is closed after
// it when it returns false.
type step func(c net.Conn, r heard) (keep bool)

// fakeBroker serves a socket with scripted steps, the last one again and again.
type fakeBroker struct {
	socket   string
	ln       net.Listener
	requests chan heard

	mu    sync.Mutex
	steps []step
	conns map[net.Conn]bool
	wg    sync.WaitGroup
}

// privateDir makes a short private folder: t.TempDir is too long for a socket.
func privateDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ao") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func newBroker(t *testing.T, steps ...step) *fakeBroker {
	t.Helper()
	return listenAt(t, filepath.Join(privateDir(t), "broker.sock"), steps...)
}

func listenAt(t *testing.T, socket string, steps ...step) *fakeBroker {
	t.Helper()
	ln := listenLocked(t, socket)
	b := &fakeBroker{socket: socket, ln: ln, requests: make(chan heard, 100), steps: steps, conns: map[net.Conn]bool{}}
	b.wg.Add(1)
	go b.accept()
	t.Cleanup(b.kill)
	return b
}

// listenLocked listens the way a console does: with our pid in the lock file.
func listenLocked(t *testing.T, socket string) net.Listener {
	t.Helper()
	must(t, os.WriteFile(socket+".lock", []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600))
	ln, err := net.Listen("unix", socket)
	must(t, err)
	return ln
}

// kill ends the broker as kill -9 does: every connection drops.
func (b *fakeBroker) kill() {
	_ = b.ln.Close()
	b.mu.Lock()
	for c := range b.conns {
		_ = c.Close()
	}
	b.mu.Unlock()
	b.wg.Wait()
}

func (b *fakeBroker) accept() {
	defer b.wg.Done()
	for {
		c, err := b.ln.Accept()
		if err != nil {
			return
		}
		b.mu.Lock()
		b.conns[c] = true
		b.mu.Unlock()
		b.wg.Add(1)
		go b.serve(c)
	}
}

func (b *fakeBroker) serve(c net.Conn) {
	defer b.wg.Done()
	defer func() { _ = c.Close() }()
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		h := heard{r.Method, r.RequestURI, r.Header.Get(HeaderCorrelation), r.Host, r.Header, body}
		answer := b.next() // before a test hears of it and sends the next request
		select {
		case b.requests <- h:
		default: // a test that looks at requests makes few
		}
		if !answer(c, h) {
			return
		}
	}
}

func (b *fakeBroker) next() step {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.steps[0]
	if len(b.steps) > 1 {
		b.steps = b.steps[1:]
	}
	return s
}

const allow = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"rule"}}` + "\n"

// reply is a well-formed answer; edit may spoil it.
func reply(status int, body string, edit ...func(head *[]string)) step {
	return func(c net.Conn, r heard) bool {
		head := []string{
			"HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status),
			HeaderProtocol + ": " + Version,
			HeaderCorrelation + ": " + r.correlation,
			"Content-Type: application/json",
			"Content-Length: " + strconv.Itoa(len(body)),
		}
		for _, e := range edit {
			e(&head)
		}
		_, err := io.WriteString(c, strings.Join(head, "\r\n")+"\r\n"+prove(r, status, body)+"\r\n"+body)
		return err == nil
	}
}

// with replaces or adds a header; an empty value removes it.
func with(name, value string) func(*[]string) {
	return func(head *[]string) {
		kept := []string{}
		for _, line := range *head {
			if !strings.HasPrefix(line, name+":") {
				kept = append(kept, line)
			}
		}
		if value != "" {
			kept = append(kept, name+": "+value)
		}
		*head = kept
	}
}

func also(line string) func(*[]string) {
	return func(head *[]string) { *head = append(*head, line) }
}

// raw writes text as it is and hangs up.
func raw(text string) step {
	return func(c net.Conn, _ heard) bool {
		_, _ = io.WriteString(c, text)
		return false
	}
}

// hangUp closes without a byte.
func hangUp(net.Conn, heard) bool { return false }

// silent never answers; it returns when the client has left.
func silent(c net.Conn, _ heard) bool {
	_, _ = c.Read(make([]byte, 1))
	return false
}

const payload = `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"cwd":"/x"}` + "\n"

func testLimits() limits {
	l := defaultLimits()
	l.silence, l.grace, l.starting = 10*time.Second, 50*time.Millisecond, 100*time.Millisecond
	l.hung = 3 * time.Second // a loaded machine is not to be told from a hung run
	l.retry, l.retryMax, l.watch = 2*time.Millisecond, 5*time.Millisecond, 10*time.Millisecond
	l.strikes = 3
	return l
}

// impatient are the limits of a test whose broker says nothing. Where one is to be heard,
// a loaded machine must not pass for it.
func impatient() limits {
	l := testLimits()
	l.silence = 300 * time.Millisecond
	return l
}

type outcome struct {
	code           int
	stdout, stderr string
}

// runWith makes one hook run inside the test, without signals and watch over its parent.
func runWith(t *testing.T, h *hook, args ...string) outcome {
	t.Helper()
	var out, errOut bytes.Buffer
	if h.stdin == nil {
		h.stdin = strings.NewReader(payload)
	}
	if h.stdout == nil {
		h.stdout = &out
	}
	h.stderr = &errOut
	if h.limits == (limits{}) {
		h.limits = testLimits()
	}
	if h.parent == nil {
		h.parent = &parentWatch{}
	}
	code := h.run(context.Background(), args)
	return outcome{code, out.String(), errOut.String()}
}

// wantRefused checks the shape that every refusal has, and its words.
func wantRefused(t *testing.T, got outcome, words string) {
	t.Helper()
	if got.code != exitRefused || got.stdout != "" {
		t.Errorf("exit %d with stdout %q, want %d with nothing", got.code, got.stdout, exitRefused)
	}
	if !strings.HasPrefix(got.stderr, "aoctl: ") || strings.Count(got.stderr, "\n") != 1 || !strings.HasSuffix(got.stderr, "\n") {
		t.Errorf("stderr %q is not one sentence", got.stderr)
	}
	if !strings.Contains(got.stderr, words) {
		t.Errorf("stderr %q does not say %q", got.stderr, words)
	}
}

var errTest = errors.New("made by the test")

// fakeTokens are those that fake brokers know, by their last word.
var fakeTokens = []string{"aoctl_ask_secret", "aoctl_ask_mine", "aoctl_ask_theirs"}

// shown is the token that a question over TCP was made with; empty when no fake broker
// knows it.
func shown(r heard) (token string, asked challenge) {
	value := r.header.Get("Authorization")
	for _, token := range fakeTokens {
		rest, _ := strings.CutPrefix(value, `Aoctl nonce="`)
		nonce, _, _ := strings.Cut(rest, `"`)
		q := challenge{key: keyOf(token), ask: nonce + "\n" + r.method + "\n" + r.path}
		mac := macOf(q.key, "ask", q.ask, sumOf(r.body))
		if value == `Aoctl nonce="`+nonce+`", body="`+sumOf(r.body)+`", mac="`+mac+`"` {
			return token, q
		}
	}
	return "", challenge{}
}

// prove is the header line with which a console answers over TCP that knows the token.
func prove(r heard, status int, body string) string {
	token, q := shown(r)
	if token == "" {
		return ""
	}
	return HeaderProof + ": " + macOf(q.key, "answer", q.ask, strconv.Itoa(status), Version, r.correlation, "", "application/json", sumOf([]byte(body))) + "\r\n"
}
