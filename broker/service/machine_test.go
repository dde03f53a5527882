package service_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// machineSweep is how often the sweeper looks in the machines: four times as seldom as usual, as
// hours pass in them.
const machineSweep = 2 * time.Second

// step is one thing that happens to a broker.
type step struct {
	kind    string
	session string
	key     string
	sub     string
	pick    int
	wait    time.Duration
}

func steps(rt *rapid.T) []step {
	one := rapid.Custom(func(rt *rapid.T) step {
		return step{
			kind:    rapid.SampledFrom([]string{"submit", "submit", "submit", "allow", "deny", "allow", "stop", "prompt", "wait", "restart", "fail", "mend", "turn over", "freeze", "unfreeze", "extend", "extend"}).Draw(rt, "kind"),
			session: rapid.SampledFrom([]string{"s", "t"}).Draw(rt, "session"),
			key:     fmt.Sprint(rapid.IntRange(0, 9).Draw(rt, "key")),
			sub:     rapid.SampledFrom([]string{"", "helper"}).Draw(rt, "sub"),
			pick:    rapid.IntRange(0, 9).Draw(rt, "pick"),
			wait:    time.Duration(rapid.IntRange(1, 80).Draw(rt, "wait")) * time.Second,
		}
	})
	return rapid.SliceOfN(one, 1, 60).Draw(rt, "steps")
}

// world runs steps against a broker and keeps its own account of them.
type world struct {
	t       *testing.T
	st      *brokertest.Memory
	b       *service.Broker
	ids     []string
	ends    map[string]broker.State // the first end that anybody was told
	allowed map[string]bool         // digest and agent that the operator allowed at some time
	stopped map[string]bool
	frozen  map[string]bool      // by session; "" for all
	byKey   map[string]string    // the request that each key was last told of
	until   map[string]time.Time // what a request was given more time to
	grace   time.Duration        // for askers that are away
	failing bool
	errs    []string
}

func (w *world) fail(format string, args ...any) {
	w.errs = append(w.errs, fmt.Sprintf(format, args...))
}

func (w *world) open() {
	b, err := service.NewSweeping(w.t.Context(), w.st, service.Options{
		ApprovalTimeout: time.Minute, AskerGrace: w.grace, LateFor: 2 * time.Minute,
		Alive: func(broker.Process) bool { return true },
	}, machineSweep)
	if err != nil {
		w.t.Fatal(err)
	}
	w.b = b
	for id, until := range w.until {
		if r, err := b.Request(w.t.Context(), id); err != nil || r.State == broker.Pending && !r.ExpiresAt.Equal(until) {
			w.fail("request %s may wait until %v in the next console (%v), it was given until %v", id, r.ExpiresAt, err, until)
		}
	}
}

func who(r broker.Request) string { return r.SessionID + "/" + r.SubagentID + "/" + r.Digest }

// told notes an end that was seen: the first one is the only one there may ever be.
func (w *world) told(r broker.Request) {
	if !r.State.Terminal() {
		return
	}
	if first, ok := w.ends[r.ID]; ok && first != r.State {
		w.fail("request %s ended as %s and as %s", r.ID, first, r.State)
	}
	if until := w.until[r.ID]; r.State == broker.Expired && r.Outcome.At.Before(until) {
		w.fail("request %s expired at %v, it was given until %v", r.ID, r.Outcome.At, until)
	}
	_, known := w.ends[r.ID]
	if !known && r.State == broker.Allowed && w.held(r.SessionID) {
		w.fail("request %s was allowed in a freeze", r.ID)
	}
	w.ends[r.ID] = r.State
	if r.State == broker.Allowed && !w.allowed[who(r)] {
		w.fail("request %s was allowed and nobody had allowed it", r.ID)
	}
}

// scope is what a freeze is of: a session, or all of them.
func (w *world) scope(s step) string {
	if s.pick%2 == 0 {
		return ""
	}
	return s.session
}

func (w *world) held(session string) bool { return w.frozen[""] || w.frozen[session] }

