package service_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// Who asks again while the first question is on its way to the disk is not told that it
// is accepted before it is.
func TestAskAgainWaitsForTheRecord(t *testing.T) {
	for name, failure := range map[string]error{"recorded": nil, "not recorded": errors.New("disk full")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := brokertest.NewMemory()
				b := newBroker(t, st, service.Options{})
				disk := make(chan struct{})
				st.BeforeCommit(func(context.Context, *broker.Change) error { <-disk; return failure })
				type result struct {
					r   broker.Request
					err error
				}
				results := make(chan result, 3)
				ask := func() {
					r, err := b.Submit(t.Context(), bash("s", "1", "make"))
					results <- result{r, err}
				}
				for range cap(results) {
					go ask()
				}
				synctest.Wait()
				if len(results) != 0 {
					t.Errorf("answered %+v before the disk was", <-results)
				}
				clash := make(chan error, 1)
				go func() {
					_, err := b.Submit(t.Context(), bash("s", "1", "make install"))
					clash <- err
				}()
				synctest.Wait()
				close(disk)
				want := broker.ErrConflict
				if failure != nil { // there is nothing to clash with
					want = broker.ErrNotRecorded
				}
				if err := <-clash; !errors.Is(err, want) {
					t.Errorf("another call under the same key: %v, want %v", err, want)
				}
				for range cap(results) {
					got := <-results
					if failure != nil {
						if !errors.Is(got.err, broker.ErrNotRecorded) {
							t.Errorf("got %+v, %v; want ErrNotRecorded", got.r, got.err)
						}
						continue
					}
					if got.err != nil {
						t.Fatal(got.err)
					}
					if _, err := st.Request(t.Context(), got.r.ID); err != nil {
						t.Errorf("accepted and not recorded: %v", err)
					}
				}
			})
		})
	}
}

// A disk that takes longer than an asker may be away does not make its call look
// abandoned: nobody can wait for a call before it is recorded.
func TestSlowRecordIsNotAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{AskerGrace: 2 * time.Second})
		st.BeforeCommit(func(context.Context, *broker.Change) error { time.Sleep(5 * time.Second); return nil })
		r := submit(t, b, bash("s", "1", "make"))
		st.BeforeCommit(nil)
		time.Sleep(time.Second) // two sweeps, and the asker has not come back for its answer yet
		if got, err := b.Request(t.Context(), r.ID); err != nil || got.State != broker.Pending {
			t.Errorf("the call is %s by %+v (%v), want pending", got.State, got.Outcome, err)
		}
	})
}

// Two ask again about a call that the store knows from an earlier life, and the first of
// them leaves: the other one still gets the recorded answer.
func TestAskAgainOutlivesTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		before := newBroker(t, st, service.Options{})
		r := submit(t, before, bash("s", "1", "make"))
		if _, err := before.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); err != nil {
			t.Fatal(err)
		}
		_ = before.Close()

		b := newBroker(t, st, service.Options{})
		disk := make(chan struct{})
		st.BeforeCommit(func(context.Context, *broker.Change) error { <-disk; return nil })
		leaving, leave := context.WithCancel(t.Context())
		go func() { _, _ = b.Submit(leaving, bash("s", "1", "make")) }()
		synctest.Wait()
		answer := make(chan error, 1)
		go func() {
			got, err := b.Submit(t.Context(), bash("s", "1", "make"))
			if err == nil && (got.ID != r.ID || got.State != broker.Allowed) {
				err = errors.New("got " + got.ID + ", " + string(got.State))
			}
			answer <- err
		}()
		synctest.Wait()
		leave()
		close(disk)
		if err := <-answer; err != nil {
			t.Error(err)
		}
	})
}
