package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store"
)

func openReader(t *testing.T, path string) *store.Reader {
	t.Helper()
	r, err := store.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func names(t *testing.T, path string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// readAll reads everything a reader has and compares it with what s has.
func readAll(t *testing.T, r *store.Reader) (events []broker.Event, requests []broker.Request) {
	t.Helper()
	events, err := r.Events(t.Context(), broker.EventFilter{After: -1})
	if err != nil {
		t.Fatal(err)
	}
	if requests, err = r.Requests(t.Context(), broker.RequestFilter{}); err != nil {
		t.Fatal(err)
	}
	checkClean(t, r)
	seq, hash, err := r.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if last := events[len(events)-1]; seq != last.Seq || hash != last.Hash {
		t.Errorf("head is %d %s, the newest event %d %s", seq, hash, last.Seq, last.Hash)
	}
	return events, requests
}

func TestReaderWithoutConsole(t *testing.T) {
	path := filled(t)
	before, bytes := names(t, path), read(t, path)
	readAll(t, openReader(t, path))
	if d := cmp.Diff(before, names(t, path)); d != "" {
		t.Errorf("it made files (-before +after):\n%s", d)
	}
	if string(bytes) != string(read(t, path)) {
		t.Error("it changed the database")
	}
}

// A reader sees what a console commits while it is open, takes no lock that would
// hold the console up, and goes on when the console is gone.
func TestReaderBesideAConsole(t *testing.T) {
	path := filled(t)
	r := openReader(t, path) // before the console starts
	events, _ := readAll(t, r)
	s := openAt(t, path)
	commit(t, s, asked("new"))
	after, requests := readAll(t, r)
	if len(after) != len(events)+1 || requests[0].ID != "new" {
		t.Errorf("%d events after %d, newest request %s", len(after), len(events), requests[0].ID)
	}
	if _, err := r.RequestByKey(t.Context(), "key-new"); err != nil {
		t.Error(err)
	}
	closeStore(t, s)
	if again, _ := readAll(t, r); len(again) != len(after) {
		t.Errorf("%d events after the console closed, %d before", len(again), len(after))
	}
}

// After kill -9 the newest changes lie in the write-ahead log alone.
func TestReaderAfterACrash(t *testing.T) {
	path := filled(t)
	s := openAt(t, path)
	commit(t, s, asked("new"))
	left := filepath.Join(t.TempDir(), "aoctl.db") // the files as a crash would leave them
	for _, suffix := range []string{"", "-wal", "-shm"} {
		write(t, left+suffix, read(t, path+suffix))
	}
	before := names(t, left)
	_, requests := readAll(t, openReader(t, left))
	if requests[0].ID != "new" {
		t.Errorf("the newest request is %s", requests[0].ID)
	}
	if d := cmp.Diff(before, names(t, left)); d != "" {
		t.Errorf("it made files (-before +after):\n%s", d)
	}
}

func TestReaderWithoutDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aoctl.db")
	refuses(t, path, openers["OpenReadOnly"](t, path), store.ErrMissing)
	if got := names(t, path); len(got) != 0 {
		t.Errorf("it made %v", got)
	}
	write(t, path, nil)
	refuses(t, path, openers["OpenReadOnly"](t, path), store.ErrMissing)
}
