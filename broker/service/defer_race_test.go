package service_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
)

// Many ask at once for a call that is put off, and the first record of it fails, so that
// all of them go on at the same moment: one takes it up, or hears its answer, and whoever
// waits for the call gets through.
func TestManyAskAgainAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8)) // more of them meet
	for name, decided := range map[string]bool{"not decided": false, "decided": true} {
		t.Run(name, func(t *testing.T) {
			for range 50 {
				manyAskAgain(t, decided)
			}
		})
	}
}

func manyAskAgain(t *testing.T, decided bool) {
	t.Helper()
	st := brokertest.NewMemory()
	b, r := leftOff(t, st)
	want := broker.Pending
	if decided {
		decide(t, b, r.ID, broker.Decision{Verdict: broker.Deny})
		want = broker.Denied
	}
	release := make(chan struct{})
	var once sync.Once
	st.BeforeCommit(func(context.Context, *broker.Change) (err error) {
		<-release
		once.Do(func() { err = errors.New("disk full") })
		return err
	})
	var wg sync.WaitGroup
	var begun, failed atomic.Int32
	const askers = 64
	for i := range askers {
		wg.Go(func() {
			begun.Add(1)
			got, err := b.Submit(t.Context(), headless("toolu_1", "make", fmt.Sprint("talk ", i+2)))
			if err == nil {
				got, err = b.Heard(t.Context(), got)
			}
			switch {
			case errors.Is(err, broker.ErrNotRecorded):
				failed.Add(1)
			case err != nil || got.State != want || got.Checkpoint != nil:
				t.Errorf("asked again: %s %v %v", got.State, got.Checkpoint, err)
			}
		})
	}
	for n := 0; begun.Load() < askers || n < 1000; n++ { // so that most of them wait by then
		runtime.Gosched()
	}
	close(release)
	wg.Wait()
	n := failed.Load() // of all that were asked in the round that failed
	if n == 0 {
		t.Error("nobody was told of the failed record")
	}
	if taken := logged(t, b, broker.EventTakenUpAgain); taken != 1 && n < askers || taken > 1 {
		t.Errorf("it was taken up %d times, %d were told of a failed record", taken, n)
	}
	if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Deny, By: operator}); (err != nil) != decided {
		t.Errorf("decided then: %v", err)
	}
}

// A stop that has a session's record, and an agent that asks again for what is put off in
// it, do not wait for each other.
func TestStopWhileItIsAskedAgain(t *testing.T) {
	st := brokertest.NewMemory()
	b, r := leftOff(t, st)
	recording, release := make(chan struct{}), make(chan struct{})
	st.BeforeCommit(func(_ context.Context, c *broker.Change) error {
		if c.Insert != nil && c.Insert.SessionID == "z" {
			close(recording)
			<-release
		}
		return nil
	})
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = b.Submit(t.Context(), bash("z", "1", "make")) }) // holds the record of z meanwhile
	<-recording
	wg.Go(func() {
		if _, _, err := b.StopAll(t.Context(), operator); err != nil { // that of s, then that of z
			t.Error(err)
		}
	})
	wg.Go(func() { _, _ = b.Submit(t.Context(), headless("toolu_1", "make", "talk 2")) })
	close(release)
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("they wait for each other")
	}
	if got := must2(b.Request(t.Context(), r.ID)); got.State != broker.Denied || got.Outcome.By.Kind != broker.ByStop {
		t.Errorf("it ended as %s by %s", got.State, got.Outcome.By.Kind)
	}
	if a := told(t, b, agents.Hook{Kind: agents.Observe}); a.Verdict == agents.Allow {
		t.Error("a stopped session goes on")
	}
}
