package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/rules"
)

// TestViewOfCalls: what readers see of calls follows what is kept.
func TestViewOfCalls(t *testing.T) {
	s, now := newState(t)
	v := &View{state: s}
	for _, id := range []string{"b", "a"} {
		put(t, s, now, id)
		now = now.Add(time.Second)
	}
	if r, ok := v.ByKey("a"); !ok || r.ID != "a" {
		t.Errorf("by key: %s, %t", r.ID, ok)
	}
	if _, ok := v.Request("c"); ok {
		t.Error("a call that nobody asked for is there")
	}
	if list := v.Pending(""); len(list) != 2 || list[0].ID != "b" {
		t.Errorf("%d wait, the oldest first", len(list))
	}
	if list := v.Pending("another"); len(list) != 0 {
		t.Errorf("%d of another session wait", len(list))
	}
	if ids := v.PendingWhich(1, func(*broker.Request) bool { return true }); len(ids) != 1 {
		t.Errorf("%d of at most one", len(ids))
	}
	if x, ok := v.Seen("a", now); !ok || !x.Open() || x.Left != 59*time.Second || x.Look.Rules != v.Rules() {
		t.Errorf("seen: %t, open %t, %s left", ok, x.Open(), x.Left)
	}
	st := v.Status(now)
	if st.Waiting != 2 || st.Held != 0 || st.Oldest == nil || st.Oldest.RequestID != "b" || st.OldestWaitMS != 2000 {
		t.Errorf("the status is %+v, the oldest %+v", st, st.Oldest)
	}
	do(s, now, allow("a"))
	if !v.Undelivered() || !v.RanLike(agents.Hook{SessionID: "s", Agent: "claude", ToolName: "Bash", ToolInput: []byte(`{}`)}) {
		t.Error("an allowed call is not known as one that may run")
	}
	do(s, now, Heard{"a"})
	if v.Undelivered() {
		t.Error("it is untold although it was heard")
	}
	if list := v.Snapshot(now).Requests; len(list) != 1 || list[0].ID != "b" {
		t.Errorf("the snapshot has %d requests", len(list))
	}
}

// TestTheOldestIsNamedAsEverywhere: sessions of one name are told apart in the status too.
func TestTheOldestIsNamedAsEverywhere(t *testing.T) {
	s, now := newState(t)
	for _, id := range []string{"0197-aaaa", "0197-bbbb"} {
		q := question(now, id)
		q.SessionID = id
		do(s, now, Ask{Question: q})
		do(s, now, Insert{Ask: Ask{Question: q}, Judged: Judged{Rules: s.now.rules.Version}})
		now = now.Add(time.Second)
	}
	st := (&View{state: s}).Status(now)
	if st.Oldest == nil || st.Oldest.SessionName != "src-aaaa" {
		t.Errorf("the oldest is %+v", st.Oldest)
	}
}

// TestViewOfFreezes: a freeze is seen on sessions, cards and counts, and so is its end.
func TestViewOfFreezes(t *testing.T) {
	s, now := newState(t)
	v := &View{state: s}
	put(t, s, now, "a")
	do(s, now, SetFreeze{SessionID: "s", On: true, By: operator})
	do(s, now, SetFreeze{On: true, By: operator})
	if all, sessions, held := v.Freezes("s"); !all || sessions != 1 || held != 1 {
		t.Errorf("all %t, %d sessions, %d calls held", all, sessions, held)
	}
	if !v.Held("any") || !v.MayBeKept("a", "s") || !v.Look(&broker.Request{SessionID: "s"}).Moot {
		t.Error("what a freeze holds does not count as held")
	}
	do(s, now, SetFreeze{By: operator})
	if r := do(s, now, SetFreeze{SessionID: "s", By: operator}); !slices.Equal(r.Unheld, []string{"a"}) {
		t.Errorf("the lift frees %q", r.Unheld)
	}
	if all, sessions, held := v.Freezes(""); all || sessions+held > 0 || v.Held("s") {
		t.Errorf("after the lift: all %t, %d sessions, %d calls held", all, sessions, held)
	}
}

// TestViewOfRules: readers see the rules in force, with their uses, and tokens only while the log
// can be believed.
func TestViewOfRules(t *testing.T) {
	s, now := newState(t)
	v := &View{state: s}
	id := "0198c0de-0000-7000-8000-000000000001"
	r := rules.Rule{Enabled: true, Priority: 100, Tool: "Bash", Where: map[string]string{"command": "make"}, Decision: rules.Allow}
	before := v.Rules()
	if r := do(s, now, SaveRule{Rule: r, By: operator, NewID: id}); r.Err != nil {
		t.Fatal(r.Err)
	}
	if v.Rules().Version == before.Version {
		t.Error("the rules have the version that they had")
	}
	s.book.Uses.Put(id, broker.RuleUse{Uses: 3, Last: now})
	s.Keep()
	if got, ok := v.Rule(id); !ok || got.Uses != 3 {
		t.Errorf("the rule has %d uses, %t", got.Uses, ok)
	}
	if book := v.RuleBook(); len(book.Rules) != 1 || book.Rules[0].Uses != 3 || book.Problem != "" {
		t.Errorf("the rulebook has %d rules: %s", len(book.Rules), book.Problem)
	}
	do(s, now, MintToken{broker.TokenData{ID: "t", By: operator}})
	if len(v.Tokens()) != 1 {
		t.Errorf("%d tokens", len(v.Tokens()))
	}
	do(s, now, LogChecked{Broken: "a row was changed"})
	if len(v.Tokens()) != 0 || v.RuleBook().Problem == "" {
		t.Errorf("%d tokens although the log is broken: %q", len(v.Tokens()), v.RuleBook().Problem)
	}
}

// TestViewOfProcesses: the end of an agent is to be known while its session lasts.
func TestViewOfProcesses(t *testing.T) {
	s, now := newState(t)
	v := &View{state: s}
	p := broker.Process{PID: 4711, Start: 1}
	do(s, now, FromHook{
		Hook:    agents.Hook{Kind: agents.SessionStart, Agent: "claude", SessionID: "s"},
		Speaker: Speaker{SessionID: "s", Agent: "claude", Hint: broker.SessionHint{Process: p}},
	})
	if run, ok := v.Agent(p.PID); !ok || run.Session != "s" || run.Runner {
		t.Errorf("the agent is %+v, %t", run, ok)
	}
	if list := v.Watched(); !slices.Equal(list, []broker.Process{p}) {
		t.Errorf("watched are %v", list)
	}
	do(s, now, Tick{Dead: []broker.Process{p}})
	if list := v.Watched(); len(list) != 0 {
		t.Errorf("after its end %v are watched", list)
	}
	if se, ok := v.Session("s"); !ok || se.State != broker.SessionGone || len(v.Sessions()) != 1 {
		t.Errorf("the session is %s, %t", se.State, ok)
	}
}

// TestOnRecordCannotBeChanged: what readers see takes no change that was not kept.
func TestOnRecordCannotBeChanged(t *testing.T) {
	s, now := newState(t)
	defer func() {
		if recover() == nil {
			t.Error("a step changes what is on record without a record")
		}
	}()
	s.kept.Step(now, SetFreeze{On: true, By: operator})
}
