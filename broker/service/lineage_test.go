package service_test

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/service"
)

var ownPID = os.Getpid()

// born starts a shell with env and returns the pid that it prints, which lives until the
// test ends: that of the process, or of one that it started.
func born(t *testing.T, script string, env ...string) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	must(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	must(t, err)
	return pid
}

// Attack: a process of an agent hides where it comes from.
func TestAgentAbove(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("needs /proc")
	}
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	if why := b.AgentAbove(born(t, "echo $$; read x")); why != "" {
		t.Errorf("a child of the operator: %s", why)
	}
	for name, tc := range map[string]struct{ script, env, want string }{
		"marked":                  {"echo $$; read x", "CLAUDECODE=1", "CLAUDECODE"},
		"below a marked one":      {"env -u CODEX_THREAD_ID sh -c 'echo $$; read x'; true", "CODEX_THREAD_ID=7", "CODEX_THREAD_ID"},
		"an empty mark is none":   {"echo $$; read x", "CLAUDECODE=", ""},
		"the operator's own wish": {"echo $$; read x", "CODEX_HOME=/x", ""},
	} {
		why := b.AgentAbove(born(t, tc.script, tc.env))
		if (why == "") != (tc.want == "") || !strings.Contains(why, tc.want) {
			t.Errorf("%s: %q, want %q", name, why, tc.want)
		}
	}
	if why := b.AgentAbove(0); why == "" {
		t.Error("a process that cannot be seen counts as an operator")
	}
	if why := b.AgentAbove(1 << 30); !strings.Contains(why, "cannot be followed") {
		t.Errorf("a process that is not there: %q", why)
	}
}

// A double fork cuts a process off from its ancestors. Its session still shows it.
func TestDoubleFork(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid")
	}
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	fifo := t.TempDir() + "/hold"
	must(t, exec.CommandContext(t.Context(), "mkfifo", fifo).Run())
	// setsid makes a session of its own, as agents do for their commands; its leader ends.
	pid := born(t, "setsid sh -c '(sh -c \"echo \\$\\$; read x <"+fifo+"\" & ) '; read x")
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) }) // nobody else would end it
	var why string
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for range 500 { // its parents end in their own time
		if why = b.AgentAbove(pid); why != "" {
			break
		}
		<-poll.C
	}
	if !strings.Contains(why, "what started it has ended") {
		t.Errorf("cut off: %q", why)
	}
}

// An agent that says goodbye, or moves on to another process, is still an agent.
func TestAgentsAreRememberedWhileTheyLive(t *testing.T) {
	alive := true
	b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: func(broker.Process) bool { return alive }})
	child := born(t, "echo $$; read x")
	q := bash("s", "1", "ls")
	q.Session.Process = peers.FindProcess(child)
	submit(t, b, q)
	q = bash("s", "2", "ls")
	q.Session.Process = peers.FindProcess(born(t, "echo $$; read x"))
	submit(t, b, q)
	if why := b.AgentAbove(child); !strings.Contains(why, "session s") {
		t.Errorf("after the session went on in another process: %q", why)
	}
	reused := peers.FindProcess(child)
	reused.Start-- // another run had this pid
	q = bash("s2", "1", "ls")
	q.Session.Process = reused
	submit(t, b, q)
	if why := b.AgentAbove(child); why != "" && !strings.Contains(why, "session s ") {
		t.Errorf("an agent that had the pid before: %q", why)
	}
}

func TestMarkIn(t *testing.T) {
	for env, want := range map[string]string{
		"":                               "",
		"PATH=/bin\x00HOME=/":            "",
		"A=CLAUDECODE=1\x00":             "",
		"XCLAUDECODE=1\x00":              "",
		"PATH=/bin\x00CLAUDE_PID=7\x00":  "CLAUDE_PID",
		"GEMINI_CLI=1":                   "GEMINI_CLI",
		"CURSOR_TRACE_ID=1\x00OPENCODE=": "",
	} {
		if got := service.MarkIn([]byte(env)); got != want {
			t.Errorf("%q: %q, want %q", env, got, want)
		}
	}
}

// Every attempt is an event and an update; a flood of them is a number.
func TestRefusedAttempts(t *testing.T) {
	c := serve(t, service.Options{})
	req := submit(t, c.b, bash("s", "1", "make"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, updates := c.b.Watch(ctx)
	for range 50 {
		if status, _ := c.do("POST", "/approval-requests/"+req.ID+"/decide", `{"decision":"allow"}`); status != http.StatusForbidden {
			t.Fatal(status)
		}
	}
	told := 0
	for told < 5 {
		u := <-updates
		if r := u.Refused; r != nil {
			told++
			if r.Kind != broker.NoOperator || r.By.PID != ownPID || !strings.Contains(r.Sentence(), "tried to allow a call") {
				t.Errorf("%+v: %s", r, r.Sentence())
			}
		}
	}
	list, err := c.b.Events(t.Context())
	must(t, err)
	n := 0
	for _, e := range list {
		if e.Type == broker.EventDecisionRefused {
			n++
		}
	}
	if n != 5 {
		t.Errorf("%d events, want 5; the others are counted", n)
	}
}
