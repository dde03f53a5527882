package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/wire"
)

// patient is a call whose asker would wait an hour.
func patient(key string) broker.Question {
	q := bash("s", key, "make")
	q.AtMost = time.Hour
	return q
}

func moreTime(t *testing.T, b *service.Broker, id string) broker.Request {
	t.Helper()
	r, err := b.Extend(t.Context(), id, operator)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func stateOf(t *testing.T, b *service.Broker, id string) broker.State {
	t.Helper()
	synctest.Wait()
	return must2(b.Request(t.Context(), id)).State
}

// More time counts from when it is given; the call ends at the new deadline and not at the
// old one.
func TestMoreTimeMovesTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{AskerGrace: 24 * time.Hour})
		r := submit(t, b, patient("1"))
		if want := r.CreatedAt.Add(time.Hour - time.Second); !r.MayWaitUntil.Equal(want) {
			t.Errorf("its asker waits until %v, want %v", r.MayWaitUntil, want)
		}
		time.Sleep(9 * time.Minute)
		got := moreTime(t, b, r.ID)
		if want := r.CreatedAt.Add(19 * time.Minute); !got.ExpiresAt.Equal(want) || !got.ExtendedAt.Equal(r.CreatedAt.Add(9*time.Minute)) {
			t.Errorf("the deadline is %v since %v, want %v", got.ExpiresAt, got.ExtendedAt, want)
		}
		time.Sleep(10*time.Minute - time.Millisecond)
		if s := stateOf(t, b, r.ID); s != broker.Pending {
			t.Fatalf("%s before the new deadline", s)
		}
		time.Sleep(2 * time.Millisecond)
		if s := stateOf(t, b, r.ID); s != broker.Expired {
			t.Fatalf("%s at the new deadline", s)
		}
		end := must2(b.Request(t.Context(), r.ID))
		if words := service.AnswerTo(end).Reason; !strings.Contains(words, "within 19m0s") {
			t.Errorf("the agent is told %q", words)
		}
		if _, err := b.Extend(t.Context(), r.ID, operator); !errors.Is(err, broker.ErrAlreadyDecided) {
			t.Errorf("after its end: %v", err)
		}
	})
}

// No deadline is later than its asker would wait, and none becomes earlier.
func TestMoreTimeEndsWhereTheAskerLeaves(t *testing.T) {
	t.Parallel()
	api := patient("api")
	api.Event, api.AtMost, api.Timeout = "", 0, time.Minute
	old, long := bash("s", "old", "make"), bash("s", "long", "make")
	old.Timeout, long.Timeout, long.AtMost = 10*time.Minute, time.Hour, 2*time.Hour
	day := bash("s", "day", "make")
	day.Timeout = 24 * time.Hour
	for name, tc := range map[string]struct {
		q       broker.Question
		wait    time.Duration
		want    time.Duration // since it was asked
		refused string
	}{
		"a part of it":         {patient("1"), 0, 0, "full time already"},
		"up to the end":        {func() broker.Question { q := patient("2"); q.AtMost = 12 * time.Minute; return q }(), 9 * time.Minute, 12*time.Minute - time.Second, ""},
		"an old installation":  {old, 9 * time.Minute, 0, `its hook waits no longer: run "aoctl install claude" again`},
		"a whole day":          {day, 24*time.Hour - time.Minute, 0, "no call waits longer than a day"},
		"a program":            {api, 30 * time.Second, 0, "its program waits no longer: it named no at_most"},
		"longer than it would": {long, time.Minute, 0, "full time already"},
		"near the longer end":  {long, 55 * time.Minute, 65 * time.Minute, ""},
		"its time begins anew": {patient("3"), 5 * time.Minute, 15 * time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newSlow(t, brokertest.NewMemory(), service.Options{AskerGrace: 24 * time.Hour})
				r := submit(t, b, tc.q)
				time.Sleep(tc.wait)
				got, err := b.Extend(t.Context(), r.ID, operator)
				if tc.refused != "" {
					if !errors.Is(err, broker.ErrNoMoreTime) || !strings.Contains(err.Error(), tc.refused) || !got.ExpiresAt.Equal(r.ExpiresAt) {
						t.Fatalf("got %v, %v", got.ExpiresAt.Sub(r.CreatedAt), err)
					}
					return
				}
				if err != nil || got.ExpiresAt.Sub(r.CreatedAt) != tc.want {
					t.Fatalf("got %v, %v; want %v", got.ExpiresAt.Sub(r.CreatedAt), err, tc.want)
				}
			})
		})
	}
}

