package service_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/peers"
	"github.com/aoctl/aoctl/broker/service"
	"github.com/aoctl/aoctl/broker/wire"
)

// living says which processes there are.
type living struct {
	mu   sync.Mutex
	dead map[int]bool
}

func (l *living) alive(p broker.Process) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.dead[p.PID]
}

func (l *living) end(pid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead == nil {
		l.dead = map[int]bool{}
	}
	l.dead[pid] = true
}

// startShown starts cmd and waits until the process table shows its arguments: a moment after
// its program took over.
func startShown(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	must(t, cmd.Start())
	for runtime.GOOS == "linux" {
		if args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", cmd.Process.Pid)); err != nil || len(args) > 0 {
			return
		}
		runtime.Gosched()
	}
}

// watched is a broker with a session that it only watches, whose call is put off, and
// whose agent is a real process: of a program that is a copy of its own in dir.
func watched(t *testing.T, st *brokertest.Memory, l *living) (b *service.Broker, program, dir string, agent broker.Process) {
	t.Helper()
	dir = shortDir(t)
	program = filepath.Join(dir, "claude")
	sleep, err := exec.LookPath("sleep")
	must(t, err)
	text, err := os.ReadFile(sleep)
	must(t, err)
	must(t, os.WriteFile(program, text, 0o700))
	cmd := exec.Command(program, "600")
	startShown(t, cmd)
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	b = newBroker(t, st, service.Options{Alive: l.alive})
	q := headless("toolu_1", "make", "talk 1")
	q.CWD = dir
	agent = peers.FindProcess(cmd.Process.Pid)
	q.Session.Process = agent
	putOff(t, b, submit(t, b, q).ID)
	return b, program, dir, agent
}

// A session that somebody else started is resumed by whoever runs its command, one at a
// time; the command alone may be had by all.
func TestResumeByHand(t *testing.T) {
	st, l := brokertest.NewMemory(), &living{}
	b, program, dir, agent := watched(t, st, l)
	conflict := func(when string, _ broker.Resumption, err error) {
		t.Helper()
		if !errors.Is(err, broker.ErrConflict) || strings.Contains(err.Error(), broker.ErrConflict.Error()) {
			t.Errorf("%s: %v, want ErrConflict in words of its own", when, err)
		}
	}
	resume := func(runner broker.Process) (broker.Resumption, error) {
		return b.ResumeFor(t.Context(), "s", operator, runner)
	}
	r, err := resume(runner1)
	conflict("its agent still runs", r, err)
	l.end(agent.PID)
	for range 2 { // to look is not to begin
		r = must2(resume(broker.Process{}))
		if r.Started || r.CWD != dir || !slices.Equal(r.Command, []string{program, "--resume", "s"}) && !strings.HasPrefix(strings.Join(r.Command, " "), program+" -p") {
			t.Fatalf("told %+v", r)
		}
	}
	if must2(b.Session(t.Context(), "s")).Deferred != 1 || logged(t, b, broker.EventResumed) != 0 {
		t.Error("to look changed something")
	}
	failCommits(st, errors.New("disk full"))
	if _, err = resume(runner1); !errors.Is(err, broker.ErrNotRecorded) {
		t.Errorf("not recorded: %v", err)
	}
	failCommits(st, nil)
	must2(resume(runner1))
	if n := logged(t, b, broker.EventResumed); n != 1 {
		t.Errorf("%d resumes are on record", n)
	}
	r, err = resume(runner2)
	conflict("another one runs it", r, err)
	r, err = resume(broker.Process{})
	conflict("told while another one runs it", r, err)
	l.end(runner1.PID) // it failed before its agent asked
	must2(resume(runner2))

	if _, err := hears(t, b, headlessIn(dir, "talk 2")); err != nil { // it waits again
		t.Fatal(err)
	}
	if _, err = resume(broker.Process{PID: 73, Start: 1}); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("nothing is put off any more: %v", err)
	}
}

// headlessIn is the call of watched, asked again.
func headlessIn(dir, talk string) broker.Question {
	q := headless("toolu_1", "make", talk)
	q.CWD = dir
	return q
}

