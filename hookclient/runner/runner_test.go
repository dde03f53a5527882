package runner

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker/wire"
	"github.com/aoctl/aoctl/hookclient"
)

// run is one run of a fake agent.
type run struct {
	seen []Seen
	log  lockedBuffer
	told string // a file that the agent may write

	result Result
	err    error
	done   chan struct{}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// begin starts a fake agent that behaves in this way.
func begin(t *testing.T, c *fakeConsole, how string, edit ...func(*session)) *run {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &run{done: make(chan struct{}), told: filepath.Join(t.TempDir(), "told")}
	o := Options{
		Start:  wire.RunStart{SessionID: "0196aaaa-1111-7111-8111-111111111111", Agent: "claude", CWD: t.TempDir(), Program: self, Prompt: "do it", Log: "/w/s.log"},
		Socket: c.socket, Env: append(AgentEnv(os.Environ()), fakeAgent+"="+how, "FAKE_TOLD="+r.told),
		Log: slog.New(slog.NewTextHandler(&r.log, nil)), Linger: time.Minute,
		Show: func(s Seen) error { r.seen = append(r.seen, s); return nil }, Ready: func() {},
		NewID: func() string { return "00000000-0000-4000-8000-000000000001" },
	}
	call := func(ctx context.Context, path string, body []byte, limit time.Duration) ([]byte, error) {
		return hookclient.Call(ctx, path, body, hookclient.CallOptions{Socket: c.socket, Timeout: limit})
	}
	s := &session{o: o, link: newLink(call, o.Start, o.Log), call: call, times: defaultTimes()}
	for _, f := range edit {
		f(s)
	}
	go func() {
		defer close(r.done)
		r.result, r.err = s.run(t.Context())
	}()
	return r
}

func (r *run) end(t *testing.T) {
	t.Helper()
	select {
	case <-r.done:
	case <-time.After(2 * time.Minute):
		t.Fatalf("it does not end; its log:\n%s", r.log.String())
	}
}

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		answer string
		failed bool
	}{{strings.TrimSpace(allowJSON), false}, {strings.TrimSpace(denyJSON), true}} {
		c := newConsole(t, tt.answer)
		r := begin(t, c, "good")
		r.end(t)
		if r.err != nil || r.result.Failed || r.result.Word != "completed" || r.result.Cost != 0.5 {
			t.Errorf("%+v, %v", r.result, r.err)
		}
		i := slices.IndexFunc(r.seen, func(s Seen) bool { return s.Kind == SeenEnd })
		if i < 0 || r.seen[i].Error != tt.failed {
			t.Errorf("seen: %+v", r.seen)
		}
		var kinds []string
		for _, rep := range c.reports {
			kinds = append(kinds, rep.Kind)
		}
		if got := strings.Join(kinds, " "); got != "agent working idle ended" {
			t.Errorf("reported %s", got)
		}
		if len(c.starts) != 1 || c.starts[0].Prompt != "do it" || len(c.hooks) != 1 || !strings.Contains(c.hooks[0], `"tool_input":{"command":"ls"}`) {
			t.Errorf("started %+v, asked %s", c.starts, c.hooks)
		}
	}
}

func TestNoConsoleNothingStarts(t *testing.T) {
	c := newConsole(t, "")
	c.kill()
	_ = os.Remove(c.socket)
	r := begin(t, c, "env")
	r.end(t)
	if !errors.Is(r.err, hookclient.ErrNoConsole) {
		t.Errorf("%v", r.err)
	}
	if _, err := os.Stat(r.told); err == nil {
		t.Error("the agent was started")
	}
}