// A console that an operator told to refuse early gives what the hook would wait by itself.
func TestMoreTimeWithinAnImpatientConsole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: 2 * time.Minute, AskerGrace: 24 * time.Hour})
		q := bash("s", "1", "make")
		q.Timeout = 3 * time.Minute // and no at-most: that is as long as it waits
		r := submit(t, b, q)
		time.Sleep(90 * time.Second)
		if got := moreTime(t, b, r.ID); got.ExpiresAt.Sub(r.CreatedAt) != 3*time.Minute-time.Second {
			t.Errorf("it may wait %v", got.ExpiresAt.Sub(r.CreatedAt))
		}
	})
}

func TestMoreTimeIsTheOperators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{AskerGrace: 24 * time.Hour})
		r := submit(t, b, patient("1"))
		time.Sleep(time.Minute)
		for _, kind := range []broker.ActorKind{broker.ByProcess, broker.ByAgent, broker.ByRule, ""} {
			if _, err := b.Extend(t.Context(), r.ID, broker.Actor{Kind: kind}); !errors.Is(err, broker.ErrForbidden) {
				t.Errorf("%q: %v", kind, err)
			}
		}
		if _, err := b.Extend(t.Context(), "nobody", operator); !errors.Is(err, broker.ErrNotFound) {
			t.Errorf("an unknown call: %v", err)
		}
		if got := must2(b.Request(t.Context(), r.ID)); !got.ExpiresAt.Equal(r.ExpiresAt) {
			t.Error("the deadline moved")
		}
	})
}

// What cannot be recorded is not given.
func TestMoreTimeIsRecordedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{AskerGrace: 24 * time.Hour})
		r := submit(t, b, patient("1"))
		time.Sleep(9 * time.Minute)
		failCommits(st, errors.New("disk full"))
		got, err := b.Extend(t.Context(), r.ID, operator)
		if !errors.Is(err, broker.ErrNotRecorded) || !got.ExpiresAt.Equal(r.ExpiresAt) {
			t.Fatalf("deadline %v, %v", got.ExpiresAt, err)
		}
		failCommits(st, nil)
		time.Sleep(time.Minute + time.Millisecond)
		if s := stateOf(t, b, r.ID); s != broker.Expired {
			t.Errorf("%s at the deadline that it had", s)
		}
	})
}

// The next console keeps the deadline, and the record of it outlives the call.
func TestMoreTimeOutlivesTheConsole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{AskerGrace: 24 * time.Hour})
		r := submit(t, b, patient("1"))
		for range 2 {
			time.Sleep(9 * time.Minute)
			moreTime(t, b, r.ID)
		}
		time.Sleep(5 * time.Minute)
		_ = b.Close()
		b = newBroker(t, st, service.Options{AskerGrace: 24 * time.Hour})
		got := must2(b.Request(t.Context(), r.ID))
		if want := r.CreatedAt.Add(28 * time.Minute); !got.ExpiresAt.Equal(want) || !got.ExtendedAt.Equal(r.CreatedAt.Add(18*time.Minute)) {
			t.Fatalf("the next console has %v since %v, want %v", got.ExpiresAt, got.ExtendedAt, want)
		}
		if _, err := b.Extend(t.Context(), r.ID, operator); !errors.Is(err, broker.ErrNoMoreTime) || !strings.Contains(err.Error(), "nobody has asked for it") {
			t.Errorf("before its hook was heard: %v", err)
		}
		q := patient("1")
		q.AtMost = 37 * time.Minute
		submit(t, b, q) // its hook asks again
		if got = moreTime(t, b, r.ID); !got.ExpiresAt.Equal(r.CreatedAt.Add(33 * time.Minute)) {
			t.Errorf("then it may wait until %v", got.ExpiresAt.Sub(r.CreatedAt))
		}
		time.Sleep(10*time.Minute + time.Millisecond)
		if s := stateOf(t, b, r.ID); s != broker.Expired {
			t.Errorf("%s at the last deadline", s)
		}
		n := 0
		for _, e := range must2(b.Events(t.Context())) {
			if e.Type != broker.EventExtended {
				continue
			}
			n++
			var d broker.ExtendedData
			if err := json.Unmarshal(e.Data, &d); err != nil || e.RequestID != r.ID || d.By != operator || !d.ExpiresAt.After(d.From) {
				t.Errorf("on record is %s, %v", e.Data, err)
			}
		}
		if n != 3 {
			t.Errorf("%d extensions are on record, want 3", n)
		}
	})
}

