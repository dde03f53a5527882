package hookclient

import (
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A rule's answer comes at once: nothing that waiting needs is set up for it.
func TestFastPathNeedsNoWatch(t *testing.T) {
	b := newBroker(t, reply(200, allow))
	l := testLimits()
	l.fast = 10 * time.Second // also on a loaded machine
	h := &hook{limits: l, quick: quickly, stdin: badReader{}, signals: func() <-chan os.Signal {
		t.Error("signals are caught in the fast path")
		return nil
	}}
	if got := runWith(t, h, "claude", "--socket", b.socket); got != (outcome{0, allow, ""}) {
		t.Errorf("got %+v", got)
	}
	if r := <-b.requests; string(r.body) != payload {
		t.Errorf("the broker heard %q", r.body)
	}
}

// Wherever the fast path stops, the run goes on from there: asked once, answered once.
func TestFastPathGivesWay(t *testing.T) {
	slowly := func(pieces ...string) step {
		return func(c net.Conn, r heard) bool {
			whole := strings.Builder{}
			reply(200, allow)(pipeTo{Conn: c, w: &whole}, r)
			text := whole.String()
			for _, p := range pieces {
				cut := strings.Index(text, p) + len(p)
				_, _ = io.WriteString(c, text[:cut])
				text = text[cut:]
				timer := time.NewTimer(4 * testLimits().fast)
				<-timer.C
			}
			_, _ = io.WriteString(c, text)
			return true
		}
	}
	wait := reply(202, `{"request_id":"r-1"}`)
	for name, steps := range map[string][]step{
		"answer is late":       {slowly("")},
		"cut in its headers":   {slowly("HTTP/1.1 200")},
		"cut before its body":  {slowly("\r\n\r\n")},
		"cut in its body":      {slowly(`{"hook`, "allow")},
		"wait, then an answer": {wait, reply(200, allow)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBroker(t, steps...)
			h := &hook{quick: quickly}
			h.limits = testLimits()
			h.limits.silence = 5 * time.Second
			if got := runWith(t, h, "claude", "--socket", b.socket); got != (outcome{0, allow, ""}) {
				t.Errorf("got %+v", got)
			}
			if n := len(b.requests); n != len(steps) {
				t.Errorf("the broker was asked %d times, want %d", n, len(steps))
			}
		})
	}
}

// pipeTo writes to w what was meant for the connection.
type pipeTo struct {
	net.Conn
	w io.Writer
}

func (p pipeTo) Write(b []byte) (int, error) { return p.w.Write(b) }

// A payload that is not complete at once is read the long way, from its first byte.
func TestFastPathWithHalfAPayload(t *testing.T) {
	b := newBroker(t, reply(200, allow))
	half := len(payload) / 2
	h := &hook{quick: func() ([]byte, bool) { return []byte(payload[:half]), false }, stdin: strings.NewReader(payload[half:])}
	if got := runWith(t, h, "claude", "--socket", b.socket); got.code != 0 {
		t.Errorf("got %+v", got)
	}
	if r := <-b.requests; string(r.body) != payload {
		t.Errorf("the broker heard %q", r.body)
	}
}

func TestFastPathRefusesABadPayload(t *testing.T) {
	h := &hook{quick: func() ([]byte, bool) { return []byte("[]"), true }}
	wantRefused(t, runWith(t, h, "claude", "--socket", "/nowhere/x"), "a JSON array")
}

// The broker dies while the fast path waits for it: the run keeps asking, because this
// broker took the question.
func TestFastPathThenRestart(t *testing.T) {
	b := newBroker(t, silent)
	l := testLimits()
	l.silence = 5 * time.Second
	done := make(chan outcome)
	go func() {
		done <- runWith(t, &hook{limits: l, quick: quickly}, "claude", "--socket", b.socket, "--timeout", "20s")
	}()
	first := <-b.requests
	b.kill()
	next := listenAt(t, b.socket, reply(200, allow))
	if got := <-done; got != (outcome{0, allow, ""}) {
		t.Fatalf("got %+v", got)
	}
	if again := <-next.requests; again.correlation != first.correlation || string(again.body) != payload {
		t.Errorf("asked again as %q, want %q", again.correlation, first.correlation)
	}
}

func TestReadable(t *testing.T) {
	fds := make([]int, 2)
	must(t, syscall.Pipe(fds))
	t.Cleanup(func() { _ = syscall.Close(fds[0]) })
	if readable(fds[0], time.Millisecond) || readable(-1, 0) || readable(5000, 0) {
		t.Error("there is something to read where nothing is")
	}
	_, err := syscall.Write(fds[1], []byte("x"))
	must(t, err)
	if !readable(fds[0], 0) {
		t.Error("a byte is not seen")
	}
	in := &quickReader{fd: fds[0]}
	if n, err := in.Read(make([]byte, 8)); n != 1 || err != nil || string(in.got) != "x" {
		t.Errorf("read %d, %v, kept %q", n, err, in.got)
	}
	if _, err := in.Read(make([]byte, 8)); err != errSlow { //nolint:errorlint // it is never wrapped
		t.Errorf("an empty pipe: %v", err)
	}
	must(t, syscall.Close(fds[1]))
	if _, err := in.Read(make([]byte, 8)); err != io.EOF { //nolint:errorlint // io.Reader's contract
		t.Errorf("a closed pipe: %v", err)
	}
}