// logged counts the events of a type.
func logged(t *testing.T, b *service.Broker, typ string) int {
	t.Helper()
	n := 0
	for _, e := range must2(b.Events(t.Context())) {
		if e.Type == typ {
			n++
		}
	}
	return n
}

func TestResumeNeedsAnOperatorAndAProgram(t *testing.T) {
	l := &living{}
	b, program, _, agent := watched(t, brokertest.NewMemory(), l)
	l.end(agent.PID)
	if _, err := b.Resume(t.Context(), "s", byShell); !errors.Is(err, broker.ErrForbidden) || !errors.Is(err, broker.ErrResume) {
		t.Errorf("by a process: %v", err)
	}
	if logged(t, b, broker.EventAccessRefused) != 1 {
		t.Error("that it was refused is not on record")
	}
	if _, err := b.Resume(t.Context(), "nobody", operator); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("an unknown session: %v", err)
	}
	must(t, os.Remove(program))
	if _, err := b.ResumeFor(t.Context(), "s", operator, runner1); err == nil || !strings.Contains(err.Error(), "not there any more") {
		t.Errorf("its program is gone: %v", err)
	}
	if logged(t, b, broker.EventResumed) != 0 {
		t.Error("what cannot be resumed is on record as resumed")
	}
}

// shelvedRun has a managed session whose call is put off, and whose processes have ended.
func shelvedRun(t *testing.T, b *service.Broker, l *living) broker.Request {
	t.Helper()
	startRun(t, b, runner1, "s")
	report(t, b, runner1, "s", works)
	r := putOff(t, b, submit(t, b, headless("toolu_1", "make", "talk 1")).ID)
	report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportEnded, Result: "tool_deferred"})
	l.end(runner1.PID)
	if s := session(t, b, "s"); s.Run.Turn != broker.TurnDeferred || s.Deferred != 1 {
		t.Fatalf("the session is %s with %d put off", s.Run.Turn, s.Deferred)
	}
	return r
}

// However many resume a managed session, one runner is asked for.
func TestManyResumesStartOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, launcher := &living{}, &starter{}
		b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: l.alive, Launcher: launcher})
		r := shelvedRun(t, b, l)
		var wg sync.WaitGroup
		var mu sync.Mutex
		started := 0
		for range 20 {
			wg.Go(func() {
				told, err := b.Resume(t.Context(), "s", operator)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil && told.Started:
					started++
				case !errors.Is(err, broker.ErrConflict):
					t.Errorf("%+v %v", told, err)
				}
			})
		}
		wg.Go(func() { decide(t, b, r.ID, broker.Decision{Verdict: broker.Allow}) }) // which resumes by itself
		wg.Wait()
		time.Sleep(3 * time.Second)
		if n := launcher.resumes(); started > 1 || n != 1 {
			t.Errorf("%d were told that they started it, and %d runners were asked for", started, n)
		}
		if n := logged(t, b, broker.EventResumed); n != 1 {
			t.Errorf("%d resumes are on record", n)
		}
	})
}

// To ask what a resume would do, as "aoctl resume --show" does, resumes nothing, whoever
// holds the session.
func TestShownIsNotResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, launcher := &living{}, &starter{}
		b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: l.alive, Launcher: launcher})
		shelvedRun(t, b, l)
		told, err := b.ShowResume(t.Context(), "s", operator, broker.Process{})
		time.Sleep(3 * time.Second)
		if err != nil || told.Started || !told.Managed || launcher.resumes() != 0 || logged(t, b, broker.EventResumed) != 0 {
			t.Errorf("%+v, %v, %d runners asked for", told, err, launcher.resumes())
		}
		if _, err := b.ShowResume(t.Context(), "s", byShell, broker.Process{}); !errors.Is(err, broker.ErrForbidden) {
			t.Errorf("a stranger was told: %v", err)
		}
	})
}

