package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/store"
)

// openPaused opens the store at path; it records nothing before start is called.
func openPaused(t *testing.T, path string) (s *store.Store, start func()) {
	t.Helper()
	s, start, err := store.OpenPaused(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return s, start
}

// waited is a context that says when somebody begins to wait for its end.
type waited struct {
	context.Context //nolint:containedctx // it is one
	begins          chan struct{}
}

func newWaited(ctx context.Context) waited { return waited{ctx, make(chan struct{}, 9)} }

func (w waited) Done() <-chan struct{} {
	w.begins <- struct{}{}
	return w.Context.Done()
}

// enqueue has each of changes wait for the turn in a paused store. wait returns their errors.
func enqueue(t *testing.T, s *store.Store, changes ...*broker.Change) (wait func() []error) {
	t.Helper()
	errs, done := make([]error, len(changes)), make(chan struct{})
	for i, c := range changes {
		ctx := newWaited(t.Context())
		go func() {
			errs[i] = s.Record(ctx, c)
			done <- struct{}{}
		}()
		<-ctx.begins
	}
	return func() []error {
		for range changes {
			<-done
		}
		return errs
	}
}

// holdLock keeps the database locked against writing, as another program would, until
// release is called.
func holdLock(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=rw&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(tx.Rollback(), db.Close()); err != nil {
			t.Error(err)
		}
	}
}

func checkClean(t *testing.T, s interface {
	Verify(ctx context.Context) (store.Report, error)
},
) {
	t.Helper()
	r, err := s.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		t.Errorf("verify: %v", p)
	}
}

func asked(id string) *broker.Change { return brokertest.Asked(brokertest.PendingRequest(id, "s1")) }

func ended(id string, state broker.State) *broker.Change {
	return brokertest.Ended(brokertest.PendingRequest(id, "s1"), brokertest.Outcome(state))
}

// A change that fails takes no other caller's with it, whether it fails before it has
// written anything or half-way.
func TestFailsOnlyWhatFails(t *testing.T) {
	path := filled(t)
	halfway := asked("halfway") // its request is new, the one it settles is decided
	halfway.Settle = ended("denied", broker.Allowed).Settle
	halfway.Events = append(halfway.Events, ended("denied", broker.Allowed).Events...)
	s := openAt(t, path)
	head, _ := s.Head()
	changes := []*broker.Change{
		ended("pending", broker.Allowed), ended("pending", broker.Denied), ended("nobody", broker.Denied),
		asked("b"), asked("b"), halfway, brokertest.Used("used", "x"), ended("pending2", broker.Denied),
	}
	want := []error{
		nil, broker.ErrAlreadyDecided, broker.ErrNotFound,
		nil, broker.ErrDuplicate, broker.ErrAlreadyDecided, broker.ErrGrantUsed, nil,
	}
	for i, c := range changes {
		if err := s.Record(t.Context(), c); !errors.Is(err, want[i]) {
			t.Errorf("change %d: %v, want %v", i, err, want[i])
		}
	}
	for i, c := range []*broker.Change{changes[0], changes[3], changes[7]} {
		if got, want := c.Events[0].Seq, head+1+int64(i); got != want {
			t.Errorf("the event of winner %d has number %d, want %d", i, got, want)
		}
	}
	if _, err := s.Request(t.Context(), "halfway"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("half of a failed change stayed: %v", err)
	}
	if r, err := s.Request(t.Context(), "pending"); err != nil || r.State != broker.Allowed {
		t.Errorf("the first decider lost: %v, %v", r.State, err)
	}
	checkClean(t, s)
	closeStore(t, s)
}

