package service_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// gate is a call of an agent's hook.
func gate(agent, event, id string) broker.Question {
	q := bash("s", id, "make")
	q.Agent, q.Event = agent, event
	return q
}

// A call is left to its agent's own prompt by the operator alone, and only where that prompt holds it.
// It counts as one that may run: a freeze and a stop are in its way.
func TestLeftToTheAgentsPrompt(t *testing.T) {
	t.Parallel()
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	ask := broker.Decision{Verdict: broker.Ask, By: operator}
	for _, tc := range []struct {
		agent, event string
		want         error
	}{
		{"claude", "PreToolUse", nil},
		{"claude", "PermissionRequest", broker.ErrCannotAsk},
		{"claude", "", broker.ErrCannotAsk}, // a program that only calls itself so
		{"codex", "PreToolUse", broker.ErrCannotAsk},
		{"copilot", "PreToolUse", broker.ErrCannotAsk},
		{"gemini", "BeforeTool", broker.ErrCannotAsk},
	} {
		r := submit(t, b, gate(tc.agent, tc.event, tc.agent+tc.event))
		_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Ask, By: broker.Actor{Kind: broker.ByProcess}})
		if !errors.Is(err, broker.ErrInvalid) {
			t.Errorf("%s, %s, by a process: %v", tc.agent, tc.event, err)
		}
		if _, err = b.Decide(t.Context(), r.ID, ask); !errors.Is(err, tc.want) {
			t.Errorf("%s, %s: %v, want %v", tc.agent, tc.event, err, tc.want)
		}
		got := state(t, b, r)
		if wanted := map[bool]broker.State{true: broker.Answered, false: broker.Pending}[tc.want == nil]; got.State != wanted {
			t.Errorf("%s, %s: it is %s", tc.agent, tc.event, got.State)
		}
		if tc.want == nil {
			if a := service.AnswerTo(got); a.Verdict != agents.Ask || broker.ToldToRun(got) == false {
				t.Errorf("%s, %s: told %+v", tc.agent, tc.event, a)
			}
		}
	}
	r := submit(t, b, gate("claude", "PreToolUse", "frozen"))
	must(t, b.Freeze(t.Context(), "", true, operator))
	if _, err := b.Decide(t.Context(), r.ID, ask); !errors.Is(err, broker.ErrFrozen) {
		t.Errorf("while everything is frozen: %v", err)
	}
	must(t, b.Freeze(t.Context(), "", false, operator))
	_, err := b.Stop(t.Context(), "s", operator)
	must(t, err)
	if _, err := b.Decide(t.Context(), r.ID, ask); !errors.Is(err, broker.ErrAlreadyDecided) {
		t.Errorf("after a stop: %v", err)
	}
}

// With --on-timeout ask a call that nobody answers goes to its agent's prompt, where it has one, and
// not while a freeze holds it.
func TestOnTimeoutAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{OnTimeout: broker.Ask, ApprovalTimeout: time.Minute, AskerGrace: time.Hour})
		claude, codex := submit(t, b, gate("claude", "PreToolUse", "1")), submit(t, b, gate("codex", "PreToolUse", "2"))
		time.Sleep(61 * time.Second)
		if got := state(t, b, claude); got.State != broker.Answered || service.AnswerTo(got).Verdict != agents.Ask {
			t.Errorf("Claude Code's call is %s", got.State)
		}
		if got := state(t, b, codex); got.State != broker.Expired || service.AnswerTo(got).Verdict != agents.Deny {
			t.Errorf("Codex's call is %s", got.State)
		}
		held := submit(t, b, gate("claude", "PreToolUse", "3"))
		must(t, b.Freeze(t.Context(), "", true, operator))
		time.Sleep(61 * time.Second)
		if got := state(t, b, held); got.State != broker.Expired {
			t.Errorf("a frozen call is %s", got.State)
		}
	})
}

// The route, and a rule for a session that is still to come.
func TestAskOverTheAPI(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{Hold: time.Millisecond})
	id := submit(t, c.b, gate("claude", "PreToolUse", "1")).ID
	for _, step := range []struct {
		body   string
		token  bool
		status int
	}{
		{`{"decision":"ask"}`, false, 403},
		{`{"decision":"ask","updated_input":{"command":"x"}}`, true, 400},
		{`{"decision":"asks"}`, true, 400},
		{`{"decision":"ask","reason":"you know better"}`, true, 200},
	} {
		var headers []string
		if step.token {
			headers = c.token()
		}
		if status, m := c.do("POST", "/approval-requests/"+id+"/decide", step.body, headers...); status != step.status || status == 200 && (m["decision"] != "ask" || m["granted"] != nil) {
			t.Errorf("%s: %d %v", step.body, status, m)
		}
	}
	if status, m := c.do("POST", "/sessions/later/rules", `{"decision":"deny","tool":"Bash","reason":"no"}`); status != 200 {
		t.Errorf("a rule for a session to come: %d %v", status, m)
	}
	if _, m := c.do("POST", "/request-approval", `{"session_id":"later","tool_name":"Bash","tool_input":{"command":"make"}}`); m["status"] != "denied" {
		t.Errorf("its call: %v", m)
	}
}