// A call that is put off waits without a deadline; taken up again it has the usual time,
// whatever it had before.
func TestMoreTimeAndPuttingOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{AskerGrace: 24 * time.Hour})
		q := headless("toolu_1", "make", "talk 1")
		q.AtMost = 3 * time.Hour
		r := submit(t, b, q)
		time.Sleep(8 * time.Minute)
		moreTime(t, b, r.ID)
		putOff(t, b, r.ID)
		if _, err := b.Extend(t.Context(), r.ID, operator); !errors.Is(err, broker.ErrNoMoreTime) {
			t.Errorf("put off: %v", err)
		}
		ended(t, b)
		time.Sleep(2 * time.Minute)
		again := headless("toolu_1", "make", "talk 2")
		again.AtMost = 3 * time.Hour
		taken := submit(t, b, again)
		at := time.Now()
		if taken.ExpiresAt.Sub(at).Round(time.Second) != 10*time.Minute || !taken.ExtendedAt.IsZero() {
			t.Fatalf("taken up it may wait %v", taken.ExpiresAt.Sub(at))
		}
		_ = b.Close()
		b = newBroker(t, st, service.Options{AskerGrace: 24 * time.Hour})
		if got := must2(b.Request(t.Context(), r.ID)); !got.ExpiresAt.Equal(taken.ExpiresAt) || !got.ExtendedAt.IsZero() {
			t.Errorf("the next console has %v, want %v", got.ExpiresAt, taken.ExpiresAt)
		}
		submit(t, b, again)
		time.Sleep(4 * time.Minute)
		given := moreTime(t, b, r.ID)
		_ = b.Close()
		b = newBroker(t, st, service.Options{AskerGrace: 24 * time.Hour})
		if got := must2(b.Request(t.Context(), r.ID)); !got.ExpiresAt.Equal(given.ExpiresAt) {
			t.Errorf("the one after it has %v, want %v", got.ExpiresAt, given.ExpiresAt)
		}
	})
}

// moreTimeTooLate has a call whose time is over by now, while more of it, which was asked for
// before, is still being recorded. That ends with fails; done has what Extend says then.
func moreTimeTooLate(t *testing.T, fails error) (b *service.Broker, r broker.Request, done <-chan error) {
	t.Helper()
	st := brokertest.NewMemory()
	b = newBroker(t, st, service.Options{AskerGrace: 24 * time.Hour})
	r = submit(t, b, patient("1"))
	time.Sleep(10*time.Minute - time.Second)
	st.BeforeCommit(func(_ context.Context, c *broker.Change) error {
		if c.Events[0].Type == broker.EventExtended {
			time.Sleep(3 * time.Second)
			return fails
		}
		return nil
	})
	extended := make(chan error, 1)
	go func() { _, err := b.Extend(t.Context(), r.ID, operator); extended <- err }()
	time.Sleep(2 * time.Second)
	return b, r, extended
}

// The time runs out while more of it is being recorded: what the operator asked for in time
// holds, unless it could not be recorded. There is one end either way.
func TestMoreTimeRacesWithTheDeadline(t *testing.T) {
	for name, fails := range map[string]error{"recorded": nil, "not recorded": errors.New("disk full")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, r, done := moreTimeTooLate(t, fails)
				if s := stateOf(t, b, r.ID); s != broker.Pending {
					t.Fatalf("%s while it is not known whether there is more time", s)
				}
				err := <-done
				want := broker.Pending
				if fails != nil {
					want = broker.Expired
				}
				if s := stateOf(t, b, r.ID); s != want || (err != nil) != (fails != nil) {
					t.Errorf("%s, %v; want %s", s, err, want)
				}
				time.Sleep(time.Hour)
				ends := 0
				for _, e := range must2(b.Events(t.Context())) {
					if e.Type == broker.EventRequestDecided {
						ends++
					}
				}
				if s := stateOf(t, b, r.ID); s != broker.Expired || ends != 1 {
					t.Errorf("in the end it is %s, with %d ends", s, ends)
				}
			})
		})
	}
}

