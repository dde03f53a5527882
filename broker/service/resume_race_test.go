package service_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// beginsResume, startsRunner, takesUp and settles say what a change is of.
func beginsResume(c *broker.Change) bool {
	return c.Checkpoint != nil && !c.Checkpoint.ResumedAt.IsZero() && c.Checkpoint.TakenUpAt.IsZero()
}

func startsRunner(c *broker.Change) bool {
	return len(c.Sessions) > 0 && c.Sessions[0].Run != nil && c.Sessions[0].Run.Turn == broker.TurnStarting
}

func takesUp(c *broker.Change) bool { return c.Checkpoint != nil && !c.Checkpoint.TakenUpAt.IsZero() }
func settles(c *broker.Change) bool { return len(c.Settle) > 0 }

// resumedAt is when a resume for r was last begun, as r says.
func resumedAt(t *testing.T, b *service.Broker, r broker.Request) time.Time {
	t.Helper()
	if r = must2(b.Request(t.Context(), r.ID)); r.Checkpoint == nil {
		return time.Time{}
	}
	return r.Checkpoint.ResumedAt
}

// Nothing is resumed under a stop, beside a runner, beside the process that ended last, or
// beside another resume, wherever that one stands. Of these one speaks in words of its own.
func TestResumeBesideSomethingElse(t *testing.T) {
	type world struct {
		st *brokertest.Memory
		b  *service.Broker
		r  broker.Request
	}
	//nolint:thelper // they are steps of the test, not helpers
	for name, tc := range map[string]struct {
		beside func(t *testing.T, w world)
		want   error
		why    string
	}{
		"a stop that is only in memory yet": {func(t *testing.T, w world) { stopUnrecorded(t, w.st, w.b, "s") }, broker.ErrNotFound, "nothing of it is deferred"},
		"a runner that came by itself":      {func(t *testing.T, w world) { startRun(t, w.b, runner2, "s") }, broker.ErrConflict, "a runner has it"},
		"a runner that was asked for":       {func(t *testing.T, w world) { must2(w.b.Resume(t.Context(), "s", operator)) }, broker.ErrConflict, "a runner has it"},
		"its answer that is given": {func(t *testing.T, w world) {
			decide(t, w.b, w.r.ID, broker.Decision{Verdict: broker.Deny})
			must2(hears(t, w.b, headless("toolu_1", "make", "talk 2")))
		}, broker.ErrNotFound, "nothing of it is deferred"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st, l, launcher := brokertest.NewMemory(), &living{}, &starter{}
				b := newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
				w := world{st, b, shelvedRun(t, b, l)}
				tc.beside(t, w)
				before, begun := launcher.resumes(), resumedAt(t, w.b, w.r)
				time.Sleep(time.Second)
				told, err := b.Resume(t.Context(), "s", operator)
				if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.why) || told.Started {
					t.Errorf("%+v %v, want %q", told, err, tc.why)
				}
				if launcher.resumes() != before || resumedAt(t, w.b, w.r) != begun {
					t.Errorf("%d runners were started, and its resume is on record since %v", launcher.resumes()-before, resumedAt(t, w.b, w.r))
				}
			})
		})
	}
}

// While a resume is being recorded, at either of its two records, a second one is refused.
func TestSecondResumeMeanwhile(t *testing.T) {
	for name, at := range map[string]func(*broker.Change) bool{"that it begins": beginsResume, "that it starts": startsRunner} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st, l, launcher := brokertest.NewMemory(), &living{}, &starter{}
				b := newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
				shelvedRun(t, b, l)
				second := during(st, at, func() {
					if told, err := b.Resume(t.Context(), "s", operator); !errors.Is(err, broker.ErrConflict) {
						t.Errorf("meanwhile: %+v %v", told, err)
					}
				})
				if told := must2(b.Resume(t.Context(), "s", operator)); !told.Started || launcher.resumes() != 1 {
					t.Errorf("%+v, %d runners", told, launcher.resumes())
				}
				second()
			})
		})
	}
}

