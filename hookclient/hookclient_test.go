package hookclient

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestAnswerIsPrintedAsItCame(t *testing.T) {
	t.Setenv("CLAUDE_PROJECT_DIR", "/a b/ü%")
	b := newBroker(t, reply(200, allow))
	got := runWith(t, &hook{}, "claude", "--socket", b.socket, "--timeout=90s")
	if got != (outcome{0, allow, ""}) {
		t.Fatalf("got %+v", got)
	}
	r := <-b.requests
	if r.method != "POST" || r.path != "/hooks/claude" || string(r.body) != payload {
		t.Errorf("the broker heard %s %s %q", r.method, r.path, r.body)
	}
	if env := r.header.Values(HeaderEnv); !contains(env, "CLAUDE_PROJECT_DIR=%2Fa+b%2F%C3%BC%25") {
		t.Errorf("tell-tales are %q", env)
	}
	if ms := r.header.Get(HeaderTimeoutMS); len(ms) != 5 || ms > "90000" || ms < "80000" {
		t.Errorf("%s is %q, want just under 90000", HeaderTimeoutMS, ms)
	}
	if r.header.Get(HeaderProtocol) != Version || r.header.Get(HeaderClientPID) == "" || r.header.Get(HeaderParentPID) == "" {
		t.Errorf("headers are %v", r.header)
	}
}

func contains(list []string, want string) bool {
	for _, s := range list {
		if s == want {
			return true
		}
	}
	return false
}

func TestWaitsUntilAnswered(t *testing.T) {
	wait := reply(202, `{"request_id":"r-1","status":"pending"}`+"\n")
	b := newBroker(t, wait, wait, reply(200, allow))
	got := runWith(t, &hook{}, "--socket", b.socket, "claude")
	if got != (outcome{0, allow, ""}) {
		t.Fatalf("got %+v", got)
	}
	first := <-b.requests
	for range 2 {
		r := <-b.requests
		if r.method != "GET" || r.path != "/hooks/claude/r-1" || r.correlation != first.correlation || len(r.body) != 0 {
			t.Errorf("the broker heard %s %s %q", r.method, r.path, r.body)
		}
	}
}

