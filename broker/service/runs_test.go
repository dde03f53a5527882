package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/agents"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/story"
	"github.com/aoctl/aoctl/broker/wire"
)

var (
	runner1 = broker.Process{PID: 71, Start: 1}
	runner2 = broker.Process{PID: 72, Start: 1}
	byShell = broker.Actor{Kind: broker.ByProcess, PID: 9}
)

// starter is a launcher that only counts.
type starter struct {
	mu       sync.Mutex
	resumed  []broker.Session
	launched []string
	err      error
	meet     func(id string)
	started  chan bool // told of each resume, unless nil
}

func (l *starter) Launch(id string, n broker.NewRun) error {
	l.mu.Lock()
	l.launched = append(l.launched, id+" "+n.Prompt)
	meet, err := l.meet, l.err
	l.mu.Unlock()
	if meet != nil {
		meet(id)
	}
	return err
}

func (l *starter) Resume(s broker.Session) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resumed = append(l.resumed, s)
	if l.started != nil {
		l.started <- true
	}
	return l.err
}

func (l *starter) resumes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.resumed)
}

func runStart(id string) wire.RunStart {
	return wire.RunStart{SessionID: id, Agent: "claude", Name: "shop", CWD: "/src/shop", Program: "/bin/claude", Prompt: "go"}
}

func startRun(t *testing.T, b *service.Broker, runner broker.Process, id string) broker.Session {
	t.Helper()
	s, err := b.StartRun(t.Context(), runner, runStart(id), broker.Process{})
	must(t, err)
	return s
}

func report(t *testing.T, b *service.Broker, runner broker.Process, id string, list ...wire.RunReport) {
	t.Helper()
	for _, rep := range list {
		must(t, b.Reported(t.Context(), runner, id, rep, broker.Process{}))
	}
}

func kinds(list []wire.RunOrder) string {
	names := make([]string, len(list))
	for i, o := range list {
		names[i] = strings.TrimSpace(o.Kind + " " + o.Text)
	}
	return strings.Join(names, ", ")
}

func orders(t *testing.T, b *service.Broker, runner broker.Process, id string) []wire.RunOrder {
	t.Helper()
	list, _, err := b.OrdersNow(t.Context(), id, runner)
	must(t, err)
	return list
}

func wantOrders(t *testing.T, b *service.Broker, when, want string) []wire.RunOrder {
	t.Helper()
	list := orders(t, b, runner1, "s")
	if got := kinds(list); got != want {
		t.Errorf("%s: orders %q, want %q", when, got, want)
	}
	return list
}

func session(t *testing.T, b *service.Broker, id string) broker.Session {
	t.Helper()
	s, err := b.Session(t.Context(), id)
	must(t, err)
	return s
}

var (
	works = wire.RunReport{Kind: wire.ReportWorking}
	rests = wire.RunReport{Kind: wire.ReportIdle, Result: "completed"}
	ends  = wire.RunReport{Kind: wire.ReportEnded}
)

func TestMessageWaitsForTheTurnsEnd(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", works)
	for _, text := range []string{"first", "second"} {
		_, err := b.Say(t.Context(), "s", text, byShell)
		must(t, err)
		wantOrders(t, b, "while it works", "")
	}
	report(t, b, runner1, "s", rests)
	told := wantOrders(t, b, "turn over", "message second")
	wantOrders(t, b, "asked again", "message second")
	if s := session(t, b, "s"); s.Message != nil || s.Run.Told == nil {
		t.Errorf("told: queue %v, told %v", s.Message, s.Run.Told)
	}
	_, err := b.Say(t.Context(), "s", "third", byShell)
	must(t, err)
	report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportDone, OrderID: told[0].ID})
	wantOrders(t, b, "the agent has it", "")
	report(t, b, runner1, "s", works, rests)
	wantOrders(t, b, "and its turn is over", "message third")
	events, err := b.Events(t.Context())
	must(t, err)
	var log []string
	for _, e := range events {
		if strings.HasPrefix(e.Type, "message") {
			log = append(log, e.Type)
		}
	}
	if got := strings.Join(log, " "); got != "message_queued message_dropped message_queued message_queued message_sent" {
		t.Errorf("the log says %s", got)
	}
}

func TestWithdrawnMessageIsNotTold(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", works)
	for _, text := range []string{"no", ""} {
		_, err := b.Say(t.Context(), "s", text, byShell)
		must(t, err)
	}
	report(t, b, runner1, "s", rests)
	wantOrders(t, b, "withdrawn", "")
}

