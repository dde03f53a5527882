package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/broker/brokertest/memdir"
	"github.com/aoctl/aoctl/broker/rules"
	"github.com/aoctl/aoctl/store"
)

// at is r as if made on day n.
func onDay(n int, r broker.Request) broker.Request {
	r.CreatedAt = day(n)
	r.ExpiresAt = r.CreatedAt.Add(time.Hour)
	return r
}

func day(n int) time.Time { return brokertest.Epoch.Add(time.Duration(n) * 24 * time.Hour) }

// redated is c with its events, and what ends in it, on day n.
func redated(n int, c *broker.Change) *broker.Change {
	for _, e := range c.Events {
		e.At = day(n)
	}
	for i := range c.Settle {
		c.Settle[i].Outcome.At = day(n)
	}
	if c.Insert != nil && c.Insert.Outcome != nil {
		c.Insert.Outcome.At = day(n)
	}
	return c
}

// longLog records days of calls, decided by hand and by rule, with sessions that come,
// are stopped and go, grants and facts.
func longLog(t *testing.T, s *store.Store, from, days int) {
	t.Helper()
	for n := from; n < from+days; n++ {
		id := fmt.Sprint("s", n)
		ses := brokertest.NewSession(id)
		ses.StartedAt, ses.LastSeenAt = day(n), day(n)
		commit(t, s, redated(n, &broker.Change{Sessions: []broker.Session{ses}, Events: []*broker.Event{{Type: broker.EventSessionStart, SessionID: id}}}))
		hand := onDay(n, brokertest.PendingRequest(fmt.Sprint("hand-", n), id))
		over := onDay(n, brokertest.PendingRequest(fmt.Sprint("over-", n), id)) // ends on the next day
		late := onDay(n, brokertest.PendingRequest(fmt.Sprint("late-", n), id))
		commit(t, s, redated(n, brokertest.Asked(over)))
		if n > from {
			commit(t, s, redated(n, brokertest.Ended(onDay(n-1, brokertest.PendingRequest(fmt.Sprint("over-", n-1), fmt.Sprint("s", n-1))), brokertest.Outcome(broker.Allowed))))
		}
		commit(t, s, redated(n, brokertest.Asked(hand)), redated(n, brokertest.Ended(hand, brokertest.Outcome(broker.Denied))),
			redated(n, brokertest.Asked(late)), redated(n, brokertest.Ended(late, brokertest.Outcome(broker.Expired))))
		g := brokertest.NewGrant(fmt.Sprint("grant-", n), late)
		g.CreatedAt, g.ExpiresAt = day(n), day(n).Add(time.Hour)
		commit(t, s, redated(n, brokertest.Granted(g)))
		if n%2 == 0 {
			commit(t, s, redated(n, brokertest.Used(g.ID, hand.ID)))
		}
		o := brokertest.Outcome(broker.Allowed)
		o.By = broker.Actor{Kind: broker.ByRule, ID: "rule"}
		ruled := redated(n, brokertest.DecidedAtOnce(onDay(n, brokertest.PendingRequest(fmt.Sprint("ruled-", n), id)), o))
		ruled.Used = []string{"rule"}
		r := ruleOf("rule", n+1, rules.Allow)
		commit(t, s, redated(n, brokertest.Saved(r)), ruled)
		ses.State, ses.StopAskedAt = broker.SessionStopping, day(n)
		if n%3 == 0 {
			commit(t, s, redated(n, &broker.Change{Sessions: []broker.Session{ses}, Events: []*broker.Event{{Type: broker.EventStopRequested, SessionID: id}}}))
		}
		if n%3 != 0 {
			ses.State = broker.SessionGone
			commit(t, s, redated(n, &broker.Change{Sessions: []broker.Session{ses}, Events: []*broker.Event{{Type: broker.EventSessionEnd, SessionID: id}}}))
		}
	}
}

