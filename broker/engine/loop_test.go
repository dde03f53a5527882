package engine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
)

// store is a Recorder; record says how the next rounds go.
type store struct {
	record func(list []*broker.Change) error
	rounds [][]*broker.Change
}

func (st *store) Record(_ context.Context, list ...*broker.Change) error {
	if st.record != nil {
		if err := st.record(list); err != nil {
			return err
		}
	}
	st.rounds = append(st.rounds, list)
	return nil
}

// nobody is a World that hears nothing.
type nobody struct{}

func (nobody) Answered(string)            {}
func (nobody) Moved(string)               {}
func (nobody) SessionChanged(string)      {}
func (nobody) StartRunner(broker.Session) {}
func (nobody) Released()                  {}

// newLoop is a loop over a state in which these calls wait.
func newLoop(t *testing.T, st *store, ids ...string) (*Loop, time.Time) {
	t.Helper()
	s, now := newState(t)
	for _, id := range ids {
		put(t, s, now, id)
	}
	return NewLoop(s, nil, st, nobody{}, slog.New(slog.DiscardHandler)), now
}

var operator = broker.Actor{Kind: broker.ByOperator}

// TestNothingIsSeenBeforeItIsOnRecord: while a round is written, readers see what was before, and
// nobody is told.
func TestNothingIsSeenBeforeItIsOnRecord(t *testing.T) {
	writing, write := make(chan bool), make(chan bool)
	st := &store{record: func([]*broker.Change) error {
		writing <- true
		<-write
		return nil
	}}
	l, _ := newLoop(t, st)
	put(t, l.state, time.Now(), "a")
	_, updates := l.Watch(t.Context())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan bool)
	go func() { l.Run(ctx); close(ended) }()
	replies := make(chan Reply, 1)
	go func() { replies <- l.Do(allow("a")) }()
	<-writing
	if r, _ := l.View().Request("a"); r.State != broker.Pending {
		t.Errorf("it is %s before that is on record", r.State)
	}
	if len(replies)+len(updates) > 0 {
		t.Errorf("%d replies and %d updates before it is on record", len(replies), len(updates))
	}
	write <- true
	if r := <-replies; r.Err != nil || r.Call.State != broker.Allowed {
		t.Errorf("the reply is %s, %v", r.Call.State, r.Err)
	}
	if r, _ := l.View().Request("a"); r.State != broker.Allowed {
		t.Errorf("it is %s although it was told", r.State)
	}
	if u := <-updates; u.Request == nil || u.Request.State != broker.Allowed {
		t.Errorf("watchers hear %+v first", u)
	}
	stop()
	<-ended
	if r := l.Do(allow("a")); !errors.Is(r.Err, broker.ErrClosed) {
		t.Errorf("after the loop ended: %v", r.Err)
	}
}

// TestStoreFails: of a round that cannot be written each input is taken alone: what allows is
// refused, what refuses holds, and what needs no record takes its course.
func TestStoreFails(t *testing.T) {
	full := errors.New("disk full")
	st := &store{record: func([]*broker.Change) error { return full }}
	l, now := newLoop(t, st, "a", "b")
	replies := l.Round(t.Context(), now, allow("a"), Stop{SessionID: "s", By: operator}, Attach{ID: "b"})
	for i, want := range []error{broker.ErrNotRecorded, broker.ErrNotRecorded, nil} {
		if err := replies[i].Err; !errors.Is(err, want) {
			t.Errorf("reply %d: %v, want %v", i, err, want)
		}
	}
	for _, id := range []string{"a", "b"} {
		r, _ := l.View().Request(id)
		if r.State != broker.Denied || !r.Unrecorded {
			t.Errorf("%s is %s, not on record: %t", id, r.State, r.Unrecorded)
		}
		if told := broker.AnswerTo(r).Reason; !strings.HasSuffix(told, broker.UnrecordedWords) {
			t.Errorf("%s is told %q", id, told)
		}
		if !l.View().Owes(id) {
			t.Errorf("the store is not owed the end of %s", id)
		}
	}
	if n, failing := l.View().Failures(); n != 1 || !failing || l.View().Health().StoreErr != full.Error() {
		t.Errorf("%d failures, failing %t: %q", n, failing, l.View().Health().StoreErr)
	}
	if s, _ := l.View().Session("s"); !s.State.UnderStop() {
		t.Errorf("the session is %s", s.State)
	}
	st.record = nil
	calls, _, rest := l.View().Debts()
	if calls = slices.Compact(calls); len(calls) != 2 || !rest {
		t.Errorf("the store is owed %q, and rest %t", calls, rest)
	}
	l.Round(t.Context(), now, PayDebt{Call: broker.Request{ID: "a", SessionID: "s", State: broker.Pending}, Failures: 1})
	if r, _ := l.View().Request("a"); r.Unrecorded || r.State != broker.Denied || l.View().Owes("a") {
		t.Errorf("once it is written a is %s, not on record: %t", r.State, r.Unrecorded)
	}
	l.Round(t.Context(), now, PayRest{}, Probe{Failures: 1})
	if _, failing := l.View().Failures(); failing {
		t.Error("it fails still")
	}
}

