package engine

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
)

func newState(t *testing.T) (*State, time.Time) {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := New(Limits{ApprovalTimeout: time.Minute, LateFor: time.Minute, AskerGrace: time.Minute, MaxPerSession: 4, MaxPending: 16, MaxSessions: 8, Rate: -1})
	if _, err := s.Restore(now, Start{}); err != nil {
		t.Fatal(err)
	}
	return s, now
}

func question(now time.Time, id string) broker.Question {
	return broker.Question{Bound: true, Request: broker.Request{
		ID: id, Key: id, SessionID: "s", Agent: "claude", Event: "PreToolUse", ToolName: "Bash", ToolInput: []byte(`{}`), CWD: "/src", Digest: id,
	}, Waits: broker.Patience{Until: now.Add(time.Hour)}}
}

// put asks for a call and puts it in as one that waits.
func put(t *testing.T, s *State, now time.Time, id string) Reply {
	t.Helper()
	q := question(now, id)
	if r := do(s, now, Ask{Question: q}); r.Look == nil {
		return r
	}
	return do(s, now, Insert{Ask: Ask{Question: q}, Judged: Judged{Rules: s.now.rules.Version}})
}

// do takes an input, keeps what it changed, and returns its reply.
func do(s *State, now time.Time, in Input) Reply {
	_, effects := s.Step(now, in)
	s.Keep()
	for _, e := range effects {
		if r, ok := e.(*Reply); ok {
			return *r
		}
	}
	return Reply{}
}

func allow(id string) Decide {
	return Decide{Picks: []Picked{{ID: id}}, Decision: broker.Decision{Verdict: broker.Allow, By: broker.Actor{Kind: broker.ByOperator}}, NewID: "grant-" + id}
}

// TestSameInputsSameOutputs: what a step puts out follows from the state and the input alone.
func TestSameInputsSameOutputs(t *testing.T) {
	run := func() (changes []broker.Change) {
		s, now := newState(t)
		for _, id := range []string{"a", "b", "c"} {
			put(t, s, now, id)
		}
		for _, in := range []Input{allow("b"), Stop{All: true, By: broker.Actor{Kind: broker.ByOperator}}} {
			c, _ := s.Step(now, in)
			s.Keep()
			changes = append(changes, c)
		}
		return changes
	}
	if diff := cmp.Diff(run(), run()); diff != "" {
		t.Errorf("twice the same inputs:\n%s", diff)
	}
}

// TestUndoneIsAsBefore: a round that is taken back leaves nothing.
func TestUndoneIsAsBefore(t *testing.T) {
	s, now := newState(t)
	put(t, s, now, "a")
	view := View{state: s}
	before := view.Snapshot(now)
	for _, in := range []Input{
		allow("a"),
		Stop{SessionID: "s"},
		SetFreeze{On: true},
		Observe{On: true, By: broker.Actor{Kind: broker.ByOperator}},
		Withdraw{ID: "a"},
		StoreFailed{Why: "full"},
		Raise{broker.Alarm{SessionID: "s", Kind: broker.RanChanged}},
		Closing{},
	} {
		s.Step(now, in)
		if diff := cmp.Diff(before, view.Snapshot(now)); diff != "" {
			t.Errorf("%T is seen before it is kept:\n%s", in, diff)
		}
	}
	s.Undo()
	if r := do(s, now, allow("a")); r.Err != nil || r.Call.State != broker.Allowed {
		t.Errorf("after all was taken back: %s, %v", r.Call.State, r.Err)
	}
}

// TestMovesAreLegal: a phase that cannot follow is a defect of ours, and stops the step.
func TestMovesAreLegal(t *testing.T) {
	for from := none; from <= ended; from++ {
		for to := none; to <= ended; to++ {
			legal := func() (ok bool) {
				defer func() { ok = recover() == nil }()
				(&Call{Phase: from}).move(to)
				return true
			}()
			want := map[Phase][]Phase{none: {waiting, putOff, owed, ended}, waiting: {putOff, ended}, putOff: {waiting, owed, ended}, owed: {ended}}[from]
			if legal != slices.Contains(want, to) {
				t.Errorf("from %s to %s: %v", from, to, legal)
			}
		}
	}
}

// TestLateAllow: what an operator allows late passes once, and only where the decision is about
// one call: one about several names no grant.
func TestLateAllow(t *testing.T) {
	s, now := newState(t)
	put(t, s, now, "a")
	now = now.Add(time.Minute + time.Second)
	several := allow("a")
	several.NewID = ""
	if r := do(s, now, several); !errors.Is(r.Err, broker.ErrAlreadyDecided) || r.Done || len(s.grants.Keys()) > 0 {
		t.Errorf("allowed as one of several: %+v, %v", r, s.grants.Keys())
	}
	if r := do(s, now, allow("a")); !r.Done || len(s.grants.Keys()) != 1 {
		t.Errorf("allowed by itself: %+v, %v", r, s.grants.Keys())
	}
}