func TestBadMessages(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	startRun(t, b, runner1, "s")
	submit(t, b, bash("hooked", "1", "make"))
	for name, tc := range map[string]struct {
		id, text string
		want     error
	}{
		"blank":         {"s", " \n\t", broker.ErrInvalid},
		"too long":      {"s", strings.Repeat("x", 256<<10+1), broker.ErrInvalid},
		"no session":    {"nobody", "hello", broker.ErrNotFound},
		"not managed":   {"hooked", "hello", broker.ErrNotManaged},
		"nothing there": {"nobody", "", broker.ErrNotFound},
	} {
		if _, err := b.Say(t.Context(), tc.id, tc.text, operator); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	if _, err := b.Session(t.Context(), "nobody"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("a session came into being: %v", err)
	}
}

// A message is acknowledged once it is on the disk, and not otherwise.
func TestMessageIsRecordedFirst(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", rests)
	synced := false
	st.BeforeCommit(func(_ context.Context, c *broker.Change) error { synced = c.Sync; return nil })
	_, err := b.Say(t.Context(), "s", "kept", operator)
	must(t, err)
	if !synced {
		t.Error("a message would not survive a power cut")
	}
	failCommits(st, errors.New("disk full"))
	if _, err := b.Say(t.Context(), "s", "lost", operator); !errors.Is(err, broker.ErrNotRecorded) {
		t.Errorf("on a full disk: %v", err)
	}
	if _, _, err := b.OrdersNow(t.Context(), "s", runner1); !errors.Is(err, broker.ErrNotRecorded) {
		t.Errorf("told although that cannot be recorded: %v", err)
	}
	failCommits(st, nil)
	wantOrders(t, b, "mended", "message kept")
}

func TestOneRunnerASession(t *testing.T) {
	dead := map[int]bool{}
	b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: func(p broker.Process) bool { return !dead[p.PID] }})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", works)
	startRun(t, b, runner1, "s") // again, as after a restart
	if s := session(t, b, "s"); s.Run.Turn != broker.TurnWorking {
		t.Errorf("said again: %s", s.Run.Turn)
	}
	if _, err := b.StartRun(t.Context(), runner2, runStart("s"), broker.Process{}); err == nil {
		t.Error("two runners have a session")
	}
	if err := b.Reported(t.Context(), runner2, "s", rests, broker.Process{}); err == nil {
		t.Error("another process reports")
	}
	if _, _, err := b.OrdersNow(t.Context(), "s", runner2); err == nil {
		t.Error("another process is given orders")
	}
	submit(t, b, bash("s", "1", "make"))
	dead[runner1.PID] = true
	startRun(t, b, runner2, "s")
	if n := len(b.Pending("s")); n != 0 {
		t.Errorf("%d calls of the dead runner's agent wait", n)
	}
	if err := b.Reported(t.Context(), runner1, "s", rests, broker.Process{}); err == nil {
		t.Error("the former runner reports")
	}
}

// A session that somebody started elsewhere is not taken from its living agent.
func TestLivingAgentKeepsItsSession(t *testing.T) {
	alive := true
	b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: func(broker.Process) bool { return alive }})
	q := bash("s", "1", "make")
	q.Session.Process = broker.Process{PID: 4242, Start: 7}
	submit(t, b, q)
	if _, err := b.StartRun(t.Context(), runner1, runStart("s"), broker.Process{}); err == nil {
		t.Error("a runner took a living agent's session")
	}
	alive = false
	startRun(t, b, runner1, "s")
}

func TestCostAddsUp(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	use := func(cost float64, turns int, tokens int64) wire.RunReport {
		return wire.RunReport{Kind: wire.ReportIdle, Cost: cost, Turns: turns, Usage: wire.RunUsage{Input: tokens, CacheRead: 2 * tokens}}
	}
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", use(0.25, 1, 10), use(0.5, 2, 20))
	must(t, b.Close())
	b = newBroker(t, st, service.Options{})
	report(t, b, runner1, "s", use(0.75, 3, 30), ends)
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", use(0.125, 1, 5))
	r := session(t, b, "s").Run
	if r.Cost != 0.875 || r.Turns != 4 || r.Usage != (wire.RunUsage{Input: 35, CacheRead: 70}) {
		t.Errorf("two processes cost %v in %d turns with %+v", r.Cost, r.Turns, r.Usage)
	}
}

// A message that is given up waits for its user; what goes wrong after that does not hide it.
func TestGivenUpMessageIsSaidBesideTheTurnsError(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", works, rests)
	must2(b.Say(t.Context(), "s", "go on", operator))
	for range service.MaxFailures {
		list := orders(t, b, runner1, "s")
		if len(list) != 1 {
			t.Fatalf("orders %q", kinds(list))
		}
		report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportDone, OrderID: list[0].ID, Error: "Not logged in"})
	}
	const waits = "waits until you send it again"
	for _, tc := range []struct {
		rep wire.RunReport
		why string
	}{
		{wire.RunReport{Kind: wire.ReportIdle, Result: "error", Error: "API Error: 401"}, "API Error: 401"},
		{wire.RunReport{Kind: wire.ReportNote, Error: "the disk is full"}, "the disk is full"},
		{wire.RunReport{Kind: wire.ReportIdle, Result: "aborted_tools", Error: "[diagnostic]"}, "could not be told"},
		{wire.RunReport{Kind: wire.ReportEnded, Error: "killed"}, "killed"},
	} {
		report(t, b, runner1, "s", tc.rep)
		if got := session(t, b, "s").Run.Error; !strings.Contains(got, tc.why) || strings.Count(got, waits) != 1 {
			t.Errorf("after %s %q: %q", tc.rep.Kind, tc.rep.Error, got)
		}
	}
}