// Each way in which a broker or an impostor can answer badly ends the same: exit 2,
// nothing on stdout, and words of its own.
func TestBadAnswersRefuse(t *testing.T) {
	const object = `{"error":{"code":"conflict","message":"same id, different call","hint":"use a new id"}}` + "\n"
	big := strings.Repeat("x", maxHead+1)
	for name, c := range map[string]struct {
		step  step
		words string
	}{
		"refusal with words":    {reply(409, object), "aoctl: same id, different call; use a new id\n"},
		"refusal, no echo":      {reply(400, object, with(HeaderCorrelation, "")), "same id, different call"},
		"500 without object":    {reply(500, "oops", with("Content-Type", "text/plain")), "status 500 and no explanation"},
		"500 with other JSON":   {reply(500, `{"error":"oops"}`), "status 500 and no explanation"},
		"500, empty message":    {reply(500, `{"error":{"code":"x"}}`), "status 500 and no explanation"},
		"204":                   {reply(204, ""), "status 204"},
		"301":                   {reply(301, ""), "status 301"},
		"junk":                  {raw("\x00\x01\x02 junk\r\n\r\n"), "it is not HTTP"},
		"web page":              {raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"), "something other than aoctl wrote it (status 200, text/html)"},
		"no protocol":           {reply(200, allow, with(HeaderProtocol, "")), "something other than aoctl"},
		"other protocol":        {reply(200, allow, with(HeaderProtocol, "2")), `the console speaks protocol "2", this hook client "1"`},
		"for another call":      {reply(200, allow, with(HeaderCorrelation, "0190-other")), "for another call"},
		"no correlation":        {reply(200, allow, with(HeaderCorrelation, "")), "for another call"},
		"refusal for another":   {reply(409, object, with(HeaderCorrelation, "0190-other")), "for another call"},
		"always hangs up":       {hangUp, "closes the connection again and again"},
		"cut in the headers":    {raw("HTTP/1.1 200 OK\r\nContent-Le"), "cut off in its headers"},
		"cut in the body":       {closing(reply(200, allow[:40], with("Content-Length", "120"))), "cut off: fewer bytes than it announced"},
		"cut, length fits":      {reply(200, allow[:40]), "not one JSON object with a newline"},
		"empty body":            {reply(200, ""), "it is empty"},
		"no newline":            {reply(200, strings.TrimSpace(allow)), "not one JSON object with a newline"},
		"array":                 {reply(200, "[]\n"), "not one JSON object with a newline"},
		"null":                  {reply(200, "null\n"), "not one JSON object with a newline"},
		"text before":           {reply(200, "allowed: "+allow), "not one JSON object with a newline"},
		"text after":            {reply(200, allow+"done\n"), "not one JSON object with a newline"},
		"two objects":           {reply(200, allow+allow), "broken JSON"},
		"broken JSON":           {reply(200, "{\"a\":}\n"), "broken JSON"},
		"more than announced":   {reply(200, allow+"{}\n", with("Content-Length", strconv.Itoa(len(allow)))), "more bytes follow"},
		"text/plain":            {reply(200, allow, with("Content-Type", "text/plain")), `not JSON but "text/plain"`},
		"no length":             {reply(200, allow, with("Content-Length", "")), "does not say how long it is"},
		"chunked":               {reply(200, allow, also("Transfer-Encoding: chunked")), "does not say how long it is"},
		"negative length":       {reply(200, allow, with("Content-Length", "-1")), "length is not a number"},
		"two lengths":           {reply(200, allow, also("content-length: 2")), "two content-length headers"},
		"two correlations":      {reply(200, allow, also(HeaderCorrelation+": x")), "two aoctl-correlation headers"},
		"huge length":           {reply(200, "", with("Content-Length", "99999999")), "larger than 8 MiB"},
		"huge headers":          {raw("HTTP/1.1 200 OK\r\nX: " + big), "headers are larger than 32 KiB"},
		"malformed header":      {reply(200, allow, also("no colon here")), "a header is malformed"},
		"status not a number":   {raw("HTTP/1.1 OK!\r\n\r\n"), "it has no status"},
		"HTTP/2":                {raw("HTTP/2 200\r\n\r\n"), "it is not HTTP"},
		"wait without an id":    {reply(202, "{}\n"), "names no request"},
		"wait with a path":      {reply(202, `{"request_id":"../sessions"}`), "names no request"},
		"silent":                {silent, "accepted the connection but does not answer; it may be stopped: kill -CONT"},
		"silent in the headers": {trickle("HTTP/1.1 200 OK\r\n"), "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := testLimits()
			if strings.HasPrefix(name, "silent") {
				l = impatient()
			}
			for _, h := range []*hook{{limits: l}, {limits: l, quick: quickly}} {
				b := newBroker(t, c.step)
				wantRefused(t, runWith(t, h, "claude", "--socket", b.socket, "--timeout", "20s"), c.words)
			}
		})
	}
}

// quickly stands for a stdin that has everything at once, so that a run takes the fast path.
func quickly() ([]byte, bool) { return []byte(payload), true }

// closing hangs up after s.
func closing(s step) step {
	return func(c net.Conn, r heard) bool { s(c, r); return false }
}

func trickle(text string) step {
	return func(c net.Conn, r heard) bool {
		_, _ = io.WriteString(c, text)
		return silent(c, r)
	}
}

