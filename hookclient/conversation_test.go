package hookclient

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The broker is killed while the call waits, before it said anything or after, and
// another one comes up at the same place: the same question is asked again, with
// the same correlation, and its answer counts.
func TestRestartedBrokerIsAskedAgain(t *testing.T) {
	wait := reply(202, `{"request_id":"r-1","status":"pending"}`)
	closing := reply(503, `{"error":{"code":"shutting_down","message":"the broker is shutting down"}}`)
	for name, c := range map[string]struct {
		before []step
		asked  int // requests until the kill
	}{
		"before a word":    {[]step{silent}, 1},
		"after wait":       {[]step{wait, silent}, 2},
		"while it closes":  {[]step{closing, silent}, 2},
		"closing, waiting": {[]step{wait, closing, silent}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBroker(t, c.before...)
			l := testLimits()
			l.silence = 5 * time.Second
			done := make(chan outcome)
			go func() {
				done <- runWith(t, &hook{limits: l}, "claude", "--socket", b.socket, "--timeout", "20s")
			}()
			first := <-b.requests
			for range c.asked - 1 {
				<-b.requests
			}
			b.kill()
			next := listenAt(t, b.socket, wait, reply(200, allow))
			if got := <-done; got != (outcome{0, allow, ""}) {
				t.Fatalf("got %+v", got)
			}
			again := <-next.requests
			if again.method != "POST" || again.correlation != first.correlation || string(again.body) != payload {
				t.Errorf("asked again with %s %q %q, want POST %q", again.method, again.correlation, again.body, first.correlation)
			}
		})
	}
}

func TestKilledBrokerThatStaysAwayRefuses(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]*hook{"": {}, "after the fast path": {quick: quickly}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBroker(t, silent)
			done := make(chan outcome)
			go func() { done <- runWith(t, h, "claude", "--socket", b.socket, "--timeout", "4s") }()
			<-b.requests
			b.kill()
			wantRefused(t, <-done, `the console ended while this call waited, and did not come back within 4s; start it again with "aoctl"`)
		})
	}
}

// Once a broker has said wait, silence is no reason to give up before the time.
func TestPatienceAfterWait(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	l := testLimits()
	l.silence = time.Second
	late := func(c net.Conn, r heard) bool {
		time.AfterFunc(l.silence+l.silence/2, func() { close(release) })
		<-release
		return reply(200, allow)(c, r)
	}
	b := newBroker(t, reply(202, `{"request_id":"r-1"}`), late)
	if got := runWith(t, &hook{limits: l}, "claude", "--socket", b.socket); got.code != 0 {
		t.Fatalf("got %+v", got)
	}
}

func TestTimeRunsOut(t *testing.T) {
	t.Parallel()
	b := newBroker(t, reply(202, `{"request_id":"r-1"}`))
	wantRefused(t, runWith(t, &hook{}, "claude", "--socket", b.socket, "--timeout", "4s"), "time ran out: nobody answered within 4s")
}

// A broker that says wait at once, again and again, must not keep a processor busy.
func TestHastyBrokerIsNotAskedInALoop(t *testing.T) {
	b := newBroker(t, reply(202, `{"request_id":"r-1"}`))
	l := testLimits()
	l.retry = 20 * time.Millisecond
	runWith(t, &hook{limits: l}, "claude", "--socket", b.socket, "--timeout", "150ms")
	if n := len(b.requests); n > 12 {
		t.Errorf("asked %d times in 200 ms", n)
	}
}

// A few hang-ups are a broker that restarts; an answer after them counts.
func TestSomeHangUpsAreForgiven(t *testing.T) {
	b := newBroker(t, hangUp, hangUp, reply(200, allow))
	if got := runWith(t, &hook{}, "claude", "--socket", b.socket); got.code != 0 {
		t.Fatalf("got %+v", got)
	}
}

// A broker may refuse a body before it has read it all, and hang up.
func TestEarlyRefusalIsHeard(t *testing.T) {
	dir := privateDir(t)
	ln := listenLocked(t, dir+"/s")
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		_, _ = c.Read(make([]byte, 100))
		reply(413, `{"error":{"code":"too_large","message":"the body is too large"}}`, with(HeaderCorrelation, ""))(c, heard{})
		_ = c.Close()
	}()
	big := `{"x":"` + strings.Repeat("a", 8<<20) + `"}`
	got := runWith(t, &hook{stdin: strings.NewReader(big), limits: impatient()}, "claude", "--socket", dir+"/s")
	wantRefused(t, got, "the body is too large")
}

// A program of the same user took the place of the console's socket: its answers
// are not asked for.
func TestReplacedSocketIsNotAsked(t *testing.T) {
	for name, tc := range map[string]struct{ lock, says string }{
		"another process holds the lock": {"1\n", "the console there is process 1"},
		"the lock names nobody":          {"", "the console there is process unknown"},
		"there is no lock":               {"-", "there is no lock file"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t, reply(200, allow))
			if tc.lock == "-" {
				must(t, os.Remove(b.socket+".lock"))
			} else {
				must(t, os.WriteFile(b.socket+".lock", []byte(tc.lock), 0o600))
			}
			got := runWith(t, &hook{}, "claude", "--socket", b.socket)
			wantRefused(t, got, tc.says)
			if len(b.requests) != 0 {
				t.Error("it was asked all the same")
			}
		})
	}
}