func (w *world) do(s step) {
	ctx := w.t.Context()
	switch s.kind {
	case "submit":
		q := bash(s.session, s.key+s.sub, "make "+string('a'+s.key[0]%2)) // ten keys, two commands: retries are common
		q.SubagentID = s.sub
		if s.key > "2" {
			q.AtMost = 5 * time.Minute
		}
		r, err := w.b.Submit(ctx, q)
		switch {
		case errors.Is(err, broker.ErrAnsweredBefore):
			if end := w.ends[w.byKey[q.Key]]; end != broker.Allowed {
				w.fail("submit: %v, of a call that is %q", err, end)
			}
		case err != nil && !w.failing:
			w.fail("submit: %v", err)
		case err == nil:
			if r.State == broker.Allowed && w.held(s.session) {
				w.fail("a call of a frozen session was let through")
			}
			if r.State == broker.Allowed && w.stopped[s.session] {
				w.fail("a call of a stopped session was allowed")
			}
			w.byKey[q.Key] = r.ID
			w.ids = append(w.ids, r.ID)
			w.told(r)
		}
	case "allow", "deny":
		if len(w.ids) == 0 {
			return
		}
		id := w.ids[s.pick%len(w.ids)]
		before, err := w.b.Request(ctx, id)
		if err != nil {
			w.fail("request %s: %v", id, err)
			return
		}
		if s.kind == "allow" {
			w.allowed[who(before)] = true
		}
		r, err := w.b.Decide(ctx, id, broker.Decision{Verdict: broker.Verdict(s.kind), By: operator, Digest: before.Digest})
		if errors.Is(err, broker.ErrFrozen) && w.held(before.SessionID) && s.kind == "allow" {
			err = nil
		}
		if err != nil && !errors.Is(err, broker.ErrAlreadyDecided) && !errors.Is(err, broker.ErrNotRecorded) {
			w.fail("%s: %v", s.kind, err)
		}
		w.told(r)
	case "extend":
		w.extend(s)
	case "stop":
		_, err := w.b.Stop(ctx, s.session, operator)
		if err == nil || errors.Is(err, broker.ErrNotRecorded) {
			w.stopped[s.session] = true
		} else if !errors.Is(err, broker.ErrNotFound) {
			w.fail("stop: %v", err)
		}
	case "freeze":
		err := w.b.Freeze(ctx, w.scope(s), true, operator)
		switch {
		case err == nil, errors.Is(err, broker.ErrNotRecorded):
			w.frozen[w.scope(s)] = true
		case !errors.Is(err, broker.ErrNotFound):
			w.fail("freeze: %v", err)
		}
	case "unfreeze":
		err := w.b.Freeze(ctx, w.scope(s), false, operator)
		if err == nil {
			delete(w.frozen, w.scope(s))
		} else if !w.failing {
			w.fail("unfreeze: %v", err)
		}
	case "prompt", "turn over":
		kind := agents.Prompt
		if s.kind == "turn over" {
			kind = agents.TurnEnd
		}
		_, err := w.b.Hear(ctx, agents.Hook{Agent: "claude", Kind: kind, SessionID: s.session, CWD: "/src", Text: "go on"})
		if err == nil && kind == agents.Prompt {
			w.stopped[s.session] = false
		} else if err != nil && !w.failing {
			w.fail("%s: %v", s.kind, err)
		}
	case "wait":
		time.Sleep(s.wait)
	case "restart":
		if w.failing {
			return // what was not recorded is gone with the process
		}
		_ = w.b.Close()
		w.open()
	case "fail":
		w.failing = true
		failCommits(w.st, errors.New("disk full"))
	case "mend":
		failCommits(w.st, nil)
		time.Sleep(4 * machineSweep) // the sweeper catches up
		w.failing = false
	}
}

// extend gives a call more time: it ends no earlier by it, and nothing is decided.
func (w *world) extend(s step) {
	if len(w.ids) == 0 {
		return
	}
	id := w.ids[s.pick%len(w.ids)]
	before, err := w.b.Request(w.t.Context(), id)
	if err != nil {
		w.fail("request %s: %v", id, err)
		return
	}
	r, err := w.b.Extend(w.t.Context(), id, operator)
	w.told(r)
	switch {
	case errors.Is(err, broker.ErrNoMoreTime), errors.Is(err, broker.ErrNotRecorded) && w.failing:
		if !r.ExpiresAt.Equal(before.ExpiresAt) {
			w.fail("request %s was given time until %v, and %v", id, r.ExpiresAt, err)
		}
	case errors.Is(err, broker.ErrAlreadyDecided):
		if !r.State.Terminal() {
			w.fail("request %s is %s, and %v", id, r.State, err)
		}
	case err != nil:
		w.fail("more time for %s: %v", id, err)
	default:
		if w.failing || r.State != broker.Pending || !r.ExpiresAt.After(before.ExpiresAt) || r.ExpiresAt.After(r.MayWaitUntil) || time.Until(r.ExpiresAt) > time.Minute {
			w.fail("request %s is %s until %v instead of %v, and its asker waits until %v", id, r.State, r.ExpiresAt, before.ExpiresAt, r.MayWaitUntil)
		}
		w.until[id] = r.ExpiresAt
	}
}

// finish lets every clock run out and compares the record with what was told.
func (w *world) finish() {
	failCommits(w.st, nil)
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	for _, id := range w.ids {
		r, err := w.st.Request(w.t.Context(), id)
		if err != nil || !r.State.Terminal() {
			w.fail("request %s is stored as %q (%v) after all clocks ran out", id, r.State, err)
			continue
		}
		w.told(r)
	}
	events, err := w.st.Events(w.t.Context(), broker.EventFilter{After: -1, Limit: 100000})
	if err != nil {
		w.fail("events: %v", err)
	}
	decided := map[string]int{}
	for _, e := range events {
		if e.Type == broker.EventRequestDecided {
			decided[e.RequestID]++
			var d broker.DecidedData
			if json.Unmarshal(e.Data, &d) != nil || d.Status != w.ends[e.RequestID] && w.ends[e.RequestID] != "" {
				w.fail("the log has %s as %s, told was %s", e.RequestID, d.Status, w.ends[e.RequestID])
			}
		}
	}
	for id, n := range decided {
		if n != 1 {
			w.fail("request %s ended %d times in the log", id, n)
		}
	}
	if left := w.b.Pending(""); len(left) != 0 {
		w.fail("%d requests still wait", len(left))
	}
}

// TestStateMachine drives submits, decisions, more time, stops, freezes, prompts, restarts
// and a failing disk in any order: one end each, none before the time that was given, no
// allow that nobody gave, none after a stop or in a freeze, nobody left waiting.
func TestStateMachine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		list := steps(rt)
		grace := rapid.SampledFrom([]time.Duration{20 * time.Second, time.Hour}).Draw(rt, "grace")
		var errs []string
		synctest.Test(t, func(t *testing.T) {
			w := &world{t: t, grace: grace, st: brokertest.NewMemory(), ends: map[string]broker.State{}, allowed: map[string]bool{}, stopped: map[string]bool{}, frozen: map[string]bool{}, byKey: map[string]string{}, until: map[string]time.Time{}}
			w.open()
			for _, s := range list {
				w.do(s)
			}
			w.finish()
			_ = w.b.Close()
			errs = w.errs
		})
		if len(errs) > 0 {
			rt.Fatal(errs)
		}
	})
}