func TestInterrupt(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", works)
	for range 2 {
		must(t, b.Interrupt(t.Context(), "s", byShell))
	}
	list := wantOrders(t, b, "asked", "interrupt")
	must(t, b.Close())
	b = newBroker(t, st, service.Options{})
	if again := wantOrders(t, b, "after a restart", "interrupt"); again[0].ID != list[0].ID {
		t.Error("it has another id after a restart")
	}
	report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportIdle, Result: "aborted_tools", Error: "[diagnostic]"})
	if r := session(t, b, "s").Run; r.Error != "" || r.Result != "aborted_tools" {
		t.Errorf("an interrupt that was asked for is shown as %q", r.Error)
	}
	wantOrders(t, b, "the turn is over", "")
	must(t, b.Interrupt(t.Context(), "s", byShell))
	wantOrders(t, b, "no turn is under way", "")
	report(t, b, runner1, "s", ends)
	if err := b.Interrupt(t.Context(), "s", byShell); !errors.Is(err, broker.ErrSessionEnded) {
		t.Errorf("ended: %v", err)
	}
}

// A runner lives on when the turn ends, so its leaving is no sign that a card is moot.
func TestTurnsEndClosesItsCards(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", works)
	own := submit(t, b, bash("s", "1", "make"))
	q := bash("s", "2", "make")
	q.SubagentID = "helper"
	helper := submit(t, b, q)
	report(t, b, runner1, "s", rests)
	for id, want := range map[string]broker.State{own.ID: broker.Cancelled, helper.ID: broker.Pending} {
		if got, _ := b.Request(t.Context(), id); got.State != want {
			t.Errorf("%s is %s, want %s", id, got.State, want)
		}
	}
}

func TestStopEndsTheProcess(t *testing.T) {
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", works)
	r := submit(t, b, bash("s", "1", "make"))
	_, err := b.Say(t.Context(), "s", "and then", byShell)
	must(t, err)
	_, err = b.Stop(t.Context(), "s", operator)
	must(t, err)
	if got, _ := b.Request(t.Context(), r.ID); got.State != broker.Denied {
		t.Errorf("what waited is %s", got.State)
	}
	wantOrders(t, b, "stopped", "interrupt, end")
	report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportStep, Text: "interrupted its turn"}, rests)
	if s := session(t, b, "s"); s.State != broker.SessionStopping || s.Message != nil {
		t.Errorf("its turn is over: %s, waiting %v", s.State, s.Message)
	}
	must(t, b.Close())
	b = newBroker(t, st, service.Options{})
	list := wantOrders(t, b, "after a restart", "interrupt, end")
	report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportDone, OrderID: list[0].ID})
	wantOrders(t, b, "interrupted", "end")
	code := 0
	report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportEnded, ExitCode: &code})
	if s := session(t, b, "s"); s.State != broker.SessionStopped || s.Run.Turn != broker.TurnEnded || !slices.Equal(s.Run.Steps, []string{"interrupted its turn"}) {
		t.Errorf("ended: %s, %s, %q", s.State, s.Run.Turn, s.Run.Steps)
	}
	if _, err := b.Say(t.Context(), "s", "go on", byShell); !errors.Is(err, broker.ErrForbidden) {
		t.Errorf("a process lifts the stop: %v", err)
	}
	if _, err := b.StartRun(t.Context(), runner2, runStart("s"), broker.Process{}); err == nil {
		t.Error("a runner lifts the stop")
	}
	s, err := b.Say(t.Context(), "s", "go on", operator)
	if err != nil || s.State != broker.SessionFinished || s.Message == nil {
		t.Errorf("the operator: %s, %v, %v", s.State, s.Message, err)
	}
}

// What its agent says of a prompt under a stop is about one that was told before.
func TestPromptOfARunnerLiftsNoStop(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", works)
	_, err := b.Stop(t.Context(), "s", operator)
	must(t, err)
	told(t, b, agents.Hook{Kind: agents.Prompt, Text: "go"})
	wantSession(t, b, "a late prompt", broker.SessionStopping)
}

func TestStopBeforeTheRunnerCame(t *testing.T) {
	l := &starter{}
	b := newBroker(t, brokertest.NewMemory(), service.Options{Launcher: l})
	s, err := b.Launch(t.Context(), broker.NewRun{Folder: t.TempDir(), Prompt: "go"}, operator)
	must(t, err)
	s, err = b.Stop(t.Context(), s.ID, operator)
	if err != nil || s.State != broker.SessionStopped {
		t.Errorf("stopped: %s, %v", s.State, err)
	}
	if _, err := b.StartRun(t.Context(), runner1, runStart(s.ID), broker.Process{}); err == nil {
		t.Error("the runner came all the same")
	}
}

func TestDeadRunnerIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		dead := false
		l := &starter{}
		b := newBroker(t, brokertest.NewMemory(), service.Options{Launcher: l, Alive: func(broker.Process) bool {
			mu.Lock()
			defer mu.Unlock()
			return !dead
		}})
		startRun(t, b, runner1, "s")
		report(t, b, runner1, "s", rests)
		_, err := b.Say(t.Context(), "s", "are you there", operator)
		must(t, err)
		wantOrders(t, b, "idle", "message are you there")
		q := bash("s", "1", "make")
		submit(t, b, q)
		mu.Lock()
		dead = true
		mu.Unlock()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		s := session(t, b, "s")
		if len(b.Pending("s")) != 0 || s.Message == nil || s.Message.Failures != 1 || l.resumes() != 1 || s.Run.Turn != broker.TurnStarting {
			t.Errorf("%d wait, message %+v, %d resumes, %s", len(b.Pending("s")), s.Message, l.resumes(), s.Run.Turn)
		}
		_ = b.Close()
	})
}

// Two messages at once start one runner; one that cannot be started is tried again a few
// times, and what is wrong is seen.
func TestSessionIsResumedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &starter{}
		b := newBroker(t, brokertest.NewMemory(), service.Options{Launcher: l})
		startRun(t, b, runner1, "s")
		report(t, b, runner1, "s", ends)
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				if _, err := b.Say(t.Context(), "s", fmt.Sprint("message ", i), operator); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		synctest.Wait()
		if l.resumes() != 1 {
			t.Errorf("ten messages started %d runners", l.resumes())
		}
		startRun(t, b, runner2, "s")
		report(t, b, runner2, "s", ends)
		synctest.Wait()
		l.mu.Lock()
		l.err = errors.New("no such folder")
		l.mu.Unlock()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		s := session(t, b, "s")
		if s.Message == nil || s.Message.Failures != service.MaxFailures || s.Run.Turn != broker.TurnEnded || !strings.Contains(s.Run.Error, "no") {
			t.Errorf("message %+v, %s, error %q", s.Message, s.Run.Turn, s.Run.Error)
		}
		before := l.resumes()
		time.Sleep(time.Hour)
		synctest.Wait()
		if l.resumes() != before {
			t.Error("it is tried for ever")
		}
		l.mu.Lock()
		l.err = nil
		l.mu.Unlock()
		_, err := b.Say(t.Context(), "s", "now", operator)
		must(t, err)
		synctest.Wait()
		if l.resumes() != before+1 {
			t.Error("a new message does not try again")
		}
		_ = b.Close()
	})
}

// A session that ended long ago is no longer in memory.
func TestOldSessionIsResumed(t *testing.T) {
	st := brokertest.NewMemory()
	l := &starter{started: make(chan bool, 1)}
	b := newBroker(t, st, service.Options{Launcher: l})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportIdle, Cost: 2}, ends)
	must(t, b.Close())
	b = newBroker(t, forgetful{st}, service.Options{Launcher: l})
	s, err := b.Say(t.Context(), "s", "once more", operator)
	if err != nil || s.Run == nil || s.Run.Cost != 2 || s.Name != "shop" {
		t.Errorf("%+v, %v", s, err)
	}
	select {
	case <-l.started:
	case <-time.After(time.Minute):
		t.Error("no runner was started")
	}
}

// forgetful loads no sessions, as when they ended long ago.
type forgetful struct{ broker.Store }

func (f forgetful) Load(ctx context.Context) (broker.Saved, error) {
	saved, err := f.Store.Load(ctx)
	saved.Sessions = nil
	return saved, err
}

func TestLaunch(t *testing.T) {
	l := &starter{}
	b := newBroker(t, brokertest.NewMemory(), service.Options{Launcher: l})
	dir := t.TempDir()
	for name, tc := range map[string]struct {
		n    broker.NewRun
		by   broker.Actor
		want error
	}{
		"not by a person":  {broker.NewRun{Folder: dir, Prompt: "go"}, byShell, broker.ErrForbidden},
		"no folder":        {broker.NewRun{Folder: dir + "/none", Prompt: "go"}, operator, broker.ErrInvalid},
		"relative folder":  {broker.NewRun{Folder: "src", Prompt: "go"}, operator, broker.ErrInvalid},
		"no prompt":        {broker.NewRun{Folder: dir, Prompt: "  "}, operator, broker.ErrInvalid},
		"another agent":    {broker.NewRun{Folder: dir, Prompt: "go", Agent: "codex"}, operator, broker.ErrInvalid},
		"a name of colour": {broker.NewRun{Folder: dir, Prompt: "go", Name: "\x1b[31m"}, operator, broker.ErrInvalid},
	} {
		if _, err := b.Launch(t.Context(), tc.n, tc.by); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	l.meet = func(id string) { // it is on record before anything is started
		if s := session(t, b, id); s.Run.Turn != broker.TurnStarting || s.CWD != dir || s.Name != "docs" {
			t.Errorf("launched: %+v", s)
		}
		startRun(t, b, runner1, id)
	}
	s, err := b.Launch(t.Context(), broker.NewRun{Folder: dir, Prompt: "write", Name: "docs"}, operator)
	if err != nil || s.Run.Runner != runner1 || len(l.launched) != 1 || l.launched[0] != s.ID+" write" {
		t.Errorf("%+v, %v, launched %q", s, err, l.launched)
	}
	l.meet, l.err = nil, errors.New("claude is not installed")
	s, err = b.Launch(t.Context(), broker.NewRun{Folder: dir, Prompt: "write"}, operator)
	if err == nil || s.Run.Turn != broker.TurnEnded || s.Run.Error != l.err.Error() || !s.State.Ended() {
		t.Errorf("failed: %+v, %v", s.Run, err)
	}
}

// What an agent says without end does not fill the log, and what it cost is kept.
func TestChattyAgentIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		startRun(t, b, runner1, "s")
		for i := range service.MaxSaid + 500 {
			report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportSaid, Text: "and another thing"})
			if i%30 == 0 && i < service.MaxSaid {
				time.Sleep(time.Second) // slower than the rate
			}
		}
		for range 10 * service.MaxSteps {
			report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportStep, Text: strings.Repeat("x", 5000)})
			time.Sleep(100 * time.Millisecond)
		}
		report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportIdle, Cost: 3})
		said := 0
		events, err := st.Events(t.Context(), broker.EventFilter{After: -1, Limit: 100000})
		must(t, err)
		for _, e := range events {
			if e.Type == broker.EventMessage {
				said++
			}
		}
		s := session(t, b, "s")
		if said != service.MaxSaid || s.Run.Cost != 3 || len(s.Run.Steps) != service.MaxSteps || len(s.Run.Steps[0]) > 400 {
			t.Errorf("%d things said, cost %v, %d steps", said, s.Run.Cost, len(s.Run.Steps))
		}
		var last error
		for range 1000 {
			if last = b.Reported(t.Context(), runner1, "s", works, broker.Process{}); last != nil {
				break
			}
		}
		if !errors.Is(last, broker.ErrTooFast) {
			t.Errorf("a thousand turns at once: %v", last)
		}
		_ = b.Close()
	})
}