// TestUnrecorded: of what could not be recorded the refusals hold, and nothing else.
func TestUnrecorded(t *testing.T) {
	for name, tc := range map[string]struct {
		in    Input
		state broker.State
		why   string
	}{
		"an allow":   {allow("a"), broker.Denied, notRecorded},
		"a denial":   {Decide{Picks: []Picked{{ID: "a"}}, Decision: broker.Decision{Verdict: broker.Deny, By: broker.Actor{Kind: broker.ByOperator}, Reason: "no"}}, broker.Denied, "no"},
		"a stop":     {Stop{SessionID: "s"}, broker.Denied, ""},
		"taken back": {Withdraw{ID: "a", Reason: "done"}, broker.Cancelled, "done"},
		"more time":  {Extend{ID: "a", By: broker.Actor{Kind: broker.ByOperator}}, broker.Pending, ""},
		"put off":    {PutOff{ID: "a", By: broker.Actor{Kind: broker.ByOperator}}, broker.Pending, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, now := newState(t)
			put(t, s, now, "a")
			s.Unrecorded(now, tc.in, broker.ErrTampered)
			s.Keep()
			view := View{state: s}
			r, _ := view.Request("a")
			debts, _, _ := view.Debts()
			if r.State != tc.state || tc.state != broker.Pending && r.Outcome.Reason != tc.why {
				t.Errorf("it is %s, %+v", r.State, r.Outcome)
			}
			if owed := len(debts) == 1; owed != (tc.state != broker.Pending) {
				t.Errorf("the store is owed %q", debts)
			}
		})
	}
}

// TestRefusalsAreCounted: of many attempts that were turned away the first are recorded one by one,
// and the others as a number once their minute is over.
func TestRefusalsAreCounted(t *testing.T) {
	s, now := newState(t)
	do(s, now, Tick{})
	recorded := 0
	for range 50 {
		c, _ := s.Step(now, Refused{Data: broker.RefusedData{Wanted: string(broker.Allow), Kind: broker.NoOperator}})
		s.Keep()
		recorded += len(c.Events)
	}
	if recorded != 5 {
		t.Errorf("%d are recorded, want 5", recorded)
	}
	c, effects := s.Step(now.Add(time.Hour), Tick{})
	s.Keep()
	if len(c.Events) != 1 || c.Events[0].Type != broker.EventDecisionRefused {
		t.Fatalf("an hour later %d events", len(c.Events))
	}
	more := -1
	for _, e := range effects {
		if r, ok := e.(ShowRefused); ok {
			more = r.Refused.More
		}
	}
	if more != 44 {
		t.Errorf("%d more, want 44", more)
	}
}

// TestAskersOfASlowRound: whoever asked in a round that took long is not away for as long as that.
func TestAskersOfASlowRound(t *testing.T) {
	s, now := newState(t)
	put(t, s, now, "a")
	later := now.Add(2 * time.Minute)
	do(s, later, stalled{})
	do(s, later.Add(time.Second), Tick{})
	if r := s.call("a").Req; r.State != broker.Pending {
		t.Errorf("it is %s", r.State)
	}
	do(s, later.Add(2*time.Minute), Tick{})
	if r := s.call("a").Req; r.State == broker.Pending {
		t.Error("it waits for nobody")
	}
}

// TestRejoined: who asks once more for a call after a restart makes it one that can be put off.
func TestRejoined(t *testing.T) {
	s, now := newState(t)
	q := broker.Question{Bound: true, Headless: true, Request: broker.Request{
		ID: "a", Key: "a", SessionID: "s", Agent: "claude", Event: "PreToolUse", ToolUseID: "toolu_1", ToolName: "Bash", ToolInput: []byte(`{}`), CWD: "/src", Digest: "a",
	}, Waits: broker.Patience{Until: now.Add(time.Hour)}}
	r := q.Request
	r.State, r.CreatedAt, r.ExpiresAt = broker.Pending, now, now.Add(time.Minute)
	s = New(s.limits)
	if _, err := s.Restore(now, Start{Saved: broker.Saved{Requests: []broker.Request{r}}}); err != nil {
		t.Fatal(err)
	}
	if got := do(s, now, Ask{Question: q}).Call; !got.Deferrable || got.MayWaitUntil.IsZero() {
		t.Errorf("deferrable %t, may wait until %v", got.Deferrable, got.MayWaitUntil)
	}
}
