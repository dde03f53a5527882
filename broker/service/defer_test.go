package service_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/broker/service"
)

// headless is a call of an agent without a user, asked in the conversation called talk.
func headless(call, command, talk string) broker.Question {
	q := bash("s", call, command)
	q.ToolUseID, q.Key = call, service.ToolKey("claude", "s", "", "PreToolUse", call)
	q.Headless, q.Correlation = true, talk
	return q
}

// ended tells that the agent's process said goodbye, as it does when it was put off.
func ended(t *testing.T, b *service.Broker) {
	t.Helper()
	told(t, b, agents.Hook{Kind: agents.SessionEnd, Text: "other"})
}

func putOff(t *testing.T, b *service.Broker, id string) broker.Request {
	t.Helper()
	r, err := b.Defer(t.Context(), id, operator)
	if err != nil {
		t.Fatal(err)
	}
	if r.State != broker.Pending || r.Checkpoint == nil {
		t.Fatalf("put off: %s, checkpoint %v", r.State, r.Checkpoint)
	}
	return r
}

// leftOff is a broker over st with a call that was put off, and whose agent has ended.
func leftOff(t *testing.T, st broker.Store) (*service.Broker, broker.Request) {
	t.Helper()
	b := newSlow(t, st, service.Options{})
	r := putOff(t, b, submit(t, b, headless("toolu_1", "make", "talk 1")).ID)
	ended(t, b)
	return b, r
}

func decide(t *testing.T, b *service.Broker, id string, d broker.Decision) broker.Request {
	t.Helper()
	d.By = operator
	r, err := b.Decide(t.Context(), id, d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// hears is what the hook of q is told when it asks now.
func hears(t *testing.T, b *service.Broker, q broker.Question) (broker.Request, error) {
	t.Helper()
	r, err := b.Submit(t.Context(), q)
	if err != nil {
		return r, err
	}
	return b.Heard(t.Context(), r)
}

func storedCheckpoints(t *testing.T, st broker.Store) int {
	t.Helper()
	saved, err := st.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(saved.Checkpoints)
}

// The next day: the agent's process has ended, every console in between was killed, and the
// answer is there when the agent asks again, once.
func TestPutOffIsAnsweredTheNextDay(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		verdict broker.Verdict
		want    broker.State
	}{"allowed": {broker.Allow, broker.Allowed}, "denied": {broker.Deny, broker.Denied}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := brokertest.NewMemory()
				b, r := leftOff(t, st)
				for range 4 { // as many killed consoles as would set another call aside
					time.Sleep(6 * time.Hour)
					killBroker(t, st, b)
					b = newSlow(t, st, service.Options{})
				}
				got, err := b.Request(t.Context(), r.ID)
				if err != nil || got.State != broker.Pending || got.Checkpoint == nil {
					t.Fatalf("a day later: %s %v %v", got.State, got.Checkpoint, err)
				}
				if s := must2(b.Session(t.Context(), "s")); s.Deferred != 1 || s.Pending != 0 || s.State != broker.SessionFinished {
					t.Errorf("the session: %d put off, %d waiting, %s", s.Deferred, s.Pending, s.State)
				}
				decide(t, b, r.ID, broker.Decision{Verdict: tc.verdict, Reason: "because"})
				time.Sleep(6 * time.Hour)
				killBroker(t, st, b)
				b = newSlow(t, st, service.Options{})
				if storedCheckpoints(t, st) != 1 {
					t.Fatal("the checkpoint of a decided call went before its answer was given")
				}
				again := headless("toolu_1", "make", "talk 2")
				if got, err = hears(t, b, again); err != nil || got.State != tc.want || got.Outcome.Reason != "because" {
					t.Fatalf("asked again: %s %v", got.State, err)
				}
				if storedCheckpoints(t, st) != 0 {
					t.Error("the checkpoint outlived the answer")
				}
				if got, err = hears(t, b, again); err != nil || got.State != tc.want { // its connection broke
					t.Errorf("asked at once again: %s %v", got.State, err)
				}
				time.Sleep(2 * time.Minute)
				if got, err = hears(t, b, again); (err != nil) != (tc.want == broker.Allowed) {
					t.Errorf("asked later: %s %v", got.State, err)
				}
			})
		})
	}
}

