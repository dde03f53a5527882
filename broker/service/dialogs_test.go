package service_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
)

const (
	whichOne = `{"questions":[{"question":"Which one?","header":"One","multiSelect":false,"options":[{"label":"a","description":"x"},{"label":"b","description":"y"}]}]}`
	thePlan  = `{"plan":"# Plan\n","planFilePath":"/home/ana/.claude/plans/x.md"}`
)

// No rule that allows ends a question or a plan: not by its name, not by a wildcard,
// not the built-in one. One that denies does.
func TestNoRuleAnswersForTheUser(t *testing.T) {
	for _, call := range []struct{ tool, input string }{
		{agents.AskUserQuestion, whichOne}, {agents.ExitPlanMode, thePlan}, {agents.ExitPlanMode, `{}`},
	} {
		ask := func(t *testing.T, b *service.Broker, id string) broker.Request {
			t.Helper()
			q := broker.Question{Trusted: true, Request: broker.Request{
				Key: id, SessionID: ranSession, Agent: "claude", Event: "PreToolUse", ToolName: call.tool, ToolInput: json.RawMessage(call.input), CWD: "/p",
			}}
			return submit(t, b, q)
		}
		for name, rule := range map[string]rules.Rule{
			"built in": {},
			"name":     {Enabled: true, Priority: 1, Tool: call.tool, Decision: rules.Allow},
			"wildcard": {Enabled: true, Priority: 1, Tool: "*", Decision: rules.Allow},
		} {
			t.Run(call.tool+" "+name, func(t *testing.T) {
				b := newBroker(t, brokertest.NewMemory(), service.Options{})
				waits := ask(t, b, "before")
				if rule.Tool != "" {
					save(t, b, rule)
				}
				waits, err := b.Request(t.Context(), waits.ID)
				must(t, err)
				for _, r := range []broker.Request{waits, ask(t, b, "after")} {
					if r.State != broker.Pending || r.Assessment.Verdict != rules.Ask {
						t.Errorf("it is %s, the rules say %+v", r.State, r.Assessment)
					}
				}
			})
		}
		t.Run(call.tool+" denied", func(t *testing.T) {
			b := newBroker(t, brokertest.NewMemory(), service.Options{})
			save(t, b, rules.Rule{Enabled: true, Priority: 1, Tool: call.tool, Decision: rules.Deny})
			if r := ask(t, b, "x"); r.State != broker.Denied {
				t.Errorf("it is %s, want it denied by the rule", r.State)
			}
		})
		t.Run(call.tool+" observed", func(t *testing.T) {
			b := newBroker(t, brokertest.NewMemory(), service.Options{})
			must(t, b.Observe(t.Context(), "", true, operator))
			if r := ask(t, b, "x"); service.AnswerTo(r).Verdict != agents.Leave {
				t.Errorf("it is %s, want it left to the agent", r.State)
			}
		})
	}
}