// What the agent said last is the newest message of its session, as the console reads it.
func TestSaidLast(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", works, wire.RunReport{Kind: wire.ReportSaid, Text: "one"}, wire.RunReport{Kind: wire.ReportSaid, Text: "two"},
		wire.RunReport{Kind: wire.ReportNote, Text: "a note"}, wire.RunReport{Kind: wire.ReportIdle})
	list, err := b.Timeline(t.Context(), broker.EventFilter{SessionID: "s", Types: []string{broker.EventMessage}, Limit: 1})
	must(t, err)
	var d story.UserData
	if len(list) != 1 || json.Unmarshal(list[0].Event.Data, &d) != nil || d.Words() != "two" {
		t.Errorf("%+v", list)
	}
}

// Who does not hold a session uses up nothing of what its runner may report.
func TestStrangersReportsCostNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := brokertest.NewMemory()
		b := newBroker(t, st, service.Options{})
		startRun(t, b, runner1, "s")
		said := wire.RunReport{Kind: wire.ReportSaid, Text: "x"}
		for range 2 * service.MaxSaid {
			for _, rep := range []wire.RunReport{said, {Kind: wire.ReportIdle}} {
				if err := b.Reported(t.Context(), runner2, "s", rep, broker.Process{}); err == nil || errors.Is(err, broker.ErrTooFast) {
					t.Fatalf("a stranger's report: %v", err)
				}
			}
		}
		report(t, b, runner1, "s", said, wire.RunReport{Kind: wire.ReportIdle, Cost: 2})
		if n := logged(t, b, broker.EventMessage); n != 1 || session(t, b, "s").Run.Cost != 2 {
			t.Errorf("%d things said, %+v", n, session(t, b, "s").Run)
		}
		_ = b.Close()
	})
}

func TestSettings(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	startRun(t, b, runner1, "s")
	for mode, want := range map[string]error{"plan": nil, "bypassPermissions": broker.ErrForbidden, "acceptEdits": broker.ErrForbidden, "yolo": broker.ErrInvalid, "": broker.ErrInvalid} {
		if _, err := b.Configure(t.Context(), "s", mode, "", byShell); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", mode, err, want)
		}
	}
	_, err := b.Configure(t.Context(), "s", "acceptEdits", "opus", operator)
	must(t, err)
	list := orders(t, b, runner1, "s")
	if got := strings.Split(kinds(list), ", "); len(got) != 2 || !slices.Contains(got, "mode acceptEdits") || !slices.Contains(got, "model opus") {
		t.Fatalf("orders %q", got)
	}
	for _, o := range list {
		report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportDone, OrderID: o.ID})
	}
	if s := session(t, b, "s"); s.Mode != "acceptEdits" || s.Run.Model != "opus" || len(orders(t, b, runner1, "s")) != 0 {
		t.Errorf("%+v", s)
	}
}

