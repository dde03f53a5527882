package service_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	_ "github.com/aoctl/aoctl/broker/brokertest/seeded"
	"github.com/aoctl/aoctl/broker/service"
)

// rapid draws the same in every run

// offCall is a call of an agent without a user, and what everybody was told of it.
type offCall struct {
	session, key string
	id           string
	talk         int          // the conversation in which it was asked last
	putOff       bool         // as last seen
	allowed      bool         // by the operator, and no stop has taken that back
	owed         broker.State // the answer that its agent has not heard, given while it was put off
	heard        broker.State // the first answer that its agent heard
	heardAt      time.Time
	ran          bool // its agent said so
	unsure       bool // a record of it failed
}

// offWorld plays agents that ask, are put off, end and ask again, the operator and the
// disk, and keeps account.
type offWorld struct {
	t       *testing.T
	st      *brokertest.Memory
	b       *service.Broker
	opts    service.Options
	calls   map[string]*offCall
	talks   int
	frozen  bool
	stopped map[string]bool
	mu      sync.Mutex
	failing bool
	errs    []string
}

func (w *offWorld) fail(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.errs = append(w.errs, fmt.Sprintf(format, args...))
}

func (w *offWorld) broken() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failing
}

func (w *offWorld) open() {
	b, err := service.NewSweeping(w.t.Context(), w.st, w.opts, machineSweep)
	if err != nil {
		w.t.Fatal(err)
	}
	w.b = b
}

// commit takes a moment, so that what happens at once overlaps.
func (w *offWorld) commit(context.Context, *broker.Change) error {
	time.Sleep(time.Millisecond)
	if w.broken() {
		return errors.New("disk full")
	}
	return nil
}

func (w *offWorld) call(session, key string) *offCall {
	c := w.calls[session+key]
	if c == nil {
		c = &offCall{session: session, key: key}
		w.calls[session+key] = c
	}
	return c
}

// offStep is one thing that happens. do may run beside another step's; noted takes what
// came of it into the account, alone.
type offStep struct {
	kind, session, key string
	wait               time.Duration
}

// mayTakeAway reports whether the step may end that c, which is now in state, is put off.
func (s offStep) mayTakeAway(c *offCall, state broker.State) bool {
	switch {
	case s.session != c.session:
		return false
	case s.kind == "stop":
		return true
	case s.kind == "ask": // a connection that broke, and meanwhile there was an answer
		return s.key == c.key && state.Terminal()
	}
	return s.key == c.key && (s.kind == "asks again" || s.kind == "deny, end")
}

func (w *offWorld) do(s offStep) (noted func()) {
	ctx, c := w.t.Context(), w.call(s.session, s.key)
	none := func() {}
	switch s.kind {
	case "ask", "asks again":
		return w.ask(c, s.kind == "asks again")
	case "defer":
		if c.id == "" {
			return none
		}
		_, err := w.b.Defer(ctx, c.id, operator)
		return func() {
			switch {
			case err == nil, errors.Is(err, broker.ErrAlreadyDecided), errors.Is(err, broker.ErrCannotDefer):
			case errors.Is(err, broker.ErrNotRecorded) && w.failing:
			default:
				w.fail("defer %s: %v", c.key, err)
			}
		}
	case "allow", "deny", "deny, end":
		if c.id == "" {
			return none
		}
		verdict, _, end := strings.Cut(s.kind, ",")
		r, err := w.b.Decide(ctx, c.id, broker.Decision{Verdict: broker.Verdict(verdict), By: operator, End: end})
		return func() { w.decided(c, r, err, end) }
	case "stop":
		_, err := w.b.Stop(ctx, s.session, operator)
		return func() { w.stop(s.session, err) }
	case "prompt":
		_, err := w.b.Hear(ctx, agents.Hook{Agent: "claude", Kind: agents.Prompt, SessionID: s.session, CWD: "/src", Text: "go on"})
		return func() {
			if err == nil {
				w.stopped[s.session] = false
			}
		}
	case "process ends":
		_, _ = w.b.Hear(ctx, agents.Hook{Agent: "claude", Kind: agents.SessionEnd, SessionID: s.session, CWD: "/src", Text: "other"})
	case "freeze", "unfreeze":
		err := w.b.Freeze(ctx, "", s.kind == "freeze", operator)
		return func() {
			switch {
			case s.kind == "freeze":
				w.frozen = true
			case err == nil:
				w.frozen = false
			}
		}
	case "wait":
		time.Sleep(s.wait)
	case "restart":
		if !w.broken() { // what was not recorded is gone with the process
			_ = w.b.Close()
			w.open()
		}
	case "fail", "mend":
		w.mu.Lock()
		w.failing = s.kind == "fail"
		w.mu.Unlock()
		time.Sleep(4 * machineSweep) // the sweeper catches up
	}
	return none
}