func TestAnAgentWithoutAGateIsToldNothing(t *testing.T) {
	for how, want := range map[string]string{"refuses": "no hooks here", "no-gate": "does not say that it put up the gate, so nothing was told to it; is it older than 2.1.243?", "dies-at-once": "exit code 3 before it said that it put up the gate: Error: no settings file (its log: /w/s.log)"} {
		c := newConsole(t, "")
		r := begin(t, c, how)
		r.end(t)
		var e *EndError
		if !errors.As(r.err, &e) || !strings.Contains(e.Why, want) {
			t.Errorf("%s: %v", how, r.err)
		}
		if told, err := os.ReadFile(r.told); err == nil {
			t.Errorf("%s: it was told %s", how, told)
		}
		if ended := c.of(wire.ReportEnded); len(ended) != 1 || !strings.Contains(ended[0].Error, want) {
			t.Errorf("%s: ended %+v", how, ended)
		}
	}
}

func TestMisbehaviour(t *testing.T) {
	for how, check := range map[string]func(t *testing.T, c *fakeConsole, r *run){
		"junk": func(t *testing.T, c *fakeConsole, r *run) {
			t.Helper()
			if r.err != nil || len(c.of(wire.ReportNote)) < 2 || !strings.Contains(r.log.String(), "a word of the agent's") {
				t.Errorf("%v, notes %+v, log %s", r.err, c.of(wire.ReportNote), r.log.String())
			}
		},
		"large": func(t *testing.T, c *fakeConsole, r *run) {
			t.Helper()
			i := slices.IndexFunc(r.seen, func(s Seen) bool { return s.Kind == SeenText && len(s.Text) == 10<<20 })
			said := c.of(wire.ReportSaid)
			if r.err != nil || i < 0 || len(said) != 1 || len(said[0].Text) > maxSaid+8 {
				t.Errorf("%v, %d reports", r.err, len(said))
			}
		},
		"half": func(t *testing.T, c *fakeConsole, r *run) {
			t.Helper()
			notes := c.of(wire.ReportNote)
			if r.err == nil || r.result.Exit != 7 || len(notes) != 1 || !strings.Contains(notes[0].Text, "ends in the middle, after 14 bytes") {
				t.Errorf("%v, notes %+v", r.err, notes)
			}
		},
		"runs-it-anyway": func(t *testing.T, c *fakeConsole, r *run) {
			t.Helper()
			if r.err == nil || !strings.Contains(r.err.Error(), "ALARM") {
				t.Errorf("%v", r.err)
			}
		},
		"floods": func(t *testing.T, c *fakeConsole, r *run) {
			t.Helper()
			if n := len(r.seen); r.err != nil || n < 3000 {
				t.Errorf("%v, %d seen", r.err, n)
			}
		},
	} {
		t.Run(how, func(t *testing.T) {
			c := newConsole(t, strings.TrimSpace(denyJSON))
			r := begin(t, c, how)
			r.end(t)
			check(t, c, r)
		})
	}
}

func TestAnAgentThatIgnoresEverythingIsKilled(t *testing.T) {
	c := newConsole(t, "")
	r := begin(t, c, "ignores-all", func(s *session) {
		s.times.turn, s.times.exit, s.times.control = 100*time.Millisecond, 100*time.Millisecond, 50*time.Millisecond
		s.times.dead = time.Minute
	})
	c.wait("the call", func() bool { return len(c.hooks) > 0 })
	c.change(func() { c.orders = []wire.RunOrder{{ID: "e", Kind: wire.OrderEnd}} })
	r.end(t)
	steps := c.of(wire.ReportStep)
	var text []string
	for _, s := range steps {
		text = append(text, s.Text)
	}
	all := strings.Join(text, "\n")
	for _, want := range []string{"refused 1 waiting calls", "interrupted", "closed its input", "SIGTERM", "SIGKILL", "was killed"} {
		if !strings.Contains(all, want) {
			t.Errorf("no step %q in\n%s", want, all)
		}
	}
	if done := c.of(wire.ReportDone); len(done) != 1 || done[0].OrderID != "e" || r.err != nil {
		t.Errorf("done %+v, %v", done, r.err)
	}
}