// What an agent that asks again finds speaks against its answer, the answer does not hold.
func TestOldAnswerYieldsToWhatCameSince(t *testing.T) {
	//nolint:thelper // they are steps of the test, not helpers
	for name, tc := range map[string]struct {
		since func(t *testing.T, b *service.Broker)
		why   string
	}{
		"nothing":          {func(*testing.T, *service.Broker) {}, ""},
		"a prompt":         {func(t *testing.T, b *service.Broker) { told(t, b, agents.Hook{Kind: agents.Prompt, Text: "go on"}) }, ""},
		"a turn's end":     {func(t *testing.T, b *service.Broker) { told(t, b, agents.Hook{Kind: agents.TurnEnd}) }, ""},
		"a rule denies it": {func(t *testing.T, b *service.Broker) { save(t, b, denying("make", "not now")) }, "rule denies it"},
		"it ran": {func(t *testing.T, b *service.Broker) {
			told(t, b, agents.Hook{Kind: agents.ToolDone, ToolName: "Bash", ToolInput: []byte(`{"command":"make"}`), ToolUseID: "toolu_1"})
		}, "already run"},
		"there is an alarm": {func(t *testing.T, b *service.Broker) {
			told(t, b, agents.Hook{Kind: agents.ToolDone, ToolName: "Bash", ToolInput: []byte(`{"command":"rm x"}`), ToolUseID: "toolu_2"})
		}, "alarm"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := brokertest.NewMemory()
				b := newSlow(t, st, service.Options{})
				told(t, b, agents.Hook{Kind: agents.Prompt, Text: "go"})
				r := submit(t, b, headless("toolu_1", "make", "talk 1"))
				putOff(t, b, r.ID)
				ended(t, b)
				decide(t, b, r.ID, broker.Decision{Verdict: broker.Allow})
				time.Sleep(time.Hour)
				tc.since(t, b)
				got, err := hears(t, b, headless("toolu_1", "make", "talk 2"))
				if tc.why == "" && (err != nil || got.State != broker.Allowed) {
					t.Errorf("got %s %v, want it allowed", got.State, err)
				}
				if tc.why != "" && (!errors.Is(err, broker.ErrAnsweredBefore) || !strings.Contains(err.Error(), tc.why)) {
					t.Errorf("got %s %v, want %q", got.State, err, tc.why)
				}
				if storedCheckpoints(t, st) != 0 {
					t.Error("the checkpoint stayed")
				}
			})
		})
	}
}

// While it is put off nothing that happens to its agent ends a call, and its hook is told
// so again when its connection broke.
func TestNothingEndsWhatIsPutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		var alive atomic.Bool
		alive.Store(true)
		b := newSlow(t, st, service.Options{ApprovalTimeout: time.Minute, Alive: func(broker.Process) bool { return alive.Load() }})
		q := headless("toolu_1", "make", "talk 1")
		q.Session.Process = broker.Process{PID: 4242, Start: 1}
		q.Asker = broker.Process{PID: 4243, Start: 1}
		r := submit(t, b, q)
		putOff(t, b, r.ID)
		for range 2 { // the same hook, after a broken connection
			if got, err := hears(t, b, q); err != nil || got.State != broker.Pending || got.Checkpoint == nil {
				t.Fatalf("its hook hears %s %v", got.State, err)
			}
		}
		alive.Store(false)
		time.Sleep(24 * time.Hour)
		ended(t, b)
		if got := must2(b.Request(t.Context(), r.ID)); got.State != broker.Pending || got.Checkpoint == nil {
			t.Fatalf("it ended as %s", got.State)
		}
		if _, err := b.Defer(t.Context(), r.ID, operator); err != nil {
			t.Errorf("put off twice: %v", err)
		}

		// Its agent asks again before anybody answered: it waits like any other.
		alive.Store(true)
		again := headless("toolu_1", "make", "talk 2")
		got, err := hears(t, b, again)
		if err != nil || got.State != broker.Pending || got.Checkpoint != nil || !got.Deferrable {
			t.Fatalf("taken up: %s %v %v", got.State, got.Checkpoint, err)
		}
		if s := must2(b.Session(t.Context(), "s")); s.Pending != 1 || s.Deferred != 0 || s.State != broker.SessionActive {
			t.Errorf("the session: %d waiting, %d put off, %s", s.Pending, s.Deferred, s.State)
		}
		time.Sleep(10 * time.Second)
		killBroker(t, st, b)
		b = newSlow(t, st, service.Options{ApprovalTimeout: time.Minute}) // which keeps the new deadline
		if got = must2(b.Request(t.Context(), r.ID)); got.State != broker.Pending || time.Until(got.ExpiresAt) < 40*time.Second {
			t.Fatalf("at the next console: %s, %v left", got.State, time.Until(got.ExpiresAt))
		}
		if got, err = hears(t, b, again); err != nil || got.State != broker.Pending || got.Checkpoint != nil {
			t.Fatalf("%s %v", got.State, err)
		}
		putOff(t, b, r.ID) // once more
		decide(t, b, r.ID, broker.Decision{Verdict: broker.Allow})
		if got, err = hears(t, b, headless("toolu_1", "make", "talk 3")); err != nil || got.State != broker.Allowed {
			t.Fatalf("%s %v", got.State, err)
		}
	})
}

func TestTakenUpExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{ApprovalTimeout: time.Minute})
		r := submit(t, b, headless("toolu_1", "make", "talk 1"))
		putOff(t, b, r.ID)
		time.Sleep(time.Hour)
		q := headless("toolu_1", "make", "talk 2")
		q.Bound = false
		submit(t, b, q)
		time.Sleep(61 * time.Second)
		if got := must2(b.Request(t.Context(), r.ID)); got.State != broker.Expired {
			t.Errorf("%s", got.State)
		}
		if storedCheckpoints(t, st) != 0 {
			t.Error("the checkpoint stayed")
		}
	})
}

func TestWhatCannotBePutOff(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(q *broker.Question)
		why    string
	}{
		"a user":              {func(q *broker.Question) { q.Headless = false }, "user may sit"},
		"a sub-agent":         {func(q *broker.Question) { q.SubagentID = "a1" }, "sub-agent"},
		"a question":          {func(q *broker.Question) { q.ToolName = "AskUserQuestion" }, "asks the user"},
		"a plan":              {func(q *broker.Question) { q.ToolName = "ExitPlanMode" }, "asks the user"},
		"another event":       {func(q *broker.Question) { q.Event = "PermissionRequest" }, "not ask again"},
		"no id":               {func(q *broker.Question) { q.ToolUseID = "" }, "not ask again"},
		"another agent":       {func(q *broker.Question) { q.Agent = "codex" }, "cannot be told so"},
		"a caller of the API": {func(q *broker.Question) { q.Event, q.Agent = "", "mine" }, "cannot be told so"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBroker(t, brokertest.NewMemory(), service.Options{OnTimeout: broker.Defer})
				save(t, b, rules.Rule{Enabled: true, Tool: "*", Decision: rules.Defer})
				q := headless("toolu_1", "make", "talk 1")
				tc.change(&q)
				r := submit(t, b, q)
				if r.State != broker.Pending || r.Checkpoint != nil || r.Deferrable {
					t.Fatalf("%s, put off %v, deferrable %v", r.State, r.Checkpoint != nil, r.Deferrable)
				}
				if a := r.Assessment; a == nil || a.Verdict != rules.Ask || !strings.Contains(a.Reason, tc.why) {
					t.Errorf("the card says %+v, want %q", a, tc.why)
				}
				if _, err := b.Defer(t.Context(), r.ID, operator); !errors.Is(err, broker.ErrCannotDefer) || !strings.Contains(err.Error(), tc.why) {
					t.Errorf("%v, want ErrCannotDefer with %q", err, tc.why)
				}
				time.Sleep(11 * time.Minute)
				if r = must2(b.Request(t.Context(), r.ID)); r.State == broker.Pending || r.State == broker.Allowed {
					t.Errorf("at its deadline: %s", r.State)
				}
			})
		})
	}
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	if _, err := b.Defer(t.Context(), "nobody", operator); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("an unknown call: %v", err)
	}
	r := submit(t, b, headless("toolu_1", "make", "talk 1"))
	decide(t, b, r.ID, broker.Decision{Verdict: broker.Deny})
	if _, err := b.Defer(t.Context(), r.ID, operator); !errors.Is(err, broker.ErrAlreadyDecided) {
		t.Errorf("a decided call: %v", err)
	}
}