// TestRecordedAfterAll: a round that failed had been written all the same, with another end of the
// call than it has in memory. Nobody allows the call late while that is not known, and then it ended
// as the record has it, unless that would let it run.
func TestRecordedAfterAll(t *testing.T) {
	for _, recorded := range []broker.Outcome{
		{State: broker.Denied, By: operator},
		{State: broker.Answered, By: broker.Actor{Kind: broker.ByAgent}},
		{State: broker.Expired, By: broker.Actor{Kind: broker.ByDeadline}},
		{State: broker.Allowed, By: operator},
	} {
		t.Run(string(recorded.State), func(t *testing.T) {
			st := &store{record: func([]*broker.Change) error { return context.DeadlineExceeded }}
			l, now := newLoop(t, st, "a")
			late := now.Add(time.Minute)
			l.Round(t.Context(), late, Due{ID: "a"})
			if r, _ := l.View().Request("a"); r.State != broker.Expired || !r.Unrecorded {
				t.Fatalf("it is %s, not on record: %t", r.State, r.Unrecorded)
			}
			st.record = nil
			grant := Decide{Picks: []Picked{{ID: "a"}}, Decision: broker.Decision{Verdict: broker.Allow, By: operator}, NewID: "g"}
			if r := l.Round(t.Context(), late, grant)[0]; !errors.Is(r.Err, broker.ErrAlreadyDecided) || r.Done {
				t.Errorf("a late allow: %v", r.Err)
			}
			r, _ := l.View().Request("a")
			r.State, r.Outcome, r.Unrecorded = recorded.State, &recorded, false
			r.Outcome.At = broker.Instant(late)
			runs := broker.LetsRun(r)
			l.Round(t.Context(), late, PayDebt{Call: r, Failures: 1})
			want := recorded.State
			if runs {
				want = broker.Expired
			}
			if r, _ := l.View().Request("a"); r.State != want || r.Unrecorded != runs {
				t.Errorf("once that is known it is %s, not on record: %t", r.State, r.Unrecorded)
			}
			if r := l.Round(t.Context(), late, grant)[0]; r.Done != (recorded.State == broker.Expired) {
				t.Errorf("a late allow then: %t, %v", r.Done, r.Err)
			}
		})
	}
}

// TestOneChangeAtFault: when the store says which change is at fault, the others of the round are
// recorded without it.
func TestOneChangeAtFault(t *testing.T) {
	st := &store{}
	st.record = func(list []*broker.Change) error {
		for i, c := range list {
			if len(c.Settle) > 0 && c.Settle[0].ID == "b" && c.Settle[0].Outcome.State == broker.Allowed {
				return &broker.ChangeError{Index: i, Err: broker.ErrAlreadyDecided}
			}
		}
		return nil
	}
	l, now := newLoop(t, st, "a", "b", "c")
	replies := l.Round(t.Context(), now, allow("a"), allow("b"), allow("c"))
	for i, want := range []error{nil, broker.ErrNotRecorded, nil} {
		if !errors.Is(replies[i].Err, want) {
			t.Errorf("reply %d: %v, want %v", i, replies[i].Err, want)
		}
	}
	if len(st.rounds) != 1 || len(st.rounds[0]) != 2 {
		t.Errorf("%d rounds are recorded", len(st.rounds))
	}
	if n, failing := l.View().Failures(); n != 0 || failing {
		t.Errorf("the store counts as failing: %d, %t", n, failing)
	}
}

// defect is an input that changes something and then panics.
type defect struct{}

func (defect) step(s *State, now time.Time) Reply {
	s.end(now, s.call("a"), cancelled("by a defect"))
	panic("a defect")
}

// TestPanicIsOfOneInput: an input that panics comes to nothing, and the others of its round go on.
func TestPanicIsOfOneInput(t *testing.T) {
	l, now := newLoop(t, &store{}, "a", "b")
	replies := l.Round(t.Context(), now, defect{}, allow("b"))
	if !errors.Is(replies[0].Err, ErrBroken) || replies[1].Err != nil {
		t.Errorf("the replies are %v and %v", replies[0].Err, replies[1].Err)
	}
	a, _ := l.View().Request("a")
	if b, _ := l.View().Request("b"); a.State != broker.Pending || b.State != broker.Allowed {
		t.Errorf("a is %s, b is %s", a.State, b.State)
	}
}

// TestTimers: a call's time is over when its timer fires, and one that was given more time waits on.
func TestTimers(t *testing.T) {
	st := &store{}
	s, now := newState(t)
	l := NewLoop(s, nil, st, nobody{}, slog.New(slog.DiscardHandler))
	for _, id := range []string{"a", "b"} {
		q := question(now, id)
		l.Round(t.Context(), now, Insert{Ask: Ask{Question: q}, Judged: Judged{Rules: s.now.rules.Version}})
	}
	l.Round(t.Context(), now.Add(50*time.Second), Extend{ID: "b", By: operator})
	at, ok := l.NextTimer()
	if !ok || !at.Equal(now.Add(time.Minute)) {
		t.Fatalf("the next timer is at %v, %t", at, ok)
	}
	l.Round(t.Context(), at)
	a, _ := l.View().Request("a")
	if b, _ := l.View().Request("b"); a.State != broker.Expired || b.State != broker.Pending {
		t.Errorf("a is %s, b is %s", a.State, b.State)
	}
}

// TestWatcherThatLags: a watcher that is full is dropped, and finds its channel closed.
func TestWatcherThatLags(t *testing.T) {
	l, _ := newLoop(t, &store{}, "a")
	snap, updates := l.Watch(t.Context())
	if len(snap.Requests) != 1 {
		t.Errorf("the snapshot has %d requests", len(snap.Requests))
	}
	for range watchBuffer + 1 {
		l.publish(broker.Update{Health: &broker.Health{}})
	}
	n := 0
	for range updates {
		n++
	}
	if n != watchBuffer || len(l.watchers) != 0 {
		t.Errorf("%d updates, and %d watchers are left", n, len(l.watchers))
	}
}
