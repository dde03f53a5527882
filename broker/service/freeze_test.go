package service_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

func freeze(t *testing.T, b *service.Broker, session string) {
	t.Helper()
	must(t, b.Freeze(t.Context(), session, true, broker.Actor{Kind: broker.ByProcess, PID: 7}))
}

func unfreeze(t *testing.T, b *service.Broker, session string) {
	t.Helper()
	must(t, b.Freeze(t.Context(), session, false, operator))
}

// state is how request r stands now.
func state(t *testing.T, b *service.Broker, r broker.Request) broker.Request {
	t.Helper()
	now, err := b.Request(t.Context(), r.ID)
	must(t, err)
	return now
}

// Whatever would let a call pass, or refuse it, leaves it waiting while a freeze holds;
// once it is lifted the call ends as if it came then.
func TestFrozenCallsWait(t *testing.T) {
	for name, tc := range map[string]struct {
		before func(t *testing.T, b *service.Broker, dir string)
		call   string
		end    broker.State // after the freeze
	}{
		"a rule allows": {func(t *testing.T, b *service.Broker, _ string) { t.Helper(); save(t, b, allowing("make test")) }, "make test", broker.Allowed},
		"a rule denies": {func(t *testing.T, b *service.Broker, _ string) { t.Helper(); save(t, b, denying("make test", "no")) }, "make test", broker.Denied},
		"nothing is held": {func(t *testing.T, b *service.Broker, _ string) {
			t.Helper()
			must(t, b.Observe(t.Context(), "", true, operator))
		}, "make test", broker.Answered},
		"it is read-only":     {func(*testing.T, *service.Broker, string) {}, "", broker.Allowed},
		"nobody speaks of it": {func(*testing.T, *service.Broker, string) {}, "make test", broker.Pending},
		"it was allowed late": {func(t *testing.T, b *service.Broker, dir string) {
			t.Helper()
			late := submit(t, b, callIn(dir, "s", "late", "make test"))
			_, err := b.Wait(t.Context(), late.ID)
			must(t, err)
			_, err = b.Decide(t.Context(), late.ID, broker.Decision{Verdict: broker.Allow, By: operator})
			must(t, err)
		}, "make test", broker.Allowed},
	} {
		for _, session := range []string{"", "s"} {
			t.Run(name+"/"+session, func(t *testing.T) {
				dir := project(t)
				must(t, os.WriteFile(dir+"/notes", nil, 0o600))
				synctest.Test(t, func(t *testing.T) {
					b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Minute, AskerGrace: time.Hour})
					q := callIn(dir, "s", "first", "make first")
					submit(t, b, q)
					tc.before(t, b, dir)
					freeze(t, b, session)
					q = callIn(dir, "s", "1", tc.call)
					if tc.call == "" {
						q.ToolName, q.ToolInput = "Read", fmt.Appendf(nil, `{"file_path":%q}`, dir+"/notes")
					}
					r := submit(t, b, q)
					if r.State != broker.Pending || r.Held == "" {
						t.Fatalf("while frozen it is %s, held %q by %+v", r.State, r.Held, r.Outcome)
					}
					unfreeze(t, b, session)
					if r = state(t, b, r); r.State != tc.end || r.Held != "" {
						t.Errorf("after the freeze it is %s, held %q; want %s", r.State, r.Held, tc.end)
					}
				})
			})
		}
	}
}

// A freeze of one session holds no other.
func TestFreezeOfOneSession(t *testing.T) {
	dir := project(t)
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	save(t, b, allowing("make *"))
	submit(t, b, callIn(dir, "s", "0", "true"))
	submit(t, b, callIn(dir, "t", "0", "true"))
	if err := b.Freeze(t.Context(), "nobody", true, operator); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("an unknown session: %v", err)
	}
	freeze(t, b, "s")
	if r := submit(t, b, callIn(dir, "s", "1", "make test")); r.State != broker.Pending {
		t.Errorf("of the frozen session: %s", r.State)
	}
	if r := submit(t, b, callIn(dir, "t", "1", "make test")); r.State != broker.Allowed {
		t.Errorf("of the other: %s", r.State)
	}
	for id, want := range map[string]bool{"s": true, "t": false} {
		if s, err := b.Session(t.Context(), id); err != nil || s.Frozen != want {
			t.Errorf("session %s: frozen %v (%v)", id, s.Frozen, err)
		}
	}
	freeze(t, b, "")
	unfreeze(t, b, "")
	if s, _ := b.Session(t.Context(), "s"); !s.Frozen {
		t.Error("lifting the freeze of all lifted that of one")
	}
}

