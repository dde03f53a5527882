package service_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// eventsOf lists what the log has of one type, newest first.
func eventsOf(t *testing.T, st broker.Store, typ string) []broker.Event {
	t.Helper()
	all, err := st.Events(t.Context(), broker.EventFilter{})
	must(t, err)
	var list []broker.Event
	for _, e := range all {
		if e.Type == typ {
			list = append(list, e)
		}
	}
	return list
}

func storeErr(t *testing.T, b *service.Broker) string {
	t.Helper()
	snap, _ := b.Watch(t.Context())
	return snap.Health.StoreErr
}

// After a record failed, neither a rule nor a grant allows anything until a write that
// nobody waits for worked, also when records of calls work again before that.
func TestNoAutoAllowUntilAProbeWorks(t *testing.T) {
	dir := project(t)
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{ApprovalTimeout: time.Minute, AskerGrace: time.Hour})
		save(t, b, allowing("make test"))
		late := submit(t, b, callIn(dir, "s", "late", "make install"))
		_, _ = b.Wait(t.Context(), late.ID)
		_, err := b.Decide(t.Context(), late.ID, broker.Decision{Verdict: broker.Allow, By: operator})
		must(t, err)

		full := errors.New("disk full")
		failCommits(st, full)
		if _, err := b.Submit(t.Context(), callIn(dir, "s", "1", "make test")); !errors.Is(err, broker.ErrNotRecorded) {
			t.Fatalf("on a full disk: %v, want ErrNotRecorded", err)
		}
		probes := 0
		st.BeforeCommit(func(_ context.Context, c *broker.Change) error { // calls fit, the probe does not
			if c.Insert == nil {
				probes++
				return full
			}
			return nil
		})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		for key, command := range map[string]string{"2": "make test", "3": "make install"} {
			if got := submit(t, b, callIn(dir, "s", key, command)); got.State != broker.Pending {
				t.Errorf("%s while the probe fails: %s by %+v, want pending", command, got.State, got.Outcome)
			}
		}
		if storeErr(t, b) == "" || probes == 0 {
			t.Errorf("after %d probes the console says %q", probes, storeErr(t, b))
		}
		failCommits(st, nil)
		time.Sleep(time.Second)
		synctest.Wait()
		if got := storeErr(t, b); got != "" {
			t.Errorf("with room again the console says %q", got)
		}
		for key, command := range map[string]string{"4": "make test", "5": "make install"} {
			if got := submit(t, b, callIn(dir, "s", key, command)); got.State != broker.Allowed {
				t.Errorf("%s with room again: %s, want allowed", command, got.State)
			}
		}
	})
}

// What a commit says about the change says nothing about the store.
func TestCallersMistakeIsNoFailureOfTheStore(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	st.BeforeCommit(func(context.Context, *broker.Change) error { return broker.ErrInvalid })
	_, _ = b.Submit(t.Context(), bash("s", "1", "make"))
	if got := storeErr(t, b); got != "" {
		t.Errorf("the console says %q", got)
	}
}

// The record of a call that a rule allows reports an error and is there all the same:
// the agent was told no, asking again does not help, and the log says so.
func TestAllowedByRuleAfterAllIsWithheld(t *testing.T) {
	dir := project(t)
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		save(t, b, allowing("make test"))
		st.AfterCommit(func(context.Context, *broker.Change) error { return errors.New("connection to the disk lost") })
		for range 2 {
			if r, err := b.Submit(t.Context(), callIn(dir, "s", "1", "make test")); !errors.Is(err, broker.ErrNotRecorded) {
				t.Fatalf("told %s, %v, want ErrNotRecorded", r.State, err)
			}
		}
		st.AfterCommit(nil)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := eventsOf(t, st, broker.EventAnswerWithheld); len(got) != 1 {
			t.Errorf("the log has %+v, want one answer_withheld", got)
		}
	})
}

// A grant whose use could not be recorded is not lost, and never used twice.
func TestGrantOutlivesAFailedRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{ApprovalTimeout: time.Minute, AskerGrace: time.Hour})
		grant(t, b, "1")
		failCommits(st, errors.New("disk full"))
		_, _ = b.Submit(t.Context(), bash("s", "2", "make"))
		failCommits(st, nil)
		time.Sleep(time.Second)
		synctest.Wait()
		if got := submit(t, b, bash("s", "3", "make")); got.State != broker.Allowed {
			t.Errorf("the next call is %s, want allowed", got.State)
		}
		grant(t, b, "4")
		st.AfterCommit(func(context.Context, *broker.Change) error { return errors.New("who knows") })
		_, _ = b.Submit(t.Context(), bash("s", "5", "make"))
		st.AfterCommit(nil)
		time.Sleep(time.Second)
		synctest.Wait()
		if got, err := b.Submit(t.Context(), bash("s", "6", "make")); err == nil && got.State == broker.Allowed {
			t.Error("a grant that was used allowed another call")
		}
	})
}

// grant leaves a grant for "make" in session s.
func grant(t *testing.T, b *service.Broker, key string) {
	t.Helper()
	r := submit(t, b, bash("s", key, "make"))
	if got, _ := b.Wait(t.Context(), r.ID); got.State != broker.Expired {
		t.Fatalf("%s is %s, want expired", key, got.State)
	}
	_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
	must(t, err)
}