// Two who saw that nobody resumes a session: the one who records it first does.
func TestTwoResumesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, l, launcher := brokertest.NewMemory(), &living{}, &starter{}
		b := newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
		r := shelvedRun(t, b, l)
		var wg sync.WaitGroup
		errs := make(chan error, 2)
		during(st, takesUp, func() { // both have looked, and wait until the call is not busy
			for range 2 {
				wg.Go(func() { _, err := b.Resume(t.Context(), "s", operator); errs <- err })
			}
		})
		st.AfterCommit(func(_ context.Context, c *broker.Change) error {
			if takesUp(c) {
				return errors.New("lost") // so it stays put off
			}
			return nil
		})
		if got, err := hears(t, b, headless("toolu_1", "make", "talk 2")); !errors.Is(err, broker.ErrNotRecorded) {
			t.Fatal(got.State, err)
		}
		wg.Wait()
		first, second := <-errs, <-errs
		if first != nil {
			first, second = second, first
		}
		if first != nil || !errors.Is(second, broker.ErrConflict) || launcher.resumes() != 1 {
			t.Errorf("%v and %v, %d runners", first, second, launcher.resumes())
		}
		if must2(b.Request(t.Context(), r.ID)).Checkpoint == nil {
			t.Error("it is not put off any more")
		}
	})
}

// What comes while a call is taken up, or answered, finds it gone or busy, and starts nothing.
func TestResumeOfWhatIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, l, launcher := brokertest.NewMemory(), &living{}, &starter{}
		b := newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
		shelvedRun(t, b, l)
		errs := make(chan error, 1)
		during(st, takesUp, func() { _, err := b.Resume(t.Context(), "s", operator); errs <- err })
		if got, err := hears(t, b, headless("toolu_1", "make", "talk 2")); err != nil || got.Checkpoint != nil {
			t.Fatal(got.State, err)
		}
		if err := <-errs; !errors.Is(err, broker.ErrNotFound) || launcher.resumes() != 0 {
			t.Errorf("taken up: %v, %d runners", err, launcher.resumes())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		st, l, launcher := brokertest.NewMemory(), &living{}, &starter{}
		b := newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
		r := shelvedRun(t, b, l)
		resumed := during(st, settles, func() { // it begins when the answer is on record
			if _, err := b.Resume(t.Context(), "s", operator); err != nil || launcher.resumes() != 1 {
				t.Errorf("behind its answer: %v, %d runners", err, launcher.resumes())
			}
		})
		decide(t, b, r.ID, broker.Decision{Verdict: broker.Allow})
		resumed()
		time.Sleep(time.Second)
		if launcher.resumes() != 1 {
			t.Errorf("%d runners", launcher.resumes())
		}
	})
}

// A stop, or a denial for good, that comes while a resume is being recorded is the last word.
func TestResumeOvertaken(t *testing.T) {
	//nolint:thelper // they are steps of the test, not helpers
	for name, tc := range map[string]struct {
		meanwhile func(t *testing.T, b *service.Broker, r broker.Request)
		want      error
	}{
		"by a stop": {func(t *testing.T, b *service.Broker, _ broker.Request) {
			_, _ = b.Stop(t.Context(), "s", operator)
		}, service.ErrStopped},
		"by a denial for good": {func(t *testing.T, b *service.Broker, r broker.Request) {
			if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Deny, End: true, By: operator}); err != nil {
				t.Error(err)
			}
		}, broker.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st, l, launcher := brokertest.NewMemory(), &living{}, &starter{}
				b := newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
				r := shelvedRun(t, b, l)
				during(st, beginsResume, func() { tc.meanwhile(t, b, r) })
				told, err := b.Resume(t.Context(), "s", operator)
				if !errors.Is(err, tc.want) || told.Started || launcher.resumes() != 0 {
					t.Errorf("%+v %v, %d runners", told, err, launcher.resumes())
				}
				synctest.Wait()
				if s := session(t, b, "s"); s.State == broker.SessionActive {
					t.Errorf("the session is %s", s.State)
				}
				time.Sleep(5 * time.Second)
				if launcher.resumes() != 0 {
					t.Error("a runner was started later")
				}
			})
		})
	}
}

// Denied for good while somebody else's answer is being recorded, a call has that answer: its
// checkpoint stays, and its session does not end.
func TestDenyForGoodComesTooLate(t *testing.T) {
	st := brokertest.NewMemory()
	b, r := leftOff(t, st)
	late := during(st, settles, func() {
		if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Deny, End: true, By: operator}); !errors.Is(err, broker.ErrAlreadyDecided) {
			t.Errorf("meanwhile: %v", err)
		}
	})
	decide(t, b, r.ID, broker.Decision{Verdict: broker.Allow})
	late()
	if s := must2(b.Session(t.Context(), "s")); s.EndReason == broker.RejectedReason || s.Deferred != 1 || storedCheckpoints(t, st) != 1 {
		t.Errorf("it ended because %q, %d put off, %d stored", s.EndReason, s.Deferred, storedCheckpoints(t, st))
	}
	if got, err := hears(t, b, headless("toolu_1", "make", "talk 2")); err != nil || got.State != broker.Allowed {
		t.Errorf("asked again: %s %v", got.State, err)
	}
}