// A stop, a denial and an allow do not wait for it, and it brings nothing back.
func TestMoreTimeHoldsUpNoEnd(t *testing.T) {
	for name, end := range map[string]func(*service.Broker, string) error{
		"stop": func(b *service.Broker, _ string) error {
			_, err := b.Stop(context.Background(), "s", operator)
			return err
		},
		"deny": func(b *service.Broker, id string) error {
			return second(b.Decide(context.Background(), id, broker.Decision{Verdict: broker.Deny, By: operator}))
		},
		"allow": func(b *service.Broker, id string) error {
			return second(b.Decide(context.Background(), id, broker.Decision{Verdict: broker.Allow, By: operator}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := brokertest.NewMemory()
				b := newSlow(t, st, service.Options{AskerGrace: 24 * time.Hour})
				r := submit(t, b, patient("1"))
				time.Sleep(time.Minute)
				st.BeforeCommit(func(_ context.Context, c *broker.Change) error {
					if c.Events[0].Type == broker.EventExtended {
						time.Sleep(3 * time.Second)
					}
					return nil
				})
				done := make(chan error, 1)
				go func() { _, err := b.Extend(t.Context(), r.ID, operator); done <- err }()
				time.Sleep(time.Second)
				if err := end(b, r.ID); err != nil {
					t.Fatal(err)
				}
				before := stateOf(t, b, r.ID)
				if !before.Terminal() {
					t.Fatalf("it is %s", before)
				}
				if err := <-done; err != nil { // it came first
					t.Errorf("more time: %v", err)
				}
				time.Sleep(2 * time.Hour)
				if after := stateOf(t, b, r.ID); after != before {
					t.Errorf("%s became %s", before, after)
				}
			})
		})
	}
}

func second[T any](_ T, err error) error { return err }

// More time is no answer, so a freeze does not keep it back.
func TestMoreTimeInAFreeze(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{AskerGrace: 24 * time.Hour})
		r := submit(t, b, patient("1"))
		if err := b.Freeze(t.Context(), "", true, operator); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		moreTime(t, b, r.ID)
		time.Sleep(9 * time.Minute)
		if err := b.Freeze(t.Context(), "", false, operator); err != nil {
			t.Fatal(err)
		}
		if s := stateOf(t, b, r.ID); s != broker.Pending {
			t.Errorf("%s after the freeze", s)
		}
	})
}

// A held poll hears of more time at once, when its client would leave before; one that
// knows, or that takes no more, goes on waiting, and so does a plain program that blocks.
func TestMoreTimeIsToldToWhoWaits(t *testing.T) {
	c := serve(t, service.Options{Hold: time.Hour}) // so that no poll ends by itself
	const payload = `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/src","permission_mode":"default","tool_name":"Bash","tool_use_id":"%s","tool_input":{"command":"make"}}`
	type told struct {
		status int
		body   map[string]any
	}
	ask := func(path, body string, header ...string) chan told {
		ch := make(chan told, 1)
		go func() {
			status, got := c.do("POST", path, body, header...)
			ch <- told{status, got}
		}()
		return ch
	}
	hook := func(call string, header ...string) chan told {
		return ask("/hooks/claude", strings.Replace(payload, "%s", call, 1), append([]string{wire.HeaderCorrelation, "talk " + call}, header...)...)
	}
	waiting := func(call string) broker.Request {
		for t.Context().Err() == nil {
			for _, r := range c.b.Pending("") {
				if r.ToolUseID == call {
					return r
				}
			}
			time.Sleep(time.Millisecond)
		}
		return broker.Request{}
	}
	client := []string{wire.HeaderTimeoutMS, "30000", wire.HeaderAtMostMS, "3600000"}
	patient, old := hook("1", client...), hook("2", wire.HeaderTimeoutMS, "30000")
	program := ask("/request-approval", `{"session_id":"s","tool_name":"Bash","tool_use_id":"3","tool_input":{"command":"make"},"timeout":30,"at_most":3600}`)
	first, second, third := waiting("1"), waiting("2"), waiting("3")
	moreTime(t, c.b, first.ID)
	moreTime(t, c.b, third.ID)
	soon := func(ch chan told) told {
		select {
		case got := <-ch:
			return got
		case <-time.After(time.Minute):
			return told{}
		}
	}
	if got := soon(patient); got.status != 202 || got.body["request_id"] != first.ID || waitMS(got.body) < 500_000 {
		t.Errorf("its client is told %v", got)
	}
	if _, err := c.b.Extend(t.Context(), second.ID, operator); !errors.Is(err, broker.ErrNoMoreTime) {
		t.Errorf("of an old client: %v", err)
	}
	if got := soon(hook("1", client...)); got.status != 202 || waitMS(got.body) < 500_000 {
		t.Errorf("not knowing yet it is told %v", got)
	}
	knows := hook("1", wire.HeaderTimeoutMS, "600000", wire.HeaderAtMostMS, "3600000")
	leaves := hook("1", wire.HeaderTimeoutMS, "30000", wire.HeaderAtMostMS, "30000") // later than that it never hears
	select {
	case got := <-knows:
		t.Errorf("who knows is told %v", got)
	case got := <-leaves:
		t.Errorf("who would leave is told %v", got)
	case got := <-old:
		t.Errorf("the old client is told %v", got)
	case got := <-program:
		t.Errorf("the program is told %v", got)
	case <-time.After(300 * time.Millisecond):
	}
	for _, r := range []broker.Request{first, second, third} {
		decide(t, c.b, r.ID, broker.Decision{Verdict: broker.Deny})
	}
	for _, ch := range []chan told{knows, leaves, old, program} {
		if got := soon(ch); got.status != 200 {
			t.Errorf("in the end one is told %v", got)
		}
	}
}

