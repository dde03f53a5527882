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

// What a person says of a session holds against what its agent says, and in the next console.
func TestChangeSession(t *testing.T) {
	t.Parallel()
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	you := broker.Actor{Kind: broker.ByOperator}
	change := func(c broker.SessionChange, want error) {
		t.Helper()
		if _, err := b.ChangeSession(t.Context(), "s", c, you); !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", c, err, want)
		}
	}
	started := agents.Hook{Kind: agents.SessionStart, Text: "startup"}
	change(broker.SessionChange{Archived: new(true)}, broker.ErrNotFound)
	told(t, b, started)
	change(broker.SessionChange{}, broker.ErrInvalid)
	change(broker.SessionChange{Name: new("check\nout")}, broker.ErrInvalid)
	change(broker.SessionChange{Name: new("checkout"), Archived: new(true)}, nil)
	must(t, b.Close())
	b = newBroker(t, st, service.Options{})
	if s := wantSession(t, b, "in the next console", broker.SessionIdle); s.Name != "checkout" || !s.Archived || s.Open() || b.Status().Sessions != 0 {
		t.Errorf("it is %q, put away %v, counted %d", s.Name, s.Archived, b.Status().Sessions)
	}
	told(t, b, agents.Hook{Kind: agents.Prompt, Text: "go"})
	if s := wantSession(t, b, "heard of again", broker.SessionActive); s.Name != "checkout" || s.Archived || !s.Open() {
		t.Errorf("it is %q, put away %v", s.Name, s.Archived)
	}
	change(broker.SessionChange{Archived: new(true)}, nil)
	q := bash("s", "1", "make")
	q.Session.Name = "its own"
	r := submit(t, b, q)
	if s := wantSession(t, b, "a call of it waits", broker.SessionActive); s.Archived || !s.Open() || s.Name != "checkout" {
		t.Errorf("a session whose call waits is %q, put away %v", s.Name, s.Archived)
	}
	change(broker.SessionChange{Name: new("")}, nil)
	if s := wantSession(t, b, "its name is taken back", broker.SessionActive); s.Name != "shop" || s.Renamed {
		t.Errorf("it is %q", s.Name)
	}

	// No process of it is known, so a person may say that it is over.
	change(broker.SessionChange{Removed: true}, nil)
	if got := state(t, b, r); got.State != broker.Cancelled || got.Outcome.By.Kind != broker.ByOperator || b.Late(got) {
		t.Errorf("a call of a session that was removed is %s by %s, late %v", got.State, got.Outcome.By.Kind, b.Late(got))
	}
	wantSession(t, b, "removed", broker.SessionFinished)
	if list, err := b.Sessions(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%d sessions are listed, %v", len(list), err)
	}
	must(t, b.Close())
	b = newBroker(t, st, service.Options{})
	if list, err := b.Sessions(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("in the next console %d sessions are listed, %v", len(list), err)
	}
	submit(t, b, bash("s", "2", "make"))
	if list, err := b.Sessions(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("after it asked again %d sessions are listed, %v", len(list), err)
	}
}

// Nobody says of a session that it is over while its agent lives, or while a call of it is put off.
func TestRemoveOnlyWhatIsOver(t *testing.T) {
	t.Parallel()
	you := broker.Actor{Kind: broker.ByOperator}
	gone := map[int]bool{}
	b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: func(p broker.Process) bool { return !gone[p.PID] }})
	q := bash("s", "1", "make")
	q.Session.Process = broker.Process{PID: 4242}
	r := submit(t, b, q)
	if _, err := b.ChangeSession(t.Context(), "s", broker.SessionChange{Removed: true}, you); !errors.Is(err, broker.ErrSessionLives) {
		t.Errorf("a living session: %v", err)
	}
	if got := state(t, b, r); got.State != broker.Pending {
		t.Errorf("its call is %s", got.State)
	}
}