func TestNoBrokerRefuses(t *testing.T) {
	live, elsewhere := newBroker(t, reply(200, allow)), privateDir(t)
	for name, c := range map[string]struct {
		make  func(socket string) error
		words string
		root  bool // only root can give a file away
	}{
		"folder missing": {make: func(s string) error { return os.Remove(filepath.Dir(s)) }, words: "no console is listening: /tmp/"},
		"socket missing": {make: func(string) error { return nil }, words: `broker.sock does not exist; start one with "aoctl"`},
		"stale socket":   {make: stale, words: "the one that made"},
		"regular file":   {make: func(s string) error { return os.WriteFile(s, nil, 0o600) }, words: "is a regular file, not a socket"},
		"folder":         {make: func(s string) error { return os.Mkdir(s, 0o700) }, words: "is a folder, not a socket"},
		"FIFO":           {make: func(s string) error { return syscall.Mkfifo(s, 0o600) }, words: "is a FIFO, not a socket"},
		"symbolic link":  {make: func(s string) error { return os.Symlink(live.socket, s) }, words: "is a symbolic link, not a socket"},
		"open folder":    {make: func(s string) error { return os.Chmod(filepath.Dir(s), 0o720) }, words: "is not private"},
		"folder is a file": {make: func(s string) error {
			return errors.Join(os.Remove(filepath.Dir(s)), os.WriteFile(filepath.Dir(s), nil, 0o600))
		}, words: "is not a folder"},
		"folder is a link": {make: func(s string) error {
			return errors.Join(os.Remove(filepath.Dir(s)), os.Symlink(elsewhere, filepath.Dir(s)))
		}, words: "is a symbolic link; put a real folder there"},
		"foreign folder": {make: func(s string) error {
			return os.Chown(filepath.Dir(s), 12345, -1)
		}, words: "belongs to user id 12345; name a socket", root: true},
		"foreign socket": {make: func(s string) error {
			return errors.Join(stale(s), os.Chown(s, 12345, -1))
		}, words: "belongs to user id 12345; move it away", root: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.root && os.Geteuid() != 0 {
				t.Skip("only root can give a file away")
			}
			socket := filepath.Join(privateDir(t), "broker.sock")
			must(t, c.make(socket))
			begun := time.Now()
			wantRefused(t, runWith(t, &hook{}, "claude", "--socket", socket), c.words)
			wantRefused(t, runWith(t, &hook{quick: quickly}, "claude", "--socket", socket), c.words)
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("took %s, want at once", took)
			}
		})
	}
	t.Cleanup(func() {
		if len(live.requests) != 0 {
			t.Error("a broker behind a symbolic link was asked")
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stale leaves a socket behind that nobody serves.
func stale(socket string) error {
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	ln.SetUnlinkOnClose(false)
	return ln.Close()
}

func TestBadInputRefuses(t *testing.T) {
	b := newBroker(t, reply(200, allow))
	for name, c := range map[string]struct {
		stdin io.Reader
		words string
	}{
		"empty":        {strings.NewReader(""), "sent nothing on stdin"},
		"blank":        {strings.NewReader(" \n\t"), "sent nothing on stdin"},
		"array":        {strings.NewReader("[]"), "a JSON array, not an object"},
		"text":         {strings.NewReader("hello"), "not a JSON object"},
		"unreadable":   {io.MultiReader(strings.NewReader("{"), badReader{}), "stdin cannot be read: made by the test"},
		"64 MiB":       {io.LimitReader(braces{}, 64<<20), "larger than the limit of 16 MiB"},
		"one too many": {io.LimitReader(braces{}, MaxHookBody+1), "larger than the limit of 16 MiB"},
		"panics":       {panicReader{}, "the hook client has a defect: boom; please report it"},
	} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, runWith(t, &hook{stdin: c.stdin}, "claude", "--socket", b.socket), c.words)
		})
	}
	for _, name := range []string{"nope", "generic"} {
		got := runWith(t, &hook{stdin: strings.NewReader("")}, name, "--socket", b.socket)
		wantRefused(t, got, map[string]string{"nope": `unknown agent "nope", use claude, `, "generic": "sent nothing on stdin"}[name])
	}
	select {
	case r := <-b.requests:
		t.Errorf("the broker was asked: %s %s", r.method, r.path)
	default:
	}
}

type badReader struct{}

func (badReader) Read([]byte) (int, error) { return 0, errTest }

type panicReader struct{}

func (panicReader) Read([]byte) (int, error) { panic("boom") }

// braces is an endless stream that begins like an object.
type braces struct{}

func (braces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '{'
	}
	return len(p), nil
}

func TestLargePayloadArrivesWhole(t *testing.T) {
	b := newBroker(t, reply(200, allow))
	big := `{"x":"` + strings.Repeat("a", MaxHookBody-8) + `"}`
	got := runWith(t, &hook{stdin: strings.NewReader(big), limits: defaultLimits()}, "claude", "--socket", b.socket)
	if got.code != 0 {
		t.Fatalf("got %+v", got)
	}
	if r := <-b.requests; string(r.body) != big {
		t.Errorf("the broker heard %d bytes, want %d", len(r.body), len(big))
	}
}

