package mcp

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest/operated"
	"github.com/aoctl/aoctl/hookclient"
)

const makeCall = `{"tool_name":"Bash","input":{"command":"make <all> 1.50"},"tool_use_id":"toolu_1"}`

// What the operator decides is what the client hears, and the console shows whose call it is.
func TestApprove(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		decision broker.Decision
		want     approval
	}{
		"allowed": {
			broker.Decision{Verdict: broker.Allow},
			approval{Behavior: "allow", UpdatedInput: []byte(`{"command":"make <all> 1.50"}`)},
		},
		"edited": {
			broker.Decision{Verdict: broker.Allow, UpdatedInput: []byte(`{"command":"make -n"}`)},
			approval{Behavior: "allow", UpdatedInput: []byte(`{"command":"make -n"}`)},
		},
		"denied": {broker.Decision{Verdict: broker.Deny, Reason: "not today"}, approval{Behavior: "deny", Message: "not today"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket := operated.Socket(t)
			c := operated.Open(t, socket)
			done := connect(t, socket).call(t.Context(), "approve", makeCall)
			r := c.Next()
			if r.SessionID != "s-1" || r.Agent != "tester" || r.ToolName != "Bash" || r.ToolUseID != "toolu_1" || r.CWD != "/srv/shop" {
				t.Errorf("the console shows %+v", r)
			}
			c.Says(r, tt.decision)
			got := (<-done).approval(t)
			if got.Behavior != tt.want.Behavior || string(got.UpdatedInput) != string(tt.want.UpdatedInput) ||
				!strings.HasSuffix(got.Message, tt.want.Message) || got.Interrupt {
				t.Errorf("the client hears %+v, want %+v", got, tt.want)
			}
		})
	}
}

// A stop refuses the call and tells the client to end its turn.
func TestApproveStopped(t *testing.T) {
	t.Parallel()
	socket := operated.Socket(t)
	c := operated.Open(t, socket)
	done := connect(t, socket).call(t.Context(), "approve", makeCall)
	_, err := c.Stop(t.Context(), c.Next().SessionID, broker.Actor{Kind: broker.ByOperator})
	must(t, err)
	if got := (<-done).approval(t); got.Behavior != "deny" || !got.Interrupt || !strings.Contains(got.Message, "Stopped") {
		t.Errorf("the client hears %+v, want the stop", got)
	}
}

// The same call is asked again: an answer to an earlier question is not taken for it.
func TestApproveAsksAgain(t *testing.T) {
	t.Parallel()
	socket := operated.Socket(t)
	c := operated.Open(t, socket)
	s := connect(t, socket)
	done := s.call(t.Context(), "approve", makeCall)
	c.Says(c.Next(), broker.Decision{Verdict: broker.Allow})
	(<-done).approval(t)
	done = s.call(t.Context(), "approve", makeCall)
	c.Says(c.Next(), broker.Decision{Verdict: broker.Deny})
	if got := (<-done).approval(t); got.Behavior != "deny" {
		t.Errorf("the second answer is %+v, want the operator's", got)
	}
}

// A console that only observes holds nothing, so its word is no permission. The client hears why, and
// which key has calls held again.
func TestApproveObserved(t *testing.T) {
	t.Parallel()
	for _, session := range []string{"", "s-1"} {
		socket := operated.Socket(t)
		c := operated.Open(t, socket)
		s := connect(t, socket)
		operator := broker.Actor{Kind: broker.ByOperator}
		if session != "" { // the console has to know it
			s.call(t.Context(), "approve", makeCall)
			c.Says(c.Next(), broker.Decision{Verdict: broker.Deny})
		}
		must(t, c.Observe(t.Context(), session, true, operator))
		got := (<-s.call(t.Context(), "approve", makeCall)).approval(t)
		if got.Behavior != "deny" || got.Interrupt || !strings.Contains(got.Message, "only observes, so nobody can allow") || !strings.Contains(got.Message, "press O on this session") {
			t.Errorf("observing %q, the client hears %+v", session, got)
		}
		r := <-s.call(t.Context(), "ask_user", `{"question":"Which region?"}`)
		if text := r.text(t); !r.IsError || !strings.Contains(text, "only observes, so nobody can") {
			t.Errorf("observing %q, its question is answered with %q", session, text)
		}
		must(t, c.Observe(t.Context(), session, false, operator))
		done := s.call(t.Context(), "approve", makeCall)
		c.Says(c.Next(), broker.Decision{Verdict: broker.Allow})
		if got := (<-done).approval(t); got.Behavior != "allow" {
			t.Errorf("holding again, the client hears %+v", got)
		}
	}
}