// A resume that failed, wherever it did, is begun again from the same checkpoint.
func TestFailedResumeIsRetried(t *testing.T) {
	//nolint:thelper // they are steps of the test, not helpers
	for name, fail := range map[string]func(t *testing.T, b *service.Broker, st *brokertest.Memory, l *living, s *starter){
		"not recorded that it begins": func(t *testing.T, b *service.Broker, st *brokertest.Memory, _ *living, _ *starter) {
			failCommits(st, errors.New("disk full"))
			if _, err := b.Resume(t.Context(), "s", operator); !errors.Is(err, broker.ErrNotRecorded) {
				t.Error(err)
			}
			failCommits(st, nil)
		},
		"not recorded that it starts": func(t *testing.T, b *service.Broker, st *brokertest.Memory, _ *living, _ *starter) {
			st.BeforeCommit(func(_ context.Context, c *broker.Change) error {
				if len(c.Sessions) > 0 {
					return errors.New("disk full")
				}
				return nil
			})
			if _, err := b.Resume(t.Context(), "s", operator); !errors.Is(err, broker.ErrNotRecorded) {
				t.Error(err)
			}
			failCommits(st, nil)
		},
		"no room for it": func(t *testing.T, b *service.Broker, _ *brokertest.Memory, _ *living, s *starter) {
			s.mu.Lock()
			s.err = errors.New("no room")
			s.mu.Unlock()
			if _, err := b.Resume(t.Context(), "s", operator); err == nil || !strings.Contains(err.Error(), "no room") {
				t.Error(err)
			}
			s.mu.Lock()
			s.err = nil
			s.mu.Unlock()
		},
		"no runner came": func(t *testing.T, b *service.Broker, _ *brokertest.Memory, _ *living, _ *starter) {
			must2(b.Resume(t.Context(), "s", operator))
			if _, err := b.Resume(t.Context(), "s", operator); !errors.Is(err, broker.ErrConflict) {
				t.Errorf("while one is awaited: %v", err)
			}
			time.Sleep(service.StartGrace + 2*time.Second)
		},
		"its runner died at once": func(t *testing.T, b *service.Broker, _ *brokertest.Memory, l *living, _ *starter) {
			must2(b.Resume(t.Context(), "s", operator))
			startRun(t, b, runner2, "s")
			l.end(runner2.PID)
			time.Sleep(3 * time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st, l, launcher := brokertest.NewMemory(), &living{}, &starter{}
				b := newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
				r := shelvedRun(t, b, l)
				fail(t, b, st, l, launcher)
				if storedCheckpoints(t, st) != 1 {
					t.Fatal("the checkpoint is gone")
				}
				if told, err := b.Resume(t.Context(), "s", operator); err != nil || !told.Started {
					t.Fatalf("once more: %+v %v", told, err)
				}
				third := broker.Process{PID: 74, Start: 1}
				startRun(t, b, third, "s")
				got, err := hears(t, b, headless("toolu_1", "make", "talk 2"))
				if err != nil || got.ID != r.ID || got.State != broker.Pending || got.Checkpoint != nil {
					t.Errorf("asked again: %s %v", got.State, err)
				}
			})
		})
	}
}

// An answer resumes a managed session once, also when the console that took it died first.
func TestAnswerResumes(t *testing.T) {
	for name, die := range map[string]bool{"at once": false, "at the next console": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st, l, launcher := brokertest.NewMemory(), &living{}, &starter{err: errors.New("no room")}
				b := newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
				r := shelvedRun(t, b, l)
				if die { // it has nothing to start with
					b = newBroker(t, st, service.Options{Alive: l.alive})
				}
				decide(t, b, r.ID, broker.Decision{Verdict: broker.Deny, Reason: "no"})
				time.Sleep(5 * time.Second)
				if die {
					b = newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
					time.Sleep(5 * time.Second)
				}
				if n := launcher.resumes(); n != 1 {
					t.Errorf("%d tries, want one: what fails is the operator's", n)
				}
				if s := session(t, b, "s"); s.Run.Error == "" || s.Deferred != 1 {
					t.Errorf("the session says %q, with %d put off", s.Run.Error, s.Deferred)
				}
			})
		})
	}
}

// Whoever may answer wants it heard: also a process, which can only deny. A console that is
// about to go leaves that to the next one.
func TestWhoseAnswerResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, l, launcher := brokertest.NewMemory(), &living{}, &starter{}
		b := newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
		r := shelvedRun(t, b, l)
		b.Drain()
		must2(b.Decide(t.Context(), r.ID, broker.Decision{Verdict: broker.Deny, By: byShell}))
		time.Sleep(5 * time.Second)
		if n := launcher.resumes(); n != 0 {
			t.Errorf("a console that was closing asked for %d runners", n)
		}
		newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
		time.Sleep(5 * time.Second)
		if n := launcher.resumes(); n != 1 {
			t.Errorf("the next one asked for %d runners", n)
		}
	})
}

