package service_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/wire"
)

// slowly has the record of events of a type take d.
func slowly(st *brokertest.Memory, typ string, d time.Duration) {
	st.BeforeCommit(func(_ context.Context, c *broker.Change) error {
		for _, e := range c.Events {
			if e.Type == typ {
				time.Sleep(d)
			}
		}
		return nil
	})
}

// A program's time began when it asked, however long the disk took over that.
func TestMoreTimeCountsFromTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		slowly(st, broker.EventRequestCreated, 5*time.Second)
		b := newBroker(t, st, service.Options{AskerGrace: 24 * time.Hour})
		q := patient("1")
		q.Event, q.AtMost = "", 12*time.Minute
		asked := time.Now()
		r := submit(t, b, q)
		time.Sleep(9 * time.Minute)
		if got := moreTime(t, b, r.ID); got.ExpiresAt.Sub(asked) != 12*time.Minute-time.Second || !got.MayWaitUntil.Equal(got.ExpiresAt) {
			t.Errorf("it may wait %v, and up to %v", got.ExpiresAt.Sub(asked), got.MayWaitUntil.Sub(asked))
		}
	})
}

// While more time is being recorded the call is put off, and its agent asks for it anew: who
// asks now has the time that they said, and not what the one before would have waited.
func TestMoreTimeIsNotForTheNextAsker(t *testing.T) {
	for name, tc := range map[string]struct {
		again bool
	}{
		"put off":   {false},
		"and again": {true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := brokertest.NewMemory()
				b := newBroker(t, st, service.Options{AskerGrace: 24 * time.Hour})
				q := headless("toolu_1", "make", "talk 1")
				q.AtMost = 3 * time.Hour
				r := submit(t, b, q)
				time.Sleep(8 * time.Minute)
				slowly(st, broker.EventExtended, 5*time.Second)
				done := make(chan error, 1)
				go func() { _, err := b.Extend(t.Context(), r.ID, operator); done <- err }()
				time.Sleep(time.Second)
				putOff(t, b, r.ID)
				ended(t, b)
				if tc.again {
					again := headless("toolu_1", "make", "talk 2")
					again.Timeout = time.Minute
					submit(t, b, again)
				}
				if err := <-done; err != nil { // it came first
					t.Errorf("more time: %v", err)
				}
				if got := must2(b.Request(t.Context(), r.ID)); tc.again && !got.ExtendedAt.IsZero() {
					t.Errorf("it may wait until %v", got.ExpiresAt)
				}
				time.Sleep(2 * time.Minute)
				want := broker.Pending
				if tc.again {
					want = broker.Expired
				}
				if s := stateOf(t, b, r.ID); s != want {
					t.Errorf("it is %s, want %s", s, want)
				}
			})
		})
	}
}

// The old deadline passes while more time is being recorded. What is allowed then waits for
// the record: with it the call is allowed, without it its time is over.
func TestAllowWhileMoreTimeIsRecorded(t *testing.T) {
	for name, fails := range map[string]error{"recorded": nil, "not recorded": errors.New("disk full")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, r, done := moreTimeTooLate(t, fails)
				_, err := b.DecideAll(t.Context(), []broker.Pick{{ID: r.ID, Digest: r.Digest}}, broker.Decision{Verdict: broker.Allow, By: operator})
				if more := <-done; (more != nil) != (fails != nil) {
					t.Errorf("more time: %v", more)
				}
				want := broker.Allowed
				if fails != nil {
					want = broker.Expired
				}
				if s := stateOf(t, b, r.ID); s != want || (err != nil) != (fails != nil) {
					t.Errorf("%s, %v; want %s", s, err, want)
				}
			})
		})
	}
}

// A clock that was set back makes no time negative in what an agent reads.
func TestExpiredWordsWithAClockSetBack(t *testing.T) {
	asked := brokertest.Epoch
	for name, tc := range map[string]struct {
		end  time.Duration // since it was asked
		want string
	}{
		"set back":       {-50 * time.Minute, "within 10m0s"},
		"as usual":       {10*time.Minute + 3*time.Millisecond, "within 10m0s"},
		"with more time": {19 * time.Minute, "within 19m0s"},
	} {
		r := broker.Request{State: broker.Expired, CreatedAt: asked, ExpiresAt: asked.Add(10 * time.Minute)}
		r.Outcome = &broker.Outcome{State: broker.Expired, By: broker.Actor{Kind: broker.ByDeadline}, At: asked.Add(tc.end)}
		if words := service.AnswerTo(r).Reason; !strings.Contains(words, tc.want) {
			t.Errorf("%s: %q", name, words)
		}
	}
}

// After the clock was set back a call may seem to wait for days. No client is told of more
// than it takes, and one that does not say what it knows is held like any other.
func TestWaitIsToldInBounds(t *testing.T) {
	st := brokertest.NewMemory()
	r := brokertest.PendingRequest("r", "s1")
	x := broker.Extension{RequestID: "r", At: time.Now()}
	x.From, x.ExpiresAt, x.By = r.ExpiresAt, x.At.Add(72*time.Hour), operator
	must(t, st.Record(t.Context(), brokertest.Asked(r)))
	must(t, st.Record(t.Context(), brokertest.MoreTime(r, x)))
	c := serveOver(t, st, service.Options{Hold: time.Hour, AskerGrace: 24 * time.Hour})
	const path = "/approval-requests/r/decision?timeout="
	if status, body := c.do("GET", path+"0", ""); status != 202 || waitMS(body) != 86_400_000 {
		t.Fatalf("told %d %v", status, body)
	}
	held := make(chan int, 1)
	go func() {
		status, _ := c.do("GET", path+"60", "", wire.HeaderAtMostMS, "3600000")
		held <- status
	}()
	select {
	case status := <-held:
		t.Errorf("it is told %d at once", status)
		return
	case <-time.After(300 * time.Millisecond):
	}
	decide(t, c.b, "r", broker.Decision{Verdict: broker.Deny})
	if status := <-held; status != 200 {
		t.Errorf("in the end it is told %d", status)
	}
}

// Whoever gives more time while the call's end is being recorded hears how it ended, also
// when that could not be recorded.
func TestMoreTimeAtTheEnd(t *testing.T) {
	const want = broker.Expired
	for name, err := range map[string]error{"recorded": nil, "not recorded": errors.New("disk full")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := brokertest.NewMemory()
				b := newBroker(t, st, service.Options{AskerGrace: 24 * time.Hour})
				r := submit(t, b, patient("1"))
				st.BeforeCommit(func(context.Context, *broker.Change) error {
					time.Sleep(2 * time.Second)
					return err
				})
				time.Sleep(time.Until(r.ExpiresAt))
				if got, err := b.Extend(t.Context(), r.ID, operator); !errors.Is(err, broker.ErrAlreadyDecided) || got.State != want {
					t.Errorf("it is %s, and %v", got.State, err)
				}
				st.BeforeCommit(nil)
			})
		})
	}
}
