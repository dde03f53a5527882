package service_test

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/service"
)

// during has act begin while the next commit that fits is under way, once: what it sends waits for
// its turn. In a bubble the commit goes on when act waits. The returned function waits for act.
func during(st *brokertest.Memory, fits func(*broker.Change) bool, act func()) (wait func()) {
	return whileIn(st, fits, act, func() { time.Sleep(10 * time.Millisecond) })
}

func whileIn(st *brokertest.Memory, fits func(*broker.Change) bool, act, until func()) (wait func()) {
	done := make(chan struct{})
	st.BeforeCommit(func(_ context.Context, c *broker.Change) error {
		if fits(c) {
			st.BeforeCommit(nil)
			go func() {
				defer close(done)
				act()
			}()
			until()
		}
		return nil
	})
	return func() { <-done }
}

func givesAnswer(c *broker.Change) bool { return len(c.DropCheckpoints) > 0 }

// allowedPutOff has a call that was put off, whose agent ended, and that was allowed.
func allowedPutOff(t *testing.T, st *brokertest.Memory) (*service.Broker, broker.Request) {
	t.Helper()
	b, r := leftOff(t, st)
	return b, decide(t, b, r.ID, broker.Decision{Verdict: broker.Allow})
}

// The answer of a call that was put off is told only once it is on record that it is; until
// then the checkpoint stays, and the agent may ask again.
func TestDeferredAnswerIsRecordedFirst(t *testing.T) {
	st := brokertest.NewMemory()
	b, _ := allowedPutOff(t, st)
	failCommits(st, errors.New("disk full"))
	if got, err := hears(t, b, headless("toolu_1", "make", "talk 2")); !errors.Is(err, broker.ErrNotRecorded) {
		t.Errorf("told %s, %v", got.State, err)
	}
	failCommits(st, nil)
	if storedCheckpoints(t, st) != 1 {
		t.Fatal("the checkpoint is gone")
	}
	if got, err := hears(t, b, headless("toolu_1", "make", "talk 3")); err != nil || got.State != broker.Allowed {
		t.Errorf("then told %s, %v", got.State, err)
	}
}

// A freeze keeps the answer, and the checkpoint with it, however long it takes and whatever
// restarts; also one that comes while the answer is being recorded.
func TestFreezeKeepsDeferredAnswer(t *testing.T) {
	t.Run("before", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			st := brokertest.NewMemory()
			b, _ := allowedPutOff(t, st)
			freeze(t, b, "")
			for _, talk := range []string{"talk 2", "talk 3"} {
				if got, err := hears(t, b, headless("toolu_1", "make", talk)); err != nil || got.State != broker.Pending || got.Held == "" {
					t.Errorf("in the freeze: %s %q %v", got.State, got.Held, err)
				}
				if storedCheckpoints(t, st) != 1 {
					t.Fatal("the checkpoint is gone")
				}
				time.Sleep(time.Hour)
				b = newBroker(t, st, service.Options{})
			}
			unfreeze(t, b, "")
			if got, err := hears(t, b, headless("toolu_1", "make", "talk 4")); err != nil || got.State != broker.Allowed {
				t.Errorf("after it: %s %v", got.State, err)
			}
		})
	})
	t.Run("meanwhile", func(t *testing.T) {
		st := brokertest.NewMemory()
		b, _ := allowedPutOff(t, st)
		frozen := during(st, givesAnswer, func() { freeze(t, b, "") })
		if got, err := hears(t, b, headless("toolu_1", "make", "talk 2")); err != nil || got.State != broker.Allowed { // it was told before the freeze held
			t.Errorf("told %s %v", got.State, err)
		}
		frozen()
		if got, err := hears(t, b, headless("toolu_1", "make", "talk 2")); err != nil || got.State != broker.Pending {
			t.Errorf("told %s %v in a freeze", got.State, err)
		}
	})
}

// eventless is a store whose events cannot be read from now on.
type eventless struct {
	broker.Store
	now bool
}

func (s *eventless) Events(ctx context.Context, f broker.EventFilter) ([]broker.Event, error) {
	if s.now {
		return nil, errors.New("the disk is away")
	}
	return s.Store.Events(ctx, f)
}

// What speaks against an answer that is about to be given.
func TestDeferredAnswerIsStopped(t *testing.T) {
	//nolint:thelper // they are steps of the test, not helpers
	for name, tc := range map[string]struct {
		since func(t *testing.T, st *brokertest.Memory, b *service.Broker) *service.Broker
		why   string
	}{
		"a stop that is only in memory yet": {func(t *testing.T, st *brokertest.Memory, b *service.Broker) *service.Broker {
			stopUnrecorded(t, st, b, "s")
			return b
		}, "its session is stopped"},
		"a stop that is on record only": {func(t *testing.T, st *brokertest.Memory, b *service.Broker) *service.Broker {
			ev := &broker.Event{At: time.Now(), Type: broker.EventStopRequested, SessionID: "s", Data: []byte("{}")}
			must(t, st.Record(t.Context(), &broker.Change{Events: []*broker.Event{ev}}))
			return b
		}, "stopped meanwhile"},
		"a log that was changed": {func(_ *testing.T, _ *brokertest.Memory, b *service.Broker) *service.Broker {
			b.NoteLog("event 3 was changed")
			return b
		}, "event 3 was changed"},
		"a log that cannot be read": {func(t *testing.T, st *brokertest.Memory, _ *service.Broker) *service.Broker {
			away := &eventless{Store: st}
			b := newBroker(t, away, service.Options{})
			away.now = true
			return b
		}, "cannot be read"},
		"that it ran, before a restart": {func(t *testing.T, st *brokertest.Memory, b *service.Broker) *service.Broker {
			told(t, b, agents.Hook{Kind: agents.ToolDone, ToolName: "Bash", ToolInput: []byte(`{"command":"make"}`), ToolUseID: "toolu_1"})
			return newBroker(t, st, service.Options{})
		}, "already run"},
	} {
		t.Run(name, func(t *testing.T) {
			st := brokertest.NewMemory()
			b, _ := allowedPutOff(t, st)
			b = tc.since(t, st, b)
			got, err := hears(t, b, headless("toolu_1", "make", "talk 2"))
			if !errors.Is(err, broker.ErrAnsweredBefore) || !strings.Contains(err.Error(), tc.why) {
				t.Errorf("told %s, %v; want %q", got.State, err, tc.why)
			}
		})
	}
}