// ask has the hook of a call ask, in the conversation as before or, once its agent was
// resumed, in another one.
func (w *offWorld) ask(c *offCall, fresh bool) func() {
	w.mu.Lock()
	if fresh = fresh || c.talk == 0; fresh {
		w.talks++
		c.talk = w.talks
	}
	talk := c.talk
	w.mu.Unlock()
	q := headless("toolu_"+c.key, "make "+c.key, fmt.Sprint("talk ", talk))
	q.SessionID, q.Key = c.session, service.ToolKey("claude", c.session, "", "PreToolUse", "toolu_"+c.key)
	r, err := w.b.Submit(w.t.Context(), q)
	if err == nil {
		r, err = w.b.Heard(w.t.Context(), r)
	}
	at := time.Now()
	return func() {
		if r.ID != "" {
			c.id = r.ID
		}
		w.heard(c, r, err, at, fresh)
	}
}

func (w *offWorld) heard(c *offCall, r broker.Request, err error, at time.Time, fresh bool) {
	if err != nil {
		if !errors.Is(err, broker.ErrAnsweredBefore) && !w.failing {
			w.fail("ask %s: %v", c.key, err)
		}
		if errors.Is(err, broker.ErrAnsweredBefore) {
			if c.owed == broker.Allowed && c.allowed && !w.stopped[c.session] && !w.failing && !c.unsure {
				w.fail("%s was allowed while it was put off, and its agent was told %v", c.key, err)
			}
			c.owed, c.allowed = "", false
		}
		return
	}
	if !r.State.Terminal() {
		if fresh && c.owed != "" && !w.frozen && !c.unsure {
			w.fail("%s is %s, and its agent was told to wait", c.key, c.owed)
		}
		return
	}
	c.owed = ""
	if c.heard != "" && c.heard != r.State {
		w.fail("the agent of %s heard %s and %s", c.key, c.heard, r.State)
	}
	if r.State != broker.Allowed {
		c.heard = r.State
		return
	}
	switch {
	case !c.allowed:
		w.fail("the agent of %s may run it, and nobody allowed it", c.key)
	case w.frozen:
		w.fail("the agent of %s may run it in a freeze", c.key)
	case w.stopped[c.session]:
		w.fail("the agent of %s may run it under a stop", c.key)
	case c.ran:
		w.fail("the agent of %s may run it twice", c.key)
	case c.heard != "" && at.Sub(c.heardAt) > 2*time.Minute:
		w.fail("the agent of %s may run it %v after it was told so", c.key, at.Sub(c.heardAt))
	}
	if c.heard == "" {
		c.heard, c.heardAt = r.State, at
		if len(c.key)%2 == 0 { // and some say that they did
			_, err := w.b.Hear(w.t.Context(), agents.Hook{
				Agent: "claude", Kind: agents.ToolDone, SessionID: c.session, CWD: "/src",
				ToolName: "Bash", ToolInput: fmt.Appendf(nil, `{"command":"make %s"}`, c.key), ToolUseID: "toolu_" + c.key,
			})
			c.ran = err == nil
		}
	}
}

func (w *offWorld) decided(c *offCall, r broker.Request, err error, end bool) {
	switch {
	case err == nil && r.State == broker.Allowed:
		c.allowed = true
		if w.frozen {
			w.fail("%s was allowed in a freeze", c.key)
		}
	case errors.Is(err, broker.ErrNotRecorded) && w.failing:
		c.unsure = true
	case err == nil, errors.Is(err, broker.ErrAlreadyDecided), errors.Is(err, broker.ErrFrozen) && w.frozen:
	default:
		w.fail("decide %s: %v", c.key, err)
	}
	if err == nil && c.putOff && !end && c.heard == "" && r.State.Terminal() {
		c.owed = r.State
	}
}

func (w *offWorld) stop(session string, err error) {
	if err != nil && !errors.Is(err, broker.ErrNotRecorded) {
		return // it has ended, or never was
	}
	w.stopped[session] = true
	for _, c := range w.calls {
		if c.session == session {
			c.allowed, c.owed = false, ""
			c.unsure = c.unsure || err != nil
		}
	}
}

// look compares what is put off with what was, and with the store.
func (w *offWorld) look(steps ...offStep) {
	if w.failing {
		return
	}
	saved, err := w.st.Load(w.t.Context())
	if err != nil {
		w.fail("load: %v", err)
	}
	for _, c := range w.calls {
		if c.id == "" {
			continue
		}
		r, err := w.b.Request(w.t.Context(), c.id)
		if err != nil {
			w.fail("request %s: %v", c.key, err)
			continue
		}
		was := c.putOff
		c.putOff = r.Checkpoint != nil
		if c.unsure {
			continue
		}
		if was && !c.putOff && !slices.ContainsFunc(steps, func(s offStep) bool { return s.mayTakeAway(c, r.State) }) {
			w.fail("after %v %s is put off no more, but %s", steps, c.key, r.State)
		}
		stored := slices.ContainsFunc(saved.Checkpoints, func(cp broker.Checkpoint) bool { return cp.RequestID == c.id && cp.TakenUpAt.IsZero() })
		if stored != c.putOff {
			w.fail("after %v the store says of %s that it is put off: %v, the broker: %v (%s)", steps, c.key, stored, c.putOff, r.State)
		}
	}
}

