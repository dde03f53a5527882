package service_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// told hands the broker events of session "s" and returns the last answer.
func told(t *testing.T, b *service.Broker, hooks ...agents.Hook) agents.Answer {
	t.Helper()
	var last agents.Answer
	for _, h := range hooks {
		h.Agent, h.SessionID, h.CWD = cmp.Or(h.Agent, "claude"), "s", "/src/shop"
		var err error
		if last, err = b.Hear(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

func wantSession(t *testing.T, b *service.Broker, when string, want broker.SessionState) broker.Session {
	t.Helper()
	s, err := b.Session(t.Context(), "s")
	if err != nil || s.State != want {
		t.Errorf("%s: %s, %v, want %s", when, s.State, err, want)
	}
	return s
}

// A turn that failed is not plain idle: the agent's words stand there until the next turn, also
// in a console that was started anew.
func TestFailedTurn(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	fails := agents.Hook{Kind: agents.TurnEnd, Failed: true, Text: "API Error: 400 " + strings.Repeat("é", 2000)}
	want := func(when, why string) {
		t.Helper()
		s, err := b.Session(t.Context(), "s")
		must(t, err)
		failed := 0
		if why != "" {
			failed = 1
		}
		if got := s.Failure(); !strings.HasPrefix(got, why) || (got == "") != (why == "") || len(got) > 1100 || b.Status().Failed != failed {
			t.Errorf("%s: %q, %d failed; want %q", when, got, b.Status().Failed, why)
		}
	}
	prompt := agents.Hook{Kind: agents.Prompt, Text: "go"}
	told(t, b, prompt, fails)
	want("it failed", "API Error: 400 é")
	told(t, b, agents.Hook{Kind: agents.TurnEnd})
	want("its end is told once more", "API Error: 400")
	must(t, b.Close())
	b = newBroker(t, st, service.Options{})
	want("after a restart", "API Error: 400")
	told(t, b, prompt)
	want("the next turn", "")
	told(t, b, agents.Hook{Kind: agents.TurnEnd})
	want("which ended well", "")
	told(t, b, prompt, fails, agents.Hook{Agent: "copilot", Kind: agents.TurnEnd})
	want("which tried again, and ended well", "")
	told(t, b, prompt, agents.Hook{Kind: agents.TurnEnd, Failed: true, SubagentID: "helper", Text: "no"})
	want("a helper's turn", "")
	told(t, b, agents.Hook{Kind: agents.TurnEnd, Failed: true})
	want("without a word", "it did not say why")
	submit(t, b, bash("s", "1", "make"))
	want("it works again without a prompt", "")
	told(t, b, fails, agents.Hook{Kind: agents.SessionEnd, Text: "logout"})
	if s := wantSession(t, b, "ended", broker.SessionFinished); s.EndReason != "logout" || s.Failure() != "" {
		t.Errorf("ended: %q, %q", s.EndReason, s.Failure())
	}
}

func TestSessionLife(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	told(t, b, agents.Hook{Kind: agents.SessionStart, Text: "startup"})
	if s := wantSession(t, b, "started", broker.SessionIdle); s.Name != "shop" {
		t.Errorf("named %q, want the folder's name", s.Name)
	}
	told(t, b, agents.Hook{Kind: agents.Prompt, Text: "go", Title: "Fix the shop"})
	wantSession(t, b, "prompted", broker.SessionActive)
	told(t, b, agents.Hook{Kind: agents.SessionStart, Text: "compact"})
	wantSession(t, b, "compacted in a turn", broker.SessionActive)
	submit(t, b, bash("s", "1", "make"))
	if s := wantSession(t, b, "asking", broker.SessionActive); s.Word() != "waiting" || s.Pending != 1 || s.Name != "Fix the shop" {
		t.Errorf("asking: %s, %d pending, named %q", s.Word(), s.Pending, s.Name)
	}
	told(t, b, agents.Hook{Kind: agents.TurnEnd})
	wantSession(t, b, "turn over", broker.SessionIdle)
	told(t, b, agents.Hook{Kind: agents.SessionEnd, Text: "logout"})
	if s := wantSession(t, b, "ended", broker.SessionFinished); s.Pending != 0 || s.EndReason != "logout" || *s.ExitCode != 0 {
		t.Errorf("ended: %+v", s)
	}
	if got, err := b.Stop(t.Context(), "s", operator); err == nil || !strings.Contains(err.Error(), broker.ErrSessionEnded.Error()) {
		t.Errorf("stopping an ended session: %v, %v", got.State, err)
	}
	told(t, b, agents.Hook{Kind: agents.SessionStart, Text: "resume"})
	wantSession(t, b, "resumed", broker.SessionIdle)
}

// An agent's turn that a stop ended is over once that answer was delivered; no event
// tells of it. Sub-agents go on until each has heard it too.
func TestStoppingBecomesStopped(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	told(t, b, agents.Hook{Kind: agents.Prompt, Text: "go"}, agents.Hook{Kind: agents.SubagentStart, SubagentID: "h1", SubagentType: "Explore"})
	if _, err := b.Stop(t.Context(), "s", operator); err != nil {
		t.Fatal(err)
	}
	wantSession(t, b, "asked to stop", broker.SessionStopping)
	if a := told(t, b, agents.Hook{Kind: agents.ToolDone, ToolName: "Bash", ToolInput: json.RawMessage(`{}`)}); !a.StopTurn {
		t.Error("a finished tool does not end the turn of a stopping session")
	}
	b.TurnStopped(t.Context(), "s", "")
	wantSession(t, b, "main agent told, sub-agent not", broker.SessionStopping)
	sub := bash("s", "1", "make")
	sub.SubagentID = "h1"
	if r := submit(t, b, sub); !service.AnswerTo(r).StopTurn || r.State != broker.Denied {
		t.Errorf("the sub-agent's next call is %s", r.State)
	}
	b.TurnStopped(t.Context(), "s", "h1")
	s := wantSession(t, b, "both told", broker.SessionStopped)
	if s.ExitCode == nil || *s.ExitCode != broker.ExitStopped || s.EndReason != broker.ReasonStopped {
		t.Errorf("stopped with %v %q", s.ExitCode, s.EndReason)
	}
	if r := submit(t, b, bash("s", "2", "make")); r.State != broker.Denied {
		t.Errorf("a call of a stopped session is %s", r.State)
	}
}

// Only the user's own words lift a stop: not a background task's report, nor a
// prompt that the agent scheduled for itself beforehand.
func TestWhatLiftsAStop(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	told(t, b, agents.Hook{Kind: agents.Prompt, Text: "go"})
	cron := bash("s", "1", "")
	cron.ToolName, cron.ToolInput = "CronCreate", json.RawMessage(`{"cron":"* * * * *","prompt":"carry on with the plan"}`)
	r := submit(t, b, cron)
	if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Stop(t.Context(), "s", operator); err != nil {
		t.Fatal(err)
	}
	told(t, b, agents.Hook{Kind: agents.TurnEnd})
	for name, h := range map[string]agents.Hook{
		"a report":           {Kind: agents.Prompt, Text: "<task-notification>", FromApp: true},
		"a scheduled prompt": {Kind: agents.Prompt, Text: "carry on with the plan\n"},
		"a resumed session":  {Kind: agents.SessionStart, Text: "resume"},
		"a finished tool":    {Kind: agents.ToolDone, ToolName: "Bash", ToolInput: json.RawMessage(`{}`)},
	} {
		told(t, b, h)
		wantSession(t, b, name, broker.SessionStopped)
	}
	told(t, b, agents.Hook{Kind: agents.Prompt, Text: "go on, but carefully"})
	wantSession(t, b, "the user spoke", broker.SessionActive)
	if r := submit(t, b, bash("s", "2", "make")); r.State != broker.Pending {
		t.Errorf("after the user spoke a call is %s, want pending", r.State)
	}
}

func TestStopOfAnIdleSessionIsDoneAtOnce(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	told(t, b, agents.Hook{Kind: agents.SessionStart}, agents.Hook{Kind: agents.Prompt, Text: "go"}, agents.Hook{Kind: agents.TurnEnd})
	if s, err := b.Stop(t.Context(), "s", operator); err != nil || s.State != broker.SessionStopped {
		t.Errorf("%s, %v, want stopped", s.State, err)
	}
}

func TestAgentProcessGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := make(chan struct{})
		alive := func(p broker.Process) bool {
			select {
			case <-dead:
				return p.PID != 77
			default:
				return true
			}
		}
		b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: alive})
		q := bash("s", "1", "make")
		q.Session.Process = broker.Process{PID: 77, Start: 1}
		r := submit(t, b, q)
		close(dead)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		s := wantSession(t, b, "process gone", broker.SessionGone)
		if got, _ := b.Request(t.Context(), r.ID); got.State != broker.Cancelled || s.EndReason != "gone" {
			t.Errorf("its call is %s, its end %q", got.State, s.EndReason)
		}
	})
}