// Of several who put off, or put off and decide, at once, one does.
func TestPuttingOffHasOneWinner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		r := submit(t, b, headless("toolu_1", "make", "talk 1"))
		other := submit(t, b, headless("toolu_2", "make install", "talk 2"))
		second := during(st, func(c *broker.Change) bool { return c.Checkpoint != nil }, func() {
			if _, err := b.Defer(t.Context(), other.ID, operator); !errors.Is(err, broker.ErrCannotDefer) {
				t.Errorf("a second one of the turn meanwhile: %v", err)
			}
		})
		putOff(t, b, r.ID)
		second()
		second = during(st, func(c *broker.Change) bool { return len(c.Settle) > 0 }, func() {
			if _, err := b.Defer(t.Context(), other.ID, operator); !errors.Is(err, broker.ErrAlreadyDecided) {
				t.Errorf("while it is being allowed: %v", err)
			}
		})
		decide(t, b, other.ID, broker.Decision{Verdict: broker.Allow})
		second()
	})
}

// A call that may have been put off on record, was not, and then is, stays so.
func TestPutOffAfterALostRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		r := submit(t, b, headless("toolu_1", "make", "talk 1"))
		failCommits(st, errors.New("disk full"))
		if _, err := b.Defer(t.Context(), r.ID, operator); !errors.Is(err, broker.ErrNotRecorded) {
			t.Fatal(err)
		}
		failCommits(st, nil)
		putOff(t, b, r.ID)
		time.Sleep(5 * time.Second) // the sweeper catches up
		if n := storedCheckpoints(t, st); n != 1 {
			t.Errorf("%d checkpoints", n)
		}
	})
}

// Calls beside one that is put off are refused in its turn, and are asked again in the next.
func TestBesideEndsWithTheTurn(t *testing.T) {
	for _, end := range []agents.Hook{{Kind: agents.TurnEnd}, {Kind: agents.Prompt, Text: "go on"}, {Kind: agents.SessionEnd}, {Kind: agents.SessionStart}} {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		r := submit(t, b, headless("toolu_1", "make", "talk 1"))
		putOff(t, b, r.ID)
		told(t, b, agents.Hook{Kind: agents.TurnEnd, SubagentID: "helper"})
		if got := submit(t, b, headless("toolu_2", "make 2", "talk 2")); got.State != broker.Denied {
			t.Errorf("%v: in the same turn, after a sub-agent's: %s", end.Kind, got.State)
		}
		told(t, b, end)
		if got := submit(t, b, headless("toolu_3", "make 3", "talk 3")); got.State != broker.Pending {
			t.Errorf("%v: in the next turn: %s", end.Kind, got.State)
		}
	}
}

// An agent that keeps nothing of its session is not told that its call is put off: nothing
// could be resumed.
func TestForgetfulAgentIsNotPutOff(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads in /proc how the agent was started")
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "read x; exit", "-p", "--no-session-persistence")
	in, err := cmd.StdinPipe()
	must(t, err)
	startShown(t, cmd)
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	q := headless("toolu_1", "make", "talk 1")
	q.Session.Process = peers.FindProcess(cmd.Process.Pid)
	r := submit(t, b, q)
	if _, err := b.Defer(t.Context(), r.ID, operator); !errors.Is(err, broker.ErrCannotDefer) || !strings.Contains(err.Error(), "keeps nothing") {
		t.Errorf("%v", err)
	}
}

// A call for which its agent asks again before it is answered waits anew: once that is on
// record, for as long as its agent is there, and not under a stop.
func TestTakenUpWaitsAsAnyOther(t *testing.T) {
	again := headless("toolu_1", "make", "talk 2")
	again.Bound, again.Asker = true, broker.Process{PID: 4243, Start: 1}
	t.Run("on record", func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		r := putOff(t, b, submit(t, b, headless("toolu_1", "make", "talk 1")).ID)
		failCommits(st, errors.New("disk full"))
		if got, err := hears(t, b, again); !errors.Is(err, broker.ErrNotRecorded) {
			t.Errorf("%s %v", got.State, err)
		}
		if must2(b.Request(t.Context(), r.ID)).Checkpoint == nil {
			t.Error("it is put off no longer")
		}
	})
	t.Run("its agent leaves", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: func(p broker.Process) bool { return p.PID != 4243 }, AskerGrace: time.Second})
			r := putOff(t, b, submit(t, b, headless("toolu_1", "make", "talk 1")).ID)
			if got, err := hears(t, b, again); err != nil || got.Checkpoint != nil {
				t.Fatal(got.State, err)
			}
			time.Sleep(10 * time.Second)
			if got := must2(b.Request(t.Context(), r.ID)); got.State != broker.Cancelled {
				t.Errorf("it is %s", got.State)
			}
		})
	})
	t.Run("under a stop", func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		putOff(t, b, submit(t, b, headless("toolu_1", "make", "talk 1")).ID)
		stopUnrecorded(t, st, b, "s")
		if got, err := hears(t, b, again); err != nil || got.State != broker.Denied {
			t.Errorf("%s %v", got.State, err)
		}
	})
}
