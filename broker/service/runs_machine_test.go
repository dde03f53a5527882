package service_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/wire"
)

// fakeAgent is an agent's process and the runner that holds it, as far as they matter to
// what is said: what it was told, and whether it works.
type fakeAgent struct {
	runner  broker.Process
	session string
	busy    bool
	inHand  []wire.RunOrder // taken, and not yet carried out
	known   map[string]bool // ids of orders that it took
}

// stage is several sessions with their runners, which come and die, under one broker, which
// does too.
type stage struct {
	t   *testing.T
	st  *brokertest.Memory
	b   *service.Broker
	mu  sync.Mutex
	pid int

	alive  map[int]bool
	agents map[string]*fakeAgent // by session: the living one
	asked  []string              // sessions for which a runner was asked for
	fails  bool                  // starting one fails

	accepted map[string]string // text of every message that was taken, with its session
	latest   map[string]string // by session: the one that was taken last; "" when withdrawn or stopped
	heard    map[string][]string
	errs     []string
}

func (w *stage) fail(format string, args ...any) {
	w.errs = append(w.errs, fmt.Sprintf(format, args...))
}

func (w *stage) Launch(string, broker.NewRun) error { return errors.ErrUnsupported }

func (w *stage) Resume(s broker.Session) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fails {
		return errors.New("no room")
	}
	w.asked = append(w.asked, s.ID)
	return nil
}

func (w *stage) isAlive(p broker.Process) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.alive[p.PID]
}

func (w *stage) open() {
	b, err := service.NewSweeping(w.t.Context(), w.st, service.Options{Alive: w.isAlive, Launcher: w, Rate: -1}, machineSweep)
	if err != nil {
		w.t.Fatal(err)
	}
	w.b = b
}

func (w *stage) start(id string) {
	w.mu.Lock()
	w.pid++
	runner := broker.Process{PID: w.pid, Start: uint64(w.pid)}
	w.alive[runner.PID] = true
	w.mu.Unlock()
	start := wire.RunStart{SessionID: id, Agent: "claude", CWD: "/src", Program: "/bin/claude", Resumed: true}
	if _, err := w.b.StartRun(w.t.Context(), runner, start, broker.Process{}); err != nil {
		w.mu.Lock()
		delete(w.alive, runner.PID)
		w.mu.Unlock()
		if w.agents[id] == nil && !w.stopped(id) {
			w.fail("no process has %s, and a runner was turned away: %v", id, err)
		}
		return
	}
	if w.agents[id] != nil {
		w.fail("two runners have %s", id)
	}
	w.agents[id] = &fakeAgent{runner: runner, session: id, known: map[string]bool{}}
	w.report(id, wire.RunReport{Kind: wire.ReportAgent, PID: 1 << 20})
}

func (w *stage) stopped(id string) bool {
	s, err := w.b.Session(w.t.Context(), id)
	return err == nil && (s.State == broker.SessionStopping || s.State == broker.SessionStopped)
}

func (w *stage) report(id string, rep wire.RunReport) {
	if err := w.b.Reported(w.t.Context(), w.agents[id].runner, id, rep, broker.Process{}); err != nil {
		w.fail("report %s of %s: %v", rep.Kind, id, err)
	}
}

// poll takes what the broker orders, as a runner does: each order once.
func (w *stage) poll(id string) {
	a := w.agents[id]
	if a == nil {
		return
	}
	list, _, err := w.b.OrdersNow(w.t.Context(), id, a.runner)
	if err != nil {
		w.fail("orders of %s: %v", id, err)
		return
	}
	for _, o := range list {
		if o.Kind == wire.OrderMessage && a.busy {
			w.fail("%s was told %q while it works", id, o.Text)
		}
		if o.Kind == wire.OrderMessage && w.stopped(id) {
			w.fail("%s was told %q under a stop", id, o.Text)
		}
		if !a.known[o.ID] {
			a.known[o.ID] = true
			a.inHand = append(a.inHand, o)
		}
	}
}