// Only one call of a session is put off, since an agent asks again for one.
func TestOneOfATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{OnTimeout: broker.Defer, ApprovalTimeout: 20 * time.Second})
		save(t, b, rules.Rule{Enabled: true, Tool: "Bash", Where: map[string]string{"command": "echo *"}, Decision: rules.Allow})
		first := submit(t, b, headless("toolu_1", "make", "talk 1"))
		second := submit(t, b, headless("toolu_2", "make install", "talk 2"))
		putOff(t, b, first.ID)
		if _, err := b.Defer(t.Context(), second.ID, operator); !errors.Is(err, broker.ErrCannotDefer) {
			t.Errorf("a second one: %v", err)
		}
		if r := submit(t, b, headless("toolu_3", "rm -r dist", "talk 3")); r.State != broker.Denied || !strings.Contains(service.AnswerTo(r).Reason, "Make it again once") {
			t.Errorf("a new call beside it: %s %q", r.State, service.AnswerTo(r).Reason)
		}
		if r := submit(t, b, headless("toolu_4", "echo hi", "talk 4")); r.State != broker.Allowed {
			t.Errorf("a call that a rule allows beside it: %s", r.State)
		}
		other := headless("toolu_1", "make", "talk 5")
		other.SessionID, other.Key = "other", service.ToolKey("claude", "other", "", "PreToolUse", "toolu_1")
		if r := submit(t, b, other); r.State != broker.Pending {
			t.Errorf("a call of another session: %s", r.State)
		}
		time.Sleep(61 * time.Second)
		if r := must2(b.Request(t.Context(), second.ID)); r.State != broker.Denied || !strings.Contains(service.AnswerTo(r).Reason, "Make it again once") {
			t.Errorf("the second at its deadline: %s %q", r.State, service.AnswerTo(r).Reason)
		}
		ended(t, b)
		told(t, b, agents.Hook{Kind: agents.SessionStart, Text: "resume"})
		hears(t, b, headless("toolu_1", "make", "talk 6")) //nolint:errcheck // it waits
		decide(t, b, first.ID, broker.Decision{Verdict: broker.Allow})
		if r := submit(t, b, headless("toolu_5", "make install", "talk 7")); r.State != broker.Pending {
			t.Errorf("a call after it was answered: %s", r.State)
		}
	})
}

func TestDeadlinePutsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{OnTimeout: broker.Defer, ApprovalTimeout: 20 * time.Second})
		r := submit(t, b, headless("toolu_1", "make", "talk 1"))
		time.Sleep(61 * time.Second)
		got := must2(b.Request(t.Context(), r.ID))
		if got.State != broker.Pending || got.Checkpoint == nil || got.Checkpoint.By.Kind != broker.ByDeadline {
			t.Fatalf("%s %+v", got.State, got.Checkpoint)
		}
	})
}

func TestRulePutsOff(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	rule := save(t, b, rules.Rule{Enabled: true, Tool: "Bash", MaxUses: 1, Decision: rules.Defer, Reason: "at night"})
	r := submit(t, b, headless("toolu_1", "make", "talk 1"))
	if r.State != broker.Pending || r.Checkpoint == nil || r.Checkpoint.By != (broker.Actor{Kind: broker.ByRule, ID: rule.Rule.ID}) {
		t.Fatalf("%s %+v", r.State, r.Checkpoint)
	}
	other := headless("toolu_1", "make", "talk 2")
	other.SessionID, other.Key = "t", service.ToolKey("claude", "t", "", "PreToolUse", "toolu_1")
	if r := submit(t, b, other); r.Checkpoint != nil || r.State != broker.Pending {
		t.Errorf("a rule with one use put off two calls")
	}
	saved := must2(st.Load(t.Context()))
	if saved.RuleUse[rule.Rule.ID].Uses != 1 {
		t.Errorf("uses on record: %d", saved.RuleUse[rule.Rule.ID].Uses)
	}
}