// What ends a call in spite of a freeze.
func TestFrozenCallsStillEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var gone atomic.Bool
		b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Minute, AskerGrace: time.Hour, Alive: func(p broker.Process) bool { return p.PID != 9 || !gone.Load() }})
		denied, stopped := submit(t, b, bash("s", "1", "make")), submit(t, b, bash("t", "1", "make"))
		q := bash("s", "2", "make")
		q.Asker = broker.Process{PID: 9, Start: 1}
		left := submit(t, b, q)
		late := submit(t, b, bash("s", "3", "make late"))
		freeze(t, b, "")
		if _, err := b.Decide(t.Context(), denied.ID, broker.Decision{Verdict: broker.Deny, By: operator}); err != nil {
			t.Errorf("deny: %v", err)
		}
		_, err := b.Stop(t.Context(), "t", operator)
		must(t, err)
		if r := submit(t, b, bash("t", "2", "make")); r.State != broker.Denied || r.Outcome.By.Kind != broker.ByStop {
			t.Errorf("a new call of a stopped session: %s by %+v", r.State, r.Outcome)
		}
		gone.Store(true)
		time.Sleep(2 * time.Second)
		for _, end := range []struct {
			req  broker.Request
			want broker.State
			by   broker.ActorKind
		}{{denied, broker.Denied, broker.ByOperator}, {stopped, broker.Denied, broker.ByStop}, {left, broker.Cancelled, broker.ByAgent}} {
			if r := state(t, b, end.req); r.State != end.want || r.Outcome.By.Kind != end.by {
				t.Errorf("%s %s by %+v, want %s by %s", r.Key, r.State, r.Outcome, end.want, end.by)
			}
		}
		time.Sleep(time.Minute)
		r := state(t, b, late)
		if r.State != broker.Expired || !strings.Contains(r.Outcome.Reason, "held by a freeze until its time ran out") {
			t.Errorf("after its time: %s, %+v", r.State, r.Outcome)
		}
		if said := service.AnswerTo(r).Reason; !strings.Contains(said, "held in aoctl") || !strings.Contains(said, "time ran out") {
			t.Errorf("its agent is told %q", said)
		}
	})
}

// While it holds nobody allows anything: not a waiting call, not several, not the retry of
// one whose time ran out.
func TestNothingIsAllowedInAFreeze(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{ApprovalTimeout: time.Minute, AskerGrace: time.Hour})
		late := submit(t, b, bash("s", "late", "make late"))
		time.Sleep(61 * time.Second)
		one, two := submit(t, b, bash("s", "1", "make")), submit(t, b, bash("s", "2", "make"))
		freeze(t, b, "")
		for _, r := range []broker.Request{one, late} {
			if _, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator}); !errors.Is(err, broker.ErrFrozen) {
				t.Errorf("allow %s: %v, want ErrFrozen", r.Key, err)
			}
		}
		picks := []broker.Pick{{ID: one.ID, Digest: one.Digest}, {ID: two.ID, Digest: two.Digest}}
		if _, err := b.DecideAll(t.Context(), picks, broker.Decision{Verdict: broker.Allow, By: operator}); !errors.Is(err, broker.ErrFrozen) {
			t.Errorf("allow both: %v, want ErrFrozen", err)
		}
		if s := save(t, b, denying("make", "no")); len(s.Decided) > 0 {
			t.Errorf("a rule denied %d held calls", len(s.Decided))
		}
		unfreeze(t, b, "")
		if r := state(t, b, two); r.State != broker.Denied || r.Outcome.By.Kind != broker.ByRule {
			t.Errorf("after the freeze: %s, want denied by the rule", r.State)
		}
	})
}

// A rule with two uses left lets two of the held calls pass, the oldest, and counts two.
func TestUsesAreCountedOnceAfterAFreeze(t *testing.T) {
	dir, st := project(t), brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	r := allowing("make test")
	r.MaxUses = 2
	save(t, b, r)
	freeze(t, b, "")
	var held []broker.Request
	for i := range 4 {
		held = append(held, submit(t, b, callIn(dir, "s", fmt.Sprint(i), "make test")))
	}
	if uses := b.Rules(t.Context()).Rules[0].Uses; uses != 0 {
		t.Errorf("%d uses while frozen", uses)
	}
	unfreeze(t, b, "")
	for i, h := range held {
		if now := state(t, b, h); (now.State == broker.Allowed) != (i < 2) {
			t.Errorf("call %d is %s", i, now.State)
		}
	}
	saved, err := st.Load(t.Context())
	must(t, err)
	for _, u := range saved.RuleUse {
		if u.Uses != 2 {
			t.Errorf("the store has %d uses, want 2", u.Uses)
		}
	}
}