// carryOut lets the agent have what its runner took.
func (w *stage) carryOut(id string) {
	a := w.agents[id]
	if a == nil || len(a.inHand) == 0 {
		return
	}
	list := a.inHand
	a.inHand = nil
	for _, o := range list {
		switch o.Kind {
		case wire.OrderMessage:
			a.busy = true
			w.heard[id] = append(w.heard[id], o.Text)
			w.report(id, wire.RunReport{Kind: wire.ReportWorking})
			w.report(id, wire.RunReport{Kind: wire.ReportDone, OrderID: o.ID})
		case wire.OrderInterrupt:
			w.idle(id)
			w.report(id, wire.RunReport{Kind: wire.ReportDone, OrderID: o.ID})
		case wire.OrderEnd:
			w.end(id)
			return
		}
	}
}

func (w *stage) idle(id string) {
	if a := w.agents[id]; a != nil && a.busy {
		a.busy = false
		w.report(id, wire.RunReport{Kind: wire.ReportIdle, Result: "completed", Cost: 0.5, Turns: 1})
	}
}

func (w *stage) end(id string) {
	if w.agents[id] == nil {
		return
	}
	w.report(id, wire.RunReport{Kind: wire.ReportEnded, Cost: 0.5, Turns: 1})
	w.die(id)
}

func (w *stage) die(id string) {
	a := w.agents[id]
	if a == nil {
		return
	}
	delete(w.agents, id)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.alive, a.runner.PID)
}

// come lets the runners start that were asked for.
func (w *stage) come() {
	synctest.Wait()
	w.mu.Lock()
	list := w.asked
	w.asked = nil
	w.mu.Unlock()
	for _, id := range list {
		w.start(id) // another may have come first: then it is turned away
	}
}

func (w *stage) say(id string, n int, by broker.Actor) {
	text := fmt.Sprintf("%s message %d", id, n)
	_, err := w.b.Say(w.t.Context(), id, text, by)
	switch {
	case err == nil:
		w.accepted[text], w.latest[id] = id, text
	case errors.Is(err, broker.ErrForbidden) && by.Kind != broker.ByOperator && w.stopped(id):
	case errors.Is(err, broker.ErrNotFound) && w.latest[id] == "":
	default:
		w.fail("say to %s: %v", id, err)
	}
}

func (w *stage) do(kind, id string, n int) {
	switch kind {
	case "start":
		w.mu.Lock()
		awaited := slices.Contains(w.asked, id)
		w.mu.Unlock()
		if w.agents[id] == nil && !awaited {
			w.start(id)
		}
	case "say":
		w.say(id, n, operator)
	case "process says":
		w.say(id, n, broker.Actor{Kind: broker.ByProcess, PID: 7})
	case "withdraw":
		if _, err := w.b.Say(w.t.Context(), id, "", operator); err == nil {
			w.latest[id] = ""
		}
	case "stop":
		if _, err := w.b.Stop(w.t.Context(), id, operator); err == nil {
			w.latest[id] = ""
		}
	case "interrupt":
		_ = w.b.Interrupt(w.t.Context(), id, operator)
	case "poll":
		w.poll(id)
	case "carry out":
		w.carryOut(id)
	case "turn over":
		w.idle(id)
	case "end":
		w.end(id)
	case "die":
		w.die(id)
	case "come":
		w.come()
	case "wait":
		time.Sleep(time.Duration(n) * time.Second)
	case "restart":
		_ = w.b.Close()
		w.mu.Lock()
		w.asked = nil // what was asked for came to nothing
		w.mu.Unlock()
		w.open()
	case "starting fails":
		w.mu.Lock()
		w.fails = !w.fails
		w.mu.Unlock()
	}
}

// settle lets everything be said that can be.
func (w *stage) settle(ids []string) {
	w.mu.Lock()
	w.fails = false
	w.mu.Unlock()
	for range 12 {
		time.Sleep(service.StartGrace + 5*time.Second)
		w.come()
		for _, id := range ids {
			w.poll(id)
			w.carryOut(id)
			w.idle(id)
		}
	}
}

