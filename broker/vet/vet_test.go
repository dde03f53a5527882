package vet

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/risk"
	"github.com/aoctl/aoctl/broker/rules"
)

// childEnv makes the test binary play the guard.
const childEnv = "AOCTL_VET_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	debug.SetMaxStack(32 << 20)
	Trial = trial
	if Serve(os.Stdin, os.Stdout, 30*time.Second, func() { os.Exit(1) }) != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// trial is what a parser with a fault might do.
func trial(text []byte) {
	switch {
	case bytes.Contains(text, []byte("DEEP")):
		var down func(int) int
		down = func(n int) int { return down(n+1) + n }
		down(0)
	case bytes.Contains(text, []byte("FOREVER")):
		for begun := time.Now(); time.Since(begun) < time.Hour; {
		}
	case bytes.Contains(text, []byte("PANIC")):
		panic("a fault")
	case bytes.Contains(text, []byte("LEAVE")):
		os.Exit(7)
	}
}

func command() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{childEnv + "=1", "GORACE=atexit_sleep_ms=0"}
	return cmd
}

func startGuard(t *testing.T, o Options) *Guard {
	t.Helper()
	if o.Command == nil {
		o.Command = command
	}
	if o.Wait == 0 {
		o.Wait = 10 * time.Second // this machine may be busy; who waits is not what is tested
	}
	g := Start(o)
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func call(line string) rules.Question {
	return rules.Question{Tool: "Bash", Input: []byte(`{"command":"` + line + `"}`), Place: risk.Place{CWD: "/p", Own: []string{"/own"}}}
}

func TestGuard(t *testing.T) {
	g := startGuard(t, Options{Limit: 20 * time.Second}) // none of these takes long, but this machine may
	for _, tt := range []struct {
		name    string
		got     func() Result
		why     string
		legible bool
	}{
		{"a line", func() Result { return g.Call(call("ls -la | head")) }, "", true},
		{"no line", func() Result { return g.Call(rules.Question{Tool: "Read", Input: []byte(`{"file_path":"x"}`)}) }, "", false},
		{"no object", func() Result { return g.Call(rules.Question{Tool: "Bash", Input: []byte("[[[")}) }, "", false},
		{"an unreadable line", func() Result { return g.Call(call("a (((")) }, "", false},
		{"deeper than the stack", func() Result { return g.Call(call("DEEP")) }, whyBroke, false},
		{"a fault", func() Result { return g.Call(call("PANIC")) }, whyBroke, false},
		{"it ends the process", func() Result { return g.Call(call("LEAVE")) }, whyBroke, false},
		{"a draft", func() Result { return g.Offer(call("npm run x")) }, "", true},
		{"a draft of what breaks", func() Result { return g.Offer(call("DEEP")) }, whyBroke, false},
		{"a rules file", func() Result { return g.File("/p/.aoctl/rules.toml", []byte("x = ["), "/p") }, "", false},
		{"a rules file that breaks", func() Result { return g.File("/p/.aoctl/rules.toml", []byte("# DEEP"), "/p") }, whyBroke, false},
		{"a line after all that", func() Result { return g.Call(call("git status")) }, "", true},
	} {
		if r := tt.got(); r.Why != tt.why || r.Legible != tt.legible {
			t.Errorf("%s: got %+v, want why %q, legible %v", tt.name, r, tt.why, tt.legible)
		}
	}
}

func TestRunaway(t *testing.T) {
	g := startGuard(t, Options{Size: 1, Limit: 300 * time.Millisecond})
	if r := g.Call(call("FOREVER")); r.Why != whySlow || r.Legible {
		t.Errorf("got %+v", r)
	}
}

// TestOthersAreServed: while one text takes all the time it may, others come through.
func TestOthersAreServed(t *testing.T) {
	g := startGuard(t, Options{Limit: 2 * time.Second})
	g.Call(call("warm up"))
	slow := make(chan Result, 1)
	hostile := func(line string) Result {
		q := call(line)
		q.SessionID = "hostile"
		return g.Call(q)
	}
	go func() { slow <- hostile("FOREVER") }()
	for i := range 4 { // these wait for the first one, and leave the other process alone
		go hostile("DEEP" + strings.Repeat("x", i))
	}
	for i := range 50 {
		if r := g.Call(call("echo " + strings.Repeat("x", i))); r.Why != "" {
			t.Fatalf("call %d: %+v", i, r)
		}
	}
	select {
	case r := <-slow:
		t.Errorf("the runaway text was through before the others: %+v", r)
	default:
	}
	if r := <-slow; r.Why != whySlow {
		t.Errorf("the runaway text: %+v", r)
	}
}

// TestRemembers: a text that broke the guard is not tried again at once, and one that
// came through costs nothing the next time.
func TestRemembers(t *testing.T) {
	var mu sync.Mutex
	starts := 0
	g := startGuard(t, Options{Size: 1, Limit: 20 * time.Second, Command: func() *exec.Cmd {
		mu.Lock()
		defer mu.Unlock()
		starts++
		return command()
	}})
	for range 20 {
		if r := g.Call(call("LEAVE")); r.Why != whyBroke {
			t.Fatalf("got %+v", r)
		}
	}
	if r := g.Call(call("ls")); r.Why != "" {
		t.Fatalf("got %+v", r)
	}
	mu.Lock()
	defer mu.Unlock()
	if starts != 2 {
		t.Errorf("%d processes were started for one text that breaks them, want 2", starts)
	}
}

// TestEndedWhileIdle: processes that the system ends while they have nothing to do are no text's
// fault.
func TestEndedWhileIdle(t *testing.T) {
	g := startGuard(t, Options{Limit: 20 * time.Second})
	idle := []*process{<-g.idle, <-g.idle}
	for _, p := range idle {
		_ = p.cmd.Process.Kill()
		<-p.ended
		g.idle <- p
	}
	for _, line := range []string{"ls", "ls -l", "ls -a"} {
		if r := g.Call(call(line)); r.Why != "" {
			t.Errorf("%s: got %+v", line, r)
		}
	}
}

// TestNoGuard: without a process, nothing comes through, and nobody waits long.
func TestNoGuard(t *testing.T) {
	for name, cmd := range map[string]func() *exec.Cmd{
		"missing":         func() *exec.Cmd { return exec.Command("/nowhere/aoctl") },
		"another program": func() *exec.Cmd { return exec.Command("echo", "hello, I am somebody else altogether") },
		"one that leaves": func() *exec.Cmd { return exec.Command("true") },
	} {
		g := startGuard(t, Options{Command: cmd, Wait: 50 * time.Millisecond})
		if r := g.Call(call("ls")); r.Why != Busy {
			t.Errorf("%s: got %+v", name, r)
		}
	}
	g := startGuard(t, Options{})
	_ = g.Close()
	if r := g.Call(call("ls")); r.Why != Busy {
		t.Errorf("closed: got %+v", r)
	}
}

func TestServeEnds(t *testing.T) {
	var out bytes.Buffer
	if err := Serve(strings.NewReader(""), &out, time.Second, nil); err != nil || out.String() != hello {
		t.Errorf("no frame: %v, said %q", err, out.String())
	}
	for _, in := range []string{"\x00\x00\x00\x00", "\xff\xff\xff\xff", "\x03\x00\x00\x00cab", "\x05\x00\x00\x00c\xff\xff\xff\xff"} {
		if err := Serve(strings.NewReader(in), &out, time.Second, nil); !errors.Is(err, errFrame) {
			t.Errorf("%q: %v, want a malformed frame", in, err)
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add("c", "a", "")
	f.Fuzz(func(t *testing.T, kind, a, b string) {
		if kind == "" {
			return
		}
		want := text{kind[0], []string{a, b}}
		got, _, err := readFrame(bytes.NewReader(appendFrame(nil, want)), nil)
		if err != nil || got.kind != want.kind || !slices.Equal(got.fields, want.fields) {
			t.Fatalf("got %+v, %v; want %+v", got, err, want)
		}
	})
}

func TestCacheKeepsItsSize(t *testing.T) {
	var c cache
	now := time.Now()
	for i := range 5 * maxYoung {
		var d digest
		d[0], d[1], d[2] = byte(i), byte(i>>8), byte(i>>16)
		c.put(d, kept{})
		if _, ok := c.get(digest{0, 0, 0}, now); i > 0 && !ok {
			t.Fatal("a text that is asked for all the time was forgotten")
		}
	}
	if n := len(c.young) + len(c.old); n > 2*maxYoung {
		t.Errorf("%d texts are kept", n)
	}
	c.put(digest{9}, kept{Result: Result{Why: "x"}, until: now})
	if _, ok := c.get(digest{9}, now.Add(time.Second)); ok {
		t.Error("a failure is remembered for ever")
	}
}

func BenchmarkGuard(b *testing.B) {
	g := Start(Options{Command: command, Wait: 10 * time.Second})
	defer func() { _ = g.Close() }()
	g.Call(call("ls"))
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			g.Call(call("ls"))
		}
	})
	b.Run("new", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			if r := g.Call(call("npm run test && git diff --stat | head -" + time.Duration(n).String())); r.Why != "" {
				b.Fatal(r)
			}
		}
	})
}
