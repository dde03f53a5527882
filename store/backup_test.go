package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/brokertest"
	"github.com/aoctl/aoctl/store"
)

// With a console at work and without one, the copy is the database as of one moment,
// and the console goes on with it when it takes the database's place.
func TestBackup(t *testing.T) {
	for _, open := range []bool{true, false} {
		t.Run(fmt.Sprint("console open: ", open), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "aoctl.db")
			s := openAt(t, path)
			fill(t, s)
			seq, hash := s.Head()
			if !open {
				closeStore(t, s)
			}
			to := filepath.Join(t.TempDir(), "copy.db")
			c, err := openReader(t, path).Backup(t.Context(), to, false)
			if err != nil {
				t.Fatal(err)
			}
			if c.HeadSeq != seq || c.HeadHash != hash || c.Path != to || c.Events != seq {
				t.Errorf("%+v, want head %d %s", c, seq, hash)
			}
			info, err := os.Stat(to)
			if err != nil || info.Mode() != 0o600 || info.Size() != c.Bytes {
				t.Errorf("%v, %v; want mode 0600 and %d bytes", info.Mode(), err, c.Bytes)
			}
			if got := names(t, to); len(got) != 1 {
				t.Errorf("beside the copy there is %v", got)
			}
			checkClean(t, openReader(t, to))
			commit(t, openAt(t, to), brokertest.Asked(brokertest.PendingRequest("afterwards", "s1")))
		})
	}
}

// Decisions go on while a copy is being made, and none of them fails.
func TestBackupHoldsNobodyUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aoctl.db")
	s := openAt(t, path)
	fill(t, s)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var slowest time.Duration
	n := 0
	wg.Go(func() {
		for ; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			r, began := brokertest.PendingRequest(fmt.Sprint("busy-", n), "s2"), time.Now()
			if err := s.Record(t.Context(), brokertest.DecidedAtOnce(r, brokertest.Outcome(broker.Denied))); err != nil {
				t.Errorf("commit %d: %v", n, err)
			}
			slowest = max(slowest, time.Since(began))
		}
	})
	for i := range 5 {
		if _, err := openReader(t, path).Backup(t.Context(), filepath.Join(t.TempDir(), fmt.Sprint(i)), false); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	if n == 0 || slowest > time.Second {
		t.Errorf("%d decisions meanwhile, the slowest in %v", n, slowest)
	}
}

func TestBackupRefuses(t *testing.T) {
	path, dir := filled(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string) string {
		if err := os.WriteFile(in(name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		return in(name)
	}
	there, part := write("there"), write("busy.part")
	for name, make := range map[string]func(string) error{
		"link":    func(p string) error { return os.Symlink(there, p) },
		"dead":    func(p string) error { return os.Symlink(in("nothing"), p) },
		"to-own":  func(p string) error { return os.Symlink(path, p) },
		"hard":    func(p string) error { return os.Link(path, p) },
		"fifo":    func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"folder":  func(p string) error { return os.Mkdir(p, 0o700) },
		"linkdir": func(p string) error { return os.Symlink(filepath.Dir(path), p) },
	} {
		if err := make(in(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		to    string
		force bool
		want  error
	}{
		{there, false, store.ErrExists},
		{in("busy"), false, store.ErrPart},
		{path, true, store.ErrOwnFile},
		{path + "-wal", true, store.ErrOwnFile},
		{path + "-shm", true, store.ErrOwnFile},
		{in("linkdir/aoctl.db-wal"), true, store.ErrOwnFile},
		{in("hard"), true, store.ErrOwnFile},
		{in("to-own"), true, store.ErrOwnFile},
		{in("link"), true, store.ErrNoFile},
		{in("dead"), true, store.ErrNoFile},
		{in("fifo"), true, store.ErrNoFile},
		{in("folder"), true, store.ErrNoFile},
		{in("missing/copy"), true, os.ErrNotExist},
	} {
		if _, err := openReader(t, path).Backup(t.Context(), tt.to, tt.force); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.to, err, tt.want)
		}
	}
	for _, p := range []string{there, part} {
		if text, err := os.ReadFile(p); err != nil || string(text) != "mine" {
			t.Errorf("%s became %q, %v", p, text, err)
		}
	}
	for _, to := range []string{there, in("busy")} {
		if _, err := openReader(t, path).Backup(t.Context(), to, true); err != nil {
			t.Errorf("forced to %s: %v", to, err)
		}
		checkClean(t, openReader(t, to))
	}
	checkClean(t, openReader(t, path))
}

// A copy that does not verify, and one that was given up, leave nothing.
func TestBackupLeavesNothingBehind(t *testing.T) {
	path := filled(t)
	foreign(t, path, `UPDATE events SET data = '{"text":"other"}' WHERE seq = 16`)
	to := filepath.Join(t.TempDir(), "copy.db")
	if _, err := openReader(t, path).Backup(t.Context(), to, false); !errors.Is(err, store.ErrUnproven) {
		t.Errorf("of a changed log: %v, want ErrUnproven", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := openReader(t, filled(t)).Backup(ctx, to, false); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v, want context.Canceled", err)
	}
	if got := names(t, to); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}
