package service_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/service"
)

// agentProcess is the one whose call storedCheckpoint has put off.
var agentProcess = broker.Process{PID: 4710, Start: 77}

// storedCheckpoint is a store in which a call of session "s" is put off, as alter has its
// checkpoint and its session; neither is held by a runner, and the program is there.
func storedCheckpoint(t *testing.T, alter func(cp *broker.Checkpoint, s *broker.Session)) *brokertest.Memory {
	t.Helper()
	st := brokertest.NewMemory()
	r := brokertest.PendingRequest("r1", "s")
	r.SubagentID, r.SubagentType = "", ""
	s := brokertest.NewSession("s")
	s.State, s.EndedAt, s.Subagents = broker.SessionFinished, brokertest.Epoch, nil
	cp := broker.Checkpoint{
		RequestID: r.ID, SessionID: "s", ToolUseID: r.ToolUseID, CWD: t.TempDir(), Program: "/bin/sh", Args: []string{"--model", "m"},
		By: operator, At: brokertest.Epoch, Process: agentProcess, Correlation: "talk 1",
	}
	alter(&cp, &s)
	must(t, st.Record(t.Context(), brokertest.Asked(r)))
	must(t, st.Record(t.Context(), &broker.Change{Sessions: []broker.Session{s}}))
	must(t, st.Record(t.Context(), brokertest.PutOff(r, cp)))
	return st
}

func asStored(*broker.Checkpoint, *broker.Session) {}

// What is run is what is on record, in the folder of then; where either is not there any more
// nothing is, and no resume begins.
func TestResumeIsWhatIsOnRecord(t *testing.T) {
	dead := service.Options{Alive: func(p broker.Process) bool { return p == runner1 }}
	b := newBroker(t, storedCheckpoint(t, asStored), dead)
	told := must2(b.ResumeFor(t.Context(), "s", operator, runner1))
	if want := []string{"/bin/sh", "--model", "m"}; !slices.Equal(told.Command[:3], want) || !strings.HasSuffix(strings.Join(told.Command, " "), "--resume s") {
		t.Errorf("told %q", told.Command)
	}
	dir := t.TempDir()
	file, link, away := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "away")
	must(t, os.WriteFile(file, nil, 0o600))
	must(t, os.Symlink(away, link))
	for name, tc := range map[string]struct {
		alter func(cp *broker.Checkpoint, s *broker.Session)
		why   string
	}{
		"its folder moved":            {func(cp *broker.Checkpoint, _ *broker.Session) { cp.CWD = away }, "its folder"},
		"its folder is a file":        {func(cp *broker.Checkpoint, _ *broker.Session) { cp.CWD = file }, "its folder"},
		"its folder is a dead link":   {func(cp *broker.Checkpoint, _ *broker.Session) { cp.CWD = link }, "its folder"},
		"its program is gone":         {func(cp *broker.Checkpoint, _ *broker.Session) { cp.Program = away }, "its program"},
		"its program has no folder":   {func(cp *broker.Checkpoint, _ *broker.Session) { cp.Program = "sh" }, "its program"},
		"its program is not known":    {func(cp *broker.Checkpoint, _ *broker.Session) { cp.Program = "" }, "not known how"},
		"how it was held is not":      {func(_ *broker.Checkpoint, s *broker.Session) { s.Run = &broker.Run{Turn: broker.TurnEnded} }, "does not count"},
		"another agent, by its label": {func(_ *broker.Checkpoint, s *broker.Session) { s.Agent = "codex" }, "not known how"},
	} {
		t.Run(name, func(t *testing.T) {
			o, launcher := dead, &starter{}
			o.Launcher = launcher
			b := newBroker(t, storedCheckpoint(t, tc.alter), o)
			told, err := b.ResumeFor(t.Context(), "s", operator, runner1)
			if err == nil || !strings.Contains(err.Error(), tc.why) || told.Started || launcher.resumes() != 0 {
				t.Errorf("%+v %v, want %q", told, err, tc.why)
			}
			if !must2(b.Request(t.Context(), "r1")).Checkpoint.ResumedAt.IsZero() {
				t.Error("a resume is on record")
			}
		})
	}
}