// Where nothing starts sessions the operator is told so.
func TestResumeWithoutLauncher(t *testing.T) {
	l := &living{}
	b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: l.alive})
	shelvedRun(t, b, l)
	if told, err := b.Resume(t.Context(), "s", operator); !errors.Is(err, errors.ErrUnsupported) || told.Started {
		t.Errorf("%+v %v", told, err)
	}
}

// What is denied for good, or stopped, starts nothing: not even for a message that waits.
// A later message does.
func TestEndedForGoodStartsNothing(t *testing.T) {
	//nolint:thelper // they are steps of the test, not helpers
	for name, end := range map[string]func(t *testing.T, b *service.Broker, r broker.Request){
		"denied for good": func(t *testing.T, b *service.Broker, r broker.Request) {
			decide(t, b, r.ID, broker.Decision{Verdict: broker.Deny, End: true})
		},
		"stopped": func(t *testing.T, b *service.Broker, _ broker.Request) { must2(b.Stop(t.Context(), "s", operator)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st, l, launcher := brokertest.NewMemory(), &living{}, &starter{}
				b := newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
				r := shelvedRun(t, b, l)
				must2(b.Say(t.Context(), "s", "before", operator))
				end(t, b, r)
				time.Sleep(5 * time.Second)
				b = newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
				time.Sleep(5 * time.Second)
				s := session(t, b, "s")
				if n := launcher.resumes(); n != 0 || s.Run.Turn != broker.TurnEnded || s.Deferred != 0 || s.Message != nil || !s.State.Ended() && s.State != broker.SessionStopped {
					t.Errorf("%d runners; the session is %s, %s, with %d put off and message %v", n, s.State, s.Run.Turn, s.Deferred, s.Message)
				}
				if logged(t, b, broker.EventMessageDropped) != 1 {
					t.Error("that the message was dropped is not on record")
				}
				must2(b.Say(t.Context(), "s", "after", operator))
				synctest.Wait()
				if n := launcher.resumes(); n != 1 {
					t.Errorf("a later message asked for %d runners", n)
				}
			})
		})
	}
}

// Denied for good while its process still ends, a session waits for no answer afterwards.
func TestDeniedForGoodBeforeItsProcessEnded(t *testing.T) {
	l := &living{}
	b := newBroker(t, brokertest.NewMemory(), service.Options{Alive: l.alive, Launcher: &starter{}})
	startRun(t, b, runner1, "s")
	r := putOff(t, b, submit(t, b, headless("toolu_1", "make", "talk 1")).ID)
	decide(t, b, r.ID, broker.Decision{Verdict: broker.Deny, End: true})
	if s := session(t, b, "s"); s.Run.Turn != broker.TurnStarting {
		t.Errorf("while its process ends: %s", s.Run.Turn)
	}
	report(t, b, runner1, "s", wire.RunReport{Kind: wire.ReportEnded, Result: "tool_deferred"})
	if s := session(t, b, "s"); s.Run.Turn != broker.TurnEnded || s.EndReason != broker.RejectedReason {
		t.Errorf("the session is %s because %q", s.Run.Turn, s.EndReason)
	}
}

// A checkpoint that cannot be believed leaves a session that takes messages.
func TestMessageResumesWhereNothingIsPutOffAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, l, launcher := brokertest.NewMemory(), &living{}, &starter{}
		b := newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
		r := shelvedRun(t, b, l)
		must2(b.Say(t.Context(), "s", "go on", operator))
		time.Sleep(5 * time.Second)
		if n := launcher.resumes(); n != 0 {
			t.Errorf("a message resumed what waits for an answer %d times", n)
		}
		_ = b.Close()
		must(t, st.Record(t.Context(), &broker.Change{DropCheckpoints: []string{r.ID}}))
		newBroker(t, st, service.Options{Alive: l.alive, Launcher: launcher})
		time.Sleep(5 * time.Second)
		if n := launcher.resumes(); n != 1 {
			t.Errorf("%d runners were asked for", n)
		}
	})
}