func TestApproveWithoutConsole(t *testing.T) {
	t.Parallel()
	got := (<-connect(t, operated.Socket(t)).call(t.Context(), "approve", makeCall)).approval(t)
	if got.Behavior != "deny" || !strings.Contains(got.Message, `no console is listening`) || !strings.Contains(got.Message, `start one with "aoctl"`) {
		t.Errorf("the client hears %+v", got)
	}
}

// A console that went away is waited for until the time is over, and then the call is refused.
func TestApproveConsoleEnds(t *testing.T) {
	t.Parallel()
	socket := operated.Socket(t)
	c := operated.Open(t, socket)
	done := connect(t, socket, func(a *asker) { a.timeout = 5 * time.Second }).call(t.Context(), "approve", makeCall)
	c.Next()
	c.Close()
	if got := (<-done).approval(t); got.Behavior != "deny" || !strings.Contains(got.Message, "the console ended while this call waited") {
		t.Errorf("the client hears %+v", got)
	}
}

// A console that comes back finds the question again.
func TestApproveConsoleRestarts(t *testing.T) {
	t.Parallel()
	socket := operated.Socket(t)
	c := operated.Open(t, socket)
	done := connect(t, socket).call(t.Context(), "approve", makeCall)
	c.Next()
	c.Close()
	c = operated.Open(t, socket) // with an empty record: the question comes once more
	c.Says(c.Next(), broker.Decision{Verdict: broker.Deny, Reason: "after all"})
	if got := (<-done).approval(t); got.Behavior != "deny" || !strings.HasSuffix(got.Message, "after all") {
		t.Errorf("the client hears %+v", got)
	}
}

func TestApproveTimeout(t *testing.T) {
	t.Parallel()
	socket := operated.Socket(t)
	c := operated.Open(t, socket)
	done := connect(t, socket, func(a *asker) { a.timeout = time.Second }).call(t.Context(), "approve", makeCall)
	if got := (<-done).approval(t); got.Behavior != "deny" || got.Message == "" {
		t.Errorf("the client hears %+v, want a refusal", got)
	}
	all, err := c.Store.Requests(t.Context(), broker.RequestFilter{State: broker.Expired, Limit: 10})
	if err != nil || len(all) != 1 {
		t.Errorf("expired are %+v, %v; want the call", all, err)
	}
}

// A call that its client cancels is closed in the console.
func TestApproveCancelled(t *testing.T) {
	t.Parallel()
	socket := operated.Socket(t)
	c := operated.Open(t, socket)
	s := connect(t, socket)
	ctx, cancel := context.WithCancel(t.Context())
	done := s.call(ctx, "approve", makeCall)
	other := s.call(t.Context(), "approve", `{"tool_name":"Bash","input":{"command":"ls"}}`)
	c.Until("both calls", func() bool { return len(c.Pending("")) == 2 })
	cancel()
	<-done
	c.Until("the end of one call", func() bool { return len(c.Pending("")) == 1 })
	left := c.Next()
	if !strings.Contains(string(left.ToolInput), "ls") {
		t.Fatalf("%s waits, want the call that was not cancelled", left.ToolInput)
	}
	all, err := c.Store.Requests(t.Context(), broker.RequestFilter{State: broker.Cancelled, Limit: 10})
	must(t, err)
	if len(all) != 1 || all[0].ToolUseID != "toolu_1" {
		t.Errorf("cancelled are %+v, want the one call", all)
	}
	c.Says(left, broker.Decision{Verdict: broker.Allow})
	if got := (<-other).approval(t); got.Behavior != "allow" {
		t.Errorf("the other call is answered with %+v", got)
	}
}