// A freeze outlasts the console, and so does its end. Who froze it is known as well.
func TestFreezeOutlastsARestart(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	waiting := submit(t, b, bash("s", "1", "make"))
	submit(t, b, bash("t", "1", "make"))
	freeze(t, b, "")
	freeze(t, b, "") // twice is fine, and said once
	freeze(t, b, "t")
	must(t, b.Close())

	b = newBroker(t, st, service.Options{})
	snap, _ := b.Watch(t.Context())
	if !snap.Health.Frozen || snap.Health.FrozenBy.PID != 7 {
		t.Errorf("after a restart: %+v", snap.Health)
	}
	if r := state(t, b, waiting); r.Held == "" {
		t.Error("the call that waited is not held")
	}
	if _, err := b.Decide(t.Context(), waiting.ID, broker.Decision{Verdict: broker.Allow, By: operator}); !errors.Is(err, broker.ErrFrozen) {
		t.Errorf("allow: %v", err)
	}
	unfreeze(t, b, "")
	must(t, b.Close())

	b = newBroker(t, st, service.Options{})
	snap, _ = b.Watch(t.Context())
	if snap.Health.Frozen {
		t.Error("its end was forgotten")
	}
	for _, s := range snap.Sessions {
		if s.Frozen != (s.ID == "t") {
			t.Errorf("session %s: frozen %v", s.ID, s.Frozen)
		}
	}
	if n := len(eventsOf(t, st, broker.EventFrozen)); n != 3 {
		t.Errorf("%d events, want 3", n)
	}
}

// One that cannot be recorded holds all the same, says so, and is recorded as soon as that
// works. Its end is nothing until it is recorded.
func TestFreezeOnAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{AskerGrace: time.Hour})
		r := submit(t, b, bash("s", "1", "make"))
		failCommits(st, errors.New("disk full"))
		if err := b.Freeze(t.Context(), "", true, operator); !errors.Is(err, broker.ErrNotRecorded) || !strings.Contains(err.Error(), "it holds") {
			t.Errorf("freeze: %v", err)
		}
		if state(t, b, r).Held == "" {
			t.Error("it does not hold")
		}
		failCommits(st, nil)
		time.Sleep(2 * time.Second)
		if n := len(eventsOf(t, st, broker.EventFrozen)); n != 1 {
			t.Errorf("%d events once the disk has room, want 1", n)
		}
		failCommits(st, errors.New("disk full"))
		if err := b.Freeze(t.Context(), "", false, operator); !errors.Is(err, broker.ErrNotRecorded) {
			t.Errorf("unfreeze: %v", err)
		}
		if state(t, b, r).Held == "" {
			t.Error("an end that is not recorded was made true")
		}
	})
}

// Whoever is no operator cannot lift one, and is on record.
func TestOnlyAnOperatorUnfreezes(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	r := submit(t, b, bash("s", "1", "make"))
	freeze(t, b, "")
	for _, kind := range []broker.ActorKind{broker.ByProcess, broker.ByAgent, broker.ByRule, ""} {
		if err := b.Freeze(t.Context(), "", false, broker.Actor{Kind: kind}); !errors.Is(err, broker.ErrForbidden) {
			t.Errorf("%q: %v", kind, err)
		}
	}
	if state(t, b, r).Held == "" {
		t.Error("the freeze was lifted")
	}
	if n := len(eventsOf(t, st, broker.EventDecisionRefused)); n != 4 {
		t.Errorf("%d attempts on record, want 4", n)
	}
}

// An agent that asks again for what it was allowed is kept waiting, also after a restart,
// and is told once the freeze is over.
func TestAllowedAnswerIsWithheld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		q := bash("s", "1", "make")
		r := submit(t, b, q)
		_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
		must(t, err)
		freeze(t, b, "")
		for range 2 {
			if got := submit(t, b, q); got.State != broker.Pending || got.Outcome != nil {
				t.Errorf("asked again while frozen: %s, %+v", got.State, got.Outcome)
			}
			if said, err := b.Tellable(t.Context(), state(t, b, r)); err != nil || said.State != broker.Pending {
				t.Errorf("polled while frozen: %s (%v)", said.State, err)
			}
			b = newBroker(t, st, service.Options{})
		}
		if got := submit(t, b, q); got.State != broker.Pending {
			t.Errorf("at the third broker: %s", got.State)
		}
		unfreeze(t, b, "")
		if said, err := b.Tellable(t.Context(), state(t, b, r)); err != nil || said.State != broker.Allowed {
			t.Errorf("polled after the freeze: %s (%v)", said.State, err)
		}
	})
}

// What it kept back for too long is not told any more.
func TestWithheldAnswerGrowsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		r := submit(t, b, bash("s", "1", "make"))
		_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
		must(t, err)
		freeze(t, b, "")
		if said, err := b.Tellable(t.Context(), state(t, b, r)); err != nil || said.State != broker.Pending {
			t.Errorf("while frozen: %s (%v)", said.State, err)
		}
		time.Sleep(5 * time.Minute)
		unfreeze(t, b, "")
		if _, err := b.Tellable(t.Context(), state(t, b, r)); !errors.Is(err, broker.ErrAnsweredBefore) {
			t.Errorf("five minutes later: %v, want ErrAnsweredBefore", err)
		}
	})
}