// Sessions of which no process is known end by silence, those under a stop too; what waits, or has a
// process, goes on.
func TestSilentSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{Silence: time.Hour, ApprovalTimeout: 3 * time.Hour})
		ask := func(id string, pid int) broker.Request {
			q := bash(id, time.Now().String(), "make")
			q.Session.Process, q.Event, q.Bound = broker.Process{PID: pid}, "", false
			return submit(t, b, q)
		}
		quiet, busy, stopped := ask("quiet", 0), ask("busy", 0), ask("stopped", 0)
		local := ask("local", 4242)
		_ = busy
		for _, r := range []broker.Request{quiet, local} {
			_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Deny, By: broker.Actor{Kind: broker.ByOperator}})
			must(t, err)
		}
		_, err := b.Stop(t.Context(), stopped.SessionID, broker.Actor{Kind: broker.ByOperator})
		must(t, err)
		check := func(when string, want map[string]broker.SessionState) {
			t.Helper()
			for id, state := range want {
				if s, err := b.Session(t.Context(), id); err != nil || s.State != state {
					t.Errorf("%s: %s is %s, %v; want %s", when, id, s.State, err, state)
				}
			}
		}
		time.Sleep(59 * time.Minute)
		check("before", map[string]broker.SessionState{"quiet": broker.SessionActive, "stopped": broker.SessionStopping})
		time.Sleep(2 * time.Minute)
		check("after", map[string]broker.SessionState{"quiet": broker.SessionGone, "stopped": broker.SessionStopped, "busy": broker.SessionActive, "local": broker.SessionActive})
		if s, _ := b.Session(t.Context(), "quiet"); s.EndReason != broker.ReasonSilent {
			t.Errorf("it ended by %q", s.EndReason)
		}
		if s, _ := b.Session(t.Context(), "stopped"); !s.Over() || !s.State.UnderStop() {
			t.Errorf("the stopped one is %s, over %v", s.State, s.Over())
		}
		ask("quiet", 0)
		check("heard of again", map[string]broker.SessionState{"quiet": broker.SessionActive})
	})
}

// The routes, and who may use them.
func TestPatchAndDeleteSession(t *testing.T) {
	t.Parallel()
	c := serve(t, service.Options{})
	c.do("POST", "/create-approval-request", `{"session_id":"s","tool_name":"Bash","tool_input":{"command":"make"},"cwd":"/src/shop"}`)
	for _, step := range []struct {
		method, body string
		status       int
		code         string
	}{
		{"PATCH", `{}`, 400, "bad_request"},
		{"PATCH", `{"nam":"x"}`, 400, "bad_request"},
		{"PATCH", `{"removed":true}`, 400, "bad_request"},
		{"PATCH", `{"observe":true}`, 403, "operator_required"},
		{"PATCH", `{"permission_mode":"plan","name":"never"}`, 409, "not_managed"},
		{"PATCH", `{"name":"checkout"}`, 200, ""},
		{"PATCH", `{"archived":true}`, 200, ""},
		{"DELETE", ``, 200, ""},
	} {
		status, m := c.do(step.method, "/sessions/s", step.body)
		failure, _ := m["error"].(map[string]any)
		if code, _ := failure["code"].(string); status != step.status || code != step.code {
			t.Errorf("%s %s: %d %v, want %d %s", step.method, step.body, status, m, step.status, step.code)
		}
		if step.status == 200 && m["name"] != "checkout" {
			t.Errorf("%s %s: it is %v", step.method, step.body, m["name"])
		}
	}
	if status, m := c.do("GET", "/sessions/s", ""); status != 200 || m["state"] != "finished" || m["end_reason"] != "removed" || m["archived"] != true {
		t.Errorf("after it was removed: %d %v", status, m)
	}
	if status, _ := c.do("DELETE", "/sessions/nobody", ""); status != 404 {
		t.Errorf("a session that nobody knows: %d", status)
	}
}