// However many ask at once, and also after a restart, a grant lets one call pass; and
// none once its time is over.
func TestGrantIsGoodForOneOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		opts := service.Options{ApprovalTimeout: time.Minute, AskerGrace: time.Hour, MaxPerSession: 1000}
		first := newBroker(t, st, opts)
		grant(t, first, "1")
		must(t, first.Close())
		b := newBroker(t, st, opts)
		var allowed atomic.Int32
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				if r, err := b.Submit(t.Context(), bash("s", fmt.Sprint("many-", i), "make")); err == nil && r.State == broker.Allowed {
					allowed.Add(1)
				}
			})
		}
		wg.Wait()
		if allowed.Load() != 1 {
			t.Errorf("%d calls passed, want 1", allowed.Load())
		}
		must(t, b.Close())
		again := newBroker(t, st, opts)
		if got := submit(t, again, bash("s", "after", "make")); got.State == broker.Allowed {
			t.Error("a used grant came back with the restart")
		}
		grant(t, again, "2")
		time.Sleep(time.Minute + time.Second)
		if got := submit(t, again, bash("s", "too late", "make")); got.State == broker.Allowed {
			t.Error("a grant held longer than its time")
		}
	})
}

// A late card is there after a restart, with its risk, and can still be allowed, once.
func TestLateCardsOutliveARestart(t *testing.T) {
	dir := project(t)
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		opts := service.Options{ApprovalTimeout: time.Minute, LateFor: 5 * time.Minute, AskerGrace: time.Hour}
		first := newBroker(t, st, opts)
		lateThen := submit(t, first, callIn(dir, "s", "1", "rm -rf build"))
		time.Sleep(time.Minute + time.Second)
		waits := submit(t, first, callIn(dir, "s", "2", "make"))
		must(t, first.Close())
		time.Sleep(2 * time.Minute) // its time is over while no console runs
		b := newBroker(t, st, opts)
		synctest.Wait()
		snap, _ := b.Watch(t.Context())
		if len(snap.Requests) != 2 {
			t.Fatalf("%d cards, want both late ones: %+v", len(snap.Requests), snap.Requests)
		}
		for _, r := range snap.Requests {
			if r.State != broker.Expired || r.Assessment == nil || !b.Late(r) {
				t.Errorf("%s is %s, late %v, with assessment %v", r.ToolInput, r.State, b.Late(r), r.Assessment)
			}
		}
		for _, r := range []broker.Request{lateThen, waits} {
			_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator, Digest: r.Digest})
			must(t, err)
		}
		must(t, b.Close())
		again := newBroker(t, st, opts)
		if snap, _ = again.Watch(t.Context()); len(snap.Requests) != 0 {
			t.Errorf("answered late cards came back: %+v", snap.Requests)
		}
		if got := submit(t, again, callIn(dir, "s", "3", "rm -rf build")); got.State != broker.Allowed {
			t.Errorf("the retry is %s, want allowed by the grant", got.State)
		}
		time.Sleep(5 * time.Minute)
		must(t, again.Close())
		last := newBroker(t, st, opts)
		if snap, _ = last.Watch(t.Context()); len(snap.Requests) != 0 {
			t.Errorf("late cards last for ever: %+v", snap.Requests)
		}
	})
}

// What cannot be read now is tried again; until it is, no rule allows anything.
func TestUnreadLogAllowsNothing(t *testing.T) {
	dir := project(t)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	save(t, b, allowing("make test"))
	b.NoteLogUnread("input/output error")
	if got := submit(t, b, callIn(dir, "s", "1", "make test")); got.State != broker.Pending {
		t.Errorf("with an unread log: %s, want pending", got.State)
	}
	if snap, _ := b.Watch(t.Context()); snap.Health.LogUnread == "" || snap.Health.LogBroken != "" || snap.Rules.Problem == "" {
		t.Errorf("the console is told %+v, rules %q", snap.Health, snap.Rules.Problem)
	}
	b.NoteLog("")
	if got := submit(t, b, callIn(dir, "s", "2", "make test")); got.State != broker.Allowed {
		t.Errorf("with a clean log: %s, want allowed", got.State)
	}
}

// What fails while a console takes up what an earlier one left counts like any other record
// that failed.
func TestNoAutoAllowAfterTakingUpFailed(t *testing.T) {
	dir := project(t)
	st := brokertest.NewMemory()
	first := newBroker(t, st, service.Options{})
	save(t, first, allowing("make test"))
	submit(t, first, callIn(dir, "s", "1", "make install"))
	must(t, first.Close())
	var failing atomic.Bool
	failing.Store(true)
	st.BeforeCommit(func(_ context.Context, c *broker.Change) error { // the taking up and the probe fail, calls fit
		if failing.Load() && c.Insert == nil {
			return errors.New("disk full")
		}
		return nil
	})
	b := newBroker(t, st, service.Options{})
	if got := submit(t, b, callIn(dir, "s", "2", "make test")); got.State != broker.Pending {
		t.Errorf("a rule's call is %s, want pending", got.State)
	}
	if storeErr(t, b) == "" {
		t.Error("the console is not told that the log could not be written")
	}
	failing.Store(false)
}