// An agent that was resumed elsewhere, as through a link that its folder has become, asks for
// another call under the same id: it is told nothing of the answer.
func TestAskedAgainFromAnotherFolder(t *testing.T) {
	st := brokertest.NewMemory()
	b, r := allowedPutOff(t, st)
	q := headless("toolu_1", "make", "talk 2")
	q.CWD = "/src/elsewhere"
	if got, err := hears(t, b, q); err == nil {
		t.Errorf("told %s", got.State)
	}
	if must2(b.Request(t.Context(), r.ID)).Checkpoint == nil || storedCheckpoints(t, st) != 1 {
		t.Error("the answer is gone")
	}
}

// A session is free once the process that was told has ended. A pid alone may be another
// process's by then, and counts only while nobody said that the session has ended.
func TestResumeBesideItsProcess(t *testing.T) {
	for name, tc := range map[string]struct {
		alter func(cp *broker.Checkpoint, s *broker.Session)
		free  bool
	}{
		"it runs":               {asStored, false},
		"its pid is used again": {func(_ *broker.Checkpoint, s *broker.Session) { s.Process.Start = 0 }, true},
		"its pid, not ended":    {func(_ *broker.Checkpoint, s *broker.Session) { s.Process.Start, s.EndedAt = 0, time.Time{} }, false},
		"none is known":         {func(_ *broker.Checkpoint, s *broker.Session) { s.Process = broker.Process{} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t, storedCheckpoint(t, tc.alter), service.Options{Alive: func(broker.Process) bool { return true }})
			_, err := b.ResumeFor(t.Context(), "s", operator, runner1)
			if (err == nil) != tc.free || !tc.free && !strings.Contains(err.Error(), "still runs") {
				t.Errorf("%v, want it free: %t", err, tc.free)
			}
		})
	}
}

// Who runs the command is known by its start as well: another process under its pid is no
// resume that is under way.
func TestResumeKnowsWhoRunsIt(t *testing.T) {
	alive := func(p broker.Process) bool { return p.PID == os.Getpid() && p.Start != 0 }
	b := newBroker(t, storedCheckpoint(t, asStored), service.Options{Alive: alive})
	must2(b.ResumeFor(t.Context(), "s", operator, broker.Process{PID: os.Getpid()}))
	if _, err := b.ResumeFor(t.Context(), "s", operator, runner2); !errors.Is(err, broker.ErrConflict) {
		t.Errorf("beside it: %v", err)
	}
}

// Two who saw that nobody resumes a session are not both told to run it.
func TestTwoResumesByHandAtOnce(t *testing.T) {
	st := storedCheckpoint(t, func(_ *broker.Checkpoint, s *broker.Session) { s.CWD = "/src/api" })
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, st, service.Options{Alive: func(p broker.Process) bool { return p != agentProcess }})
		var wg sync.WaitGroup
		errs := make(chan error, 2)
		during(st, takesUp, func() { // both have looked, and wait until the call is not busy
			for _, p := range []broker.Process{runner1, runner2} {
				wg.Go(func() { _, err := b.ResumeFor(t.Context(), "s", operator, p); errs <- err })
			}
		})
		st.AfterCommit(func(_ context.Context, c *broker.Change) error {
			if takesUp(c) {
				return errors.New("lost") // so it stays put off
			}
			return nil
		})
		r := brokertest.PendingRequest("r1", "s")
		q := broker.Question{Request: broker.Request{
			Key: r.Key, SessionID: "s", Agent: r.Agent, Event: r.Event, ToolUseID: r.ToolUseID, ToolName: r.ToolName, ToolInput: r.ToolInput, CWD: r.CWD,
		}, Headless: true, Correlation: "talk 2"}
		if got, err := b.Submit(t.Context(), q); !errors.Is(err, broker.ErrNotRecorded) {
			t.Fatal(got.State, err)
		}
		wg.Wait()
		if first, second := <-errs, <-errs; (first == nil) == (second == nil) || !errors.Is(errors.Join(first, second), broker.ErrConflict) {
			t.Errorf("%v and %v", first, second)
		}
	})
}