func (w *stage) finish(ids []string) {
	w.settle(ids)
	for _, id := range ids {
		s, err := w.b.Session(w.t.Context(), id)
		if errors.Is(err, broker.ErrNotFound) {
			continue
		}
		for _, text := range w.heard[id] {
			if w.accepted[text] != id {
				w.fail("%s heard %q, which was said to %q", id, text, w.accepted[text])
			}
		}
		if w.stopped(id) && s.Run.Turn != broker.TurnEnded {
			w.fail("%s is %s and its agent %s", id, s.State, s.Run.Turn)
		}
		last := w.latest[id]
		waits := s.Message != nil && s.Message.Text == last && s.Message.Failures >= service.MaxFailures && s.Run.Error != ""
		if last != "" && !slices.Contains(w.heard[id], last) && !waits {
			w.fail("%s never heard %q: %+v, %+v", id, last, s.Message, s.Run)
		}
	}
	w.account()
}

// account compares the log with what was said and heard.
func (w *stage) account() {
	events, err := w.b.Events(w.t.Context())
	if err != nil {
		w.fail("events: %v", err)
	}
	queued, over := map[string]string{}, map[string][]string{}
	for _, e := range events {
		var d struct{ ID, Text string }
		_ = json.Unmarshal(e.Data, &d)
		switch e.Type {
		case broker.EventMessageQueued:
			queued[d.ID] = d.Text
		case broker.EventMessageSent, broker.EventMessageDropped:
			over[queued[d.ID]] = append(over[queued[d.ID]], e.Type)
		}
	}
	for text, id := range w.accepted {
		ends := over[text]
		s, _ := w.b.Session(w.t.Context(), id)
		waits := s.Message != nil && s.Message.Text == text
		if len(ends) == 0 && !waits || len(ends) > 1 || len(ends) > 0 && waits {
			w.fail("%q ended as %v, and waits: %v", text, ends, waits)
		}
		sent := slices.Contains(ends, broker.EventMessageSent)
		if heard := slices.Contains(w.heard[id], text); sent && !heard {
			w.fail("%q is recorded as sent, and %s did not hear it", text, id)
		}
	}
}

// TestTalkMachine drives what is said to sessions, their runners' reports, their deaths and
// the broker's restarts in any order: no message is lost, none told to an agent that works or
// is stopped, each to its own session, and no session has two runners.
func TestTalkMachine(t *testing.T) {
	t.Parallel()
	ids := []string{"s-a", "s-b"}
	rapid.Check(t, func(rt *rapid.T) {
		type step struct {
			kind, id string
			n        int
		}
		list := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			return step{
				rapid.SampledFrom([]string{ // those before come more often
					"take", "come", "die", "say", "poll", "carry out", "turn over", "talk", "stop", "end", "restart", "start", "wait",
					"process says", "withdraw", "interrupt", "starting fails",
				}).Draw(rt, "kind"),
				rapid.SampledFrom(ids).Draw(rt, "session"), rapid.IntRange(1, 70).Draw(rt, "n"),
			}
		}), 4, 60).Draw(rt, "steps")
		var errs []string
		synctest.Test(t, func(t *testing.T) {
			w := &stage{
				t: t, st: brokertest.NewMemory(), pid: 100, alive: map[int]bool{}, agents: map[string]*fakeAgent{},
				accepted: map[string]string{}, latest: map[string]string{}, heard: map[string][]string{},
			}
			w.open()
			for i, s := range list {
				parts := []string{s.kind}
				switch s.kind {
				case "take": // and keep it in hand
					parts = []string{"start", "turn over", "say", "poll"}
				case "talk":
					parts = []string{"start", "say", "poll", "carry out"}
				}
				for _, kind := range parts {
					if kind == "say" || kind == "process says" {
						s.n = 1000 + i
					}
					w.do(kind, s.id, s.n)
				}
			}
			w.finish(ids)
			_ = w.b.Close()
			errs = w.errs
		})
		for _, e := range errs {
			rt.Error(e)
		}
	})
}
