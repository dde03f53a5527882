package service_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

const ranSession = "s"

func ranHook(kind agents.Kind, id, tool, input string) agents.Hook {
	h := agents.Hook{Agent: "claude", Kind: kind, Event: "PostToolUse", SessionID: ranSession, CWD: "/elsewhere", ToolName: tool, ToolUseID: id, Text: "go on"}
	if input != "" {
		h.ToolInput = json.RawMessage(input)
	}
	return h
}

func askAs(t *testing.T, b *service.Broker, event, id, tool, input string) broker.Request {
	t.Helper()
	r, err := b.Submit(t.Context(), broker.Question{Request: broker.Request{
		Key: service.ToolKey("claude", ranSession, "", event, id), SessionID: ranSession, Agent: "claude", Event: event,
		ToolName: tool, ToolUseID: id, ToolInput: json.RawMessage(input), CWD: "/p",
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func hear(t *testing.T, b *service.Broker, h agents.Hook) {
	t.Helper()
	if _, err := b.Hear(t.Context(), h); err != nil {
		t.Fatal(err)
	}
}

func alarmOf(t *testing.T, b *service.Broker) broker.RunKind {
	t.Helper()
	s, err := b.Session(t.Context(), ranSession)
	if err != nil {
		t.Fatal(err)
	}
	if s.Alarm == nil {
		return ""
	}
	return s.Alarm.Kind
}

// TestRan: what an agent reports to have run is compared with what was allowed.
func TestRan(t *testing.T) {
	decide := func(v broker.Verdict, updated string) func(*testing.T, *service.Broker, broker.Request) {
		return func(t *testing.T, b *service.Broker, r broker.Request) {
			t.Helper()
			d := broker.Decision{Verdict: v, By: operator, Dangerous: true}
			if updated != "" {
				d.UpdatedInput = json.RawMessage(updated)
			}
			if _, err := b.Decide(t.Context(), r.ID, d); err != nil {
				t.Fatal(err)
			}
		}
	}
	allow, deny := decide(broker.Allow, ""), decide(broker.Deny, "")
	wait := func(*testing.T, *service.Broker, broker.Request) {}
	for _, tt := range []struct {
		name             string
		event            string // "" for the gate's
		tool, asked, ran string
		then             func(*testing.T, *service.Broker, broker.Request)
		want             broker.RunKind
	}{
		{"as allowed", "", "Bash", `{"command":"make"}`, `{"command":"make"}`, allow, ""},
		{"keys in another order, escaped", "", "Bash", `{"command":"a<b","timeout":1000}`, "{ \"timeout\": 1e3, \"\\u0063ommand\":\"a\\u003cb\"}", allow, ""},
		{"another command", "", "Bash", `{"command":"make"}`, `{"command":"make install"}`, allow, broker.RanChanged},
		{"one more parameter", "", "Bash", `{"command":"make"}`, `{"command":"make","dangerouslyDisableSandbox":true}`, allow, broker.RanChanged},
		{"one parameter less", "", "Bash", `{"command":"make","timeout":1}`, `{"command":"make"}`, allow, broker.RanChanged},
		{"a default added to what was asked", "", "Edit", `{"file_path":"/a"}`, `{"file_path":"/a","replace_all":false}`, allow, broker.RanChanged},
		{"numbers that floats cannot tell apart", "", "mcp__x__y", `{"id":9007199254740993}`, `{"id":9007199254740992}`, allow, broker.RanChanged},
		{"nested", "", "mcp__x__y", `{"a":[{"b":1}]}`, `{"a":[{"b":2}]}`, allow, broker.RanChanged},
		{"refused", "", "Bash", `{"command":"make"}`, `{"command":"make"}`, deny, broker.RanRefused},
		{"not answered yet", "", "Bash", `{"command":"make"}`, `{"command":"make"}`, wait, broker.RanRefused},
		{"the operator's own input", "", "Bash", `{"command":"rm a"}`, `{"command":"rm b"}`, decide(broker.Allow, `{"command":"rm b"}`), ""},
		{"its defaults added", "", "Edit", `{"file_path":"/a"}`, `{"file_path":"/b","replace_all":false}`, decide(broker.Allow, `{"file_path":"/b"}`), ""},
		{"the input from before the operator's", "", "Bash", `{"command":"rm a"}`, `{"command":"rm a"}`, decide(broker.Allow, `{"command":"rm b"}`), broker.RanChanged},
		{"a form that a person filled in", "", "AskUserQuestion", `{"questions":["?"]}`, `{"questions":["?"],"answers":{"?":"yes"}}`, allow, ""},
		{"a form with another question", "", "AskUserQuestion", `{"questions":["?"]}`, `{"questions":["!"],"answers":{"?":"yes"}}`, allow, broker.RanChanged},
		{"answered in the agent's terminal first", "PermissionRequest", "Bash", `{"command":"make"}`, `{"command":"make x"}`, deny, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := brokertest.NewMemory()
			b := newBroker(t, st, service.Options{})
			event := tt.event
			if event == "" {
				event = "PreToolUse"
			}
			r := askAs(t, b, event, "t1", tt.tool, tt.asked)
			tt.then(t, b, r)
			hear(t, b, ranHook(agents.ToolDone, "t1", tt.tool, tt.ran))
			if got := alarmOf(t, b); got != tt.want {
				t.Fatalf("alarm %q, want %q", got, tt.want)
			}
			if tt.want == "" {
				return
			}
			past, err := b.History(t.Context(), 1)
			if err != nil || len(past) != 1 || past[0].Alarm == nil || past[0].Alarm.Kind != tt.want || string(past[0].Alarm.Ran) != tt.ran {
				t.Errorf("the history does not tell: %+v %v", past, err)
			}
			again := newBroker(t, st, service.Options{})
			if got := alarmOf(t, again); got != tt.want {
				t.Errorf("after a restart the alarm is %q", got)
			}
		})
	}
}

// TestRanUnasked: a call that should have been asked for is an alarm only where it is
// certain that it should have been.
func TestRanUnasked(t *testing.T) {
	start, speak := ranHook(agents.SessionStart, "", "", ""), ranHook(agents.Prompt, "", "", "")
	ran := func(tool string) agents.Hook {
		return ranHook(agents.ToolDone, "never-asked", tool, `{"command":"make"}`)
	}
	for _, tt := range []struct {
		name  string
		asked string // the tool of the call that was asked for before, "" for none
		hooks []agents.Hook
		want  broker.RunKind
	}{
		{"after its user spoke", "Bash", []agents.Hook{start, speak}, broker.RanUnasked},
		{"the console came in the middle of a turn", "Bash", nil, ""},
		{"another tool", "Edit", []agents.Hook{start, speak}, ""},
		{"nothing was ever asked", "", []agents.Hook{start, speak}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBroker(t, brokertest.NewMemory(), service.Options{})
			for _, h := range tt.hooks {
				hear(t, b, h)
			}
			if tt.asked != "" {
				askAs(t, b, "PreToolUse", "t1", tt.asked, `{"command":"x"}`)
			}
			hear(t, b, ran("Bash"))
			if got := alarmOf(t, b); got != tt.want {
				t.Errorf("alarm %q, want %q", got, tt.want)
			}
		})
	}
	t.Run("observed", func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		hear(t, b, speak)
		askAs(t, b, "PreToolUse", "t1", "Bash", `{"command":"x"}`)
		must(t, b.Observe(t.Context(), ranSession, true, operator))
		hear(t, b, ran("Bash"))
		if got := alarmOf(t, b); got != "" {
			t.Errorf("alarm %q", got)
		}
	})
}

// TestAlarmHoldsRules: until the operator has acknowledged it, no rule allows anything in
// the session; a refusal stands, and other sessions go on.
func TestAlarmHoldsRules(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	dir := project(t)
	save(t, b, allowing("ls **"))
	save(t, b, denying("rm **", ""))
	r := askAs(t, b, "PreToolUse", "t1", "Bash", `{"command":"make"}`)
	if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Deny, By: operator}); err != nil {
		t.Fatal(err)
	}
	for range 3 { // reported by several hooks, it is one alarm
		hear(t, b, ranHook(agents.ToolDone, "t1", "Bash", `{"command":"make"}`))
	}
	state := func(session, key, command string) broker.State {
		return submit(t, b, callIn(dir, session, key, command)).State
	}
	if got := state(ranSession, "1", "ls"); got != broker.Pending {
		t.Errorf("with an alarm a rule gave %s", got)
	}
	if got := state(ranSession, "2", "rm x"); got != broker.Denied {
		t.Errorf("with an alarm a refusal gave %s", got)
	}
	if got := state("other", "3", "ls"); got != broker.Allowed {
		t.Errorf("in another session a rule gave %s", got)
	}
	if err := b.Acknowledge(t.Context(), ranSession, broker.Actor{Kind: broker.ByProcess}); !errors.Is(err, broker.ErrForbidden) {
		t.Errorf("a process acknowledged: %v", err)
	}
	must(t, b.Acknowledge(t.Context(), ranSession, operator))
	if got := state(ranSession, "4", "ls"); got != broker.Allowed {
		t.Errorf("acknowledged, a rule gave %s", got)
	}
	if err := b.Acknowledge(t.Context(), ranSession, operator); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("acknowledged twice: %v", err)
	}
}

