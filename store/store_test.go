package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/store"
)

func TestContract(t *testing.T) {
	brokertest.TestStore(t, func(t *testing.T) broker.Store {
		t.Helper()
		return openNew(t)
	})
}

// openNew opens an empty store in a folder of its own.
func openNew(tb testing.TB) *store.Store {
	tb.Helper()
	return openAt(tb, filepath.Join(tb.TempDir(), "aoctl.db"))
}

// openAt opens the store at path and closes it at the test's end.
func openAt(tb testing.TB, path string) *store.Store {
	tb.Helper()
	s, err := store.Open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s
}

func closeStore(t *testing.T, s *store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func commit(t *testing.T, s *store.Store, changes ...*broker.Change) {
	t.Helper()
	for i, c := range changes {
		if err := s.Record(t.Context(), c); err != nil {
			t.Fatalf("commit %d: %v", i, err)
		}
	}
}

// fill records a little of everything: pending and decided requests, grants used and
// unused, a stopped session.
func fill(t *testing.T, s *store.Store) {
	t.Helper()
	req := func(id string) broker.Request { return brokertest.PendingRequest(id, "s1") }
	edited := brokertest.Outcome(broker.Allowed)
	edited.UpdatedInput = []byte(`{"command": "echo <edited>"}`)
	stopped := brokertest.NewSession("s1")
	stopped.State, stopped.StopAskedAt = broker.SessionStopping, brokertest.Epoch
	commit(t, s,
		&broker.Change{Sessions: []broker.Session{brokertest.NewSession("s1")}, Events: []*broker.Event{
			{At: brokertest.Epoch, Type: broker.EventSessionStart, SessionID: "s1"},
		}},
		brokertest.Asked(req("pending")), brokertest.Asked(req("pending2")),
		brokertest.Asked(req("allowed")), brokertest.Ended(req("allowed"), edited),
		brokertest.Asked(req("denied")), brokertest.Ended(req("denied"), brokertest.Outcome(broker.Denied)),
		brokertest.DecidedAtOnce(req("ruled"), brokertest.Outcome(broker.Denied)),
		brokertest.Asked(req("late")), brokertest.Ended(req("late"), brokertest.Outcome(broker.Expired)),
		brokertest.Granted(brokertest.NewGrant("used", req("late"))), brokertest.Used("used", "ruled"),
		brokertest.Granted(brokertest.NewGrant("unused", req("late"))),
		&broker.Change{Sessions: []broker.Session{stopped}, Events: []*broker.Event{
			{At: brokertest.Epoch, Type: broker.EventStopRequested, SessionID: "s1"},
		}},
		&broker.Change{Events: []*broker.Event{
			{At: brokertest.Epoch, Type: broker.EventMessage, SessionID: "s1", Data: []byte(`{"text":"one"}`)},
			{At: brokertest.Epoch, Type: broker.EventMessage, SessionID: "s1", Data: []byte(`{"text":"two"}`)},
		}},
	)
}

// filled is the path of a closed database with what fill records.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "aoctl.db")
	s := openAt(t, path)
	fill(t, s)
	closeStore(t, s)
	return path
}

// foreign runs SQL as another program would.
func foreign(t *testing.T, path string, script string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=rw")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestReopenKeepsEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aoctl.db")
	s := openAt(t, path)
	fill(t, s)
	type all struct {
		saved    broker.Saved
		requests []broker.Request
		events   []broker.Event
		seq      int64
		hash     string
	}
	look := func(s *store.Store) (a all) {
		var errs [3]error
		a.saved, errs[0] = s.Load(t.Context())
		a.requests, errs[1] = s.Requests(t.Context(), broker.RequestFilter{})
		a.events, errs[2] = s.Events(t.Context(), broker.EventFilter{})
		a.seq, a.hash = s.Head()
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		return a
	}
	before := look(s)
	closeStore(t, s)
	s = openAt(t, path)
	after := look(s)
	if d := cmp.Diff(before, after, cmp.AllowUnexported(all{})); d != "" {
		t.Errorf("reopened (-before +after):\n%s", d)
	}
	if got := len(after.saved.Requests); got != 2 {
		t.Errorf("%d pending requests came back, want 2", got)
	}
	if len(s.Tampered()) != 0 {
		t.Errorf("Tampered = %q", s.Tampered())
	}
	commit(t, s, brokertest.Ended(brokertest.PendingRequest("pending", "s1"), brokertest.Outcome(broker.Allowed)))
	if seq, _ := s.Head(); seq != before.seq+1 {
		t.Errorf("the log went on at %d after %d", seq, before.seq)
	}
}

func TestLoadForgetsSessionsThatEndedLongAgo(t *testing.T) {
	now := brokertest.Epoch.Add(24*time.Hour - time.Millisecond)
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "aoctl.db"), store.WithClock(func() time.Time { return now }))
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, s)
	ended := brokertest.NewSession("s1")
	ended.State = broker.SessionGone
	commit(t, s, &broker.Change{Sessions: []broker.Session{ended}})
	for _, want := range []int{1, 0} {
		saved, err := s.Load(t.Context())
		if err != nil || len(saved.Sessions) != want {
			t.Errorf("at %v: %d sessions, %v; want %d", now, len(saved.Sessions), err, want)
		}
		now = now.Add(time.Millisecond)
	}
}

func TestFilesAreOursAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folders", "aoctl.db")
	s := openAt(t, path)
	fill(t, s)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		checkMode(t, path+suffix, 0o600)
	}
	checkMode(t, filepath.Dir(path), 0o700)
	closeStore(t, s)

	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	openAt(t, path)
	checkMode(t, path, 0o600)
	checkMode(t, path+"-wal", 0o600)
}

func checkMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %o, want %o", filepath.Base(path), got, want)
	}
}

func TestCloseWritesWhatIsQueued(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aoctl.db")
	const n = 20
	var changes []*broker.Change
	for i := range n {
		changes = append(changes, brokertest.Asked(brokertest.PendingRequest(fmt.Sprint("r", i), "s1")))
	}
	s, start := openPaused(t, path)
	wait := enqueue(t, s, changes...)
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	start()
	for i, err := range wait() {
		if err != nil {
			t.Errorf("change %d, queued before Close: %v", i, err)
		}
	}
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	if err := s.Record(t.Context(), brokertest.Asked(brokertest.PendingRequest("late", "s1"))); !errors.Is(err, store.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if seq, _ := openAt(t, path).Head(); seq != n {
		t.Errorf("%d events, want %d", seq, n)
	}
}