func TestAnAgentThatDoesNotReadIsEnded(t *testing.T) {
	c := newConsole(t, "")
	r := begin(t, c, "asks-and-does-not-read", func(s *session) {
		s.times.turn, s.times.exit, s.times.dead = 100*time.Millisecond, 100*time.Millisecond, time.Minute
	})
	c.wait("a crowd of calls", func() bool { return len(c.hooks) >= maxCalls })
	c.change(func() { c.orders = []wire.RunOrder{{ID: "e", Kind: wire.OrderEnd}} })
	r.end(t)
	if len(c.hooks) > maxCalls {
		t.Errorf("%d calls were put before the console at once", len(c.hooks))
	}
	if done := c.of(wire.ReportDone); len(done) != 1 {
		t.Errorf("done %+v", done)
	}
}

// What an agent did not read before it died keeps nobody from seeing that it is dead.
func TestAnAgentThatDiesWithoutReadingIsSeenToEnd(t *testing.T) {
	c := newConsole(t, "")
	r := begin(t, c, "asks-much-and-dies")
	r.end(t)
	if r.err == nil || r.result.Exit != 5 || !strings.Contains(r.err.Error(), "in the middle of its turn") {
		t.Errorf("%+v, %v", r.result, r.err)
	}
	if ended := c.of(wire.ReportEnded); len(ended) != 1 {
		t.Errorf("the console was told %+v", ended)
	}
}

// Of a question that was answered nothing is kept.
func TestAnsweredQuestionsAreForgotten(t *testing.T) {
	c := newConsole(t, strings.TrimSpace(allowJSON))
	var s *session
	r := begin(t, c, "good", func(held *session) { s = held })
	r.end(t)
	if len(c.hooks) != 1 || len(s.asks) != 0 {
		t.Errorf("%d questions were asked, %d are kept", len(c.hooks), len(s.asks))
	}
}

func TestARestartedConsoleHearsAll(t *testing.T) {
	c := newConsole(t, "")
	r := begin(t, c, "good")
	c.wait("the call", func() bool { return len(c.hooks) > 0 })
	c.kill()
	c.change(func() { c.answer = strings.TrimSpace(allowJSON) })
	c.start()
	r.end(t)
	allowed := slices.ContainsFunc(r.seen, func(s Seen) bool { return s.Kind == SeenEnd && !s.Error })
	if r.err != nil || len(c.hooks) != 2 || !allowed {
		t.Errorf("%v; asked %d times, allowed %v", r.err, len(c.hooks), allowed)
	}
	if len(c.starts) < 2 || c.starts[len(c.starts)-1].AgentPID == 0 || c.starts[len(c.starts)-1].Prompt != "" {
		t.Errorf("registered %+v", c.starts)
	}
	if len(c.of(wire.ReportEnded)) != 1 || len(c.of(wire.ReportIdle)) != 1 {
		t.Errorf("reports %+v", c.reports)
	}
}

func TestTheAgentsEnvironment(t *testing.T) {
	t.Setenv("AOCTL_TOKEN", "aoctl_op_secret")
	t.Setenv("CLAUDECODE", "1")
	c := newConsole(t, "")
	r := begin(t, c, "env")
	r.end(t)
	raw, err := os.ReadFile(r.told)
	if err != nil || strings.Contains(string(raw), "AOCTL_TOKEN") || strings.Contains(string(raw), "CLAUDECODE") || !strings.Contains(string(raw), "PWD=") {
		t.Errorf("%v, %s", err, raw)
	}
}

func TestAFailingScreenEndsTheSession(t *testing.T) {
	c := newConsole(t, "")
	r := begin(t, c, "floods", func(s *session) {
		s.o.Keep = true
		s.o.Show = func(Seen) error { return errors.New("closed") }
	})
	r.end(t)
	if r.err != nil || len(c.of(wire.ReportStep)) == 0 {
		t.Errorf("%v, %+v", r.err, c.reports)
	}
}
