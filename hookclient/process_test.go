package hookclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/brokertest"
)

// TestMain lets the test binary be the hook program: its own start, signals and
// descriptors are what these tests are about.
func TestMain(m *testing.M) {
	switch os.Getenv("AOCTL_TEST_ROLE") {
	case "hook":
		os.Exit(Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	case "parent":
		os.Exit(beParent())
	}
	brokertest.AtOnce(16)
	os.Exit(m.Run())
}

// beParent starts the hook with its own descriptors and waits for it, as an agent does.
func beParent() int {
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), "AOCTL_TEST_ROLE=hook")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	_ = cmd.Run()
	return 0
}

// program is the hook as a process of its own.
type program struct {
	*exec.Cmd
	out, err bytes.Buffer
}

func newProgram(t *testing.T, role string, args ...string) *program {
	t.Helper()
	p := &program{Cmd: exec.CommandContext(t.Context(), os.Args[0], args...)}
	p.Env = append(os.Environ(), "AOCTL_TEST_ROLE="+role, "CLAUDE_PID=")
	p.Stdin, p.Stdout, p.Stderr = strings.NewReader(payload), &p.out, &p.err
	p.WaitDelay = 10 * time.Second
	return p
}

// end waits for the program and says how it ended; a signal counts as -1.
func (p *program) end(t *testing.T) outcome {
	t.Helper()
	var exit *exec.ExitError
	if err := p.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{p.ProcessState.ExitCode(), p.out.String(), p.err.String()}
}

// waitingBroker says wait at once and then holds. Its second request comes when the
// client is past its start.
func waitingBroker(t *testing.T) *fakeBroker {
	t.Helper()
	return newBroker(t, reply(202, `{"request_id":"r-1"}`), silent)
}

func TestSignalsRefuse(t *testing.T) {
	for _, sig := range []syscall.Signal{
		syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGALRM, syscall.SIGUSR1, syscall.SIGUSR2,
		syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGSYS,
	} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			b := waitingBroker(t)
			p := newProgram(t, "hook", "claude", "--socket", b.socket)
			must(t, p.Start())
			<-b.requests
			<-b.requests
			must(t, p.Process.Signal(sig))
			wantRefused(t, p.end(t), "the agent ended the wait before there was an answer ("+sig.String())
		})
	}
}

func TestParentKilledRefuses(t *testing.T) {
	t.Parallel()
	b := waitingBroker(t)
	p := newProgram(t, "parent", "claude", "--socket", b.socket)
	must(t, p.Start())
	<-b.requests
	<-b.requests
	must(t, p.Process.Kill())
	// The pipes stay open until the orphan has ended too.
	if got := p.end(t); got.stdout != "" || !strings.Contains(got.stderr, "the process that started this hook is gone") {
		t.Errorf("the orphan left %+v", got)
	}
}

func TestAgentGoneRefuses(t *testing.T) {
	t.Parallel()
	agent := exec.CommandContext(t.Context(), "sleep", "600")
	must(t, agent.Start())
	l := &parentWatch{}
	l.armed, l.agent = true, livingPID(strconv.Itoa(agent.Process.Pid))
	if err := l.check(); l.agent == 0 || err != nil {
		t.Fatalf("a living agent counts as %d, %v", l.agent, err)
	}
	must(t, agent.Process.Kill())
	_ = agent.Wait()
	if err := l.check(); !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "the agent is gone") {
		t.Errorf("a dead agent: %v", err)
	}
	for _, left := range []string{strconv.Itoa(agent.Process.Pid), "", "0", "1", "-1", "x"} {
		if got := livingPID(left); got != 0 {
			t.Errorf("CLAUDE_PID=%q is watched as %d", left, got)
		}
	}
}

// The agent dies or loses interest while its hook waits: nobody reads stdout.
func TestClosedStdoutRefuses(t *testing.T) {
	t.Parallel()
	b := waitingBroker(t)
	p := newProgram(t, "hook", "claude", "--socket", b.socket)
	r, w, err := os.Pipe()
	must(t, err)
	p.Stdout = w
	must(t, p.Start())
	must(t, w.Close())
	<-b.requests
	<-b.requests
	must(t, r.Close())
	wantRefused(t, p.end(t), "the agent closed the hook's stdout before there was an answer")
}

// Writing into a closed pipe must not kill the program by SIGPIPE, which would let
// the call run.
func TestBrokenPipeRefuses(t *testing.T) {
	t.Parallel()
	b := newBroker(t, reply(200, allow))
	p := newProgram(t, "hook", "claude", "--socket", b.socket)
	r, w, err := os.Pipe()
	must(t, err)
	must(t, r.Close())
	p.Stdout = w
	must(t, p.Start())
	must(t, w.Close())
	wantRefused(t, p.end(t), "the answer could not be written to stdout")
}