// A session that another process resumes in the moment in which the first one is found
// gone keeps the call of the second.
func TestAgentProcessGoneAndResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := broker.Process{PID: 77, Start: 1}, broker.Process{PID: 78, Start: 2}
		var b *service.Broker
		var next broker.Request
		var ended atomic.Bool
		alive := func(p broker.Process) bool {
			if p != first || !ended.Load() {
				return true
			}
			if next.ID == "" {
				q := bash("s", "2", "make install")
				q.Session.Process = second
				next = submit(t, b, q)
			}
			return false
		}
		b = newBroker(t, brokertest.NewMemory(), service.Options{Alive: alive})
		q := bash("s", "1", "make")
		q.Session.Process = first
		before := submit(t, b, q)
		ended.Store(true)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		wantSession(t, b, "resumed", broker.SessionActive)
		if got, _ := b.Request(t.Context(), before.ID); got.State != broker.Cancelled {
			t.Errorf("the call of the process that is gone is %s, want cancelled", got.State)
		}
		if got, _ := b.Request(t.Context(), next.ID); got.State != broker.Pending {
			t.Errorf("the call of the process that resumed is %s, want pending", got.State)
		}
	})
}

// A console that starts anew knows which process holds a session that was resumed just
// before.
func TestProcessIsRecordedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		for i, call := range []string{"1", "2"} {
			q := bash("s", call, "make")
			q.Session.Process = broker.Process{PID: 77 + i, Start: 1}
			submit(t, b, q)
		}
		b.Close()
		b = newBroker(t, st, service.Options{Alive: func(p broker.Process) bool { return p.PID != 77 }})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		wantSession(t, b, "its second process lives", broker.SessionActive)
	})
}