// everything is all that a log with its archives holds, by a name of its own.
func everything(t *testing.T, path string) map[string]string {
	t.Helper()
	r := openReader(t, path)
	archives, err := r.VerifyArchives(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files := []string{path}
	for _, a := range archives {
		if a.Problem != "" || a.Missing {
			t.Errorf("archive %s: %q, missing %v", a.File, a.Problem, a.Missing)
		}
		files = append(files, a.File)
	}
	all := map[string]string{}
	add := func(file, name, value string) {
		if was, twice := all[name]; twice && (was != value || strings.HasPrefix(name, "call ")) {
			t.Errorf("%s is in %s and elsewhere", name, filepath.Base(file))
		}
		all[name] = value
	}
	for _, file := range files {
		r := openReader(t, file)
		checkClean(t, r)
		events, err := r.Events(t.Context(), broker.EventFilter{After: -1, Limit: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			add(file, fmt.Sprint("event ", e.Seq), fmt.Sprintf("%+v", e))
		}
		calls, err := r.Requests(t.Context(), broker.RequestFilter{Limit: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range calls {
			trusted, err := r.Request(t.Context(), c.ID)
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			o := trusted.Outcome
			trusted.Outcome = nil
			add(file, "call "+c.ID, fmt.Sprintf("%+v %+v", trusted, o))
		}
		sessions, err := r.Sessions(t.Context(), broker.SessionFilter{Limit: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range sessions {
			all["session "+v.ID] = ""
		}
	}
	return all
}

// nothingLost compares what there was with what there is now.
func nothingLost(t *testing.T, before, now map[string]string) {
	t.Helper()
	for name, value := range before {
		if got, there := now[name]; !there || got != value {
			t.Errorf("%s was lost or changed: %q", name, got)
		}
	}
	for name, value := range now {
		if _, there := before[name]; !there && !strings.Contains(value, broker.EventLogArchived) {
			t.Errorf("%s came from nowhere: %s", name, value)
		}
	}
}

func archive(t *testing.T, s *store.Store, path string, before int) store.Archive {
	t.Helper()
	a, err := s.Archive(t.Context(), store.ArchiveOptions{Before: day(before), Dir: filepath.Join(filepath.Dir(path), "archive")})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Old calls and events move to files that verify; what holds goes on holding, over
// several archives and restarts.
func TestArchive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(memdir.New(t), "aoctl.db")
	s := openAt(t, path)
	longLog(t, s, 0, 20)
	commit(t, s, asked("waiting"))
	before := everything(t, path)
	saved, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, until := range []int{5, 11, 12, 12} {
		a := archive(t, s, path, until)
		if (a.File == "") != (i == 3) {
			t.Errorf("run %d made %+v", i+1, a)
		}
		checkClean(t, s)
		if problem, err := s.Check(t.Context()); problem != "" || err != nil {
			t.Errorf("Check = %q, %v", problem, err)
		}
		nothingLost(t, before, everything(t, path))
		for _, n := range []int64{1, 20, 1 << 30} {
			if r, err := openReader(t, path).VerifyTail(t.Context(), n); err != nil || !r.Clean() {
				t.Errorf("the newest %d: %v, %v", n, r.Problems, err)
			}
		}
		closeStore(t, s)
		s = openAt(t, path)
		again, err := s.Load(t.Context())
		if err != nil || again.Doubt != "" {
			t.Fatalf("in doubt %q, %v", again.Doubt, err)
		}
		if len(s.Tampered()) != 0 {
			t.Error(s.Tampered())
		}
		if again.RuleUse["rule"].Uses != saved.RuleUse["rule"].Uses || len(again.Requests) != len(saved.Requests) {
			t.Errorf("uses %d and %d pending, want %d and %d", again.RuleUse["rule"].Uses, len(again.Requests), saved.RuleUse["rule"].Uses, len(saved.Requests))
		}
		if rules := rulesOf(t, path); len(rules) != 1 || rules[0].Version != 20 {
			t.Errorf("rules: %+v", rules)
		}
	}
	calls, err := s.Requests(t.Context(), broker.RequestFilter{})
	if err != nil || len(calls) == 0 || len(calls) > 8*4+2 {
		t.Errorf("%d calls are left, %v", len(calls), err)
	}
	info, err := os.Stat(filepath.Join(filepath.Dir(path), "archive"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info.Mode(), err)
	}
	commit(t, s, ended("waiting", broker.Allowed), asked("more"))
	longLog(t, s, 20, 3)
	checkClean(t, s)
}

// Pending calls and grants that hold keep all that is younger than them where it is.
func TestArchiveLeavesWhatIsNeeded(t *testing.T) {
	path := filepath.Join(memdir.New(t), "aoctl.db")
	s := openAt(t, path)
	longLog(t, s, 0, 3)
	waiting := onDay(3, brokertest.PendingRequest("waiting", "s"))
	g := brokertest.NewGrant("holds", waiting)
	g.ExpiresAt = time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	commit(t, s, redated(3, brokertest.Granted(g)), redated(3, brokertest.Asked(waiting)))
	longLog(t, s, 10, 10)
	archive(t, s, path, 100)
	checkClean(t, s)
	saved, err := s.Load(t.Context())
	if err != nil || !slices.ContainsFunc(saved.Requests, func(r broker.Request) bool { return r.ID == "waiting" }) {
		t.Errorf("the waiting call is gone: %v", err)
	}
	good, err := s.Grants(t.Context())
	if err != nil || len(good) != 1 {
		t.Errorf("%d grants hold, %v; want 1", len(good), err)
	}
	commit(t, s, brokertest.Used("holds", "waiting"))
	if a := archive(t, s, path, 100); a.File != "" {
		t.Errorf("the waiting call was passed: %+v", a)
	}
}

var errStopped = errors.New("stopped here")

// Stopped at any point, and gone on with later, nothing is lost and nothing doubled.
func TestArchiveStoppedAnywhere(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"written", "verified", "named", "recorded", "cut 1", "cut 2"} {
		for _, reopen := range []bool{true, false} {
			t.Run(fmt.Sprint(point, " reopened ", reopen), func(t *testing.T) {
				path := filepath.Join(memdir.New(t), "aoctl.db")
				s := openAt(t, path)
				longLog(t, s, 0, 24) // several batches
				before := everything(t, path)
				s.FailAt(func(p string) error {
					if p == point {
						return errStopped
					}
					return nil
				})
				_, err := s.Archive(t.Context(), store.ArchiveOptions{Before: day(20), Dir: filepath.Join(filepath.Dir(path), "archive")})
				if !errors.Is(err, errStopped) {
					t.Fatalf("Archive = %v", err)
				}
				nothingLost(t, before, within(t, path))
				checkClean(t, s)
				if reopen {
					closeStore(t, s)
					s = openAt(t, path)
					if saved, err := s.Load(t.Context()); err != nil || saved.Doubt != "" || saved.RuleUse["rule"].Uses != 24 {
						t.Errorf("in doubt %q, %d uses, %v", saved.Doubt, saved.RuleUse["rule"].Uses, err)
					}
				}
				s.FailAt(nil)
				archive(t, s, path, 20)
				checkClean(t, s)
				nothingLost(t, before, everything(t, path))
				if list := names(t, filepath.Join(filepath.Dir(path), "archive", "x")); len(list) != 1 {
					t.Errorf("archives: %v, want one", list)
				}
			})
		}
	}
}

// archiveEnv makes the test program a child that archives and kills itself at a point:
// "POINT PATH".
const archiveEnv = "AOCTL_TEST_DYING_ARCHIVE"

func archiveAndDie(spec string) error {
	point, path, _ := strings.Cut(spec, ":")
	s, err := store.Open(context.Background(), path)
	if err != nil {
		return err
	}
	s.FailAt(func(p string) error {
		if p == point {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	})
	_, err = s.Archive(context.Background(), store.ArchiveOptions{Before: day(20), Dir: filepath.Join(filepath.Dir(path), "archive")})
	return fmt.Errorf("%s was not reached: %w", point, err)
}

// The same when the process is killed there, and killed again at the next point of the
// run that goes on.
func TestArchiveKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(memdir.New(t), "aoctl.db")
	s := openAt(t, path)
	longLog(t, s, 0, 24)
	before := everything(t, path)
	closeStore(t, s)
	for _, point := range []string{"written", "verified", "named", "recorded", "cut 1", "cut 1"} {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		child.Env = append(os.Environ(), archiveEnv+"="+point+":"+path)
		out, err := child.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != -1 {
			t.Fatalf("%s: %v: %s", point, err, out)
		}
		nothingLost(t, before, within(t, path))
		checkClean(t, openReader(t, path))
	}
	archive(t, openAt(t, path), path, 20)
	nothingLost(t, before, everything(t, path))
	if list := names(t, filepath.Join(filepath.Dir(path), "archive", "x")); len(list) != 1 {
		t.Errorf("archives: %v, want one", list)
	}
}

// within is everything where calls may be in an archive and not yet removed.
func within(t *testing.T, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "archive", "*.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append([]string{path}, files...) {
		part := map[string]string{}
		r := openReader(t, file)
		events, err := r.Events(t.Context(), broker.EventFilter{After: -1, Limit: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			part[fmt.Sprint("event ", e.Seq)] = fmt.Sprintf("%+v", e)
		}
		calls, err := r.Requests(t.Context(), broker.RequestFilter{Limit: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range calls {
			o := c.Outcome
			c.Outcome = nil
			part["call "+c.ID] = fmt.Sprintf("%+v %+v", c, o)
		}
		sessions, err := r.Sessions(t.Context(), broker.SessionFilter{Limit: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range sessions {
			part["session "+v.ID] = ""
		}
		maps.Copy(all, part)
	}
	return all
}

// An archive that is gone or changed before its events were removed keeps them.
func TestArchiveLostBeforeTheCut(t *testing.T) {
	path := filepath.Join(memdir.New(t), "aoctl.db")
	s := openAt(t, path)
	longLog(t, s, 0, 10)
	s.FailAt(func(p string) error {
		if p == "recorded" {
			return errStopped
		}
		return nil
	})
	o := store.ArchiveOptions{Before: day(9), Dir: filepath.Join(filepath.Dir(path), "archive")}
	if _, err := s.Archive(t.Context(), o); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	s.FailAt(nil)
	file := filepath.Join(o.Dir, names(t, filepath.Join(o.Dir, "x"))[0])
	foreign(t, file, `UPDATE requests SET reason = 'x'`)
	before, err := s.Requests(t.Context(), broker.RequestFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Archive(t.Context(), o); !errors.Is(err, store.ErrArchiveFile) {
		t.Errorf("with a changed file: %v, want ErrArchiveFile", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Archive(t.Context(), o); !errors.Is(err, store.ErrArchiveFile) {
		t.Errorf("without the file: %v, want ErrArchiveFile", err)
	}
	after, err := s.Requests(t.Context(), broker.RequestFilter{})
	if err != nil || len(after) != len(before) {
		t.Errorf("%d calls of %d are left, %v", len(after), len(before), err)
	}
}

// Cutting the log without a record of an archive is found as before, and so is
// whatever else another program does to a log with archives.
func TestTamperedArchives(t *testing.T) {
	t.Parallel()
	cutTo := func(seq int) string {
		return fmt.Sprintf(`DELETE FROM requests WHERE id IN (SELECT request_id FROM events WHERE seq <= %[1]d AND type = 'request_decided');
			DELETE FROM events WHERE seq < %[1]d; UPDATE base SET (seq, hash) = (SELECT seq, hash FROM events WHERE seq = %[1]d)`, seq)
	}
	for _, tt := range []struct{ name, script, want string }{
		{"more is cut", cutTo(90), ""},
		{"a kept rule is changed", `UPDATE events SET data = replace(data, '"allow"', '"deny"') WHERE seq = (SELECT min(seq) FROM events WHERE type = 'rule_saved')`, "it was changed"},
		{"a kept rule is taken away", `DELETE FROM events WHERE seq = (SELECT min(seq) FROM events WHERE type = 'rule_saved')`, ""},
		{"a kept stop is taken away", `DELETE FROM events WHERE seq = (SELECT min(seq) FROM events WHERE type = 'stop_requested')`, "stayed behind"},
		{"an event is added among the old", `INSERT INTO events SELECT 3, at_ms, 'stop_lifted', 's0', '', '', NULL, NULL, hash FROM events WHERE seq = (SELECT seq FROM base)`, ""},
		{"a stub says something", `UPDATE events SET data = '{"text":"x"}' WHERE seq = (SELECT seq FROM base)`, "only the hash"},
		{"the base moves", `UPDATE base SET seq = seq - 1`, ""},
		{"the base's hash", `UPDATE base SET hash = zeroblob(32)`, ""},
		{"the base's facts", `UPDATE base SET facts = facts - 1`, "facts are left"},
		{"a log becomes an archive", `UPDATE base SET kind = 'archive'`, ""},
		{"a call comes back", `INSERT INTO requests SELECT 1, 'hand-1', 'k', session_id, agent, event, tool_use_id, subagent_id, subagent_type, tool_name, tool_input, cwd, mode,
			description, digest, asker_pid, asker_start, created_at_ms, expires_at_ms, status, decided_at_ms, by_kind, by_id, by_pid, by_exe, by_tty, reason, updated_input
			FROM requests WHERE id = 'hand-9'`, "request/hand-1: the log has no"},
		{"the record of the archive", `UPDATE events SET data = replace(data, '"to":', '"to":9') WHERE type = 'log_archived'`, "it was changed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(memdir.New(t), "aoctl.db")
			s := openAt(t, path)
			longLog(t, s, 0, 10)
			archive(t, s, path, 5)
			checkClean(t, s)
			closeStore(t, s)
			foreign(t, path, tt.script)
			checkFound(t, path, tt.want)
			s, err := store.Open(t.Context(), path)
			if err != nil {
				if !errors.Is(err, store.ErrArchive) {
					t.Error(err)
				}
				return
			}
			defer closeStore(t, s)
			if problem, err := s.Check(t.Context()); err == nil && problem == "" {
				t.Error("Check found nothing")
			}
		})
	}
}

// Decisions go on while the log is archived.
func TestArchiveBesideDecisions(t *testing.T) {
	path := filepath.Join(memdir.New(t), "aoctl.db")
	s := openAt(t, path)
	longLog(t, s, 0, 30)
	done := make(chan error, 1)
	go func() {
		_, err := s.Archive(context.Background(), store.ArchiveOptions{Before: day(29), Dir: filepath.Join(filepath.Dir(path), "archive")})
		done <- err
	}()
	var slowest time.Duration
	for n := 0; ; n++ {
		began := time.Now()
		commit(t, s, asked(fmt.Sprint("busy-", n)))
		slowest = max(slowest, time.Since(began))
		select {
		case err := <-done:
			if err != nil || n == 0 || slowest > time.Second {
				t.Errorf("%d decisions meanwhile, the slowest in %v; %v", n, slowest, err)
			}
			checkClean(t, s)
			return
		default:
		}
	}
}

// An alarm that nobody acknowledged keeps its record: a console that starts must know of it.
func TestArchiveLeavesOpenAlarms(t *testing.T) {
	path := filepath.Join(memdir.New(t), "aoctl.db")
	s := openAt(t, path)
	alarm := func(typ, session string) {
		data, err := json.Marshal(map[string]any{"session_id": session})
		if err != nil {
			t.Fatal(err)
		}
		commit(t, s, redated(3, &broker.Change{Events: []*broker.Event{{Type: typ, Data: data}}}))
	}
	alarm(broker.EventAlarm, "open")
	alarm(broker.EventAlarm, "other")
	alarm(broker.EventAlarmSeen, "other")
	longLog(t, s, 10, 5)
	if a := archive(t, s, path, 100); a.File != "" {
		t.Errorf("an open alarm went into the archive: %+v", a)
	}
	alarm(broker.EventAlarmSeen, "open")
	if a := archive(t, s, path, 100); a.File == "" {
		t.Error("acknowledged, the alarm still keeps the log")
	}
	checkClean(t, s)
}