// A stop ends what is put off, also of sessions whose process has ended, answered or not.
func TestStopEndsWhatIsPutOff(t *testing.T) {
	//nolint:thelper // they are steps of the test, not helpers
	for name, stop := range map[string]func(t *testing.T, b *service.Broker){
		"one": func(t *testing.T, b *service.Broker) { must2(b.Stop(t.Context(), "s", operator)) },
		"all": func(t *testing.T, b *service.Broker) { _, _, err := b.StopAll(t.Context(), operator); must(t, err) },
	} {
		for _, answered := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					st := brokertest.NewMemory()
					b, r := leftOff(t, st)
					if answered {
						decide(t, b, r.ID, broker.Decision{Verdict: broker.Allow})
					}
					time.Sleep(time.Hour)
					stop(t, b)
					if n := storedCheckpoints(t, st); n != 0 {
						t.Errorf("%d checkpoints stayed", n)
					}
					s := must2(b.Session(t.Context(), "s"))
					if s.State != broker.SessionStopped || s.Deferred != 0 {
						t.Errorf("the session is %s with %d put off", s.State, s.Deferred)
					}
					if _, err := b.Resume(t.Context(), "s", operator); !errors.Is(err, broker.ErrNotFound) {
						t.Errorf("resume: %v", err)
					}
					for _, b := range []*service.Broker{b, newBroker(t, st, service.Options{})} {
						if got, err := hears(t, b, headless("toolu_1", "make", "talk 2")); err == nil && got.State != broker.Denied {
							t.Errorf("asked again: %s", got.State)
						}
					}
				})
			})
		}
	}
}

func TestDenyForGoodEndsTheSession(t *testing.T) {
	st := brokertest.NewMemory()
	b, r := leftOff(t, st)
	got := decide(t, b, r.ID, broker.Decision{Verdict: broker.Deny, End: true, Reason: "no"})
	if got.State != broker.Denied || got.Checkpoint != nil || storedCheckpoints(t, st) != 0 {
		t.Errorf("%s, %v, %d stored", got.State, got.Checkpoint, storedCheckpoints(t, st))
	}
	for _, b := range []*service.Broker{b, newBroker(t, st, service.Options{})} {
		if s := must2(b.Session(t.Context(), "s")); s.EndReason != broker.RejectedReason || !s.State.Ended() || s.Deferred != 0 {
			t.Errorf("the session is %s because %q, %d put off", s.State, s.EndReason, s.Deferred)
		}
	}
	if _, err := b.Resume(t.Context(), "s", operator); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("resume: %v", err)
	}
}

// What could not be recorded was not said: the call waits as before.
func TestPutOffIsRecordedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		r := submit(t, b, headless("toolu_1", "make", "talk 1"))
		failCommits(st, errors.New("disk full"))
		if _, err := b.Defer(t.Context(), r.ID, operator); !errors.Is(err, broker.ErrNotRecorded) {
			t.Fatalf("%v", err)
		}
		if got := must2(b.Request(t.Context(), r.ID)); got.Checkpoint != nil || got.State != broker.Pending {
			t.Errorf("%s %v", got.State, got.Checkpoint)
		}
		failCommits(st, nil)
		st.AfterCommit(func(_ context.Context, c *broker.Change) error { // recorded, and nobody knows
			if c.Checkpoint != nil {
				return errors.New("lost")
			}
			return nil
		})
		if _, err := b.Defer(t.Context(), r.ID, operator); !errors.Is(err, broker.ErrNotRecorded) || storedCheckpoints(t, st) != 1 {
			t.Fatalf("%v", err)
		}
		time.Sleep(2 * time.Second)
		if n := storedCheckpoints(t, st); n != 0 {
			t.Errorf("%d checkpoints of a call whose agent was not told", n)
		}
	})
}