// When the client leaves, its questions are taken back before the server ends. A session that began
// with the server is over then, and one of others goes on.
func TestApproveClientLeaves(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		identity identity
		known    bool // the agent's hooks spoke of the session before
		over     bool
	}{
		"its own session":            {identity{session: "s-1", agent: "mcp", own: true}, false, true},
		"an agent's, without hooks":  {identity{session: "s-1", agent: "claude", found: true}, false, true},
		"an agent's, with hooks":     {identity{session: "s-1", agent: "claude", found: true}, true, false},
		"one that was named by flag": {identity{session: "s-1", agent: "bot"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket := operated.Socket(t)
			c := operated.Open(t, socket)
			if tt.known {
				_, err := hookclient.Call(t.Context(), "/events", []byte(`{"event_type":"session_start","session_id":"s-1","agent":"claude"}`), hookclient.CallOptions{Socket: socket})
				must(t, err)
			}
			s := connect(t, socket, func(a *asker) { a.identity = tt.identity })
			s.call(t.Context(), "approve", makeCall)
			r := c.Next()
			must(t, s.leave())
			if err := <-s.ended; err != nil {
				t.Errorf("the server ended with %v", err)
			}
			if st := c.State(r.ID); st != broker.Cancelled {
				t.Errorf("the call is %s, want cancelled", st)
			}
			session, err := c.Session(t.Context(), r.SessionID)
			must(t, err)
			if session.State.Ended() != tt.over {
				t.Errorf("the session is %s, over is %v", session.State, tt.over)
			}
		})
	}
}

// Arguments that are not understood refuse the call, and nothing is asked.
func TestApproveJunk(t *testing.T) {
	t.Parallel()
	socket := operated.Socket(t)
	c := operated.Open(t, socket)
	s := connect(t, socket)
	for args, want := range map[string]string{
		`null`:                                "no plain JSON object",
		`[]`:                                  "no plain JSON object",
		`{}`:                                  "tool_name is missing",
		`{"tool_name":"Bash"}`:                "input is no JSON object",
		`{"tool_name":7}`:                     "tool_name is no text",
		`{"input":{"command":1}}`:             "tool_name is missing",
		`{"tool_name":"Bash","input":"make"}`: "input is no JSON object",
		`{"tool_name":"Bash","input":null}`:   "input is no JSON object",
		`{"tool_name":"Bash","input":{},"tool_use_id":{}}`:                              "tool_use_id is no text",
		`{"tool_name":"Bash","input":{"command":"ls","command":"rm -rf /"}}`:            "no plain JSON object",
		`{"tool_name":"Read","Tool_Name":"Bash","input":{"command":"ls"}}`:              "no plain JSON object",
		`{"tool_name":"Read","input":{"command":"ls"},"input":{"command":"rm"}}`:        "no plain JSON object",
		`{"tool_name":"` + strings.Repeat("x", 300) + `","input":{}}`:                   "longer than",
		`{"tool_name":"Bash","input":{"command":"` + strings.Repeat("x", 2<<20) + `"}}`: "",
	} {
		got := (<-s.call(t.Context(), "approve", args)).approval(t)
		if got.Behavior != "deny" || !strings.Contains(got.Message, want) || got.Message == "" {
			t.Errorf("%.80s: the client hears %+v, want %q", args, got, want)
		}
	}
	if all, err := c.Store.Requests(t.Context(), broker.RequestFilter{Limit: 10}); err != nil || len(all) > 0 {
		t.Errorf("the console was asked %+v, %v", all, err)
	}
}

// A client hears that its call still waits.
func TestProgress(t *testing.T) {
	t.Parallel()
	socket := operated.Socket(t)
	c := operated.Open(t, socket)
	s := connect(t, socket, func(a *asker) { a.progressEvery = time.Millisecond })
	done := s.call(t.Context(), "approve", makeCall)
	r := c.Next()
	if got := <-s.progress; !strings.Contains(got, "waiting for the operator") {
		t.Errorf("the client hears %q", got)
	}
	c.Says(r, broker.Decision{Verdict: broker.Allow})
	(<-done).approval(t)
}