// Fifty sessions at once: each message reaches its own.
func TestFiftySessions(t *testing.T) {
	b := newBroker(t, brokertest.NewMemory(), service.Options{})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			id, me := fmt.Sprintf("s-%d", i), broker.Process{PID: 1000 + i, Start: 1}
			startRun(t, b, me, id)
			for n := range 10 {
				report(t, b, me, id, works)
				call := submit(t, b, bash(id, fmt.Sprint(n), "make"))
				text := fmt.Sprintf("%s, message %d", id, n)
				if _, err := b.Say(t.Context(), id, text, operator); err != nil {
					t.Error(err)
				}
				if _, err := b.Decide(t.Context(), call.ID, broker.Decision{Verdict: broker.Allow, By: operator, Digest: call.Digest}); err != nil {
					t.Error(err)
				}
				report(t, b, me, id, rests)
				list := orders(t, b, me, id)
				if kinds(list) != "message "+text {
					t.Errorf("%s was told %q", id, kinds(list))
					return
				}
				report(t, b, me, id, wire.RunReport{Kind: wire.ReportDone, OrderID: list[0].ID})
			}
			report(t, b, me, id, wire.RunReport{Kind: wire.ReportIdle, Cost: float64(i), Turns: i})
		})
	}
	wg.Wait()
	for i := range 50 {
		if s := session(t, b, fmt.Sprintf("s-%d", i)); s.Run.Cost != float64(i) || s.Run.Runner.PID != 1000+i {
			t.Errorf("%s: %+v", s.ID, s.Run)
		}
	}
	if n, _, err := b.StopAll(t.Context(), operator); n != 50 || err != nil {
		t.Errorf("stopped %d, %v", n, err)
	}
	for i := range 50 {
		if got := kinds(orders(t, b, broker.Process{PID: 1000 + i, Start: 1}, fmt.Sprintf("s-%d", i))); got != "interrupt, end" {
			t.Errorf("s-%d: %q", i, got)
		}
	}
}

// TestHeldPoll: a poll is held until there is something to do, its time is over, or the
// broker closes; what was told just now is not told in a loop.
func TestHeldPoll(t *testing.T) {
	for name, tc := range map[string]struct {
		meanwhile func(b *service.Broker, runner net.Conn) error
		took      time.Duration
		due       bool
	}{
		"nothing":     {nil, 20 * time.Second, true},
		"a message":   {func(b *service.Broker, _ net.Conn) error { return sayTo(b) }, 3 * time.Second, true},
		"a stop":      {func(b *service.Broker, _ net.Conn) error { return stopIt(b) }, 3 * time.Second, true},
		"the end":     {func(b *service.Broker, _ net.Conn) error { b.Drain(); return nil }, 3 * time.Second, true},
		"it hangs up": {func(_ *service.Broker, c net.Conn) error { return c.Close() }, 3 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBroker(t, brokertest.NewMemory(), service.Options{})
				startRun(t, b, runner1, "s")
				report(t, b, runner1, "s", rests)
				here, there := net.Pipe()
				if tc.meanwhile != nil {
					go func() {
						time.Sleep(3 * time.Second)
						if err := tc.meanwhile(b, there); err != nil {
							t.Error(err)
						}
					}()
				}
				began := time.Now()
				if due := b.HoldPoll(here, "s", 20*time.Second); due != tc.due || time.Since(began) != tc.took {
					t.Errorf("after %v, an answer is due: %v", time.Since(began), due)
				}
				synctest.Wait()
				_, _ = here.Close(), there.Close()
				_ = b.Close()
			})
		})
	}
}

func sayTo(b *service.Broker) error {
	_, err := b.Say(context.Background(), "s", "hello", operator)
	return err
}

func stopIt(b *service.Broker) error {
	_, err := b.Stop(context.Background(), "s", operator)
	return err
}

func TestToldAgainAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		startRun(t, b, runner1, "s")
		report(t, b, runner1, "s", rests)
		must(t, sayTo(b))
		for i, want := range []time.Duration{0, 2 * time.Second, 0, 2 * time.Second} {
			list, again, err := b.OrdersNow(t.Context(), "s", runner1)
			if err != nil || len(list) != 1 || again != want {
				t.Errorf("poll %d: %d orders, again in %v, %v", i, len(list), again, err)
			}
			if i == 1 {
				time.Sleep(again)
			}
		}
		_ = b.Close()
	})
}

