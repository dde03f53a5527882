package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// busySession is a store whose log has n calls that ran since whatever is asked for.
type busySession struct {
	*brokertest.Memory
	n int
}

func (s *busySession) Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error) {
	if !slices.Contains(f.Types, broker.EventPostTool) {
		return s.Memory.Events(ctx, f)
	}
	var list []broker.Event
	for i := range min(s.n, f.Limit) {
		data, err := json.Marshal(broker.RanData{ToolUseID: fmt.Sprint("other_", i)})
		if err != nil {
			return nil, err
		}
		list = append(list, broker.Event{Seq: int64(i + 1), Type: broker.EventPostTool, SessionID: f.SessionID, Data: data})
	}
	return list, nil
}

// What an answer waited for is looked at as far as it can be seen; beyond that it is not
// known that the call did not run, and it does not.
func TestTooMuchHappenedSince(t *testing.T) {
	for n, holds := range map[int]bool{9_999: true, 10_000: false, 20_000: false} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			st := &busySession{Memory: brokertest.NewMemory()}
			_, r := allowedPutOff(t, st.Memory)
			st.n = n
			b := newBroker(t, st, service.Options{})
			got, err := hears(t, b, headless("toolu_1", "make", "talk 2"))
			if holds && (err != nil || got.ID != r.ID || got.State != broker.Allowed) {
				t.Errorf("%s %v", got.State, err)
			}
			if !holds && (!errors.Is(err, broker.ErrAnsweredBefore) || !strings.Contains(err.Error(), "too much happened since")) {
				t.Errorf("told %s, %v", got.State, err)
			}
		})
	}
}

// Who asks again while the answer is being recorded hears that answer, and not that the call
// is put off: nothing would resume it once more.
func TestAskedAgainWhileItIsAnswered(t *testing.T) {
	for verdict, want := range map[broker.Verdict]broker.State{broker.Allow: broker.Allowed, broker.Deny: broker.Denied} {
		t.Run(string(verdict), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := brokertest.NewMemory()
				b, r := leftOff(t, st)
				heard := make(chan broker.Request, 1)
				during(st, settles, func() {
					got, err := hears(t, b, headless("toolu_1", "make", "talk 2"))
					if err != nil {
						t.Error(err)
					}
					if r, err := st.Request(t.Context(), r.ID); err != nil || !r.State.Terminal() {
						t.Errorf("it was told something before the answer was on record: %s %v", r.State, err)
					}
					heard <- got
				})
				decide(t, b, r.ID, broker.Decision{Verdict: verdict})
				if got := <-heard; got.State != want || got.Checkpoint != nil {
					t.Errorf("it is told %s, put off: %v", got.State, got.Checkpoint != nil)
				}
				if storedCheckpoints(t, st) != 0 {
					t.Error("the checkpoint stayed")
				}
			})
		})
	}
}

// When the answer cannot be recorded, who asked again meanwhile is told no, as everybody is.
func TestAskedAgainWhileItsAnswerIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b, r := leftOff(t, st)
		heard := make(chan broker.State, 1)
		st.BeforeCommit(func(_ context.Context, c *broker.Change) error {
			if !settles(c) {
				return nil
			}
			st.BeforeCommit(nil)
			go func() {
				got, _ := hears(t, b, headless("toolu_1", "make", "talk 2"))
				heard <- got.State
			}()
			synctest.Wait()
			return errors.New("disk full")
		})
		if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); !errors.Is(err, broker.ErrNotRecorded) {
			t.Errorf("allow: %v", err)
		}
		if got := <-heard; got == broker.Allowed {
			t.Error("it may run, and nobody has that on record")
		}
		time.Sleep(5 * time.Second)
		if got, err := hears(t, newBroker(t, st, service.Options{}), headless("toolu_1", "make", "talk 3")); err == nil && got.State == broker.Allowed {
			t.Error("the next console lets it run")
		}
	})
}