// A prompt that was answered in the agent's own terminal leaves no card behind.
func TestAnsweredElsewhere(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	ask := bash("s", "1", "make")
	ask.Event = "PermissionRequest"
	ran := submit(t, b, ask)
	ask = bash("s", "2", "rm")
	ask.Event, ask.SubagentID = "PermissionRequest", "h1"
	helpers := submit(t, b, ask)
	told(t, b, agents.Hook{Kind: agents.ToolDone, ToolName: "Bash", ToolInput: json.RawMessage(`{ "command" : "make" }`)})
	if got, _ := b.Request(t.Context(), ran.ID); got.State != broker.Answered || got.Outcome.By.Kind != broker.ByAgent {
		t.Errorf("the call that ran is %s, want answered", got.State)
	}
	told(t, b, agents.Hook{Kind: agents.TurnEnd})
	if got, _ := b.Request(t.Context(), helpers.ID); got.State != broker.Pending {
		t.Errorf("the sub-agent's call is %s after the main turn ended, want pending", got.State)
	}
}

// Two calls that differ beyond what a float64 can hold are two calls: the card of the one
// does not go because the other ran.
func TestAnsweredElsewhereGoesByEveryDigit(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	cards := map[string]broker.Request{}
	for _, id := range []string{"9007199254740993", "9007199254740992"} {
		ask := bash("s", id, "make")
		ask.Event, ask.ToolName, ask.ToolInput = "PermissionRequest", "mcp__db__drop", json.RawMessage(`{"id":`+id+`}`)
		cards[id] = submit(t, b, ask)
	}
	told(t, b, agents.Hook{Kind: agents.ToolDone, ToolName: "mcp__db__drop", ToolInput: json.RawMessage(`{"id": 9007199254740992}`)})
	for id, want := range map[string]broker.State{"9007199254740993": broker.Pending, "9007199254740992": broker.Answered} {
		if got, _ := b.Request(t.Context(), cards[id].ID); got.State != want {
			t.Errorf("the call about %s is %s, want %s", id, got.State, want)
		}
	}
}

// Each way of ending tells the agent its own cause.
func TestReasonsDiffer(t *testing.T) {
	seen := map[string]string{}
	for name, o := range map[string]broker.Outcome{
		"person":           {State: broker.Denied, By: operator},
		"person, reason":   {State: broker.Denied, By: operator, Reason: "not on Friday"},
		"command":          {State: broker.Denied, By: broker.Actor{Kind: broker.ByProcess}},
		"rule":             {State: broker.Denied, By: broker.Actor{Kind: broker.ByRule, ID: "r1"}},
		"time":             {State: broker.Expired, By: broker.Actor{Kind: broker.ByDeadline}},
		"stop":             {State: broker.Denied, By: broker.Actor{Kind: broker.ByStop}},
		"freeze":           {State: broker.Denied, By: broker.Actor{Kind: broker.ByFreeze}},
		"not recorded":     {State: broker.Denied, By: broker.Actor{Kind: broker.ByBroker}, Reason: "the decision could not be recorded"},
		"hook gone":        {State: broker.Cancelled, By: broker.Actor{Kind: broker.ByAgent}, Reason: "the hook that asked is gone"},
		"in its terminal":  {State: broker.Answered, By: broker.Actor{Kind: broker.ByAgent}},
		"no outcome there": {},
	} {
		r := broker.Request{State: o.State, Outcome: &o}
		if o.State == "" {
			r.Outcome = nil
		}
		a := service.AnswerTo(r)
		if a.Verdict != agents.Deny || a.Reason == "" {
			t.Errorf("%s: %v %q, want a denial with a reason", name, a.Verdict, a.Reason)
		}
		if other, twice := seen[a.Reason]; twice {
			t.Errorf("%s and %s read the same: %s", name, other, a.Reason)
		}
		seen[a.Reason] = name
		if a.StopTurn != (name == "stop") {
			t.Errorf("%s: ends the turn: %v", name, a.StopTurn)
		}
	}
}