// The runner is who the kernel says it is: here this test's own process, which starts an
// agent below itself.
func TestRunnerOverTheSocket(t *testing.T) {
	c := serve(t, service.Options{})
	status, m := c.do("POST", "/runs", `{"session_id":"s","agent":"claude","cwd":"/src","program":"/bin/claude","prompt":"go"}`)
	if run, _ := m["run"].(map[string]any); status != 201 || run["turn"] != "starting" || run["runner"].(map[string]any)["pid"] != float64(os.Getpid()) {
		t.Fatalf("%d %v", status, m)
	}
	for body, want := range map[string]string{
		`{"session_id":"x","agent":"claude","cwd":"src","program":"/bin/claude"}`:             "bad_request",
		`{"session_id":"x","agent":"codex","cwd":"/src","program":"/bin/codex"}`:              "bad_request",
		`{"session_id":"x","agent":"claude","cwd":"/src","program":"/bin/claude","runner":1}`: "bad_request",
		`{"agent":"claude","cwd":"/src","program":"/bin/claude"}`:                             "bad_request",
	} {
		if _, m := c.do("POST", "/runs", body); code(m) != want {
			t.Errorf("%s: %v", body, m)
		}
	}
	agent := exec.CommandContext(t.Context(), "sleep", "60")
	must(t, agent.Start())
	defer func() { _ = agent.Process.Kill(); _ = agent.Wait() }()
	c.do("POST", "/runs/s/reports", fmt.Sprintf(`{"kind":"agent","pid":%d}`, agent.Process.Pid))
	if s := session(t, c.b, "s"); s.Process.PID != agent.Process.Pid || s.Process.Start == 0 {
		t.Errorf("the agent is %+v", s.Process)
	}
	if why := c.b.AgentAbove(agent.Process.Pid); !strings.Contains(why, "session s") {
		t.Errorf("its agent counts as: %q", why)
	}
	c.do("POST", "/runs/s/reports", fmt.Sprintf(`{"kind":"agent","pid":%d}`, os.Getppid())) // not below it
	if s := session(t, c.b, "s"); s.Process.PID != 0 {
		t.Errorf("a process that is not the runner's counts as its agent: %+v", s.Process)
	}
	c.do("POST", "/runs/s/reports", `{"kind":"idle","cost_usd":0.5}`)
	if status, m := c.do("POST", "/sessions/s/message", `{"text":"hello"}`); status != 200 || m["message"] == nil {
		t.Errorf("%d %v", status, m)
	}
	_, m = c.do("GET", "/runs/s/orders?timeout=20", "")
	raw, _ := json.Marshal(m["orders"])
	if !strings.Contains(string(raw), `"text":"hello"`) {
		t.Errorf("orders %s", raw)
	}
	for path, want := range map[string]string{
		"POST /runs/nobody/reports":         "not_found",
		"GET /runs/nobody/orders":           "not_found",
		"POST /sessions/nobody/interrupt":   "not_found",
		"DELETE /sessions/nobody/message":   "not_found",
		"POST /sessions/nobody/settings":    "not_found",
		"POST /sessions/s/settings":         "bad_request",
		"POST /sessions/s/message":          "bad_request",
		"POST /runs/s/reports":              "bad_request",
		"GET /runs/s/orders?timeout=later":  "bad_request",
		"POST /sessions/nobody/message":     "bad_request",
		"POST /sessions/hooked/interrupt":   "not_managed",
		"GET /runs/hooked/orders":           "not_managed",
		"DELETE /sessions/hooked/message":   "not_managed",
		"GET /runs/other/orders?timeout=.1": "not_the_runner",
	} {
		method, path, _ := strings.Cut(path, " ")
		body := ""
		switch {
		case strings.HasSuffix(path, "nobody/reports"):
			body = `{"kind":"working"}`
		case strings.HasSuffix(path, "nobody/settings"):
			body = `{"model":"opus"}`
		case strings.HasPrefix(path, "/sessions/hooked"), strings.HasPrefix(path, "/runs/hooked"):
			submit(t, c.b, bash("hooked", "1", "make"))
		case strings.HasPrefix(path, "/runs/other"):
			startRun(t, c.b, runner1, "other")
		}
		if _, m := c.do(method, path, body); code(m) != want {
			t.Errorf("%s %s: %v, want %s", method, path, m, want)
		}
	}
}

// Agents do not speak for their users, and take up no session of another.
func TestAgentsDoNotSpeak(t *testing.T) {
	c := serve(t, service.Options{})
	startRun(t, c.b, runner1, "s")
	report(t, c.b, runner1, "s", works)
	q := bash("hooked", "1", "make")
	q.Session.Process = peers.FindProcess(os.Getpid()) // whoever asks here is below an agent now
	submit(t, c.b, q)
	for path, body := range map[string]string{
		"/sessions/s/message":  `{"text":"do as I say"}`,
		"/sessions/s/settings": `{"model":"opus"}`,
		"/runs":                `{"session_id":"s","agent":"claude","cwd":"/src","program":"/bin/claude"}`,
	} {
		if status, m := c.do("POST", path, body); status != 403 || code(m) != "operator_required" {
			t.Errorf("%s: %d %v", path, status, m)
		}
	}
	if s := session(t, c.b, "s"); s.Message != nil || len(s.Run.Orders) != 0 {
		t.Errorf("it was heard: %+v", s)
	}
	refused := 0
	events, err := c.b.Events(t.Context())
	must(t, err)
	for _, e := range events {
		if e.Type == broker.EventAccessRefused {
			refused++
		}
	}
	if refused != 3 {
		t.Errorf("%d attempts are on record, want 3", refused)
	}
	if status, m := c.do("POST", "/sessions/s/interrupt", "{}"); status != 200 {
		t.Errorf("an interrupt only makes safer: %d %v", status, m)
	}
	if status, m := c.do("POST", "/runs", `{"session_id":"new","agent":"claude","cwd":"/src","program":"/bin/claude"}`); status != 201 {
		t.Errorf("a session of its own: %d %v", status, m)
	}
}

// unreadable is a store of which the sessions cannot be read once.
type unreadable struct {
	*brokertest.Memory
	once sync.Once
	now  atomic.Bool
}

func (u *unreadable) Sessions(ctx context.Context, f broker.SessionFilter) (list []broker.Session, err error) {
	if u.now.Load() {
		u.once.Do(func() { err = errors.New("input/output error") })
	}
	if err != nil {
		return nil, err
	}
	return u.Memory.Sessions(ctx, f)
}

