package hookclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/hookclient"
)

func openSession(t *testing.T, c *testConsole, a hookclient.Agent) *hookclient.Session {
	t.Helper()
	a.Socket, a.SessionID = c.socket, "s1"
	s, err := a.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func testOpen(t *testing.T) *testConsole {
	t.Helper()
	c := openConsole()
	t.Cleanup(func() { c.close() })
	return c
}

var write = hookclient.ToolCall{ID: "t1", Tool: "write", Input: json.RawMessage(`{"text":"x"}`)}

// never is a tool that must not run.
func never(t *testing.T) func(context.Context, json.RawMessage) (string, error) {
	t.Helper()
	return func(_ context.Context, in json.RawMessage) (string, error) {
		t.Errorf("the tool ran with %s", in)
		return "", nil
	}
}

// What is not decided is asked: no policy, a tool that is not listed, a zero ruling.
func TestSafeDefaultAsks(t *testing.T) {
	for name, p := range map[string]hookclient.Policy{
		"no policy":   nil,
		"empty":       hookclient.ByTool(nil),
		"other tool":  hookclient.ByTool(map[string]hookclient.Ruling{"Write": hookclient.Allow(), "write ": hookclient.Allow()}),
		"zero ruling": func(hookclient.ToolCall) hookclient.Ruling { return hookclient.Ruling{} },
	} {
		t.Run(name, func(t *testing.T) {
			c := testOpen(t)
			s := openSession(t, c, hookclient.Agent{Policy: p})
			go c.person(deny("no"))
			_, err := s.Do(t.Context(), write, never(t))
			var denied *hookclient.DeniedError
			if !errors.As(err, &denied) || !strings.HasSuffix(err.Error(), ": no") || denied.Decision.RequestID == "" {
				t.Errorf("got %v, want the person's refusal", err)
			}
		})
	}
}

func TestPolicyIsOnRecord(t *testing.T) {
	c := testOpen(t)
	s := openSession(t, c, hookclient.Agent{Policy: hookclient.ByTool(map[string]hookclient.Ruling{"write": hookclient.Allow(), "drop": hookclient.Deny("")})})
	result, err := s.Do(t.Context(), write, func(context.Context, json.RawMessage) (string, error) { return "done", errors.New("half") })
	if result != "done" || err == nil || err.Error() != "half" {
		t.Errorf("got %q, %v; want what the tool returned", result, err)
	}
	if _, err = s.Do(t.Context(), hookclient.ToolCall{Tool: "drop", Input: json.RawMessage(`{}`)}, never(t)); !errors.Is(err, hookclient.ErrDenied) {
		t.Errorf("denied by policy: %v", err)
	}
	events, err := c.store.Events(t.Context(), broker.EventFilter{SessionID: "s1", After: -1})
	check(err)
	var told []string
	for _, e := range events {
		told = append(told, e.Type+" "+string(e.Data))
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{`pre_tool {"data":{"policy":"allow"},"tool_input":{"text":"x"}`, `post_tool {"tool_name":"write","tool_use_id":"t1","failed":true`, `pre_tool {"data":{"policy":"deny"}`} {
		if !strings.Contains(all, want) {
			t.Errorf("the log has no %s:\n%s", want, all)
		}
	}
}

// A console that is away stops nobody, and lets nothing run, whatever the policy says.
func TestConsoleAwayRefuses(t *testing.T) {
	c := openConsole()
	s := openSession(t, c, hookclient.Agent{Policy: hookclient.ByTool(map[string]hookclient.Ruling{"free": hookclient.Allow()})})
	c.close()
	for _, tool := range []string{"free", "write"} {
		if _, err := s.Do(t.Context(), hookclient.ToolCall{Tool: tool, Input: write.Input}, never(t)); !errors.Is(err, hookclient.ErrNoConsole) {
			t.Errorf("%s without a console: %v, want ErrNoConsole", tool, err)
		}
	}
	if s.Stopped() {
		t.Error("a console that is away counts as a stop")
	}
	if _, err := (hookclient.Agent{Socket: c.socket}).Open(t.Context()); !errors.Is(err, hookclient.ErrNoConsole) {
		t.Errorf("a session without a console: %v", err)
	}
}

func TestStopIsHeardAfterARestart(t *testing.T) {
	t.Parallel()
	c := openConsole()
	s := openSession(t, c, hookclient.Agent{})
	c.close()
	next := openConsoleAt(c.socket, c.store)
	t.Cleanup(next.close)
	if _, _, err := next.StopAll(t.Context(), operator); err != nil {
		t.Fatal(err)
	}
	<-s.Stop()
	if d, err := s.Ask(t.Context(), write); err != nil || d.Allowed || len(next.Pending("")) > 0 {
		t.Errorf("after the stop: %+v, %v, %d cards", d, err, len(next.Pending("")))
	}
	again := openSession(t, next, hookclient.Agent{Policy: func(hookclient.ToolCall) hookclient.Ruling { return hookclient.Allow() }})
	if !again.Stopped() {
		t.Error("a session opened under a stop does not know of it")
	}
	if _, err := again.Do(t.Context(), write, never(t)); !errors.Is(err, hookclient.ErrDenied) {
		t.Errorf("its policy allows: %v", err)
	}
}

// A stop ends the question that waits, and the context of the tool that runs.
func TestStopEndsWhatGoesOn(t *testing.T) {
	c := testOpen(t)
	s := openSession(t, c, hookclient.Agent{Policy: hookclient.ByTool(map[string]hookclient.Ruling{"slow": hookclient.Allow()})})
	running := make(chan struct{})
	ended := make(chan error, 2)
	go func() {
		_, err := s.Do(t.Context(), hookclient.ToolCall{Tool: "slow", Input: write.Input}, func(ctx context.Context, _ json.RawMessage) (string, error) {
			close(running)
			<-ctx.Done()
			return "", context.Cause(ctx)
		})
		ended <- err
	}()
	<-running
	go func() { _, err := s.Do(t.Context(), write, never(t)); ended <- err }()
	c.person(stop)
	var stopped, denied bool
	for range 2 {
		err := <-ended
		stopped = stopped || errors.Is(err, hookclient.ErrSessionStopped)
		denied = denied || errors.Is(err, hookclient.ErrDenied)
	}
	if !stopped || !denied || !s.Stopped() {
		t.Errorf("the running tool was stopped: %v, the waiting one refused: %v, Stopped: %v", stopped, denied, s.Stopped())
	}
}

func TestCancelledContextClosesTheCard(t *testing.T) {
	c := testOpen(t)
	s := openSession(t, c, hookclient.Agent{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { _, err := s.Do(ctx, write, never(t)); ended <- err }()
	r := c.next()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	got, err := c.Request(t.Context(), r.ID)
	check(err)
	if got.State != broker.Cancelled || got.Outcome.By.ID != broker.WithdrawnID {
		t.Errorf("when Do returns, the card is %s by %+v; want withdrawn", got.State, got.Outcome)
	}
	if _, err = c.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); !errors.Is(err, broker.ErrAlreadyDecided) {
		t.Errorf("allowed afterwards: %v", err)
	}
	if _, err = s.Do(t.Context(), write, never(t)); !errors.Is(err, hookclient.ErrDenied) {
		t.Errorf("asked again under its id: %v, want the refusal", err)
	}
}

// The same id is the same question, in another process too; what was allowed before this
// one asked is not taken for an answer.
func TestSameIDIsTheSameQuestion(t *testing.T) {
	c := testOpen(t)
	first, second := openSession(t, c, hookclient.Agent{}), openSession(t, c, hookclient.Agent{})
	ran := make(chan string, 2)
	for _, s := range []*hookclient.Session{first, second} {
		go func() {
			d, err := s.Ask(t.Context(), write)
			ran <- fmt.Sprint(d.Allowed, " ", d.RequestID, err)
		}()
	}
	r := c.next()
	<-c.again // both wait at one card
	if n := len(c.Pending("")); n != 1 {
		t.Fatalf("%d cards, want 1", n)
	}
	allow()(c, r)
	if a, b := <-ran, <-ran; a != b || a != "true "+r.ID+"<nil>" {
		t.Errorf("%s and %s", a, b)
	}
	got, err := c.Request(t.Context(), r.ID)
	check(err)
	for !time.Now().Truncate(time.Millisecond).After(got.Outcome.At) { // they are told apart by the millisecond
	}
	if _, err := second.Do(t.Context(), write, never(t)); !errors.Is(err, hookclient.ErrRefused) {
		t.Errorf("an allow from before: %v, want ErrRefused", err)
	}
	other := write
	other.Input = json.RawMessage(`{"text":"y"}`)
	if _, err := second.Do(t.Context(), other, never(t)); !errors.Is(err, hookclient.ErrRefused) {
		t.Errorf("another call under its id: %v, want ErrRefused", err)
	}
}

func TestBadCallsDoNotRun(t *testing.T) {
	c := testOpen(t)
	s := openSession(t, c, hookclient.Agent{Policy: hookclient.ByTool(map[string]hookclient.Ruling{"free": hookclient.Allow()})})
	for _, tool := range []string{"free", "write"} {
		for _, input := range []string{"", "[]", `{"a":1`, "null"} {
			if _, err := s.Do(t.Context(), hookclient.ToolCall{Tool: tool, Input: json.RawMessage(input)}, never(t)); !errors.Is(err, hookclient.ErrInput) {
				t.Errorf("%s with %q: %v, want ErrInput", tool, input, err)
			}
		}
	}
	if _, err := s.Do(t.Context(), hookclient.ToolCall{Tool: "free", Input: write.Input}, nil); !errors.Is(err, hookclient.ErrInput) {
		t.Errorf("no tool: %v, want ErrInput", err)
	}
}

// Many calls at once: each gets the answer to itself.
func TestManyAtOnce(t *testing.T) {
	c := testOpen(t)
	s := openSession(t, c, hookclient.Agent{})
	const n = 40
	go func() {
		for range n {
			r := c.next()
			var in struct{ N int }
			check(json.Unmarshal(r.ToolInput, &in))
			if in.N%2 == 0 {
				allow()(c, r)
			} else {
				deny(fmt.Sprint("no ", in.N))(c, r)
			}
		}
	}()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			input := json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))
			got, err := s.Do(t.Context(), hookclient.ToolCall{Tool: "count", Input: input}, func(_ context.Context, in json.RawMessage) (string, error) { return string(in), nil })
			if i%2 == 0 && (err != nil || got != string(input)) || i%2 == 1 && (err == nil || !strings.HasSuffix(err.Error(), fmt.Sprint(": no ", i))) {
				t.Errorf("%d: %q, %v", i, got, err)
			}
		})
	}
	wg.Wait()
}

// What runs is what was asked, whatever becomes of the caller's bytes meanwhile.
func TestInputIsHeldFast(t *testing.T) {
	c := testOpen(t)
	s := openSession(t, c, hookclient.Agent{})
	input := []byte(`{"text":"good"}`)
	go c.person(func(c *testConsole, r broker.Request) {
		copy(input, `{"text":"evil"}`)
		allow()(c, r)
	})
	_, err := s.Do(t.Context(), hookclient.ToolCall{Tool: "write", Input: input}, func(_ context.Context, in json.RawMessage) (string, error) {
		if string(in) != `{"text":"good"}` {
			t.Errorf("it runs with %s", in)
		}
		copy(in, `{"text":"evil"}`)
		return "", nil
	})
	check(err)
	if got, err := c.Session(t.Context(), "s1"); err != nil || got.Alarm != nil {
		t.Errorf("the session has the alarm %+v, %v", got.Alarm, err)
	}
}
