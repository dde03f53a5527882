package engine

import (
	"context"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
)

// Rounds that failed and were recorded all the same, and what memory makes of it.

// lost is a store of which nobody knows whether it recorded: the changes are in saw.
func lost(saw *[]*broker.Change) func([]*broker.Change) error {
	return func(list []*broker.Change) error {
		*saw = append(*saw, list...)
		return context.DeadlineExceeded
	}
}

// noCheckpoint is a store that has none of the calls that were put off.
func noCheckpoint(list []*broker.Change) error {
	for i, c := range list {
		if len(c.DropCheckpoints) > 0 {
			return &broker.ChangeError{Index: i, Err: broker.ErrNotFound}
		}
	}
	return nil
}

// headless is a loop in which the call "a" waits that can be put off, and its question.
func headless(t *testing.T, st *store, onTimeout broker.Verdict) (*Loop, time.Time, broker.Question) {
	t.Helper()
	l, now := newLoop(t, st)
	l.state.limits.OnTimeout = onTimeout
	q := question(now, "a")
	q.Headless, q.ToolUseID = true, "tu"
	l.Round(t.Context(), now, Insert{Ask: Ask{Question: q}, Judged: Judged{Rules: l.state.now.rules.Version}})
	if r, _ := l.View().Request("a"); !r.Deferrable {
		t.Fatal("it cannot be put off")
	}
	return l, now, q
}

// pay has the loop learn that the record has end for the call.
func pay(t *testing.T, l *Loop, now time.Time, id string, end broker.Outcome) {
	t.Helper()
	r, _ := l.View().Request(id)
	r.State, r.Outcome = end.State, &end
	n, _ := l.View().Failures()
	l.Round(t.Context(), now, PayDebt{Call: r, Failures: n})
}

// TestTheOperatorsNoStays: what a person denied is not late, whatever the record has in its place.
func TestTheOperatorsNoStays(t *testing.T) {
	st, saw := &store{}, []*broker.Change(nil)
	l, now := newLoop(t, st, "a")
	st.record = lost(&saw)
	l.Round(t.Context(), now, FromHook{Hook: agents.Hook{Kind: agents.SessionEnd, SessionID: "s", Agent: "claude"}, Speaker: Speaker{SessionID: "s", Agent: "claude"}})
	l.Round(t.Context(), now, Decide{Picks: []Picked{{ID: "a"}}, Decision: broker.Decision{Verdict: broker.Deny, Reason: "never do this", By: operator}})
	st.record = nil
	pay(t, l, now, "a", saw[0].Settle[0].Outcome)
	if r, _ := l.View().Request("a"); r.State != broker.Denied || r.Outcome.Reason != "never do this" {
		t.Errorf("it is %s: %s", r.State, r.Outcome.Reason)
	}
	if r := l.Round(t.Context(), now, allow("a"))[0]; r.Done {
		t.Error("it was allowed late")
	}
}

// TestARefusalIsGivenAgain: a call that only its agent's own terminal can answer was told no, and
// is not left to that terminal later.
func TestARefusalIsGivenAgain(t *testing.T) {
	st, saw := &store{}, []*broker.Change(nil)
	l, now := newLoop(t, st)
	q := question(now, "q")
	q.ToolName, q.Agent, q.Event = "request_user_input", "codex", "PreToolUse"
	judged := Judged{Rules: l.state.now.rules.Version}
	l.Round(t.Context(), now, SetFreeze{On: true, By: operator})
	l.Round(t.Context(), now, Insert{Ask: Ask{Question: q}, Judged: judged})
	l.Round(t.Context(), now, SetFreeze{By: operator})
	st.record = lost(&saw)
	l.Round(t.Context(), now, Assess{ID: "q", Judged: Judged{Rules: l.state.now.rules.Version}, Ends: true})
	late := now.Add(2 * time.Minute)
	l.Round(t.Context(), late, Due{ID: "q"})
	st.record = nil
	pay(t, l, late, "q", saw[0].Settle[0].Outcome)
	if a := broker.AnswerTo(l.Round(t.Context(), late, Ask{Question: q})[0].Call); a.Verdict != agents.Deny {
		t.Errorf("asked again it is told %v: %s", a.Verdict, a.Reason)
	}
}

// TestRejectedIsNotOnRecord: a call that was put off and denied for good says so too.
func TestRejectedIsNotOnRecord(t *testing.T) {
	st, saw := &store{}, []*broker.Change(nil)
	l, now, _ := headless(t, st, broker.Deny)
	l.Round(t.Context(), now, PutOff{ID: "a", By: operator})
	st.record = lost(&saw)
	l.Round(t.Context(), now, Decide{Picks: []Picked{{ID: "a"}}, Decision: broker.Decision{Verdict: broker.Deny, End: true, By: operator}})
	if r, _ := l.View().Request("a"); r.State != broker.Denied || !r.Unrecorded || !l.View().Owes("a") {
		t.Errorf("it is %s, not on record: %t", r.State, r.Unrecorded)
	}
}