// Descriptors may be closed before the program starts.
func TestClosedDescriptorsRefuse(t *testing.T) {
	b := newBroker(t, reply(200, allow))
	for redirect, want := range map[string]struct {
		code  int
		words string
	}{
		">&-":           {2, "aoctl: stdout is closed, so no answer could be heard"},
		"<&-":           {2, "aoctl: the agent sent nothing on stdin"},
		">&- 2>&-":      {2, ""},
		"<&- >&- 2>&-":  {2, ""},
		"2>&-":          {0, ""},
		">/dev/null":    {0, ""}, // somebody who only wants the exit code
		"</dev/null":    {2, "sent nothing on stdin"},
		"</":            {2, "stdin cannot be read"},
		">/dev/full":    {2, "could not be written to stdout: write /dev/stdout: no space left"},
		"</dev/zero":    {2, ""},
		"--bogus":       {2, `unknown flag "--bogus"`},
		"--help":        {2, "usage: aoctl hook"},
		"| cat >&2":     {0, allow},
		"2>/dev/full <": {2, ""},
	} {
		t.Run(redirect, func(t *testing.T) {
			if strings.HasSuffix(redirect, "/dev/full") || strings.Contains(redirect, "/dev/full") {
				if _, err := os.Stat("/dev/full"); err != nil {
					t.Skip("no /dev/full here")
				}
			}
			if redirect == "2>/dev/full <" {
				redirect += "/dev/null"
			}
			p := newProgram(t, "hook")
			p.Path, p.Args = "/bin/sh", []string{"sh", "-c", `"$0" claude --socket "$1" ` + redirect, os.Args[0], b.socket}
			must(t, p.Start())
			got := p.end(t)
			if got.code != want.code || !strings.Contains(got.stderr, want.words) {
				t.Errorf("got %+v, want exit %d and %q", got, want.code, want.words)
			}
		})
	}
}

// A pipe with room, a socket whose other side only stopped writing: both are still
// read. Only when the reader is gone nobody hears the answer.
func TestGone(t *testing.T) {
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { _ = w.Close() })
	closed := gone(w)
	if closed == nil || closed() {
		t.Fatal("an open pipe counts as closed")
	}
	must(t, r.Close())
	if !closed() {
		t.Error("a pipe without a reader counts as open")
	}

	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	must(t, err)
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	t.Cleanup(func() { _ = ours.Close() })
	closed = gone(ours)
	must(t, syscall.Shutdown(fds[1], syscall.SHUT_WR))
	if closed == nil || closed() {
		t.Error("a socket whose peer only stopped writing counts as closed")
	}
	must(t, theirs.Close())
	if !closed() {
		t.Error("a socket without a peer counts as open")
	}

	file, err := os.Create(t.TempDir() + "/f")
	must(t, err)
	t.Cleanup(func() { _ = file.Close() })
	if closed = gone(file); closed != nil && closed() {
		t.Error("a regular file counts as closed")
	}
}

// A terminal, or whatever else stands in for stdout, is not taken for a closed one.
func TestDiscarded(t *testing.T) {
	for name, c := range map[string]struct {
		w    io.Writer
		want bool
	}{
		"buffer":              {&bytes.Buffer{}, false},
		"file":                {open(t, t.TempDir()+"/f", os.O_CREATE|os.O_RDWR), false},
		"another device":      {open(t, "/dev/zero", os.O_RDWR), false},
		"null, write only":    {open(t, os.DevNull, os.O_WRONLY), false},
		"null, as Go puts it": {open(t, os.DevNull, os.O_RDWR), true},
		"closed":              {closedFile(t), true},
	} {
		if err := watchParent(c.w).discarded(); (err != nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func open(t *testing.T, name string, flag int) *os.File {
	t.Helper()
	f, err := os.OpenFile(name, flag, 0o600)
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func closedFile(t *testing.T) *os.File {
	t.Helper()
	f := open(t, os.DevNull, os.O_RDWR)
	must(t, f.Close())
	return f
}

// A stopped broker still accepts, because the kernel does; it must be named.
func TestStoppedBrokerIsNamed(t *testing.T) {
	t.Parallel()
	ln := listenLocked(t, privateDir(t)+"/s")
	t.Cleanup(func() { _ = ln.Close() })
	p := newProgram(t, "hook", "claude", "--socket", ln.Addr().String(), "--timeout", "2s")
	begun := time.Now()
	must(t, p.Start())
	wantRefused(t, p.end(t), "does not answer; it may be stopped: kill -CONT "+strconv.Itoa(os.Getpid()))
	if took := time.Since(begun); took > 20*time.Second { // a loaded machine starts slowly
		t.Errorf("took %s for a deadline of 2 s", took)
	}
}