// A transaction goes as far as its most demanding change wants, and no farther.
func TestSyncIsForThoseWhoAsk(t *testing.T) {
	lazy := func(id string) *broker.Change { return asked(id) }
	synced := func(id string) *broker.Change {
		c := asked(id)
		c.Sync = true
		return c
	}
	path := filled(t)
	for name, tt := range map[string]struct {
		changes []*broker.Change
		want    int64
	}{
		"none":         {[]*broker.Change{lazy("a"), lazy("b")}, 1},
		"one of three": {[]*broker.Change{lazy("c"), synced("d"), lazy("e")}, 2},
		"all":          {[]*broker.Change{synced("f"), synced("g")}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := openAt(t, path)
			defer closeStore(t, s)
			if err := s.Record(t.Context(), tt.changes...); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Synchronous(); err != nil || got != tt.want {
				t.Errorf("synchronous is %d, %v; want %d", got, err, tt.want)
			}
		})
	}
	s := openAt(t, path)
	for i, c := range []*broker.Change{synced("h"), lazy("i"), synced("j")} {
		commit(t, s, c)
		if got, err := s.Synchronous(); err != nil || (got == 2) != c.Sync {
			t.Errorf("change %d: synchronous is %d, %v", i, got, err)
		}
	}
}

func TestCallerGivesUpInTheQueue(t *testing.T) {
	s, start := openPaused(t, filled(t))
	inner, cancel := context.WithCancel(t.Context())
	ctx, gone := newWaited(inner), make(chan error)
	go func() { gone <- s.Record(ctx, asked("given up")) }()
	<-ctx.begins
	cancel()
	if err := <-gone; !errors.Is(err, store.ErrStopped) || !errors.Is(err, context.Canceled) {
		t.Errorf("Record = %v, want ErrStopped and context.Canceled", err)
	}
	wait := enqueue(t, s, asked("next"))
	start()
	if err := wait()[0]; err != nil {
		t.Error(err)
	}
	if _, err := s.Request(t.Context(), "given up"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("it was recorded all the same: %v", err)
	}
	closeStore(t, s)
}

// A caller who gives up while its transaction waits for the database does not know what
// becomes of it; it is recorded all the same, and the next one after it.
func TestCallerGivesUpTooLate(t *testing.T) {
	path := filled(t)
	s := openAt(t, path)
	release := holdLock(t, path)
	inner, cancel := context.WithCancel(t.Context())
	ctx, gone := newWaited(inner), make(chan error)
	go func() { gone <- s.Record(ctx, asked("r1")) }()
	<-ctx.begins // for its turn
	<-ctx.begins // for its end
	cancel()
	if err := <-gone; !errors.Is(err, store.ErrUnknown) || !errors.Is(err, context.Canceled) {
		t.Errorf("Record = %v, want ErrUnknown and context.Canceled", err)
	}
	wait := enqueue(t, s, asked("next"))
	release()
	if err := wait()[0]; err != nil {
		t.Error(err)
	}
	closeStore(t, s)
	for _, id := range []string{"r1", "next"} {
		if _, err := openAt(t, path).Request(t.Context(), id); err != nil {
			t.Errorf("%s is lost: %v", id, err)
		}
	}
}

func TestAnotherProgramHoldsTheDatabase(t *testing.T) {
	t.Parallel() // it waits for the busy timeout
	path := filled(t)
	s := openAt(t, path)
	release := holdLock(t, path)
	err := s.Record(t.Context(), ended("pending", broker.Allowed))
	if !errors.Is(err, store.ErrBusy) {
		t.Fatalf("Record = %v, want ErrBusy", err)
	}
	release()
	if r, err := s.Request(t.Context(), "pending"); err != nil || r.State != broker.Pending {
		t.Errorf("after the failure: %v, %v", r.State, err)
	}
	commit(t, s, ended("pending", broker.Allowed))
	checkClean(t, s)
}

// A disk without room refuses, nothing is acknowledged or half done, and the store
// works again once there is room, without being reopened.
func TestDiskFull(t *testing.T) {
	s := openAt(t, filled(t))
	head, hash := s.Head()
	if err := s.OnWriter(`PRAGMA max_page_count = 1`); err != nil { // as many as there are
		t.Fatal(err)
	}
	var err error
	n := 0
	for ; err == nil && n < 10_000; n++ {
		err = s.Record(t.Context(), asked(fmt.Sprint("r", n)))
	}
	if err == nil {
		t.Fatal("the disk never filled up")
	}
	n--
	if seq, _ := s.Head(); seq != head+int64(n) {
		t.Errorf("%d events after %d acknowledged ones", seq, head+int64(n))
	}
	for range 3 {
		if err := s.Record(t.Context(), asked("more")); err == nil {
			t.Fatal("a full disk took a change")
		}
	}
	if _, err := s.Request(t.Context(), "more"); !errors.Is(err, broker.ErrNotFound) {
		t.Errorf("a refused change is there: %v", err)
	}
	checkClean(t, s)
	if err := s.OnWriter(`PRAGMA max_page_count = 1000000`); err != nil {
		t.Fatal(err)
	}
	commit(t, s, asked("more"), ended("more", broker.Allowed))
	checkClean(t, s)
	if _, now := s.Head(); now == hash {
		t.Error("the log did not go on")
	}
}