// TestPutOffAtItsDeadline: a call that may have been put off on the disk, when its time was over,
// and expired here is not put off in the end; and where it never was, that is not tried for ever.
func TestPutOffAtItsDeadline(t *testing.T) {
	st, saw := &store{}, []*broker.Change(nil)
	l, now, _ := headless(t, st, broker.Defer)
	late := now.Add(2 * time.Minute)
	st.record = lost(&saw)
	l.Round(t.Context(), late, Due{ID: "a"})
	if saw[0].Checkpoint == nil {
		t.Fatal("it was not to be put off")
	}
	if _, strays, _ := l.View().Debts(); len(strays) != 1 {
		t.Errorf("the store may have %q put off", strays)
	}
	st.record = noCheckpoint
	l.Round(t.Context(), late, PayRest{Stray: "a"})
	if _, strays, _ := l.View().Debts(); len(strays) != 0 {
		t.Errorf("%q would be tried again", strays)
	}
}

// TestGivenOnRecord: an answer of a call that was put off, which the record has as given, does not
// wait for its agent for ever.
func TestGivenOnRecord(t *testing.T) {
	st, saw := &store{}, []*broker.Change(nil)
	l, now, q := headless(t, st, broker.Deny)
	l.Round(t.Context(), now, PutOff{ID: "a", By: operator})
	l.state.now.observing = true
	l.state.Keep()
	q.Correlation = "second"
	st.record = lost(&saw)
	l.Round(t.Context(), now, Ask{Question: q})
	st.record = noCheckpoint
	pay(t, l, now, "a", saw[0].Settle[0].Outcome)
	l.Round(t.Context(), now, Give{ID: "a"})
	if r := l.Round(t.Context(), now, Give{ID: "a"})[0]; r.Err != nil || !r.Replay {
		t.Errorf("given again: %v", r.Err)
	}
	if x, _ := l.View().Seen("a", now); x.Owed {
		t.Error("it is owed an answer still")
	}
}

// TestStoppedAsItBegan: a session that begins and is stopped in a round of which nobody knows whether
// it was recorded is stopped, and its record says nothing else. The same holds for one that had ended
// and came back.
func TestStoppedAsItBegan(t *testing.T) {
	ends := FromHook{Hook: agents.Hook{Kind: agents.SessionEnd, SessionID: "s", Agent: "claude"}, Speaker: Speaker{SessionID: "s", Agent: "claude"}}
	for name, before := range map[string][]Input{"new": nil, "it had ended": {Insert{Ask: Ask{Question: question(time.Now(), "z")}}, ends}} {
		st, saw := &store{}, []*broker.Change(nil)
		l, now := newLoop(t, st)
		for _, in := range before {
			l.Round(t.Context(), now, in)
		}
		if s, ok := l.View().Session("s"); ok != (before != nil) || ok && !s.State.Ended() {
			t.Fatalf("%s: %+v %t", name, s, ok)
		}
		st.record = lost(&saw)
		judged := Judged{Rules: l.state.now.rules.Version}
		replies := l.Round(t.Context(), now, Insert{Ask: Ask{Question: question(now, "a")}, Judged: judged}, Stop{SessionID: "s", By: operator})
		if replies[1].Session.State != broker.SessionStopping || replies[1].Err == nil {
			t.Errorf("%s: the stop says %s, %v", name, replies[1].Session.State, replies[1].Err)
		}
		// It fails again: the stop that is owed is not forgotten for the sake of the new call.
		l.Round(t.Context(), now, Insert{Ask: Ask{Question: question(now, "b")}, Judged: judged})
		st.record, saw = func(list []*broker.Change) error { saw = append(saw, list...); return nil }, nil
		judged.Rules = l.state.now.rules.Version
		if r := l.Round(t.Context(), now, Insert{Ask: Ask{Question: question(now, "c")}, Judged: judged})[0]; r.Call.State != broker.Denied {
			t.Errorf("%s: what it asks is %s", name, r.Call.State)
		}
		l.Round(t.Context(), now, PayRest{})
		types := map[string]bool{}
		for _, c := range saw {
			for _, e := range c.Events {
				types[e.Type] = true
			}
			for _, row := range c.Sessions {
				if !row.State.UnderStop() {
					t.Errorf("%s: its row is %s", name, row.State)
				}
			}
		}
		if !types[broker.EventStopRequested] || before == nil && !types[broker.EventSessionStart] {
			t.Errorf("%s: recorded were %v", name, types)
		}
	}
}