// finish has every agent ask for what it is owed, and reads the log.
func (w *offWorld) finish() {
	for _, kind := range []string{"mend", "unfreeze", "restart"} {
		w.do(offStep{kind: kind})()
	}
	time.Sleep(10 * time.Minute) // every deadline passes, and the time of every late card
	synctest.Wait()
	w.look(offStep{kind: "wait"})
	for _, c := range w.calls {
		owed := c.owed
		if owed == "" || c.unsure || w.stopped[c.session] {
			continue
		}
		if w.ask(c, true)(); c.heard != owed && c.heard == "" {
			w.fail("%s was %s while it was put off, and its agent never heard of it", c.key, owed)
		}
	}
	decided := map[string]int{}
	for _, e := range must2(w.b.Events(w.t.Context())) {
		if e.Type == broker.EventRequestDecided {
			decided[e.RequestID]++
		}
	}
	for id, n := range decided {
		if n > 1 {
			w.fail("request %s ended %d times in the log", id, n)
		}
	}
}

func offSteps(rt *rapid.T) [][]offStep {
	one := rapid.Custom(func(rt *rapid.T) offStep {
		return offStep{
			kind: rapid.SampledFrom([]string{
				"asks again", "ask", "defer", "allow", "defer", "asks again", "deny", "restart", "wait", "process ends",
				"stop", "prompt", "freeze", "unfreeze", "deny, end", "fail", "mend",
			}).Draw(rt, "kind"),
			session: rapid.SampledFrom([]string{"s", "t"}).Draw(rt, "session"),
			key:     rapid.SampledFrom([]string{"a", "bb", "c"}).Draw(rt, "key"),
			wait:    time.Duration(rapid.SampledFrom([]int{1, 30, 70, 3600}).Draw(rt, "wait")) * time.Second,
		}
	})
	story := rapid.Custom(func(rt *rapid.T) []offStep { // what follows each other is likely to be about one call
		s := one.Draw(rt, "step")
		list := []offStep{s}
		if s.kind == "defer" {
			s.kind = "ask"
			list = []offStep{s, list[0]}
		}
		return list
	})
	var all [][]offStep
	for _, list := range rapid.SliceOfN(story, 3, 15).Draw(rt, "steps") {
		for _, s := range list {
			all = append(all, []offStep{s})
		}
		last := list[len(list)-1]
		if rapid.IntRange(0, 3).Draw(rt, "beside") == 0 && concurrent(last.kind) { // another thing at the same time, to the same call
			other := last
			other.kind = rapid.SampledFrom([]string{"asks again", "ask", "defer", "allow", "deny", "stop", "freeze"}).Draw(rt, "other")
			all = append(all, []offStep{last, other})
		}
	}
	return all
}

func concurrent(kind string) bool {
	return slices.Contains([]string{"asks again", "ask", "defer", "allow", "deny", "deny, end"}, kind)
}

// play does the steps at once and takes what came of them into the account: answers before
// what ends or holds them.
func (w *offWorld) play(steps []offStep) {
	noted := make([]func(), len(steps))
	var wg sync.WaitGroup
	for i, s := range steps {
		w.call(s.session, s.key)
		if len(steps) == 1 {
			noted[i] = w.do(s)
			continue
		}
		wg.Go(func() { noted[i] = w.do(s) })
	}
	wg.Wait()
	order := func(s offStep) int {
		return slices.Index([]string{"allow", "deny", "deny, end", "defer", "ask", "asks again"}, s.kind)
	}
	if len(steps) == 2 && (order(steps[0]) < 0 || order(steps[1]) >= 0 && order(steps[1]) < order(steps[0])) {
		noted[0], noted[1] = noted[1], noted[0]
	}
	for _, f := range noted {
		f()
	}
	synctest.Wait()
	w.look(steps...)
}

// TestDeferMachine drives putting off, deciding, asking again, stops, freezes, restarts and
// a failing disk in any order and two at a time: no agent hears two answers, none an allow
// that nobody gave, none under a stop or in a freeze, and no checkpoint is lost.
func TestDeferMachine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		list := offSteps(rt)
		onTimeout := rapid.SampledFrom([]broker.Verdict{broker.Deny, broker.Defer}).Draw(rt, "on timeout")
		var errs []string
		synctest.Test(t, func(t *testing.T) {
			w := &offWorld{
				t: t, st: brokertest.NewMemory(), calls: map[string]*offCall{}, stopped: map[string]bool{},
				opts: service.Options{ApprovalTimeout: time.Minute, OnTimeout: onTimeout, Alive: func(broker.Process) bool { return true }},
			}
			w.st.BeforeCommit(w.commit)
			w.open()
			for _, steps := range list {
				w.play(steps)
			}
			w.finish()
			_ = w.b.Close()
			errs = w.errs
		})
		if len(errs) > 0 {
			rt.Fatal(strings.Join(errs, "\n"))
		}
	})
}