// The second question about a call that was just allowed waits like any other.
func TestSecondQuestionIsHeld(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	r := submit(t, b, bash("s", "1", "make"))
	_, err := b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Allow, By: operator})
	must(t, err)
	h := agents.Hook{Agent: "claude", SessionID: "s", ToolName: "Bash", ToolInput: r.ToolInput}
	freeze(t, b, "s")
	if b.AllowedFirst(t.Context(), h, 0) {
		t.Error("it passed")
	}
	unfreeze(t, b, "s")
	if !b.AllowedFirst(t.Context(), h, 0) {
		t.Error("it does not pass after the freeze either")
	}
}

// A fact that cannot be read freezes everything, and lets no rule allow anything.
func TestUnreadableFreezeHolds(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, &oddFacts{Memory: st, fact: broker.Event{Type: broker.EventFrozen, Data: []byte(`{"on":"yes"}`)}}, service.Options{})
	if r := submit(t, b, bash("s", "1", "ls")); r.Held == "" {
		t.Errorf("it is %s and not held", r.State)
	}
	if b.Rules(t.Context()).Problem == "" {
		t.Error("the rules are not in doubt")
	}
}

// oddFacts is a store with one fact more.
type oddFacts struct {
	*brokertest.Memory
	fact broker.Event
}

func (s *oddFacts) Load(ctx context.Context) (broker.Saved, error) {
	saved, err := s.Memory.Load(ctx)
	saved.Facts = append(saved.Facts, s.fact)
	return saved, err
}

// In doubt about the log a freeze that is found holds.
func TestFreezeHoldsInDoubt(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	freeze(t, b, "")
	must(t, b.Close())
	b = newBroker(t, &doubtful{st}, service.Options{})
	if r := submit(t, b, bash("s", "1", "make")); r.Held == "" {
		t.Errorf("it is %s and not held", r.State)
	}
}

type doubtful struct{ *brokertest.Memory }

func (s *doubtful) Load(ctx context.Context) (broker.Saved, error) {
	saved, err := s.Memory.Load(ctx)
	saved.Doubt = "event 3 was changed"
	return saved, err
}

// Sessions can be frozen one by one up to a limit, since the log keeps each.
func TestFreezesHaveALimit(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{MaxSessions: 2000, Rate: -1})
	for i := range 1025 {
		id := fmt.Sprint("s", i)
		submit(t, b, bash(id, "1", "make"))
		err := b.Freeze(t.Context(), id, true, broker.Actor{Kind: broker.ByProcess})
		if want := i == 1024; errors.Is(err, broker.ErrTooMany) != want {
			t.Fatalf("session %d: %v", i, err)
		}
	}
	freeze(t, b, "")
}

// factLoser is a store that lost a fact, up to an event.
type factLoser struct {
	*brokertest.Memory
	lost int64
}

func (s *factLoser) Load(ctx context.Context) (broker.Saved, error) {
	saved, err := s.Memory.Load(ctx)
	saved.Lost = s.lost
	return saved, err
}

// A fact that was changed or is gone may have been a freeze: everything is held until an
// operator lifts it, and not anew after that.
func TestLostFactHoldsEverything(t *testing.T) {
	st := &factLoser{Memory: brokertest.NewMemory()}
	b := newBroker(t, st, service.Options{})
	must(t, b.Freeze(t.Context(), "", true, byShell))
	unfreeze(t, b, "")
	held := func(when string, by broker.ActorKind) {
		t.Helper()
		must(t, b.Close())
		b = newBroker(t, st, service.Options{})
		snap, _ := b.Watch(t.Context())
		if h := snap.Health; h.Frozen != (by != "") || h.FrozenBy.Kind != by {
			t.Errorf("%s: frozen %t, by %q, want %q", when, h.Frozen, h.FrozenBy.Kind, by)
		}
	}
	held("nothing is lost", "")
	st.lost = 1
	held("lost before it was lifted", "")
	st.lost, _ = st.Head()
	held("lost since", broker.ByBroker)
	if r := submit(t, b, bash("s", "1", "ls")); r.Held == "" {
		t.Errorf("it is %s and not held", r.State)
	}
	held("once more", broker.ByBroker)
	must(t, b.Freeze(t.Context(), "", true, byShell))
	unfreeze(t, b, "")
	held("lifted", "")
	must(t, b.Freeze(t.Context(), "", true, byShell))
	st.lost, _ = st.Head()
	held("somebody froze before", broker.ByProcess)
}