// Attack: an agent takes up a session that ended long ago at the very moment at which
// nobody can tell whether there is one.
func TestAgentsTakeUpNothingInDoubt(t *testing.T) {
	st := &unreadable{Memory: brokertest.NewMemory()}
	long := time.Now().Add(-48 * time.Hour).UTC().Truncate(time.Millisecond)
	old := broker.Session{
		ID: "old", Agent: "claude", State: broker.SessionFinished, StartedAt: long, LastSeenAt: long, SessionEnd: broker.SessionEnd{EndedAt: long},
		Run: &broker.Run{Turn: broker.TurnEnded, Program: "/bin/claude", StartedAt: long},
	}
	event := &broker.Event{At: long, Type: broker.EventSessionStop, SessionID: "old", Data: []byte(`{}`)}
	must(t, st.Record(t.Context(), &broker.Change{Sessions: []broker.Session{old}, Events: []*broker.Event{event}}))
	c := serveOver(t, st, service.Options{})
	q := bash("hooked", "1", "make")
	q.Session.Process = peers.FindProcess(os.Getpid()) // whoever asks here is below an agent now
	submit(t, c.b, q)
	st.now.Store(true)
	const take = `{"session_id":"old","agent":"claude","cwd":"/src","program":"/bin/claude"}`
	if status, m := c.do("POST", "/runs", take); status != 500 {
		t.Errorf("while it cannot be read: %d %v", status, m)
	}
	if status, m := c.do("POST", "/runs", take); status != 403 {
		t.Errorf("when it can: %d %v", status, m)
	}
	if s := session(t, c.b, "old"); s.Run.Runner.PID != 0 {
		t.Errorf("it was taken up by %+v", s.Run.Runner)
	}
}

// Attack: a process below an agent decides before the runner has said which process its
// agent is, for instance because it stopped the runner.
func TestBelowARunnerIsAnAgents(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("needs /proc")
	}
	st := brokertest.NewMemory()
	b := newBroker(t, st, service.Options{})
	below := born(t, "sh -c 'echo $$; read x'; true")
	runner := peers.FindProcess(parentOf(t, below))
	if why := b.AgentAbove(below); why != "" {
		t.Errorf("below a process that is no runner: %s", why)
	}
	startRun(t, b, runner, "s")
	for range 2 { // also after a restart
		if why := b.AgentAbove(below); !strings.Contains(why, "session s") {
			t.Errorf("below a runner: %q", why)
		}
		if why := b.AgentAbove(runner.PID); why != "" {
			t.Errorf("the runner itself: %s", why)
		}
		b = newBroker(t, st, service.Options{})
	}
}

func parentOf(t *testing.T, pid int) int {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(stat), ") ")
	parent, err := strconv.Atoi(strings.Fields(rest)[1])
	must(t, err)
	return parent
}

// Attack: a program begins and ends a session without end, each time with a long prompt, to
// fill the log.
func TestRunsAreNotBegunWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, brokertest.NewMemory(), service.Options{})
		again := func() (begun int) {
			for range 100 {
				_, err := b.StartRun(t.Context(), runner1, runStart("s"), broker.Process{})
				if err != nil {
					if !errors.Is(err, broker.ErrTooFast) {
						t.Fatal(err)
					}
					continue
				}
				begun++
				report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportEnded})
			}
			return begun
		}
		if n := again(); n > 30 {
			t.Errorf("begun %d times at once", n)
		}
		time.Sleep(time.Minute)
		if n := again(); n == 0 {
			t.Error("not begun again after a minute")
		}
		_ = b.Close()
	})
}

// A hook that a runner passes on says nothing of what is above the runner.
func TestRunnersParentIsNoAgent(t *testing.T) {
	c := serve(t, service.Options{})
	c.do("POST", "/runs", `{"session_id":"s","agent":"claude","cwd":"/src","program":"/bin/claude","prompt":"go"}`)
	c.do("POST", "/hooks/claude", `{"session_id":"s","cwd":"/src","hook_event_name":"UserPromptSubmit","prompt":"go"}`)
	if s := session(t, c.b, "s"); s.Process.PID != 0 {
		t.Errorf("the agent is %+v", s.Process)
	}
	if why := c.b.AgentAbove(os.Getpid()); strings.Contains(why, "session s") {
		t.Errorf("the runner counts as an agent: %s", why)
	}
}

func TestRunnerNotOverTCP(t *testing.T) {
	b := serveTCP(t, service.Options{ListenOperators: true})
	startRun(t, b.Broker, runner1, "s")
	for line, body := range map[string]string{
		"POST /runs":           `{"session_id":"s","agent":"claude","cwd":"/src","program":"/bin/claude"}`,
		"POST /runs/s/reports": `{"kind":"working"}`,
		"GET /runs/s/orders":   "",
	} {
		status, answer := b.raw(t, message(line, body, "Host: "+b.addr, "Authorization: Bearer "+b.operator, "Content-Type: application/json"))
		if status != 403 || !strings.Contains(answer, "socket_only") {
			t.Errorf("%s: %s", line, answer)
		}
	}
}