func TestStdinThatNeverEndsRefuses(t *testing.T) {
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	l := testLimits()
	l.stdin = 20 * time.Millisecond
	wantRefused(t, runWith(t, &hook{stdin: r, limits: l}, "claude", "--socket", "/nowhere/x"), "did not finish sending its payload")

	r2, w2 := io.Pipe()
	t.Cleanup(func() { _ = w2.Close() })
	l = testLimits()
	l.hung = 0
	wantRefused(t, runWith(t, &hook{stdin: r2, limits: l}, "claude", "--timeout", "10ms"), "did not finish sending its payload")
}

func TestStdoutThatCannotBeWrittenRefuses(t *testing.T) {
	b := newBroker(t, reply(200, allow))
	for name, w := range map[string]io.Writer{"error": brokenWriter{0}, "short": brokenWriter{5}} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, runWith(t, &hook{stdout: w}, "claude", "--socket", b.socket), "could not be written to stdout")
		})
	}
}

type brokenWriter struct{ n int }

func (w brokenWriter) Write([]byte) (int, error) {
	if w.n > 0 {
		return w.n, nil
	}
	return 0, errTest
}

// Whatever ends the wait, an answer that comes afterwards must not be printed.
func TestEndedWaitPrintsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		end   func(h *hook, b *fakeBroker)
		words string
	}{
		"signal": {func(h *hook, b *fakeBroker) {
			ch := make(chan os.Signal, 1)
			h.signals = func() <-chan os.Signal { return ch }
			go func() { <-b.requests; ch <- syscall.SIGTERM }()
		}, "the agent ended the wait before there was an answer (terminated, signal 15)"},
		"parent": {func(h *hook, _ *fakeBroker) {
			h.parent = &parentWatch{parent: 7, ppid: func() int { return 1 }, armed: true}
		}, "the process that started this hook is gone"},
		"stdout": {func(h *hook, _ *fakeBroker) {
			h.parent = &parentWatch{closed: func() bool { return true }, armed: true}
		}, "closed the hook's stdout"},
	} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			b := newBroker(t, func(c net.Conn, r heard) bool { <-release; return reply(200, allow)(c, r) })
			t.Cleanup(func() { close(release) })
			h := &hook{}
			c.end(h, b)
			wantRefused(t, runWith(t, h, "claude", "--socket", b.socket), c.words)
		})
	}
}

// To an agent that reads a refusal from its output, a hook that decides prints its own there;
// an answer that could not be written whole has nothing beside it.
func TestRefusalAsAnAnswer(t *testing.T) {
	missing := filepath.Join(privateDir(t), "broker.sock")
	for agent, want := range map[string]string{
		"gemini": `{"decision":"deny","reason":"aoctl: no console is listening`,
		"qwen":   `{"continue":false,"stopReason":"aoctl: no console is listening`,
		// An unknown key at any level would make Codex run the call.
		"codex":   `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"aoctl: no console is listening`,
		"copilot": `{"permissionDecision":"deny","permissionDecisionReason":"aoctl: no console is listening`,
	} {
		got := runWith(t, &hook{}, agent, "--gate", "--socket", missing)
		if got.code != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, want) || strings.Count(got.stdout, "\n") != 1 || !json.Valid([]byte(got.stdout)) {
			t.Errorf("%s is told %+v", agent, got)
		}
		wantRefused(t, runWith(t, &hook{}, agent, "--socket", missing), "no console is listening")
		wantRefused(t, runWith(t, &hook{stdout: brokenWriter{0}}, agent, "--gate", "--socket", missing), "no console is listening")
	}
	wantRefused(t, runWith(t, &hook{}, "claude", "--gate", "--socket", missing), "no console is listening")
	b := newBroker(t, reply(200, allow))
	wantRefused(t, runWith(t, &hook{stdout: brokenWriter{5}}, "gemini", "--gate", "--socket", b.socket), "could not be written to stdout")
}