// An alarm holds rules back however many others, of other sessions, came after it.
func TestAlarmOutlivesOthersAndARestart(t *testing.T) {
	st := brokertest.NewMemory()
	alarm := func(session string) *broker.Event {
		return &broker.Event{Type: broker.EventAlarm, Data: json.RawMessage(`{"kind":"unasked","session_id":"` + session + `","tool_name":"Bash"}`)}
	}
	c := &broker.Change{Events: []*broker.Event{alarm(ranSession)}}
	for range 1200 {
		c.Events = append(c.Events, alarm("another"))
	}
	must(t, st.Record(t.Context(), c))
	dir := project(t)
	b := newBroker(t, st, service.Options{})
	save(t, b, allowing("make test"))
	if got := submit(t, b, callIn(dir, ranSession, "1", "make test")); got.State != broker.Pending {
		t.Errorf("under an alarm a rule's call is %s, want pending", got.State)
	}
}

// Reports of runs are recorded up to a number that says it all.
func TestAlarmsOfOneSessionEnd(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	hear(t, b, ranHook(agents.Prompt, "", "", ""))
	askAs(t, b, "PreToolUse", "t", "Bash", `{"command":"make"}`)
	report := func(what string) {
		for i := range 150 {
			hear(t, b, ranHook(agents.ToolDone, fmt.Sprint(what, i), "Bash", `{"command":"make"}`))
		}
	}
	report("a")
	if n := len(eventsOf(t, st, broker.EventAlarm)); n != 100 {
		t.Errorf("%d alarms are recorded of 150 reports, want 100", n)
	}
	must(t, b.Acknowledge(t.Context(), ranSession, operator))
	report("b")
	if n := len(eventsOf(t, st, broker.EventAlarm)); n != 200 {
		t.Errorf("%d alarms are recorded after an acknowledgement, want 100 more", n)
	}
}

// An alarm that another program made unreadable keeps nobody from the console, and is one of
// every session: no rule allows anything.
func TestUnreadableAlarmIsInDoubt(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	save(t, b, allowing("make"))
	must(t, b.Close())
	ev := &broker.Event{At: time.Now(), Type: broker.EventAlarm, Data: []byte(`{"at":7}`)}
	must(t, st.Record(t.Context(), &broker.Change{Events: []*broker.Event{ev}}))
	b = newBroker(t, st, service.Options{})
	r := submit(t, b, bash("s", "1", "make"))
	if r.State != broker.Pending || !strings.Contains(r.Assessment.Reason, "of the log cannot be read") {
		t.Errorf("it is %s: %+v", r.State, r.Assessment)
	}
}