// What the agent and its model are told.
func TestDialogWords(t *testing.T) {
	for _, tt := range []struct {
		name, tool, input string
		d                 broker.Decision
		want              agents.Answer
	}{
		{
			"a plan is approved by its own input", agents.ExitPlanMode, thePlan,
			broker.Decision{Verdict: broker.Allow},
			agents.Answer{Verdict: agents.Allow, Reason: "Allowed by a person in aoctl.", UpdatedInput: json.RawMessage(thePlan)},
		},
		{
			"sent back", agents.ExitPlanMode, thePlan,
			broker.Decision{Verdict: broker.Deny, Reason: "test first"},
			agents.Answer{Verdict: agents.Deny, Reason: "The user wants changes to the plan: test first"},
		},
		{
			"sent back without a word", agents.ExitPlanMode, `{}`,
			broker.Decision{Verdict: broker.Deny},
			agents.Answer{Verdict: agents.Deny, Reason: "The user did not approve the plan and gave no reason. Do not carry it out; ask what to change."},
		},
		{
			"declined", agents.AskUserQuestion, whichOne,
			broker.Decision{Verdict: broker.Deny, Reason: "read the README"},
			agents.Answer{Verdict: agents.Deny, Reason: "The user declined to answer: read the README"},
		},
		{
			"declined without a word", agents.AskUserQuestion, whichOne,
			broker.Decision{Verdict: broker.Deny},
			agents.Answer{Verdict: agents.Deny, Reason: "The user declined to answer and gave no reason. Do not ask the same again; go on without the answer only where it is safe to."},
		},
		{
			"answered", agents.AskUserQuestion, whichOne,
			broker.Decision{Verdict: broker.Allow, UpdatedInput: json.RawMessage(`{"answers":{}}`)},
			agents.Answer{Verdict: agents.Allow, Reason: "Allowed by a person in aoctl.", UpdatedInput: json.RawMessage(`{"answers":{}}`)},
		},
		{
			"let ask in its terminal", agents.AskUserQuestion, whichOne,
			broker.Decision{Verdict: broker.Allow},
			agents.Answer{Verdict: agents.Allow, Reason: "Allowed by a person in aoctl."},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBroker(t, brokertest.NewMemory(), service.Options{})
			r := askAs(t, b, "PreToolUse", "t1", tt.tool, tt.input)
			tt.d.By = operator
			r, err := b.Decide(t.Context(), r.ID, tt.d)
			must(t, err)
			if diff := cmp.Diff(tt.want, service.AnswerTo(r)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A question that the agent's hook cannot answer is left to the agent at once, and the
// session says so until it was answered there.
func TestAskedInTheAgentsTerminal(t *testing.T) {
	const agent, tool = "codex", "request_user_input"
	ask := func(t *testing.T, b *service.Broker, id, tool, input string) broker.Request {
		t.Helper()
		return submit(t, b, broker.Question{Request: broker.Request{
			Key: service.ToolKey(agent, ranSession, "", "PreToolUse", id), SessionID: ranSession, Agent: agent, Event: "PreToolUse",
			ToolName: tool, ToolUseID: id, ToolInput: json.RawMessage(input), CWD: "/p",
		}})
	}
	heard := func(kind agents.Kind, id, tool, input string) agents.Hook {
		h := ranHook(kind, id, tool, input)
		h.Agent = agent
		return h
	}
	asks := func(t *testing.T, b *service.Broker) string {
		t.Helper()
		s, err := b.Session(t.Context(), ranSession)
		must(t, err)
		if s.Asks == nil {
			return ""
		}
		return s.Asks.Text
	}
	for name, h := range map[string]agents.Hook{
		"done":      heard(agents.ToolDone, "t1", tool, whichOne),
		"turn over": heard(agents.TurnEnd, "", "", ""),
		"spoke":     heard(agents.Prompt, "", "", ""),
		"gone":      heard(agents.SessionEnd, "", "", ""),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t, brokertest.NewMemory(), service.Options{})
			r := ask(t, b, "t1", tool, whichOne)
			if r.State != broker.Answered || r.Outcome.By.Kind != broker.ByAgent || service.AnswerTo(r).Verdict != agents.Leave {
				t.Fatalf("it is %s %+v, told %+v", r.State, r.Outcome, service.AnswerTo(r))
			}
			if d, err := agents.For(agent); err != nil || strings.Contains(string(d.Encode(r.Event, r.ToolInput, service.AnswerTo(r))), "deny") {
				t.Errorf("the agent is told otherwise: %v", err)
			}
			if got := asks(t, b); got != "Which one?" {
				t.Fatalf("the session asks %q", got)
			}
			hear(t, b, heard(agents.Notify, "", "", ""))
			hear(t, b, heard(agents.ToolDone, "another", "Read", `{}`))
			if asks(t, b) == "" {
				t.Fatal("something else ended the question")
			}
			hear(t, b, h)
			if got := asks(t, b); got != "" {
				t.Errorf("the session still asks %q", got)
			}
			if got := alarmOf(t, b); got != "" {
				t.Errorf("an alarm: %s", got)
			}
		})
	}
	t.Run("its next call", func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		ask(t, b, "t1", tool, whichOne)
		ask(t, b, "t2", "Bash", `{"command":"make"}`)
		if got := asks(t, b); got != "" {
			t.Errorf("the session still asks %q", got)
		}
	})
	t.Run("stopped", func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		ask(t, b, "t0", "Bash", `{"command":"make"}`)
		_, err := b.Stop(t.Context(), ranSession, operator)
		must(t, err)
		if r := ask(t, b, "t1", tool, whichOne); r.State != broker.Denied || asks(t, b) != "" {
			t.Errorf("under a stop it is %s", r.State)
		}
	})
	t.Run("a plan waits", func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		if r := ask(t, b, "t1", agents.ExitPlanMode, thePlan); r.State != broker.Pending {
			t.Errorf("it is %s", r.State)
		}
	})
}

// Claude Code reports an approved plan without its input, and the plan as the result.
func TestRanPlan(t *testing.T) {
	for _, tt := range []struct {
		name, result string
		want         broker.RunKind
	}{
		{"the same", `{"plan":"# Plan\n","isAgent":false}`, ""},
		{"nothing told", ``, ""},
		{"none", `{"plan":null}`, ""},
		{"edited by the person", `{"plan":"# Plan\n2","planWasEdited":true}`, ""},
		{"another", `{"plan":"# Plan\nrm -rf /\n"}`, broker.RanChanged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBroker(t, brokertest.NewMemory(), service.Options{})
			r := askAs(t, b, "PreToolUse", "t1", agents.ExitPlanMode, thePlan)
			_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
			must(t, err)
			h := ranHook(agents.ToolDone, "t1", agents.ExitPlanMode, `{}`)
			h.Result = json.RawMessage(tt.result)
			hear(t, b, h)
			if got := alarmOf(t, b); got != tt.want {
				t.Errorf("alarm %q, want %q", got, tt.want)
			}
		})
	}
}