func TestConnectionLost(t *testing.T) {
	path := filled(t)
	s := openAt(t, path)
	if err := s.LoseConnection(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-other", nil, 0o600); err != nil { // takes the inode of the log that went with it
		t.Fatal(err)
	}
	commit(t, s, ended("pending", broker.Allowed), asked("more"))
	checkClean(t, s)
}

// Another database that came into the place while the connection was lost is not written to,
// also when the first one is back.
func TestConnectionLostAndFileReplaced(t *testing.T) {
	path := filled(t)
	s := openAt(t, path)
	commit(t, s, asked("before"))
	if err := s.LoseConnection(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.Rename(path, path+"-away")
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Record(t.Context(), asked("after")); !errors.Is(err, store.ErrMoved) {
			t.Fatalf("Record = %v, want ErrMoved", err)
		}
	}
	for _, move := range [][2]string{{path, path + "-other"}, {path + "-away", path}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, s, asked("back"))
	checkClean(t, s)
	closeStore(t, s)
	checkClean(t, openReader(t, path))
	other, err := os.ReadFile(path + "-other")
	if err != nil || bytes.Contains(other, []byte("back")) {
		t.Errorf("the other file was written to: %v", err)
	}
}

func TestForeignWriteStopsTheLog(t *testing.T) {
	for name, script := range map[string]string{
		"appended":  `INSERT INTO events SELECT seq + 1, at_ms, 'user', '', '', '', NULL, NULL, hash FROM events ORDER BY seq DESC LIMIT 1`,
		"truncated": `DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)`,
		"emptied":   `DELETE FROM events; UPDATE head SET seq = 0, hash = zeroblob(32)`,
		"no head":   `DELETE FROM head`,
		"changed":   `UPDATE events SET hash = zeroblob(32) WHERE seq = (SELECT max(seq) FROM events)`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			s := openAt(t, path)
			foreign(t, path, script)
			for range 2 {
				if err := s.Record(t.Context(), ended("pending", broker.Allowed)); !errors.Is(err, store.ErrForeignWrite) {
					t.Fatalf("Record = %v, want ErrForeignWrite", err)
				}
			}
			r, err := s.Request(t.Context(), "pending")
			if err == nil && r.State != broker.Pending {
				t.Errorf("a refused change ended the request as %s", r.State)
			}
		})
	}
}

func TestFileTakenAway(t *testing.T) {
	for _, suffix := range []string{"", "-wal"} {
		t.Run("aoctl.db"+suffix, func(t *testing.T) {
			path := filled(t)
			s := openAt(t, path)
			commit(t, s, asked("before"))
			if err := os.Rename(path+suffix, filepath.Join(filepath.Dir(path), "moved"+suffix)); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := s.Record(t.Context(), asked("after")); !errors.Is(err, store.ErrMoved) {
					t.Fatalf("Record = %v, want ErrMoved", err)
				}
			}
			if err := os.WriteFile(path+suffix, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := s.Record(t.Context(), asked("after")); !errors.Is(err, store.ErrMoved) {
				t.Errorf("with another file in its place: %v, want ErrMoved", err)
			}
			if err := os.Rename(filepath.Join(filepath.Dir(path), "moved"+suffix), path+suffix); err != nil {
				t.Fatal(err)
			}
			commit(t, s, asked("back"))
			checkClean(t, s)
			closeStore(t, s)
			checkClean(t, openReader(t, path))
		})
	}
}