// A broker that accepts and never reads stops a large payload half-way.
func TestBrokerThatNeverReadsRefuses(t *testing.T) {
	dir := privateDir(t)
	ln := listenLocked(t, dir+"/s")
	t.Cleanup(func() { _ = ln.Close() })
	big := `{"x":"` + strings.Repeat("a", 8<<20) + `"}`
	got := runWith(t, &hook{stdin: strings.NewReader(big), limits: impatient()}, "claude", "--socket", dir+"/s")
	wantRefused(t, got, "accepted the connection but does not answer")
}

// A console that is just coming up has its lock, or has just written it, but does
// not listen yet.
func TestStartingConsoleIsWaitedFor(t *testing.T) {
	for name, old := range map[string]bool{"lock just written": false, "lock held": true} {
		t.Run(name, func(t *testing.T) {
			socket := privateDir(t) + "/broker.sock"
			f, err := os.Create(socket + ".lock")
			must(t, err)
			t.Cleanup(func() { _ = f.Close() })
			if old {
				must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
				hour := time.Now().Add(-time.Hour)
				must(t, os.Chtimes(f.Name(), hour, hour))
			}
			l := testLimits()
			l.starting = 10 * time.Second
			done := make(chan outcome)
			looked := make(chan struct{})
			in := &signalReader{r: strings.NewReader(payload), eof: looked}
			go func() { done <- runWith(t, &hook{limits: l, stdin: in}, "claude", "--socket", socket) }()
			<-looked
			b := listenAt(t, socket, reply(200, allow))
			if got := <-done; got.code != 0 {
				t.Fatalf("got %+v", got)
			}
			<-b.requests
		})
	}
}

// signalReader closes eof when the payload was read.
type signalReader struct {
	r   *strings.Reader
	eof chan struct{}
}

func (s *signalReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil {
		close(s.eof)
	}
	return n, err
}

func TestStartingIsShort(t *testing.T) {
	socket := privateDir(t) + "/broker.sock"
	f, err := os.Create(socket + ".lock")
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	wantRefused(t, runWith(t, &hook{}, "claude", "--socket", socket), "no console is listening")

	hour := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(f.Name(), hour, hour))
	if starting(socket, time.Second) {
		t.Error("an old lock that nobody holds counts as a starting console")
	}
	must(t, os.Remove(f.Name()))
	must(t, syscall.Mkfifo(f.Name(), 0o600))
	if starting(socket, time.Hour) {
		t.Error("a FIFO counts as a starting console")
	}
}

func TestPeerOfAnotherUserIsRefused(t *testing.T) {
	if err := checkPeer("/s", os.Geteuid(), nil); err != nil {
		t.Errorf("our own process is refused: %v", err)
	}
	if err := checkPeer("/s", os.Geteuid()+1, nil); !errors.Is(err, ErrSocket) {
		t.Errorf("another user's process: %v", err)
	}
	// An unknown peer must not pass as user id 0.
	if err := checkPeer("/s", 0, errTest); !errors.Is(err, ErrSocket) {
		t.Errorf("an unknown process: %v", err)
	}
}

func TestPeerIsRead(t *testing.T) {
	b := newBroker(t, silent)
	fd, pid, err := connect(b.socket)
	must(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if pid != os.Getpid() {
		t.Errorf("the peer's pid is %d, want ours, %d", pid, os.Getpid())
	}
}

func TestConnectErrorsTellApart(t *testing.T) {
	for errno, want := range map[syscall.Errno]error{
		syscall.ECONNREFUSED: ErrNoConsole, syscall.ENOENT: ErrNoConsole, syscall.EMFILE: ErrNoConsole,
		syscall.EACCES: ErrSocket, syscall.EPERM: ErrSocket, syscall.EAGAIN: errBusy,
	} {
		if err := connectError("/s", errno); !errors.Is(err, want) {
			t.Errorf("%v becomes %v, want %v", errno, err, want)
		}
	}
	if err := statError("/s", syscall.EACCES); !errors.Is(err, ErrSocket) || !strings.Contains(err.Error(), "no permission") {
		t.Errorf("EACCES becomes %v", err)
	}
	if _, _, err := connect("/" + strings.Repeat("x", maxSocketPath)); !errors.Is(err, ErrSocket) {
		t.Errorf("a long path: %v", err)
	}
}

func TestFullQueueEndsAsSilent(t *testing.T) {
	c := conversation{limits: testLimits(), deadline: within(time.Now(), time.Hour, 0)}
	if err := c.mayRetry(errBusy, time.Now()); err != nil {
		t.Errorf("a full queue is not tried again: %v", err)
	}
	if err := c.mayRetry(errBusy, time.Now().Add(-time.Minute)); !errors.Is(err, ErrSilent) {
		t.Errorf("a queue full for a minute: %v", err)
	}
	c.deadline.until = time.Now().Add(-time.Hour)
	if err := c.mayRetry(errBusy, time.Now()); !errors.Is(err, ErrSilent) {
		t.Errorf("a queue full at the deadline: %v", err)
	}
}

func TestContextEndsAConversation(t *testing.T) {
	b := newBroker(t, silent)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-b.requests; cancel() }()
	c := conversation{
		console: address{socket: b.socket}, caller: newCaller(address{}), limits: defaultLimits(),
		question: question{path: "/", body: []byte("{}")}, deadline: within(time.Now(), time.Hour, 0),
	}
	if err := c.run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("run returned %v", err)
	}
}