// Where no console can be reached, and that was chosen, Claude Code's own prompt is to ask. Whatever else
// goes wrong is refused: a console that took the question may have refused the call.
func TestOnDownAsk(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(privateDir(t), "broker.sock")
	got := runWith(t, &hook{}, "claude", "--on-down", "ask", "--socket", missing)
	const want = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"aoctl: no console is listening`
	if got.code != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, want) || strings.Count(got.stdout, "\n") != 1 || !json.Valid([]byte(got.stdout)) {
		t.Errorf("it is told %+v", got)
	}
	wantRefused(t, runWith(t, &hook{}, "claude", "--on-down", "deny", "--socket", missing), "no console is listening")
	wantRefused(t, runWith(t, &hook{stdout: brokenWriter{5}}, "claude", "--on-down", "ask", "--socket", missing), "no console is listening")
	for _, agent := range []string{"codex", "copilot", "gemini", "qwen", "opencode", "cursor", "generic"} {
		wantRefused(t, runWith(t, &hook{}, agent, "--on-down", "ask", "--socket", missing), "--on-down ask is for")
	}
	wantRefused(t, runWith(t, &hook{}, "claude", "--on-down", "allow", "--socket", missing), "neither deny nor ask")

	for _, other := range []string{strings.Replace(payload, "PreToolUse", "ConfigChange", 1), `{"session_id":"s1"}`, `{"hook_event_name":"PreToolUse"`} {
		wantRefused(t, runWith(t, &hook{stdin: strings.NewReader(other)}, "claude", "--on-down", "ask", "--socket", missing), "aoctl: ")
	}

	b := newBroker(t, reply(200, "junk"))
	wantRefused(t, runWith(t, &hook{}, "claude", "--on-down", "ask", "--socket", b.socket), "aoctl")
	b = newBroker(t, silent)
	done := make(chan outcome)
	go func() {
		done <- runWith(t, &hook{}, "claude", "--on-down", "ask", "--socket", b.socket, "--timeout", "4s")
	}()
	<-b.requests
	b.kill()
	wantRefused(t, <-done, "did not come back within 4s")
}

func TestAnswerAfterRefusalIsNotPrinted(t *testing.T) {
	var out strings.Builder
	h := &hook{stdout: &out, answer: []byte(allow)}
	h.closed.Store(true)
	if err := h.print(); err == nil || out.Len() != 0 {
		t.Errorf("print returned %v and wrote %q", err, out.String())
	}
}

func TestCallerEndsTheWait(t *testing.T) {
	b := newBroker(t, silent)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-b.requests; cancel() }()
	var out, errOut strings.Builder
	h := &hook{stdin: strings.NewReader(payload), stdout: &out, stderr: &errOut, limits: defaultLimits(), parent: &parentWatch{}}
	code := h.run(ctx, []string{"claude", "--socket", b.socket})
	wantRefused(t, outcome{code, out.String(), errOut.String()}, "the wait was ended")
}

// A conversation that notices the end first must not tell of it in other words.
func TestCallerEndsTheConversation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h := &hook{limits: defaultLimits(), parent: &parentWatch{}, begun: time.Now()}
	h.settings.timeout = time.Minute
	for range 64 { // which of two ends is taken is drawn
		done := make(chan error, 1)
		done <- ctx.Err()
		if err := h.watch(ctx, done, nil); !errors.Is(err, ErrStopped) {
			t.Fatalf("the client says %v", err)
		}
	}
}

func TestReasonIsSafeForATerminal(t *testing.T) {
	b := newBroker(t, reply(409, `{"error":{"message":"a\u001b]0;x\u0007\nb\u202ec","hint":""}}`))
	got := runWith(t, &hook{}, "claude", "--socket", b.socket)
	wantRefused(t, got, `aoctl: a\x1b]0;x\a\nb\u202ec`)
	long := oneLine(strings.Repeat("ü", maxReason))
	if len(long) > maxReason+8 || !strings.HasSuffix(long, " …") || strings.ContainsRune(long, '�') {
		t.Errorf("a long reason has %d bytes and ends in %q", len(long), long[len(long)-8:])
	}
}