func waitMS(body map[string]any) float64 {
	ms, _ := body["wait_ms"].(float64)
	return ms
}

// What an agent waits for a hook at most holds whatever the hook says of itself: the hooks of
// an older aoctl promise it an hour.
func TestAgentsOwnLimit(t *testing.T) {
	qwen := func(id string) broker.Question {
		q := patient(id)
		q.Agent, q.Event = "qwen", "PreToolUse"
		q.Timeout, q.AtMost = 10*time.Minute, time.Hour
		return q
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{AskerGrace: 24 * time.Hour, LateFor: time.Hour})
		r := submit(t, b, qwen("1"))
		if wait := r.ExpiresAt.Sub(r.CreatedAt); wait != 50*time.Second {
			t.Fatalf("it has %v", wait)
		}
		time.Sleep(30 * time.Second)
		submit(t, b, qwen("1")) // its connection broke, and it asks again
		if _, err := b.Extend(t.Context(), r.ID, operator); !errors.Is(err, broker.ErrNoMoreTime) || !strings.Contains(err.Error(), "Qwen Code waits 50 s at most") {
			t.Errorf("more time: %v", err)
		}
		must(t, b.Freeze(t.Context(), "", true, operator))
		time.Sleep(20*time.Second + time.Millisecond)
		if s := stateOf(t, b, r.ID); s != broker.Expired {
			t.Errorf("%s under a freeze, after 50 s", s)
		}
		held := service.AnswerTo(must2(b.Request(t.Context(), r.ID))).Reason
		if !strings.Contains(held, "Everything is held") || !strings.Contains(held, "Qwen Code waits 50 s at most") || !strings.Contains(held, "make exactly the same call again") {
			t.Errorf("under a freeze its model is told %q", held)
		}
		must(t, b.Freeze(t.Context(), "", false, operator))

		q := qwen("2")
		q.Timeout = 0
		r = submit(t, b, q)
		time.Sleep(50*time.Second + time.Millisecond)
		if s := stateOf(t, b, r.ID); s != broker.Expired {
			t.Fatalf("%s after 50 s", s)
		}
		words := service.AnswerTo(must2(b.Request(t.Context(), r.ID))).Reason
		if !strings.Contains(words, "within 50s") || !strings.Contains(words, "Qwen Code waits 50 s at most") || !strings.Contains(words, "make exactly the same call again") {
			t.Errorf("its model is told %q", words)
		}
		decide(t, b, r.ID, broker.Decision{Verdict: broker.Allow})
		if r = submit(t, b, qwen("3")); r.State != broker.Allowed { // Qwen gives every try an id of its own
			t.Errorf("what was allowed late is %s", r.State)
		}

		q = qwen("4")
		q.Timeout = 20 * time.Second
		r = submit(t, b, q)
		time.Sleep(10 * time.Second)
		if got := moreTime(t, b, r.ID); !got.ExpiresAt.Equal(r.CreatedAt.Add(49 * time.Second)) {
			t.Errorf("of 20 s more time makes %v", got.ExpiresAt.Sub(r.CreatedAt))
		}
		for i, promised := range []time.Duration{20 * time.Second, 48 * time.Second} { // no installation gives it more than its agent waits
			q = qwen(fmt.Sprint("short ", i))
			q.Timeout, q.AtMost = promised, 0
			r = submit(t, b, q)
			if _, err := b.Extend(t.Context(), r.ID, operator); err == nil || !strings.Contains(err.Error(), "Qwen Code waits 50 s at most") || strings.Contains(err.Error(), "install") {
				t.Errorf("more time for a hook that waits %v: %v", promised, err)
			}
		}
		q = qwen("5")
		q.Event = "" // a program that uses the API
		if r = submit(t, b, q); r.ExpiresAt.Sub(r.CreatedAt) != 10*time.Minute {
			t.Errorf("a program that calls itself qwen has %v", r.ExpiresAt.Sub(r.CreatedAt))
		}
	})
}
